import { getRemainingMs, type RunContext } from './clock.ts';
import { CANCELLED, type Outcome } from './outcome.ts';
import type { AgentApi, ApiResult, CallOptions } from './service/agent-client.ts';
import type { JobRequest } from './service/job.ts';
import { FINAL_POLL_TIMEOUT_MS } from './service/poll-job.ts';
import { classifySend } from './service/retry-policy.ts';
import type { EarlierJob } from './state.ts';
import { code, type Message, message } from './text/message.ts';

interface KeyDependencies {
  readonly agent: AgentApi;
  readonly reporter: { onNote(note: Message): void };
}

/** An id that the service gives to no job, and the follow-up to it. */
const NO_JOB = 'dry-run-only-no-such-job';
const PROBE = 'This dry run only checks an API key. Nothing needs to be done.';
const TIMEOUT_MS = 10_000;
/** Errors that the real run would meet, too. */
const CERTAIN = /^(?:unauthorized|forbidden|connect-failed|tls-failed|proxy-refused)$/;

/**
 * Returns the outcome of a dry run. Scopes of a key follow the HTTP method, so a follow-up to a job that can't exist
 * shows whether the key may start jobs. If a real run would wait for an existing job, its status is read.
 */
export async function checkKey(
  request: JobRequest,
  earlierJob: EarlierJob | undefined,
  dependencies: KeyDependencies,
  context: RunContext,
): Promise<Outcome> {
  const { agent, reporter } = dependencies;
  const reused = earlierJob?.kind === 'found' ? earlierJob.jobId : undefined;
  const jobId = request.kind === 'create' ? reused : request.jobId;
  const isSending = request.kind !== 'attach' && reused === undefined;
  if (isSending) {
    const result = await agent.sendFollowUp(NO_JOB, PROBE, getOptions(context));
    if (!isMissing(result)) {
      return explain(result, dependencies, context);
    }
  }
  if (jobId === undefined) {
    return { outcome: 'dry-run', keyCheck: 'may-start' };
  }
  const result = await agent.getJob(jobId, getOptions(context));
  if (isMissing(result)) {
    const { detail } = result;
    return isSending
      ? { outcome: 'not-started', code: 'not-found', httpStatus: 404, detail }
      : { outcome: 'lost', code: 'job-lost', reason: 'not-found', detail };
  }
  if (result.kind !== 'response' || result.job === undefined) {
    return explain(result, dependencies, context);
  }
  if (reused === undefined) {
    const first = isSending ? message`send the follow-up and ` : message``;
    reporter.onNote(message`a real run would ${first}wait for job ${jobId}, now ${code(result.job.status)}`);
  }
  return { outcome: 'dry-run', keyCheck: isSending ? 'may-start' : 'may-read' };
}

/** Returns the outcome after an unexpected response. */
function explain(result: ApiResult, { reporter }: KeyDependencies, { cancel }: RunContext): Outcome {
  const { detail } = result;
  const sent = classifySend(result);
  if (cancel.aborted) {
    return CANCELLED;
  }
  if (sent.kind === 'not-started' && CERTAIN.test(sent.failure.code)) {
    const { code, httpStatus } = sent.failure;
    return { outcome: 'not-started', code, httpStatus, detail };
  }
  reporter.onNote(message`couldn't check the key (${detail})`);
  return { outcome: 'dry-run', keyCheck: { unchecked: detail } };
}

function getOptions(context: RunContext): CallOptions {
  const leftMs = Math.max(0, getRemainingMs(context)) + FINAL_POLL_TIMEOUT_MS;
  return { timeoutMs: Math.min(TIMEOUT_MS, leftMs), signal: context.cancel };
}

/** True if the service itself says that there is no such job. */
function isMissing(result: ApiResult): boolean {
  return result.kind === 'response' && result.httpStatus === 404 && result.hasErrorBody;
}
