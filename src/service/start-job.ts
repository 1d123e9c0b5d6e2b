import { formatInstant } from '../text/duration.ts';
import { getRemainingMs, type Timing } from '../time/deadline.ts';
import { getRetryDelay, type Retry, retry } from '../time/retry.ts';
import type { ApiResult, CallOptions } from './agent-client.ts';
import { classifySend, type NotStarted, type SendResult } from './retry-policy.ts';

/** Longer waits may have no date. */
const LONGEST_WAIT_MS = 365 * 24 * 60 * 60 * 1000;
const NO_TIME_LEFT = { code: 'timed-out', detail: 'no time was left to connect' } as const;

/**
 * Creates a job or sends a follow-up with `send`, which costs money. Tries again only if
 * `classifySend` says that the request had no effect.
 */
export async function sendPrompt(
  send: (options: CallOptions) => Promise<ApiResult>,
  timing: Timing,
  onRetry: (failure: NotStarted, delayMs: number) => void,
): Promise<SendResult | { readonly kind: 'cancelled' }> {
  const { clock, random, cancel, forceCancel } = timing;
  let tries = 0;
  let latest: SendResult = { kind: 'not-started', failure: NO_TIME_LEFT };
  const result = await retry(
    async () => {
      const timeoutMs = getRemainingMs(timing);
      if (timeoutMs > 0) {
        tries += 1;
        const limits = { timeoutMs, signal: forceCancel, beforeSendSignal: cancel };
        latest = classifySend(await send(limits));
      }
      return latest;
    },
    ({ retry: again }, retries) =>
      again && getRetryDelay(again, retries, getRemainingMs(timing), random()),
    {
      clock,
      signal: cancel,
      onRetry: (failed, delayMs) => failed.retry && onRetry(failed.failure, delayMs),
    },
  );
  if (result.retry === undefined) {
    return result;
  }
  return cancel.aborted ? { kind: 'cancelled' } : giveUp(result.failure, tries, result.retry);
}

/** Says how often it was tried, and when a person may try again. */
function giveUp(failure: NotStarted, tries: number, { retryAfterMs }: Retry): SendResult {
  const tried = tries === 1 ? '' : `; tried ${tries} times`;
  const untilMs = retryAfterMs && Date.now() + Math.min(retryAfterMs, LONGEST_WAIT_MS);
  const wait = untilMs ? `; the service asks to wait until ${formatInstant(untilMs)}` : '';
  const detail = `${failure.detail}${tried}${wait}`;
  return { kind: 'not-started', failure: { ...failure, detail } };
}
