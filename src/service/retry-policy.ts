import type { Retry } from '../time/retry.ts';
import type { ApiResponse, ApiResult } from './agent-client.ts';
import type { Job } from './job.ts';

/** The codes for a create request or follow-up that had no effect. */
export const NOT_STARTED_CODES = [
  'unwritable-output',
  'connect-failed',
  'tls-failed',
  'proxy-refused',
  'bad-request',
  'unauthorized',
  'forbidden',
  'not-found',
  'rate-limited',
  'no-credits',
  'redirected',
  'timed-out',
  'internal',
] as const;

export type NotStartedCode = (typeof NOT_STARTED_CODES)[number];

/** Why a request had no effect. */
export interface NotStarted extends Partial<Pick<ApiResponse, 'excerpt'>> {
  readonly code: NotStartedCode;
  readonly detail: string;
  /**
   * What the code doesn't tell. `plan`: the plan has no API. `blocked`: not the service answered,
   * but a web page on the way. `outdated`: the service no longer has this API.
   */
  readonly kind?: 'plan' | 'blocked' | 'outdated' | undefined;
}

/** Why a request may have had an effect. */
export interface StartUnknown extends Pick<NotStarted, 'detail' | 'excerpt'> {
  readonly code: 'start-unknown' | 'internal';
}

/** What a create request or follow-up has done. The API has no idempotency key. */
export type SendResult =
  | { readonly kind: 'accepted'; readonly job: Job; readonly retry?: undefined }
  /** Without `retry`, a retry would not help. */
  | {
      readonly kind: 'not-started';
      readonly failure: NotStarted;
      readonly retry?: Retry | undefined;
    }
  | { readonly kind: 'unknown'; readonly failure: StartUnknown; readonly retry?: undefined };

/**
 * Why a job can't be read. `unreadable`: the response is neither a reply about the job nor the
 * service's own error. `refused`: polling again would not help.
 */
export type ReadFailure = 'not-found' | 'unreadable' | 'refused';

/** What a poll means for the wait. */
export type PollDecision = { readonly kind: 'accept'; readonly job: Job } | FailedPoll;

/** A few failures for the same `reason` end the wait. */
export interface FailedPoll {
  readonly kind: 'failed';
  /** Undefined if there was no response. */
  readonly httpStatus?: number | undefined;
  readonly detail: string;
  readonly reason?: ReadFailure;
  readonly pause?: Retry;
}

const MONEY = /\b(?:credits?|balance|billing|overages?)\b/i;
const PLAN = /\bplans?\b/i;
/** What the service says if a plan lacks the API: "Please upgrade to access this route." (401) */
const UPGRADE = /\bupgrade\b/i;

/**
 * Says why the service refuses a valid key: no credits are left, or the plan is too low. Undefined
 * for any other reason. The service documents no status for this, so its words decide. The words of
 * other errors don't count, because they may quote the prompt.
 */
function getRefusalReason(detail: string, httpStatus: number): 'credits' | 'plan' | undefined {
  const isDenied = httpStatus === 401 || httpStatus === 403;
  const isLimited = httpStatus === 429;
  const namesMoney = (isDenied || isLimited) && MONEY.test(detail);
  // What a plan includes can be used up, as credits can.
  const namesUsedPlan = isLimited && PLAN.test(detail);
  if (httpStatus === 402 || namesMoney || namesUsedPlan) {
    return 'credits';
  }
  return isDenied && (PLAN.test(detail) || UPGRADE.test(detail)) ? 'plan' : undefined;
}

/** The codes of refusals; `bad-request` for any other 4xx. */
const REFUSED: Readonly<Record<number, NotStartedCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  429: 'rate-limited',
};

/**
 * Decides what a request that creates a job or sends a follow-up has done. Once it was sent, the
 * result is `unknown` unless the response is known to prove that it had no effect (RFC 9110 section
 * 9.2.2).
 */
