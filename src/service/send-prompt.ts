import { getRemainingMs, type RunContext } from '../clock.ts';
import { formatDuration } from '../text/duration.ts';
import type { ApiResult, CallOptions } from './agent-client.ts';
import { classifySend, getRetryDelay, type Retry, type SendResult } from './retry-policy.ts';

export type OnRetry = (delayMs: number, reason: Retry['reason'], detail: string) => void;

/** Creates a job or sends a follow-up with `send`. Retries only if `classifySend` says that the request had no effect. */
export async function sendPrompt(
  send: (options: CallOptions) => Promise<ApiResult>,
  context: RunContext,
  onRetry: OnRetry,
): Promise<SendResult | { readonly kind: 'cancelled' }> {
  const { clock, random, cancel, forceCancel } = context;
  let result: SendResult = {
    kind: 'not-started',
    failure: { code: 'connect-failed', httpStatus: undefined, detail: 'no time left' },
    retry: { reason: 'not-sent' },
  };
  for (let retries = 0; ; retries += 1) {
    const timeoutMs = getRemainingMs(context);
    if (timeoutMs > 0 && !cancel.aborted) {
      result = classifySend(await send({ timeoutMs, signal: forceCancel, beforeSendSignal: cancel }));
    }
    if (result.kind !== 'not-started' || result.retry === undefined) {
      return result;
    }
    if (cancel.aborted) {
      return { kind: 'cancelled' };
    }
    const { failure, retry } = result;
    const remainingMs = getRemainingMs(context);
    const delayMs = getRetryDelay(retry, retries, remainingMs, random());
    if (delayMs === undefined) {
      const detail = `${failure.detail}${describeWait(retry.retryAfterMs, remainingMs)}`;
      return { kind: 'not-started', failure: { ...failure, detail } };
    }
    onRetry(delayMs, retry.reason, failure.detail);
    await clock.sleep(delayMs, cancel);
  }
}

function describeWait(retryAfterMs: number | undefined, remainingMs: number): string {
  if (retryAfterMs === undefined) {
    return '';
  }
  const left = retryAfterMs < remainingMs ? '' : `, with only ${formatDuration(remainingMs)} left`;
  const until = new Date(Date.now() + retryAfterMs).toISOString().replace('T', ' ').slice(0, 16);
  return `; it asks to wait ${formatDuration(retryAfterMs)} (until ${until} UTC)${left}`;
}
