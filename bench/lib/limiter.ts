/** Says for a get at a time whether it is refused, and when to come back if the server tells that. */
export type Limiter = (nowMs: number) => { readonly retryAfterMs: number | undefined } | undefined;

const MINUTE_MS = 60_000;

export interface Limit {
  readonly getsPerMinute: number;
  /** Whether a refusal says how long it lasts. */
  readonly tellsRetryAfter: boolean;
  /** No limit from then on; for ever unless given. */
  readonly untilMs?: number;
}

/** Counts by the minute: when the number is used up, everything is refused until the next minute begins. */
export function createWindowLimiter({ getsPerMinute, tellsRetryAfter, untilMs }: Limit): Limiter {
  let minute = -1;
  let gets = 0;
  return (nowMs) => {
    const current = Math.floor(nowMs / MINUTE_MS);
    gets = current === minute ? gets + 1 : 1;
    minute = current;
    if (nowMs >= (untilMs ?? Number.POSITIVE_INFINITY) || gets <= getsPerMinute) {
      return undefined;
    }
    return toRefusal((minute + 1) * MINUTE_MS - nowMs, tellsRetryAfter);
  };
}

/** Lets gets through at an even rate and saves up what ten seconds of it would be. */
export function createBucketLimiter({ getsPerMinute, tellsRetryAfter, untilMs }: Limit): Limiter {
  const perMs = getsPerMinute / MINUTE_MS;
  const capacity = perMs * 10_000;
  let tokens = capacity;
  let lastMs = 0;
  return (nowMs) => {
    tokens = Math.min(capacity, tokens + (nowMs - lastMs) * perMs);
    lastMs = nowMs;
    if (nowMs >= (untilMs ?? Number.POSITIVE_INFINITY) || tokens >= 1) {
      tokens -= 1;
      return undefined;
    }
    return toRefusal((1 - tokens) / perMs, tellsRetryAfter);
  };
}

/** Retry-After counts whole seconds. */
function toRefusal(ms: number, tellsRetryAfter: boolean): { retryAfterMs: number | undefined } {
  return { retryAfterMs: tellsRetryAfter ? Math.ceil(ms / 1000) * 1000 : undefined };
}
