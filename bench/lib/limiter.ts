/**
 * Returns the refusal of a poll at this time, with its Retry-After if the server sends one, or
 * undefined.
 */
export type Limiter = (nowMs: number) => { readonly retryAfterMs: number | undefined } | undefined;

const MINUTE_MS = 60_000;

export interface Limit {
  readonly getsPerMinute: number;
  /** Whether refusals have a Retry-After. */
  readonly tellsRetryAfter: boolean;
  /** The time when the limit ends. Default: never. */
  readonly untilMs?: number;
}

/** Counts by the minute: once the limit is reached, refuses every poll until the next minute. */
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

/** Lets polls through at an even rate, and allows bursts of ten seconds' worth. */
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
