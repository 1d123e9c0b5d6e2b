import type { ErrorCode, StartFailureCode } from '../errors.ts';
import type { ConnectFailure } from '../http/connection.ts';

/** What is known of one request once it has ended; all that a decision may rest on. */
export type Evidence =
  /** The request never left: no job can come of it. */
  | { readonly kind: 'not-sent'; readonly failure: ConnectFailure }
  /** The request was written, and no complete answer came back. */
  | { readonly kind: 'no-response' }
  | {
      readonly kind: 'response';
      readonly httpStatus: number;
      /** The body is a job record that can be worked with. */
      readonly hasJob: boolean;
      /** The body is the service's own error form, `{"error": string}`. */
      readonly hasError: boolean;
      readonly retryAfterMs: number | undefined;
    };

export type RetryReason = 'not-sent' | 'rate-limited' | 'unavailable';

/** What may follow a create or a follow-up, neither of which has an idempotency key. */
export type CreateDecision =
  | { readonly kind: 'accept' }
  | { readonly kind: 'retry'; readonly reason: RetryReason; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'fail'; readonly code: StartFailureCode }
  | { readonly kind: 'unknown'; readonly code: ErrorCode };

/** What may follow a get: a strike is an answer that says the job may no longer be readable. */
export type PollDecision =
  | { readonly kind: 'accept' }
  | { readonly kind: 'retry'; readonly retryAfterMs: number | undefined; readonly isRateLimit: boolean }
  | { readonly kind: 'strike'; readonly strike: 'missing' | 'blocked' | 'unreadable' }
  | { readonly kind: 'fail' };

/**
 * Decides after a create or a follow-up. Default-deny: what was sent and is not listed here as surely
 * without effect is `unknown` and never repeated (RFC 9110 section 9.2.2).
 */
export function classifyCreate(evidence: Evidence): CreateDecision {
  switch (evidence.kind) {
    case 'not-sent':
      return decideUnsentStart(evidence.failure);
    case 'no-response':
      return { kind: 'unknown', code: 'start-unknown' };
    case 'response': {
      const { httpStatus, hasJob, hasError, retryAfterMs } = evidence;
      if (httpStatus >= 200 && httpStatus < 300) {
        return hasJob ? { kind: 'accept' } : { kind: 'unknown', code: 'start-unknown' };
      }
      if (httpStatus === 429) {
        return { kind: 'retry', reason: 'rate-limited', retryAfterMs };
      }
      if (httpStatus === 503 && hasError && retryAfterMs !== undefined) {
        return { kind: 'retry', reason: 'unavailable', retryAfterMs };
      }
      return decideRefusedStart(httpStatus);
    }
  }
}

function decideUnsentStart(failure: ConnectFailure): CreateDecision {
  switch (failure) {
    case 'unreachable':
    case 'connect-timeout':
    case 'proxy-unavailable':
      return { kind: 'retry', reason: 'not-sent', retryAfterMs: undefined };
    case 'tls':
      return { kind: 'fail', code: 'tls-failed' };
    case 'proxy-refused':
    case 'proxy-invalid':
      return { kind: 'fail', code: 'proxy-refused' };
  }
}

function decideRefusedStart(httpStatus: number): CreateDecision {
  switch (httpStatus) {
    case 401:
      return { kind: 'fail', code: 'unauthorized' };
    case 403:
      return { kind: 'fail', code: 'forbidden' };
    case 404:
      return { kind: 'fail', code: 'not-found' };
    case 408:
    case 425:
      return { kind: 'unknown', code: 'start-unknown' };
    case 303:
      // RFC 9110 section 15.4.4: the usual answer to a POST that was carried out.
      return { kind: 'unknown', code: 'redirected' };
  }
  if (httpStatus >= 300 && httpStatus < 400) {
    return { kind: 'fail', code: 'redirected' };
  }
  if (httpStatus >= 400 && httpStatus < 500) {
    return { kind: 'fail', code: 'bad-request' };
  }
  return { kind: 'unknown', code: 'start-unknown' };
}

