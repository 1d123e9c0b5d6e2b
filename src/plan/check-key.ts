import { getRemainingMs, type RunContext } from '../clock.ts';
import type { ErrorCode } from '../errors.ts';
import type { JobRequest } from '../job/job.ts';
import { FINAL_POLL_TIMEOUT_MS } from '../job/poll-job.ts';
import { classifyCreate } from '../job/retry-policy.ts';
import type { Outcome } from '../outcome.ts';
import { code, message } from '../text/message.ts';
import type { ClaimDependencies } from './claim.ts';

/** An id that no service gives to a job. */
const NO_JOB = 'dry-run-only-no-such-job';
const TIMEOUT_MS = 10_000;
/** Errors of this read that a create may not meet. */
const UNCERTAIN: readonly ErrorCode[] = ['start-unknown', 'bad-request', 'not-found', 'rate-limited'];

/**
 * Returns the outcome of a dry run. Asks the service once whether it accepts the key: reads the job that the inputs
 * name, or one that can't exist. Fails with the error code that a real run would have.
 */
export async function checkKey(
  request: JobRequest,
  { agent, reporter }: Pick<ClaimDependencies, 'agent' | 'reporter'>,
  context: RunContext,
): Promise<Outcome> {
  const timeoutMs = Math.min(TIMEOUT_MS, Math.max(0, getRemainingMs(context)) + FINAL_POLL_TIMEOUT_MS);
  const jobId = request.kind === 'create' ? NO_JOB : request.jobId;
  const result = await agent.getJob(jobId, { timeoutMs, signal: context.cancel });
  if (context.cancel.aborted) {
    return { outcome: 'cancelled', code: 'cancelled' };
  }
  const decision = classifyCreate(result);
  if (decision.kind === 'accept') {
    reporter.onNote(message`the service accepts the key, and job ${jobId} is ${code(decision.job.status)}`);
    return { outcome: 'dry-run', keyCheck: 'accepted' };
  }
  const { detail } = result;
  const response = result.kind === 'response' ? result : undefined;
  const httpStatus = response?.httpStatus;
  const isGone = httpStatus === 410 && request.kind !== 'create';
  const isMissing = (httpStatus === 404 || isGone) && response?.hasErrorBody === true;
  if (isMissing && request.kind === 'create') {
    return { outcome: 'dry-run', keyCheck: 'accepted' };
  }
  if (isMissing && request.kind === 'attach') {
    return { outcome: 'lost', code: 'job-lost', reason: 'not-found', detail };
  }
  const isCertain = isMissing || !UNCERTAIN.includes(decision.code);
  if (isCertain && decision.code !== 'start-unknown') {
    return { outcome: 'not-started', code: decision.code, httpStatus, detail };
  }
  reporter.onNote(message`couldn't check the key (${detail})`);
  return { outcome: 'dry-run', keyCheck: { unchecked: detail } };
}
