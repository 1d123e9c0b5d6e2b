import { getLastRequestMs, type Timing } from '../clock.ts';
import { type ApiResult, type CallOptions, isMissing } from '../service/agent-client.ts';
import type { JobRequest } from '../service/job.ts';
import { classifySend, getRefusalCode, lacksCredits } from '../service/retry-policy.ts';
import { CANCELLED, type Outcome } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';

/**
 * Scopes depend on the HTTP method, so a follow-up to a job that can't exist shows if a key may
 * start jobs.
 */
const NO_JOB = 'dry-run-only-no-such-job';
const PROBE = 'This dry run only checks an API key. Nothing needs to be done.';
const TIMEOUT_MS = 10_000;
/** Errors that a real run would also get. */
const CERTAIN = /^(?:connect-failed|tls-failed|proxy-refused)$/;

/**
 * Returns the outcome of a dry run. If a real run would wait for an existing job, also reads that
 * job.
 */
export async function checkKey(request: JobRequest, run: Run): Promise<Outcome> {
  const { agent } = run;
  if (request.kind !== 'attach') {
    const result = await agent.sendFollowUp(NO_JOB, PROBE, getOptions(run));
    if (!isMissing(result)) {
      return explain(result, run);
    }
    if (request.kind === 'create') {
      return { result: 'dry-run', keyCheck: 'may-start' };
    }
  }
  const isAttach = request.kind === 'attach';
  const result = await agent.getJob(request.jobId, getOptions(run));
  if (result.kind === 'response' && result.job !== undefined) {
    return {
      result: 'dry-run',
      keyCheck: isAttach ? 'may-read' : 'may-start',
      awaited: result.job,
    };
  }
  if (!isMissing(result)) {
    return explain(result, run);
  }
  const { detail } = result;
  return isAttach
    ? { result: 'lost', code: 'job-lost', reason: 'not-found', detail }
    : { result: 'not-started', code: 'not-found', httpStatus: 404, detail };
}

/** Returns the outcome after an unexpected response. */
function explain(result: ApiResult, { cancel }: Timing): Outcome {
  const { detail } = result;
  if (cancel.aborted) {
    return CANCELLED;
  }
  if (result.kind === 'response' && (result.httpStatus === 401 || result.httpStatus === 403)) {
    const { httpStatus, isPage } = result;
    return {
      result: 'not-started',
      code: getRefusalCode(httpStatus),
      httpStatus,
      detail,
      isPage,
    };
  }
  const sent = classifySend(result);
  const isCertain =
    sent.kind === 'not-started' &&
    (CERTAIN.test(sent.failure.code) || lacksCredits(detail, sent.failure.httpStatus));
  return isCertain
    ? { result: 'not-started', ...sent.failure }
    : { result: 'dry-run', keyCheck: 'unchecked', detail };
}

function getOptions(run: Timing): CallOptions {
  return { timeoutMs: Math.min(TIMEOUT_MS, getLastRequestMs(run)), signal: run.cancel };
}
