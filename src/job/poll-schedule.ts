/**
 * The interval between two checks as a share of the poll interval, by seconds since the wait began; between
 * two rows it is interpolated. Few jobs end at once, so the first check comes late; those that end within
 * half a minute are noticed in half the usual time; a job that has taken long will take longer. Chosen so
 * that over the usual mix of job lengths there are hardly more checks than at a fixed interval, and no more
 * delay (`npm run bench -- schedule`).
 */
const SHAPE: readonly (readonly [seconds: number, share: number])[] = [
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
/** Of the first sleep, and while slowed down: waits that something has put in step fall out of it. */
const WIDE_JITTER = 0.3;
const MAX_SLOWNESS = 8;
const MAX_SLOW_INTERVAL_MS = 5 * 60_000;
const SLOW_MS = 6 * 60_000;
const RECOVERY = 0.93;
/** Limits are usually counted by the minute, so a shorter pause would often meet the same one again. */
const UNTOLD_PAUSE_MS = 40_000;

/** The sleeps between the checks of one wait, in milliseconds; each call is told how long the wait has gone on. */
export interface PollSchedule {
  /** The sleep before the next check. */
  next(elapsedMs: number): number;
  /**
   * The sleep after the service asked for a pause, of 40 seconds unless it said how long. It is never shorter than
   * what it said, nor than the usual one, and longer by chance: those that were told the same do not come back together.
   */
  pause(elapsedMs: number, retryAfterMs: number | undefined): number;
  /** Doubles the interval for some six minutes, at most to eight times and to five minutes. */
  slowDown(elapsedMs: number): void;
  /** Takes a fourteenth of that back, once the minutes are over. */
  recover(elapsedMs: number): void;
}

/** The pace of one wait. `random` is in [0, 1) and keeps waits that began together apart. */
export function createPollSchedule(pollIntervalMs: number, random: () => number): PollSchedule {
  let slowness = 1;
  let slowUntilMs = 0;
  let isFirst = true;

  function next(elapsedMs: number): number {
    const share = Math.max(toShare(elapsedMs / 1000), slowness > 1 ? 1 : 0);
    const jitter = isFirst || slowness > 1 ? WIDE_JITTER : JITTER;
    isFirst = false;
    const usualMs = Math.max(MIN_INTERVAL_MS, pollIntervalMs * share);
    const intervalMs = Math.max(usualMs, Math.min(usualMs * slowness, MAX_SLOW_INTERVAL_MS));
    return Math.max(MIN_INTERVAL_MS, intervalMs * (1 - jitter + 2 * jitter * random()));
  }

  return {
    next,
    pause(elapsedMs, retryAfterMs) {
      const usualMs = next(elapsedMs);
      return Math.max(usualMs, (retryAfterMs ?? UNTOLD_PAUSE_MS) + usualMs * random());
    },
    slowDown(elapsedMs) {
      slowness = Math.min(MAX_SLOWNESS, slowness * 2);
      slowUntilMs = elapsedMs + SLOW_MS * (0.5 + random());
    },
    recover(elapsedMs) {
      if (elapsedMs >= slowUntilMs) {
        slowness = Math.max(1, slowness * RECOVERY);
      }
    },
  };
}

function toShare(seconds: number): number {
  let [from, share] = SHAPE[0] ?? [0, 1];
  for (const [to, next] of SHAPE) {
    if (seconds < to) {
      return share + ((next - share) * (seconds - from)) / (to - from);
    }
    from = to;
    share = next;
  }
  return share;
}
