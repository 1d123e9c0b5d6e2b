import type { Retry } from './retry-policy.ts';

const JITTER = 0.1;
/** Runs that started together drift apart. */
const FIRST_JITTER = 0.3;
const MIN_DELAY_MS = 1_000;
/** Most rate limits last up to a minute, so an earlier poll would often meet the same limit. */
const DEFAULT_PAUSE_MS = 40_000;
const MAX_BACK_OFF = 8;
const MAX_BACK_OFF_INTERVAL_MS = 5 * 60_000;
const RECOVERY = 0.9;

/** Returns the delay before the next poll, in milliseconds. */
export type GetDelay = (pause?: Retry) => number;

/**
 * Returns a function that returns the delay before the next poll, in milliseconds: the poll
 * interval, with jitter. If the service asks for a pause, the delay is at least that pause (40
 * seconds by default) plus a random part of the interval, so that runs don't return together. Each
 * pause also doubles the interval, up to eight times the usual and up to five minutes; each call
 * without a pause shrinks it again by a tenth. `random` returns a number in [0, 1).
 */
export function createPollSchedule(pollIntervalMs: number, random: () => number): GetDelay {
  const longestMs = Math.max(pollIntervalMs, MAX_BACK_OFF_INTERVAL_MS);
  let backOff = 1;
  let jitter = FIRST_JITTER;

  return (pause) => {
    backOff =
      pause === undefined ? Math.max(1, backOff * RECOVERY) : Math.min(MAX_BACK_OFF, backOff * 2);
    const intervalMs = Math.min(pollIntervalMs * backOff, longestMs);
    const delayMs = intervalMs * (1 - jitter + 2 * jitter * random());
    jitter = JITTER;
    const pauseMs =
      pause === undefined ? 0 : (pause.retryAfterMs ?? DEFAULT_PAUSE_MS) + intervalMs * random();
    return Math.max(MIN_DELAY_MS, delayMs, pauseMs);
  };
}
