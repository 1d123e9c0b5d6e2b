import type { Retry } from './retry-policy.ts';

/** Most rate limits last up to a minute, so an earlier poll would often meet the same limit. */
const DEFAULT_PAUSE_MS = 40_000;
const LONGEST_INTERVAL_MS = 5 * 60_000;

/** Returns the delay before the next poll, in milliseconds. */
export type GetDelay = (pause?: Retry) => number;

/**
 * Returns a function that returns the delay before the next poll: the poll interval, give or take a
 * tenth. Each pause that the service asks for doubles the interval, up to five minutes, and each
 * call without one shrinks it again by a tenth. The delay is at least the pause, plus a random part
 * of the interval, so that runs don't return together. `random` returns a number in [0, 1).
 */
export function createPollSchedule(pollIntervalMs: number, random: () => number): GetDelay {
  let intervalMs = pollIntervalMs;
  return (pause) => {
    const part = random();
    if (pause === undefined) {
      intervalMs = Math.max(pollIntervalMs, intervalMs * 0.9);
      return intervalMs * (0.9 + 0.2 * part);
    }
    intervalMs = Math.max(pollIntervalMs, Math.min(LONGEST_INTERVAL_MS, intervalMs * 2));
    const pauseMs = pause.retryAfterMs ?? DEFAULT_PAUSE_MS;
    return Math.max(intervalMs, pauseMs + intervalMs * part);
  };
}
