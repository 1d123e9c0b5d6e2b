import { formatDuration, formatInstant } from '../text/duration.ts';
import { getRemainingMs, type Timing } from '../time/deadline.ts';
import { getRetryDelay, type Retry } from '../time/delays.ts';
import type { ApiResult, CallOptions } from './agent-client.ts';
import { classifySend, type NotStarted, type SendResult } from './retry-policy.ts';

/** Longer waits may have no date. */
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

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
  let failure: NotStarted = { code: 'timed-out', detail: 'no connection was tried' };
  for (let retries = 0; getRemainingMs(timing) > 0; retries += 1) {
    const result = classifySend(
      await send({
        timeoutMs: getRemainingMs(timing),
        signal: forceCancel,
        beforeSendSignal: cancel,
      }),
    );
    if (result.kind !== 'not-started' || result.retry === undefined) {
      return result;
    }
    if (cancel.aborted) {
      return { kind: 'cancelled' };
    }
    failure = result.failure;
    const delayMs = getRetryDelay(result.retry, retries, getRemainingMs(timing), random());
    if (delayMs === undefined) {
      return giveUp(failure, result.retry, retries + 1, getRemainingMs(timing));
    }
    onRetry(failure, delayMs);
    await clock.sleep(delayMs, cancel);
    if (cancel.aborted) {
      return { kind: 'cancelled' };
    }
  }
  return { kind: 'not-started', failure };
}

function giveUp(failure: NotStarted, retry: Retry, tries: number, remainingMs: number): SendResult {
  const tried = tries === 1 ? '' : `; tried ${tries} times`;
  const detail = `${failure.detail}${tried}${describeWait(retry, remainingMs)}`;
  return { kind: 'not-started', failure: { ...failure, detail, retryAfterMs: retry.retryAfterMs } };
}

/** Says until when the service asks to wait, so that a person knows when to re-run. */
function describeWait({ retryAfterMs }: Retry, remainingMs: number): string {
  if (retryAfterMs === undefined) {
    return '';
  }
  const isTooLate = retryAfterMs >= remainingMs;
  const end = isTooLate ? `, but this run ends in ${formatDuration(remainingMs)}` : '';
  if (retryAfterMs > YEAR_MS) {
    return `; the service asks to wait for more than a year${end}`;
  }
  const until = formatInstant(Date.now() + retryAfterMs);
  return `; the service asks to wait ${formatDuration(retryAfterMs)} (until ${until})${end}`;
}
