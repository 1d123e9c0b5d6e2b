import type { RunContext } from '../clock.ts';
import type { NotStartedCode } from '../errors.ts';
import { formatDuration } from '../text/duration.ts';
import type { ApiResult, CallOptions } from './agent-client.ts';
import type { Job } from './job.ts';
import { classifyCreate, getRetryDelay, type RetryReason } from './retry-policy.ts';

/** Sends a create or a follow-up once. */
export type SendCreate = (options: CallOptions) => Promise<ApiResult>;

export type OnRetry = (delayMs: number, reason: RetryReason, detail: string) => void;

export type CreateResult =
  | { readonly kind: 'accepted'; readonly job: Job }
  /** It surely had no effect. */
  | {
      readonly kind: 'not-started';
      readonly code: NotStartedCode;
      readonly httpStatus: number | undefined;
      readonly detail: string;
    }
  /** It may have had an effect, and is not repeated. */
  | { readonly kind: 'unknown'; readonly code: 'start-unknown' | 'redirected'; readonly detail: string }
  | { readonly kind: 'cancelled'; readonly mayHaveStarted: boolean };

/** Sends a create or a follow-up, and repeats it only if `classifyCreate` says that it had no effect. */
export async function createJob(
  send: SendCreate,
  { clock, random, deadline, cancel, forceCancel }: RunContext,
  onRetry: OnRetry,
): Promise<CreateResult> {
  const retries: Record<RetryReason, number> = { 'not-sent': 0, 'rate-limited': 0, unavailable: 0 };
  let notSentSince: number | undefined;
  let failure: { code: NotStartedCode; httpStatus: number | undefined; detail: string } = {
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
    const httpStatus = result.kind === 'response' ? result.httpStatus : undefined;
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
    if (decision.kind === 'fail') {
      return { ...decision, kind: 'not-started', httpStatus };
    }
    if (cancel.aborted) {
      return { kind: 'cancelled', mayHaveStarted: false };
    }
    const { reason, retryAfterMs, code, detail } = decision;
    notSentSince = reason === 'not-sent' ? (notSentSince ?? sentAt) : undefined;
    const notSentMs = notSentSince === undefined ? 0 : clock.now() - notSentSince;
    const delayMs = getRetryDelay(decision, { retries, notSentMs }, deadline - clock.now(), random());
    if (delayMs === undefined) {
      const wait = retryAfterMs === undefined ? '' : `; it asks to wait ${formatDuration(retryAfterMs)}`;
      return { kind: 'not-started', code, httpStatus, detail: `${detail}${wait}` };
    }
    failure = { code, httpStatus, detail };
    retries[reason] += 1;
    onRetry(delayMs, reason, detail);
    await clock.sleep(delayMs, cancel);
    if (cancel.aborted) {
      return { kind: 'cancelled', mayHaveStarted: false };
    }
  }
}
