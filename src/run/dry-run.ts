import { readJobOnce } from '../service/agent-client.ts';
import { classifySend, isMissing, type NotStartedCode } from '../service/retry-policy.ts';
import { type Outcome, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getLastRequestMs } from '../time/deadline.ts';

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
 * Returns the outcome of a dry run: asks the service, with one GET, whether it takes the key. Reads
 * the job that a real run would wait for or continue, or one that can't exist.
 */
export async function checkKey(jobId: string | undefined, run: Run): Promise<Outcome> {
  const { tracker, cancel } = run;
  const reply = await readJobOnce(jobId ?? NO_JOB, getLastRequestMs(run), run);
  stopIfCanceled(cancel);
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