export function classifySend(result: ApiResult): SendResult {
  const { detail } = result;
  if (result.kind === 'not-sent') {
    const retry = result.isTransient ? ({ reason: 'not-sent' } as const) : undefined;
    return { kind: 'not-started', failure: { code: result.code, detail }, retry };
  }
  if (result.job !== undefined) {
    return { kind: 'accepted', job: result.job };
  }
  const { excerpt } = result;
  if (result.kind === 'no-response' || mayHaveStarted(result)) {
    return { kind: 'unknown', failure: { code: 'start-unknown', detail, excerpt } };
  }
  const refusal = findRefusal(result);
  const isLimit = refusal.code === 'rate-limited';
  return {
    kind: 'not-started',
    failure: { ...refusal, detail, excerpt },
    retry: isLimit ? { reason: 'rate-limited', retryAfterMs: result.retryAfterMs } : undefined,
  };
}

function findRefusal(response: ApiResponse): Pick<NotStarted, 'code' | 'kind'> {
  const { httpStatus, detail } = response;
  const reason = getRefusalReason(detail, httpStatus);
  if (httpStatus < 400) {
    return { code: 'redirected', kind: undefined };
  }
  const code = reason === 'credits' ? 'no-credits' : (REFUSED[httpStatus] ?? 'bad-request');
  return { code, kind: reason === 'plan' ? reason : findKind(response) };
}

function findKind({ httpStatus, isPage }: ApiResponse): NotStarted['kind'] {
  if (isPage && httpStatus !== 429) {
    return 'blocked';
  }
  return httpStatus === 410 ? 'outdated' : undefined;
}

/**
 * True if a request may have had an effect although its response has no usable reply: a success; a
 * redirect that often follows a successful POST (RFC 9110 sections 15.4.3 and 15.4.4); a conflict
 * with a job; a temporary failure, because a gateway may have passed the request on; and any body
 * that describes a job.
 */
function mayHaveStarted({ httpStatus, hasJobBody }: ApiResponse): boolean {
  const isSuccess = httpStatus < 300;
  const isSeeOther = httpStatus === 302 || httpStatus === 303;
  const isConflict = httpStatus === 409;
  return isSuccess || isSeeOther || isConflict || isTemporary(httpStatus) || hasJobBody;
}

/** Decides what a poll means for the wait, which ends only if another poll would not help. */
export function classifyPoll(result: ApiResult): PollDecision {
  const failed = { kind: 'failed', detail: result.detail } as const;
  if (result.kind !== 'response') {
    const isFinal = result.kind === 'not-sent' && !result.isTransient;
    return isFinal ? { ...failed, reason: 'refused' } : failed;
  }
  const { httpStatus, job, retryAfterMs } = result;
  if (job !== undefined) {
    return { kind: 'accept', job };
  }
  if (httpStatus === 429 || (isTemporary(httpStatus) && retryAfterMs !== undefined)) {
    return { ...failed, pause: { reason: 'rate-limited', retryAfterMs } };
  }
  if (isTemporary(httpStatus)) {
    return failed;
  }
  return { ...failed, httpStatus, reason: getReadFailure(result) };
}

/** Says why a job can't be read after a response that another poll may not improve. */
function getReadFailure(response: ApiResponse): ReadFailure {
  if (isMissing(response)) {
    return 'not-found';
  }
  // Without the service's own error, more likely the page of a gateway or a firewall.
  return response.httpStatus < 300 || !response.hasErrorBody ? 'unreadable' : 'refused';
}

/** True if the service itself says that the job doesn't exist. */
export function isMissing(result: ApiResult): boolean {
  const isGone =
    result.kind === 'response' && (result.httpStatus === 404 || result.httpStatus === 410);
  return isGone && result.hasErrorBody;
}

/** Below 500. Load balancers use 460 and 499 if the client or a limit closed the connection. */
const TEMPORARY: readonly number[] = [408, 425, 460, 499];

function isTemporary(httpStatus: number): boolean {
  return httpStatus >= 500 || TEMPORARY.includes(httpStatus);
}
