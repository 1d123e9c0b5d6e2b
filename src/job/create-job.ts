import type { Clock } from '../clock.ts';
import type { ErrorCode, StartFailureCode } from '../errors.ts';
import { formatDuration } from '../text/sanitize.ts';
import type { ApiResult, CallLimits } from './agent-client.ts';
import type { Job } from './job.ts';
import { classifyCreate, type Evidence, getRetryDelay, type RetryReason } from './retry-policy.ts';

export interface StartOptions {
  /** Sends the create or the follow-up once. */
  readonly send: (limits: CallLimits) => Promise<ApiResult>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Instant of the clock after which nothing is tried any more. */
  readonly deadline: number;
  /** Ends the pauses between tries. */
  readonly cancel: AbortSignal;
  /** Gives up a request that is under way, too. */
  readonly abandon: AbortSignal;
  readonly onRetry: (delayMs: number, reason: RetryReason, detail: string) => void;
}

export type StartResult =
  | { readonly kind: 'started'; readonly job: Job }
  /** Surely without effect. */
  | { readonly kind: 'not-started'; readonly code: StartFailureCode; readonly detail: string }
  /** It may have had an effect, and is not repeated. */
  | { readonly kind: 'unknown'; readonly code: ErrorCode; readonly detail: string }
  | { readonly kind: 'cancelled'; readonly mayHaveStarted: boolean };

/** Sends a create or a follow-up, and sends it again only where `classifyCreate` proves that it had no effect. */
export async function start(options: StartOptions): Promise<StartResult> {
  const { clock, deadline, cancel, abandon } = options;
  const retries: Record<RetryReason, number> = { 'not-sent': 0, 'rate-limited': 0, unavailable: 0 };
  let unsentSince: number | undefined;

  for (;;) {
    const sentAt = clock.now();
    const { evidence, job, detail } = await options.send({
      timeoutMs: deadline - sentAt,
      signal: abandon,
      beforeSendSignal: cancel,
    });
    const decision = classifyCreate(evidence);
    if (decision.kind === 'accept' && job !== undefined) {
      return { kind: 'started', job };
    }
    if (abandon.aborted) {
      return { kind: 'cancelled', mayHaveStarted: decision.kind !== 'retry' && decision.kind !== 'fail' };
    }
    if (decision.kind === 'fail') {
      return { kind: 'not-started', code: decision.code, detail };
    }
    if (decision.kind !== 'retry') {
      return { kind: 'unknown', code: decision.kind === 'unknown' ? decision.code : 'start-unknown', detail };
    }
    if (cancel.aborted) {
      return { kind: 'cancelled', mayHaveStarted: false };
    }
    unsentSince = evidence.kind === 'not-sent' ? (unsentSince ?? sentAt) : undefined;
    const history = { retries, elapsedMs: clock.now() - (unsentSince ?? clock.now()) };
    const delayMs = getRetryDelay(decision, history, deadline - clock.now(), options.random());
    if (delayMs === undefined) {
      const asked = decision.retryAfterMs;
      const wish = asked === undefined ? '' : `; it asks to wait ${formatDuration(asked)}`;
      return { kind: 'not-started', code: toExhaustedCode(evidence), detail: `${detail}${wish}` };
    }
    retries[decision.reason] += 1;
    options.onRetry(delayMs, decision.reason, detail);
    await clock.sleep(delayMs, cancel);
    if (cancel.aborted) {
      return { kind: 'cancelled', mayHaveStarted: false };
    }
    if (clock.now() >= deadline) {
      return { kind: 'not-started', code: toExhaustedCode(evidence), detail };
    }
  }
}

/** The code of a start that was refused or could not be sent until the tries or the time ran out. */
function toExhaustedCode(evidence: Evidence): StartFailureCode {
  if (evidence.kind !== 'not-sent') {
    return 'rate-limited';
  }
  return evidence.failure === 'proxy-unavailable' ? 'proxy-refused' : 'connect-failed';
}
