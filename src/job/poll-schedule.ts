/**
 * The interval between two polls as a multiple of the poll interval, by seconds since polling began; values between
 * two rows are interpolated. Few jobs end at once, so the first poll comes late; those that end within half a minute
 * are noticed in half the usual time; a job that has taken long will take longer. Chosen so that over the usual mix
 * of job lengths there are hardly more polls than at a fixed interval, and no more delay (`npm run bench -- schedule`).
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
/** For the first interval, and after a rate limit, so that runs in step drift apart. */
const WIDE_JITTER = 0.3;
const MAX_BACK_OFF = 8;
const MAX_BACK_OFF_INTERVAL_MS = 5 * 60_000;
const BACK_OFF_MS = 6 * 60_000;
const RECOVERY = 0.93;
/** Limits are usually counted by the minute, so a shorter pause would often meet the same one again. */
const DEFAULT_PAUSE_MS = 40_000;

/** The delays between the polls of one job, in milliseconds. Each call is told how long polling has gone on. */
export interface PollSchedule {
  /** Returns the delay before the next poll. */
  next(elapsedMs: number): number;
  /**
   * Returns the delay after the service asked for a pause, by default of 40 seconds. It is never shorter than that pause
   * or the usual delay, and random time is added, so that runs don't return together. A rate limit also doubles the
   * interval for about six minutes, to at most eight times and five minutes.
   */
  pause(elapsedMs: number, retryAfterMs: number | undefined, isRateLimit: boolean): number;
  /** Takes a fourteenth of the doubling back once the minutes are over. */
  onSuccess(elapsedMs: number): void;
}

/** Returns the schedule of one job. `random` is in [0, 1) and keeps runs that began together apart. */
export function createPollSchedule(pollIntervalMs: number, random: () => number): PollSchedule {
  let backOff = 1;
  let backOffUntilMs = 0;
  let isFirst = true;

  function next(elapsedMs: number): number {
    const isBackingOff = backOff > 1;
    const multiplier = Math.max(getMultiplier(elapsedMs / 1000), isBackingOff ? 1 : 0);
    const jitter = isFirst || isBackingOff ? WIDE_JITTER : JITTER;
    isFirst = false;
    const usualMs = Math.max(MIN_INTERVAL_MS, pollIntervalMs * multiplier);
    const intervalMs = Math.max(usualMs, Math.min(usualMs * backOff, MAX_BACK_OFF_INTERVAL_MS));
    return Math.max(MIN_INTERVAL_MS, intervalMs * (1 - jitter + 2 * jitter * random()));
  }

  return {
    next,
    pause(elapsedMs, retryAfterMs, isRateLimit) {
      if (isRateLimit) {
        backOff = Math.min(MAX_BACK_OFF, backOff * 2);
        backOffUntilMs = elapsedMs + BACK_OFF_MS * (0.5 + random());
      }
      const usualMs = next(elapsedMs);
      return Math.max(usualMs, (retryAfterMs ?? DEFAULT_PAUSE_MS) + usualMs * random());
    },
    onSuccess(elapsedMs) {
      if (elapsedMs >= backOffUntilMs) {
        backOff = Math.max(1, backOff * RECOVERY);
      }
    },
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
