import { getRemainingMs, type RunContext } from '../clock.ts';
import { retry } from '../retry.ts';
import { formatDuration } from '../text/duration.ts';
import type { ApiResult, CallOptions } from './agent-client.ts';
import { classifySend, getRetryDelay, type NotStarted, type SendResult } from './retry-policy.ts';

/**
 * Creates a job or sends a follow-up with `send`. Retries only if `classifySend` says that the
 * request had no effect.
 */
export async function sendPrompt(
  send: (options: CallOptions) => Promise<ApiResult>,
  context: RunContext,
  onRetry: (failure: NotStarted, delayMs: number) => void,
): Promise<SendResult | { readonly kind: 'cancelled' }> {
  const { clock, random, cancel, forceCancel } = context;
  let latest: SendResult = {
    kind: 'not-started',
    failure: { code: 'connect-failed', detail: 'no time left' },
  };
  let tries = 0;
  const result = await retry(
    async () => {
      const timeoutMs = getRemainingMs(context);
      if (timeoutMs > 0) {
        tries += 1;
        latest = classifySend(
          await send({ timeoutMs, signal: forceCancel, beforeSendSignal: cancel }),
        );
      }
      return latest;
    },
    (sent, retries) => {
      if (sent.kind !== 'not-started' || sent.retry === undefined) {
        return undefined;
      }
      const delayMs = getRetryDelay(sent.retry, retries, getRemainingMs(context), random());
      if (delayMs !== undefined) {
        onRetry(sent.failure, delayMs);
      }
      return delayMs;
    },
    { clock, signal: cancel },
  );
  if (result.kind !== 'not-started' || result.retry === undefined) {
    return result;
  }
  if (cancel.aborted) {
    return { kind: 'cancelled' };
  }
  const { failure } = result;
  const { retryAfterMs } = result.retry;
  const tried = tries > 1 ? `; tried ${tries} times` : '';
  const wait =
    retryAfterMs === undefined ? '' : describeWait(retryAfterMs, getRemainingMs(context));
  const detail = `${failure.detail}${tried}${wait}`;
  return { kind: 'not-started', failure: { ...failure, detail } };
}

function describeWait(retryAfterMs: number, remainingMs: number): string {
  const left = retryAfterMs < remainingMs ? '' : `, with only ${formatDuration(remainingMs)} left`;
  const until = new Date(Date.now() + retryAfterMs).toISOString().replace('T', ' ').slice(0, 16);
  return `; it asks to wait ${formatDuration(retryAfterMs)} (until ${until} UTC)${left}`;
}
