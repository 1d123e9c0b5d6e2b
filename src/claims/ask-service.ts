import { getHalfOfRemainingMs, getRemainingMs, type Timing } from '../clock.ts';
import { retry } from '../retry.ts';
import { readJobOnce } from '../service/read-job.ts';
import { isMissing } from '../service/retry-policy.ts';
import { GONE_AFTER_MS } from '../state/limits.ts';
import type { Run } from '../state/run.ts';
import type { EarlierJobStatus } from './decide.ts';

const GONE_PAUSE_MS = 10_000;

/**
 * Asks the service about a job on record. Returns `failed` only if the service says so, and `gone`
 * only if the service returns 404 or 410 for a minute. In any other case, returns `found`, because
 * a second job would cost credits.
 */
export async function askService(
  jobId: string,
  run: Timing & Pick<Run, 'agent'>,
): Promise<EarlierJobStatus> {
  const { clock, cancel } = run;
  const goneAt = clock.now() + GONE_AFTER_MS;
  const until = Math.min(goneAt, clock.now() + getHalfOfRemainingMs(run));
  const result = await retry(
    () => readJobOnce(jobId, getRemainingMs(run), run),
    (reply) => {
      const isOver = !isMissing(reply) || clock.now() >= until;
      return isOver ? undefined : Math.min(GONE_PAUSE_MS, until - clock.now());
    },
    { clock, signal: cancel },
  );
  if (isMissing(result)) {
    return clock.now() >= goneAt ? 'gone' : 'found';
  }
  return result.kind === 'response' && result.job?.status === 'failed' ? 'failed' : 'found';
}
