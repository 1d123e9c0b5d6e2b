import { getRemainingMs, type RunContext } from './clock.ts';
import type { RunDependencies } from './dependencies.ts';
import { CANCELLED, type Outcome } from './outcome.ts';
import { type ApiResult, type CallOptions, isMissing } from './service/agent-client.ts';
import type { JobRequest } from './service/job.ts';
import { FINAL_POLL_TIMEOUT_MS } from './service/poll-job.ts';
import { classifySend, lacksCredits } from './service/retry-policy.ts';

/** The id of a job that can't exist, and a follow-up to it. */
const NO_JOB = 'dry-run-only-no-such-job';
const PROBE = 'This dry run only checks an API key. Nothing needs to be done.';
const TIMEOUT_MS = 10_000;
/** Errors that a real run would run into, too. */
const CERTAIN = /^(?:unauthorized|forbidden|connect-failed|tls-failed|proxy-refused)$/;

/**
 * Returns the outcome of a dry run. The scopes of a key depend on the HTTP method, so a follow-up to a job that can't exist
 * shows whether the key may start jobs. If a real run would wait for an existing job, also reads that job.
 */
export async function checkKey(request: JobRequest, dependencies: RunDependencies): Promise<Outcome> {
  const { agent, tracker } = dependencies;
  const { earlierJob } = tracker.state;
  const reused = earlierJob?.kind === 'found' ? earlierJob.jobId : undefined;
  const jobId = request.kind === 'create' ? reused : request.jobId;
  const isSending = request.kind !== 'attach' && reused === undefined;
  if (isSending) {
    const result = await agent.sendFollowUp(NO_JOB, PROBE, getOptions(dependencies));
    if (!isMissing(result)) {
      return explain(result, dependencies);
    }
  }
  if (jobId === undefined) {
    return { outcome: 'dry-run', keyCheck: 'may-start' };
  }
  const result = await agent.getJob(jobId, getOptions(dependencies));
  if (isMissing(result)) {
    const { detail } = result;
    return isSending
      ? { outcome: 'not-started', code: 'not-found', httpStatus: 404, detail }
      : { outcome: 'lost', code: 'job-lost', reason: 'not-found', detail };
  }
  if (result.kind !== 'response' || result.job === undefined) {
    return explain(result, dependencies);
  }
  return { outcome: 'dry-run', keyCheck: isSending ? 'may-start' : 'may-read', awaited: result.job };
}

/** Returns the outcome after an unexpected response. */
function explain(result: ApiResult, { cancel }: RunContext): Outcome {
  const { detail } = result;
  const sent = classifySend(result);
  if (cancel.aborted) {
    return CANCELLED;
  }
  if (sent.kind !== 'not-started') {
    return { outcome: 'dry-run', keyCheck: { unchecked: detail } };
  }
  const { failure } = sent;
  return CERTAIN.test(failure.code) || lacksCredits(detail, failure.httpStatus)
    ? { outcome: 'not-started', ...failure }
    : { outcome: 'dry-run', keyCheck: { unchecked: detail } };
}

function getOptions(run: RunContext): CallOptions {
  const leftMs = Math.max(1, getRemainingMs(run) + FINAL_POLL_TIMEOUT_MS);
  return { timeoutMs: Math.min(TIMEOUT_MS, leftMs), signal: run.cancel };
}
