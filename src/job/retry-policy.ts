import type { NotStartedCode } from '../errors.ts';
import type { ConnectFailure } from '../http/connect-error.ts';
import type { ApiResponse, ApiResult } from './agent-client.ts';
import type { Job } from './job.ts';

export type RetryReason = 'not-sent' | 'rate-limited' | 'unavailable';

/** The next step after a create or a follow-up. Neither has an idempotency key. */
export type CreateDecision =
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
  | {
      readonly kind: 'unknown';
      readonly code: 'start-unknown' | 'redirected';
      /** As in `ApiResponse`. */
      readonly namedIds: string | undefined;
      readonly detail: string;
    };

/** Why a job may be gone for good. `refused` means that asking again would not help. */
export type ReadFailure = 'not-found' | 'blocked' | 'unreadable' | 'refused';

/** The next step after a get, which may be repeated freely. */
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

/**
 * Decides what to do after a create or a follow-up. A call that was sent is `unknown`, and never repeated, unless its
 * result is listed here as certainly without effect (RFC 9110 section 9.2.2).
 */
export function classifyCreate(result: ApiResult): CreateDecision {
  const { detail } = result;
  switch (result.kind) {
    case 'not-sent': {
      const { code, isTransient } = NOT_SENT[result.failure];
      return isTransient
        ? { kind: 'retry', reason: 'not-sent', retryAfterMs: undefined, code, detail }
        : { kind: 'fail', code, detail };
    }
    case 'no-response':
      return { kind: 'unknown', code: 'start-unknown', namedIds: result.namedIds, detail };
    case 'response':
      return classifyCreateResponse(result);
  }
}

function classifyCreateResponse(response: ApiResponse): CreateDecision {
  const { httpStatus, job, hasErrorBody, retryAfterMs, namedIds, detail } = response;
  const unknown = { kind: 'unknown', code: 'start-unknown', namedIds, detail } as const;
  const retry = { kind: 'retry', retryAfterMs, code: 'rate-limited', detail } as const;
  if (httpStatus >= 200 && httpStatus < 300) {
    return job === undefined ? unknown : { kind: 'accept', job };
  }
  switch (httpStatus) {
    case 302:
    case 303:
      // Usual answers to a POST that was carried out (RFC 9110 sections 15.4.3 and 15.4.4).
      return { ...unknown, code: 'redirected' };
    case 401:
      return { kind: 'fail', code: 'unauthorized', detail };
    case 403:
      return { kind: 'fail', code: 'forbidden', detail };
    case 404:
      return { kind: 'fail', code: 'not-found', detail };
    case 408:
    case 425:
      return unknown;
    case 429:
      // An id may mean a job.
      return namedIds === undefined ? { ...retry, reason: 'rate-limited' } : unknown;
    case 503:
      // A bare 503 proves nothing: a gateway also returns it after it passed the request on.
      return hasErrorBody && retryAfterMs !== undefined && namedIds === undefined
        ? { ...retry, reason: 'unavailable' }
        : unknown;
    default:
      return httpStatus >= 300 && httpStatus < 500
        ? { kind: 'fail', code: httpStatus < 400 ? 'redirected' : 'bad-request', detail }
        : unknown;
  }
}

/** Decides what to do after a get. The wait ends only if another get would not help. */
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
  if (httpStatus === 404) {
    return fail('not-found');
  }
  if (httpStatus === 403 && !hasErrorBody) {
    // Not the service's own error: more likely a firewall on the way.
    return fail('blocked');
  }
  return httpStatus >= 500 || httpStatus === 408 || httpStatus === 425 || httpStatus === 429
    ? { kind: 'retry', retryAfterMs, isRateLimit: httpStatus === 429, detail }
    : fail('refused');
}

const MAX_RETRIES: Record<RetryReason, number> = { 'not-sent': 4, 'rate-limited': 5, unavailable: 2 };
const MIN_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 15_000;
const RATE_LIMIT_DELAY_MS = 30_000;
const MAX_RATE_LIMIT_DELAY_MS = 300_000;
const JITTER = 0.1;

/**
 * Returns the delay in milliseconds before a create is repeated, or undefined if it must not be: it was repeated for
 * the same reason too often, or the delay would end after `remainingMs`. `random` is in [0, 1).
 */
export function getRetryDelay(
  { reason, retryAfterMs }: CreateDecision & { kind: 'retry' },
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
