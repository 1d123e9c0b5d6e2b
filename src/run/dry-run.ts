import { readJobOnce } from '../service/agent-client.ts';
import { classifySend, isMissing, type NotStartedCode } from '../service/retry-policy.ts';
import { type Outcome, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getLastRequestMs } from '../time/deadline.ts';
import type { Plan } from './plan.ts';

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
export async function checkKey(plan: Plan, run: Run): Promise<Outcome> {
  const { tracker, cancel } = run;
  const jobId = getNamedJobId(plan);
  const reply = await readJobOnce(jobId ?? NO_JOB, getLastRequestMs(run), run);
  stopIfCanceled(cancel);
  const { detail } = reply;
  if (jobId !== undefined && reply.job !== undefined) {
    if (plan.kind === 'wait') {
      tracker.setJob(reply.job);
    }
    return { result: 'dry-run' };
  }
  if (isMissing(reply) && jobId !== undefined) {
    return { result: 'lost', code: 'job-lost', reason: 'not-found', detail };
  }
  const sent = classifySend(reply);
  const failure = sent.kind === 'not-started' ? sent.failure : undefined;
  if (failure !== undefined && CERTAIN.includes(failure.code)) {
    return { result: 'not-started', ...failure };
  }
  // Not 410, which may be about the whole API.
  const isAccepted = isMissing(reply) && failure?.code === 'not-found';
  return isAccepted ? { result: 'dry-run' } : { result: 'dry-run', unchecked: detail };
}

/** Returns the id of the job that a real run would wait for or continue. */
function getNamedJobId(plan: Plan): string | undefined {
  return plan.kind === 'send' ? plan.request.jobId : plan.jobId;
}
