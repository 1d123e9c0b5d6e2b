import { GitHubError } from '../github/errors.ts';
import { PATIENCE_MS } from '../record/turn.ts';
import { type ApiResult, readJobOnce } from '../service/agent-client.ts';
import type { Job } from '../service/job.ts';
import { classifyPoll, classifySend, isMissing } from '../service/retry-policy.ts';
import { Stop, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getPreparationMs } from '../time/deadline.ts';
import { retry } from '../time/retry.ts';

/** The service may not find a new job everywhere yet. A poll doubts a 404 for as long. */
const LOOK_AGAIN_MS = [2_000, 4_000, 8_000, 16_000, 30_000];
/** In a run that has less than a minute for it. */
const LEAST_LOOKS = 3;

/**
 * Returns the job of another run, or undefined if the service never finds it within a minute, or
 * half of the time that is left. Rejects if it can't be read: to guess what became of it would lose
 * changes, or pay twice.
 */
export async function readOtherJob(jobId: string, run: Run): Promise<Job | undefined> {
  const { clock, cancel } = run;
  const until = clock.now() + getPreparationMs(PATIENCE_MS, run);
  const replies: ApiResult[] = [];
  const reply = await retry(
    () => readJobOnce(jobId, until - clock.now(), run),
    (latest, retries) => {
      replies.push(latest);
      const poll = classifyPoll(latest);
      if (poll.kind === 'accept' || poll.reason === 'refused') {
        return undefined;
      }
      const delayMs = Math.max(LOOK_AGAIN_MS[retries] ?? Infinity, poll.pause?.retryAfterMs ?? 0);
      return clock.now() + delayMs < until ? delayMs : undefined;
    },
    { clock, signal: cancel },
  );
  stopIfCanceled(cancel);
  const isGone = replies.length >= LEAST_LOOKS && replies.every(isMissing);
  if (reply.job !== undefined || isGone) {
    return reply.job;
  }
  const sent = classifySend(reply);
  const isRefused = sent.kind === 'not-started' && sent.failure.code !== 'not-found';
  throw isRefused && !isMissing(reply)
    ? new Stop({ result: 'not-started', ...sent.failure })
    : new GitHubError(`job ${jobId} can't be read: ${reply.detail}`);
}
