import type { Retry } from './retry-policy.ts';

/** Most rate limits last up to a minute, so an earlier poll would often meet the same limit. */
const DEFAULT_PAUSE_MS = 40_000;
const LONGEST_INTERVAL_MS = 5 * 60_000;
const LOWEST_RATE = 1 / 8;
/** How much of the usual rate each poll without a limit gives back. */
const RECOVERY = 0.01;

/** Returns the delay before the next poll, in milliseconds. */
export type GetDelay = (pause?: Retry) => number;

/**
 * Returns a function that returns the delay before the next poll: the interval, give or take a
 * tenth. Each pause that the service asks for halves the rate of polls, down to an eighth or to one
 * in five minutes. Each call without a pause gives back a hundredth of the usual rate, as TCP does.
 * After a pause, the delay is at least the pause plus a random part of the interval, so that runs
 * don't return together. `random` returns a number in [0, 1).
 */
export function createPollSchedule(pollIntervalMs: number, random: () => number): GetDelay {
  const lowestRate = Math.min(1, Math.max(LOWEST_RATE, pollIntervalMs / LONGEST_INTERVAL_MS));
  /** Of the usual rate. */
  let rate = 1;
  return (pause) => {
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
