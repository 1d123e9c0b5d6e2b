import type { RunContext } from '../clock.ts';
import type { NotStartedCode } from '../errors.ts';
import { formatDuration } from '../text/duration.ts';
import type { ApiResult, CallOptions } from './agent-client.ts';
import type { Job } from './job.ts';
import { type CreateDecision, classifyCreate, getRetryDelay, type RetryReason } from './retry-policy.ts';

/** Sends a create or a follow-up once. */
export type Send = (options: CallOptions) => Promise<ApiResult>;

export type OnRetry = (delayMs: number, reason: RetryReason, detail: string) => void;

/** Why a call surely had no effect. */
export interface NotStarted {
  readonly code: NotStartedCode;
  /** Undefined if there was no response. */
  readonly httpStatus: number | undefined;
  readonly detail: string;
}

export type SendResult =
  | { readonly kind: 'accepted'; readonly job: Job }
  | ({ readonly kind: 'not-started' } & NotStarted)
  | (CreateDecision & { readonly kind: 'unknown' })
  | { readonly kind: 'cancelled'; readonly mayHaveStarted: boolean };

/** Sends a create or a follow-up, and repeats it only if `classifyCreate` says that it had no effect. */
export async function sendPrompt(
  send: Send,
  { clock, random, deadline, cancel, forceCancel }: RunContext,
  onRetry: OnRetry,
): Promise<SendResult> {
  const retries: Record<RetryReason, number> = { 'not-sent': 0, 'rate-limited': 0, unavailable: 0 };
  let notSentSince: number | undefined;
  let failure: NotStarted = {
    code: 'connect-failed',
    httpStatus: undefined,
    detail: 'there was no time left',
  };

  for (;;) {
    const sentAt = clock.now();
    if (sentAt >= deadline) {
      return { kind: 'not-started', ...failure };
    }
    const result = await send({
      timeoutMs: deadline - sentAt,
      signal: forceCancel,
      beforeSendSignal: cancel,
    });
    const decision = classifyCreate(result);
    if (decision.kind === 'accept') {
      return { kind: 'accepted', job: decision.job };
    }
    if (forceCancel.aborted) {
      return { kind: 'cancelled', mayHaveStarted: decision.kind === 'unknown' };
    }
    if (decision.kind === 'unknown') {
      return decision;
    }
    const { code, detail } = decision;
    const httpStatus = result.kind === 'response' ? result.httpStatus : undefined;
    failure = { code, httpStatus, detail };
    if (decision.kind === 'fail') {
      return { kind: 'not-started', ...failure };
    }
    if (cancel.aborted) {
      return { kind: 'cancelled', mayHaveStarted: false };
    }
    const { reason } = decision;
    notSentSince = reason === 'not-sent' ? (notSentSince ?? sentAt) : undefined;
    const notSentMs = notSentSince === undefined ? 0 : clock.now() - notSentSince;
    const remainingMs = deadline - clock.now();
    const delayMs = getRetryDelay(decision, { retries, notSentMs }, remainingMs, random());
    if (delayMs === undefined) {
      const wait = describeWait(decision.retryAfterMs, remainingMs);
      return { kind: 'not-started', code, httpStatus, detail: `${detail}${wait}` };
    }
    retries[reason] += 1;
    onRetry(delayMs, reason, detail);
    await clock.sleep(delayMs, cancel);
    if (cancel.aborted) {
      return { kind: 'cancelled', mayHaveStarted: false };
    }
  }
}

function describeWait(retryAfterMs: number | undefined, remainingMs: number): string {
  if (retryAfterMs === undefined) {
    return '';
  }
  const left = retryAfterMs < remainingMs ? '' : `, ${formatDuration(remainingMs)} are left`;
  return `; it asks to wait ${formatDuration(retryAfterMs)}${left}`;
}
