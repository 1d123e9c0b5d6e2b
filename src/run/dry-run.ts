import { previewEarlierJob } from '../claims/preview.ts';
import type { ClaimStore } from '../claims/store.ts';
import { getLastRequestMs, type Timing } from '../clock.ts';
import type { NotStartedCode } from '../errors.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { ApiResult, CallOptions } from '../service/agent-client.ts';
import type { JobRequest } from '../service/job.ts';
import { readJobOnce } from '../service/read-job.ts';
import { classifySend, isMissing } from '../service/retry-policy.ts';
import { CANCELLED, type Outcome } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';
import { preparePrompt } from './prepare-prompt.ts';

/**
 * Scopes depend on the HTTP method, so a follow-up to a job that can't exist shows whether a
 * key may start jobs.
 */
const NO_JOB = 'dry-run-only-no-such-job';
const PROBE = 'This dry run only checks an API key. Nothing needs to be done.';
const TIMEOUT_MS = 10_000;
/** Errors that a real run would also get. */
const CERTAIN: readonly NotStartedCode[] = [
  'connect-failed',
  'tls-failed',
  'proxy-refused',
  'unauthorized',
  'forbidden',
  'no-credits',
];

/**
 * Returns the outcome of a dry run, which starts and records nothing: decides what a real run would
 * do, and asks the service whether it takes the key.
 */
export async function runDry(
  inputs: Inputs,
  store: ClaimStore | undefined,
  run: Run,
): Promise<Outcome> {
  return checkKey(await previewRequest(inputs, store, run), run);
}

/** Returns what a real run would send, or which job it would wait for. */
async function previewRequest(
  inputs: Inputs,
  store: ClaimStore | undefined,
  run: Run,
): Promise<JobRequest> {
  if (inputs.request.kind === 'attach') {
    return inputs.request;
  }
  const earlierId = store && (await previewEarlierJob(inputs, store, run));
  if (earlierId !== undefined) {
    const attach = { kind: 'attach', jobId: earlierId } as const;
    run.tracker.update({ request: attach });
    return attach;
  }
  return preparePrompt(inputs.request, inputs, run);
}

/** Asks whether the key may start jobs. Reads a job that a real run would wait for. */
async function checkKey(request: JobRequest, run: Run): Promise<Outcome> {
  const { agent } = run;
  if (request.kind !== 'attach') {
    const result = await agent.sendFollowUp(NO_JOB, PROBE, getOptions(run));
    if (!isMissing(result)) {
      return explain(result, run);
    }
    if (request.kind === 'create') {
      return checkServer(result.detail, run);
    }
  }
  const isAttach = request.kind === 'attach';
  const result = await readJobOnce(request.jobId, getLastRequestMs(run), run);
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
  if (isAttach) {
    return { result: 'lost', code: 'job-lost', reason: 'not-found', detail };
  }
  const httpStatus = result.kind === 'response' ? result.httpStatus : undefined;
  return { result: 'not-started', code: 'not-found', httpStatus, detail };
}

/**
 * Returns the outcome of a new job's dry run after the service has found no job. At a wrong
 * address, a server may say the same to everyone. So it also must not say so without a key.
 */
async function checkServer(detail: string, run: Run): Promise<Outcome> {
  const options = { ...getOptions(run), isAnonymous: true };
  const result = await run.agent.sendFollowUp(NO_JOB, PROBE, options);
  if (run.cancel.aborted) {
    return CANCELLED;
  }
  return isMissing(result)
    ? { result: 'dry-run', keyCheck: 'unchecked', detail: `${detail}, also without a key` }
    : { result: 'dry-run', keyCheck: 'may-start' };
}

/** Returns the outcome after an unexpected response. */
function explain(result: ApiResult, { cancel }: Timing): Outcome {
  const { detail } = result;
  if (cancel.aborted) {
    return CANCELLED;
  }
  const sent = classifySend(result);
  if (sent.kind === 'not-started' && CERTAIN.includes(sent.failure.code)) {
    return { result: 'not-started', ...sent.failure };
  }
  const wasAccepted = result.kind === 'response' && result.httpStatus < 300;
  return { result: 'dry-run', keyCheck: 'unchecked', detail, wasAccepted };
}

function getOptions(run: Timing): CallOptions {
  return { timeoutMs: Math.min(TIMEOUT_MS, getLastRequestMs(run)), signal: run.cancel };
}
