import type { NotStartedCode } from '../errors.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { JobRecord } from '../record/record.ts';
import { readJobOnce } from '../service/agent-client.ts';
import { classifySend, isMissing } from '../service/retry-policy.ts';
import { CANCELLED, type Outcome } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getLastRequestMs } from '../time/deadline.ts';
import { preparePrompt } from './prepare-prompt.ts';

/** No job has this id. Asking for it shows whether the service takes the key. */
const NO_JOB = 'dry-run-only-no-such-job';
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
 * do, and asks the service, with one GET, whether it takes the key.
 */
export async function runDry(
  inputs: Inputs,
  record: JobRecord | undefined,
  run: Run,
): Promise<Outcome> {
  const { request } = inputs;
  if (request.kind === 'attach') {
    return checkKey(request.jobId, run);
  }
  const earlierId = await record?.look();
  if (earlierId !== undefined) {
    run.tracker.update({ request: { kind: 'attach', jobId: earlierId } });
    return checkKey(earlierId, run);
  }
  await preparePrompt(request, inputs, record, run);
  return checkKey(request.jobId, run);
}

/** Reads the job that a real run would wait for or continue, or one that can't exist. */
async function checkKey(jobId: string | undefined, run: Run): Promise<Outcome> {
  const { tracker, cancel } = run;
  const reply = await readJobOnce(jobId ?? NO_JOB, getLastRequestMs(run), run);
  if (cancel.aborted) {
    return CANCELLED;
  }
  const { detail } = reply;
  if (jobId !== undefined && reply.job !== undefined) {
    if (tracker.state.request?.kind === 'attach') {
      tracker.setJob(reply.job);
    }
    return { result: 'dry-run' };
  }
  if (isMissing(reply)) {
    return jobId === undefined
      ? { result: 'dry-run' }
      : { result: 'lost', code: 'job-lost', reason: 'not-found', detail };
  }
  const sent = classifySend(reply);
  return sent.kind === 'not-started' && CERTAIN.includes(sent.failure.code)
    ? { result: 'not-started', ...sent.failure }
    : { result: 'dry-run', unchecked: detail };
}
