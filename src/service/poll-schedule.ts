import type { Retry } from './retry-policy.ts';

/**
 * The delay between two polls as a multiple of the poll interval, by seconds since polling began.
 * Values between two rows are interpolated. Few jobs end at once, many within half a minute, and a
 * job that has already run for long tends to run longer. For the usual mix of job lengths, it polls
 * about as often as at a fixed interval (`npm run bench -- schedule`).
 */
const INTERVAL_CURVE: readonly (readonly [seconds: number, multiplier: number])[] = [
  [0, 0.9],
  [8, 0.5],
  [28, 0.36],
  [31, 0.93],
  [100, 0.885],
  [300, 1],
  [1_000, 1.21],
];
const MIN_INTERVAL_MS = 1_000;
const JITTER = 0.05;
/** For the first interval and after a pause, so that runs that started together drift apart. */
const WIDE_JITTER = 0.3;
const MAX_BACK_OFF = 8;
const MAX_BACK_OFF_INTERVAL_MS = 5 * 60_000;
const BACK_OFF_MS = 6 * 60_000;
const RECOVERY = 0.93;
/**
 * Most rate limits last up to a minute, so a shorter pause would often meet the same limit again.
 */
const DEFAULT_PAUSE_MS = 40_000;

/**
 * Returns a function that returns the delay before the next poll, in milliseconds. `elapsedMs` is
 * the time since polling began. If the service asks for a pause, the delay is that pause (40
 * seconds by default) plus a random time, so that runs don't return together, but never less than
 * the usual delay. A pause also doubles the interval for about six minutes: up to eight times the
 * usual, and up to five minutes. Then each call without a pause decays this back-off by 7 %.
 * `random` returns a number in [0, 1).
 */
export function createPollSchedule(pollIntervalMs: number, random: () => number) {
  let backOff = 1;
  let backOffUntilMs = 0;
  let isFirst = true;

  return (elapsedMs: number, pause?: Retry): number => {
    if (pause !== undefined) {
      backOff = Math.min(MAX_BACK_OFF, backOff * 2);
      backOffUntilMs = elapsedMs + BACK_OFF_MS * (0.5 + random());
    } else if (elapsedMs >= backOffUntilMs) {
      backOff = Math.max(1, backOff * RECOVERY);
    }
    const isBackingOff = backOff > 1;
    const multiplier = Math.max(getMultiplier(elapsedMs / 1000), isBackingOff ? 1 : 0);
    const jitter = isFirst || isBackingOff ? WIDE_JITTER : JITTER;
    isFirst = false;
    const usualMs = Math.max(MIN_INTERVAL_MS, pollIntervalMs * multiplier);
    const intervalMs = Math.max(usualMs, Math.min(usualMs * backOff, MAX_BACK_OFF_INTERVAL_MS));
    const delayMs = Math.max(MIN_INTERVAL_MS, intervalMs * (1 - jitter + 2 * jitter * random()));
    const pauseMs = pause && (pause.retryAfterMs ?? DEFAULT_PAUSE_MS) + delayMs * random();
    return Math.max(delayMs, pauseMs ?? 0);
  };
}

function getMultiplier(seconds: number): number {
  let [from, multiplier] = INTERVAL_CURVE[0] ?? [0, 1];
  for (const [to, next] of INTERVAL_CURVE) {
    if (seconds < to) {
      return multiplier + ((next - multiplier) * (seconds - from)) / (to - from);
    }
    from = to;
    multiplier = next;
  }
  return multiplier;
}
