import type { NotStartedCode } from '../errors.ts';
import type { ConnectFailure } from '../http/connect-error.ts';
import type { ApiResponse, ApiResult } from './agent-client.ts';
import type { Job } from './job.ts';

export type RetryReason = 'not-sent' | 'rate-limited';

/** The next step after a request that creates a job or sends a follow-up. Neither has an idempotency key. */
export type SendDecision =
  | { readonly kind: 'accept'; readonly job: Job }
  /** The call had no effect and may be repeated; `code` is the error once the retries are used up. */
  | {
      readonly kind: 'retry';
      readonly reason: RetryReason;
      readonly retryAfterMs: number | undefined;
      readonly code: NotStartedCode;
      readonly detail: string;
    }
  /** The call had no effect, and repeating it would not help. */
  | { readonly kind: 'fail'; readonly code: NotStartedCode; readonly detail: string }
  /** The call may have had an effect. */
  | { readonly kind: 'unknown'; readonly code: 'start-unknown' | 'redirected'; readonly detail: string };

/**
 * Why a job may be gone for good. `unreadable`: the response is neither a record of the job nor the service's own error.
 * `refused`: asking again would not help.
 */
export type ReadFailure = 'not-found' | 'unreadable' | 'refused';

/** The next step after a poll, which may be repeated freely. */
export type PollDecision =
  | { readonly kind: 'accept'; readonly job: Job }
  | {
      readonly kind: 'retry';
      readonly retryAfterMs: number | undefined;
      readonly isRateLimit: boolean;
      readonly detail: string;
    }
  /** A few of these in a row end the wait. */
  | { readonly kind: 'read-failure'; readonly failure: ReadFailure; readonly detail: string };

/** Failures before anything was sent. Trying again helps only with transient ones. */
const NOT_SENT: Record<ConnectFailure, { readonly code: NotStartedCode; readonly isTransient: boolean }> = {
  unreachable: { code: 'connect-failed', isTransient: true },
  tls: { code: 'tls-failed', isTransient: false },
  'proxy-unavailable': { code: 'proxy-refused', isTransient: true },
  'proxy-refused': { code: 'proxy-refused', isTransient: false },
};

/** True if a refusal says that no credits are left. The service documents no status for this. */
export function lacksCredits(detail: string, httpStatus = 0): boolean {
  const isInWords = /\b(?:credits?|quotas?|usage limits?)\b/i.test(detail);
  return httpStatus === 402 || (httpStatus >= 400 && isInWords);
}

/**
 * Decides what to do after a request that creates a job or sends a follow-up. Once sent, its result is `unknown`, and it
 * is never repeated, unless the response is listed here as one that proves no effect (RFC 9110 section 9.2.2).
 */
export function classifySend(result: ApiResult): SendDecision {
  const { detail } = result;
  switch (result.kind) {
    case 'not-sent': {
      const { code, isTransient } = NOT_SENT[result.failure];
      return isTransient
        ? { kind: 'retry', reason: 'not-sent', retryAfterMs: undefined, code, detail }
        : { kind: 'fail', code, detail };
    }
    case 'no-response':
      return { kind: 'unknown', code: 'start-unknown', detail };
    case 'response':
      return classifySendResponse(result);
  }
}

/** The codes of refusals; `bad-request` for any other 4xx. */
const REFUSED: Readonly<Record<number, NotStartedCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  429: 'rate-limited',
};

function classifySendResponse(response: ApiResponse): SendDecision {
  const { httpStatus, job, hasErrorBody, retryAfterMs, excerpt, detail } = response;
  const unknown = { kind: 'unknown', code: 'start-unknown', detail } as const;
  if (httpStatus >= 200 && httpStatus < 300) {
    return job === undefined ? unknown : { kind: 'accept', job };
  }
  if (httpStatus === 302 || httpStatus === 303) {
    // Usual answers to a POST that was carried out (RFC 9110 sections 15.4.3 and 15.4.4).
    return { ...unknown, code: 'redirected' };
  }
  // JSON that is not an error may be the record of a job.
  const isOddLimit = httpStatus === 429 && !hasErrorBody && excerpt?.startsWith('{') === true;
  // 5xx proves nothing, even with Retry-After: a gateway may have passed the request on.
  if (httpStatus < 300 || httpStatus >= 500 || httpStatus === 408 || httpStatus === 425 || isOddLimit) {
    return unknown;
  }
  const code = REFUSED[httpStatus] ?? (httpStatus < 400 ? 'redirected' : 'bad-request');
  return httpStatus === 429 && !lacksCredits(detail, httpStatus)
    ? { kind: 'retry', reason: 'rate-limited', retryAfterMs, code, detail }
    : { kind: 'fail', code, detail };
}

/** Decides what to do after a poll. The wait ends only if another poll would not help. */
export function classifyPoll(result: ApiResult): PollDecision {
  const { detail } = result;
  const fail = (failure: ReadFailure): PollDecision => ({ kind: 'read-failure', failure, detail });
  if (result.kind !== 'response') {
    return result.kind === 'not-sent' && !NOT_SENT[result.failure].isTransient
      ? fail('refused')
      : { kind: 'retry', retryAfterMs: undefined, isRateLimit: false, detail };
  }
  const { httpStatus, job, hasErrorBody, retryAfterMs } = result;
  if (httpStatus >= 200 && httpStatus < 300) {
    return job === undefined ? fail('unreadable') : { kind: 'accept', job };
  }
  if (httpStatus >= 500 || httpStatus === 408 || httpStatus === 425 || httpStatus === 429) {
    return { kind: 'retry', retryAfterMs, isRateLimit: httpStatus === 429, detail };
  }
  if (!hasErrorBody) {
    // More likely the page of a gateway or a firewall.
    return fail('unreadable');
  }
  return fail(httpStatus === 404 ? 'not-found' : 'refused');
}

const MAX_RETRIES: Record<RetryReason, number> = { 'not-sent': 4, 'rate-limited': 5 };
const MIN_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 15_000;
const RATE_LIMIT_DELAY_MS = 30_000;
const MAX_RATE_LIMIT_DELAY_MS = 300_000;
const JITTER = 0.1;

/**
 * Returns the delay in milliseconds before a request is sent again, or undefined if it must not be: it was repeated for
 * the same reason too often, or the delay would end after `remainingMs`. `random` is in [0, 1).
 */
export function getRetryDelay(
  { reason, retryAfterMs }: SendDecision & { kind: 'retry' },
  retries: number,
  remainingMs: number,
  random: number,
): number | undefined {
  if (retries >= MAX_RETRIES[reason]) {
    return undefined;
  }
  if (reason === 'not-sent') {
    const boundMs = Math.min(MAX_BACK_OFF_MS, MIN_BACK_OFF_MS * 2 ** (retries + 1));
    const delayMs = Math.round(MIN_BACK_OFF_MS + random * (boundMs - MIN_BACK_OFF_MS));
    return delayMs < remainingMs ? delayMs : undefined;
  }
  const usualMs = Math.min(MAX_RATE_LIMIT_DELAY_MS, RATE_LIMIT_DELAY_MS * 2 ** retries);
  const baseMs = Math.max(MIN_BACK_OFF_MS, retryAfterMs ?? usualMs);
  const jitteredMs = Math.ceil(baseMs * (1 + JITTER * random));
  // Drop the jitter if it alone would miss the deadline.
  return [jitteredMs, baseMs].find((delayMs) => delayMs < remainingMs);
}
