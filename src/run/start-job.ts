import type { Job, PromptRequest } from '../service/job.ts';
import { classifySend, type NotStarted, type SendResult } from '../service/retry-policy.ts';
import { Stop, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { formatInstant } from '../text/duration.ts';
import { getRemainingMs } from '../time/deadline.ts';
import { getRetryDelay, type Retry, retry } from '../time/retry.ts';

/** Longer waits may have no date. */
const LONGEST_WAIT_MS = 365 * 24 * 60 * 60 * 1000;
const NO_TIME_LEFT = { code: 'timed-out', detail: 'no time was left to connect' } as const;

/**
 * Creates a job or sends a follow-up, which costs money. Tries again only if `classifySend` says
 * that the request had no effect. Returns the job that received the prompt, or throws a `Stop`.
 */
export async function startJob(request: PromptRequest, run: Run): Promise<Job> {
  const { agent, clock, random, cancel, forceCancel, tracker, emit } = run;
  const onSend = (): void => {
    tracker.update({ isUnconfirmed: true, sentAt: Date.now() });
    emit({ kind: 'sending' });
  };
  let tries = 0;
  let latest: SendResult = { kind: 'not-started', failure: NO_TIME_LEFT };
  const result = await retry(
    async () => {
      const timeoutMs = getRemainingMs(run);
      if (timeoutMs > 0) {
        tries += 1;
        const limits = { timeoutMs, signal: forceCancel, beforeSendSignal: cancel };
        latest = classifySend(await agent.send(request, { ...limits, onSend }));
        if (latest.kind === 'not-started') {
          tracker.update({ isUnconfirmed: false });
        }
      }
      return latest;
    },
    ({ retry: again }, retries) =>
      again && getRetryDelay(again, retries, getRemainingMs(run), random()),
    {
      clock,
      signal: cancel,
      onRetry: (failed, delayMs) =>
        failed.retry && emit({ kind: 'retry', failure: failed.failure, delayMs }),
    },
  );
  if (result.kind === 'accepted') {
    tracker.setJob(result.job);
    return result.job;
  }
  if (result.kind === 'unknown') {
    stopIfCanceled(forceCancel);
    throw new Stop({ result: 'start-unknown', ...result.failure });
  }
  const { failure, retry: again } = result;
  if (again === undefined) {
    throw new Stop({ result: 'not-started', ...failure });
  }
  stopIfCanceled(cancel);
  throw new Stop({ result: 'not-started', ...explain(failure, tries, again) });
}

/** Says how often it was tried, and when a person may try again. */
function explain(failure: NotStarted, tries: number, { retryAfterMs }: Retry): NotStarted {
  const tried = tries === 1 ? '' : `; tried ${tries} times`;
  const untilMs = retryAfterMs && Date.now() + Math.min(retryAfterMs, LONGEST_WAIT_MS);
  const wait = untilMs ? `; the service asks to wait until ${formatInstant(untilMs)}` : '';
  return { ...failure, detail: `${failure.detail}${tried}${wait}` };
}
