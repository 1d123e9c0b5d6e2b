import type { Clock } from './deadline.ts';

// A loop that repeats a request, and the delays of requests to the service: prompts and polls. What
// else is repeated has its delays beside it, with the reason for them.

interface RetryOptions<T> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called before each pause. */
  readonly onRetry?: (result: T, delayMs: number) => void;
}

/** Repeats an operation until it has no delay or is aborted. Returns the last result. */
export async function retry<T>(
  operation: () => Promise<T>,
  getDelayMs: (result: T, retries: number) => number | undefined,
  { clock, signal, onRetry }: RetryOptions<T>,
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    const result = await operation();
    const delayMs = signal.aborted ? undefined : getDelayMs(result, retries);
    if (delayMs === undefined) {
      return result;
    }
    onRetry?.(result, delayMs);
    await clock.sleep(delayMs, signal);
    if (signal.aborted) {
      return result;
    }
  }
}

/** Why a request may be retried. Polls treat a 5xx with Retry-After as a rate limit. */
export interface Retry {
  readonly reason: 'not-sent' | 'rate-limited';
  readonly retryAfterMs?: number | undefined;
}

/** Returns a pause, in milliseconds: twice as long as the last one, up to a limit. */
export function getBackOff(firstMs: number, longestMs: number, retries: number): number {
  return Math.min(firstMs * 2 ** retries, longestMs);
}

/** The usual delay before each retry of a prompt. An upper bound if nothing was sent. */
const DELAYS_MS: Record<Retry['reason'], readonly number[]> = {
  'not-sent': [2_000, 4_000, 8_000, 15_000],
  'rate-limited': [30_000, 60_000, 120_000, 240_000, 300_000],
};
const MIN_DELAY_MS = 1_000;
const JITTER = 0.1;

/** Returns the delay before a retry, in milliseconds. Undefined if it is too late for one. */
export function getRetryDelay(
  { reason, retryAfterMs }: Retry,
  retries: number,
  remainingMs: number,
  random: number,
): number | undefined {
  const usualMs = DELAYS_MS[reason][retries];
  if (usualMs === undefined) {
    return undefined;
  }
  const isRateLimit = reason === 'rate-limited';
  const leastMs = isRateLimit ? Math.max(MIN_DELAY_MS, retryAfterMs ?? usualMs) : MIN_DELAY_MS;
  const mostMs = isRateLimit ? leastMs * (1 + JITTER) : usualMs;
  const delayMs = Math.round(leastMs + random * (mostMs - leastMs));
  // Leave out the random part if only that would exceed the deadline.
  return [delayMs, leastMs].find((ms) => ms < remainingMs);
}

/** Most rate limits last up to a minute, so an earlier poll would often meet the same limit. */
const DEFAULT_PAUSE_MS = 40_000;
const LONGEST_INTERVAL_MS = 5 * 60_000;
const LOWEST_RATE = 1 / 8;
/** How much of the usual rate each poll without a limit gives back. */
const RECOVERY = 0.01;

/**
 * Returns a function that returns the delay before the next poll: the interval, give or take a
 * tenth. Each pause that the service asks for halves the rate of polls, down to an eighth or to one
 * in five minutes. Each call without a pause gives back a hundredth of the usual rate, as TCP does.
 * After a pause, the delay is at least the pause plus a random part of the interval, so that runs
 * don't return together. `random` returns a number in [0, 1).
 */
export function createPollSchedule(pollIntervalMs: number, random: () => number) {
  const lowestRate = Math.min(1, Math.max(LOWEST_RATE, pollIntervalMs / LONGEST_INTERVAL_MS));
  /** Of the usual rate. */
  let rate = 1;
  return (pause?: Retry): number => {
    const part = random();
    if (pause === undefined) {
      rate = Math.min(1, rate + RECOVERY);
      return (pollIntervalMs / rate) * (0.9 + 0.2 * part);
    }
    rate = Math.max(lowestRate, rate / 2);
    const intervalMs = pollIntervalMs / rate;
    const pauseMs = pause.retryAfterMs ?? DEFAULT_PAUSE_MS;
    return Math.max(intervalMs, pauseMs + intervalMs * part);
  };
}