/** Decides after a get, which may be repeated freely: only an answer that repeating cannot change ends it. */
export function classifyPoll(evidence: Evidence): PollDecision {
  switch (evidence.kind) {
    case 'not-sent':
      return isPermanent(evidence.failure)
        ? { kind: 'fail' }
        : { kind: 'retry', retryAfterMs: undefined, isRateLimit: false };
    case 'no-response':
      return { kind: 'retry', retryAfterMs: undefined, isRateLimit: false };
    case 'response': {
      const { httpStatus, hasJob, hasError, retryAfterMs } = evidence;
      if (httpStatus >= 200 && httpStatus < 300) {
        return hasJob ? { kind: 'accept' } : { kind: 'strike', strike: 'unreadable' };
      }
      if (httpStatus === 404) {
        return { kind: 'strike', strike: 'missing' };
      }
      if (httpStatus === 403 && !hasError) {
        return { kind: 'strike', strike: 'blocked' };
      }
      if (httpStatus >= 500 || httpStatus === 408 || httpStatus === 425 || httpStatus === 429) {
        return { kind: 'retry', retryAfterMs, isRateLimit: httpStatus === 429 };
      }
      return { kind: 'fail' };
    }
  }
}

function isPermanent(failure: ConnectFailure): boolean {
  return decideUnsentStart(failure).kind === 'fail';
}

/** How often a create has been repeated, by reason, and since when nothing could be sent. */
export interface RetryHistory {
  readonly retries: Readonly<Record<RetryReason, number>>;
  readonly elapsedMs: number;
}

const RETRY_LIMITS: Record<RetryReason, number> = { 'not-sent': 4, 'rate-limited': 5, unavailable: 2 };
const UNSENT_TOTAL_MS = 120_000;
const BACK_OFF_MIN_MS = 1_000;
const BACK_OFF_MAX_MS = 15_000;
const RATE_LIMIT_BASE_MS = 30_000;
const RATE_LIMIT_MAX_MS = 300_000;
const JITTER = 0.1;

/**
 * The pause in milliseconds before a create is repeated, or undefined when it must not be: the tries are
 * used up, or the pause would end after `remainingMs`. `random` is in [0, 1).
 */
export function getRetryDelay(
  decision: CreateDecision & { kind: 'retry' },
  history: RetryHistory,
  remainingMs: number,
  random: number,
): number | undefined {
  const retries = history.retries[decision.reason];
  if (retries >= RETRY_LIMITS[decision.reason]) {
    return undefined;
  }
  if (decision.reason === 'not-sent') {
    const delayMs = toBackOffMs(retries, random);
    return delayMs < Math.min(remainingMs, UNSENT_TOTAL_MS - history.elapsedMs) ? delayMs : undefined;
  }
  const floorMs = Math.max(BACK_OFF_MIN_MS, toFloorMs(decision.retryAfterMs, retries));
  const jitteredMs = Math.ceil(floorMs * (1 + JITTER * random));
  // The service has the say over whether there is time; the jitter has not.
  return [jitteredMs, floorMs].find((delayMs) => delayMs < remainingMs);
}

/** Full jitter between 1 s and a bound that doubles with every retry, 15 s at most; in milliseconds. */
export function toBackOffMs(retries: number, random: number): number {
  const boundMs = Math.min(BACK_OFF_MAX_MS, BACK_OFF_MIN_MS * 2 ** (retries + 1));
  return Math.round(BACK_OFF_MIN_MS + random * (boundMs - BACK_OFF_MIN_MS));
}

function toFloorMs(retryAfterMs: number | undefined, retries: number): number {
  return retryAfterMs ?? Math.min(RATE_LIMIT_MAX_MS, RATE_LIMIT_BASE_MS * 2 ** retries);
}
