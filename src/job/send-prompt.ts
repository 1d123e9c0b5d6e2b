import { getRemainingMs, type RunContext } from '../clock.ts';
import type { NotStartedCode } from '../errors.ts';
import { formatDuration } from '../text/duration.ts';
import type { ApiResult, CallOptions } from './agent-client.ts';
import type { Job } from './job.ts';
import { classifySend, getRetryDelay, type RetryReason, type SendDecision } from './retry-policy.ts';

export type OnRetry = (delayMs: number, reason: RetryReason, detail: string) => void;

/** Why a request had no effect. */
export interface NotStarted {
  readonly code: NotStartedCode;
  /** Undefined if there was no response. */
  readonly httpStatus: number | undefined;
  readonly detail: string;
  /** As in `ApiResponse`. If there is one, it may show that the request had an effect after all. */
  readonly excerpt?: string | undefined;
}

export type SendResult =
  | { readonly kind: 'accepted'; readonly job: Job }
  | { readonly kind: 'not-started'; readonly failure: NotStarted }
  | (SendDecision & { readonly kind: 'unknown'; readonly excerpt: string | undefined })
  /** The call had no effect. */
  | { readonly kind: 'cancelled' };

/**
 * Creates a job or sends a follow-up, and repeats the request only if `classifySend` says that it had no effect. `send`
 * makes one call.
 */
export async function sendPrompt(
  send: (options: CallOptions) => Promise<ApiResult>,
  context: RunContext,
  onRetry: OnRetry,
): Promise<SendResult> {
  const { clock, random, cancel, forceCancel } = context;
  const retries: Record<RetryReason, number> = { 'not-sent': 0, 'rate-limited': 0 };
  let failure: NotStarted = { code: 'connect-failed', httpStatus: undefined, detail: 'no time was left' };

  for (;;) {
    const timeoutMs = getRemainingMs(context);
    if (timeoutMs <= 0) {
      return { kind: 'not-started', failure };
    }
    const result = await send({ timeoutMs, signal: forceCancel, beforeSendSignal: cancel });
    const decision = classifySend(result);
    const excerpt = result.kind === 'not-sent' ? undefined : result.excerpt;
    if (decision.kind === 'accept') {
      return { kind: 'accepted', job: decision.job };
    }
    if (decision.kind === 'unknown') {
      return { ...decision, excerpt };
    }
    const { code, detail } = decision;
    const httpStatus = result.kind === 'response' ? result.httpStatus : undefined;
    failure = { code, httpStatus, detail, excerpt };
    if (decision.kind === 'fail') {
      return { kind: 'not-started', failure };
    }
    if (cancel.aborted) {
      return { kind: 'cancelled' };
    }
    const { reason, retryAfterMs } = decision;
    const remainingMs = getRemainingMs(context);
    const delayMs = getRetryDelay(decision, retries[reason], remainingMs, random());
    if (delayMs === undefined) {
      const wait = describeWait(retryAfterMs, remainingMs);
      return { kind: 'not-started', failure: { ...failure, detail: `${detail}${wait}` } };
    }
    retries[reason] += 1;
    onRetry(delayMs, reason, detail);
    await clock.sleep(delayMs, cancel);
    if (cancel.aborted) {
      return { kind: 'cancelled' };
    }
  }
}

function describeWait(retryAfterMs: number | undefined, remainingMs: number): string {
  if (retryAfterMs === undefined) {
    return '';
  }
  const left = retryAfterMs < remainingMs ? '' : `, but only ${formatDuration(remainingMs)} are left`;
  return `; it asks to wait ${formatDuration(retryAfterMs)}${left}`;
}
