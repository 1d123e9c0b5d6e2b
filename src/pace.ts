const FIRST_INTERVAL_MS = 2_000;
const GROWTH = 1.5;
const JITTER = 0.1;
const MAX_SLOWNESS = 8;
const RECOVERY = 0.8;

/** The sleeps between checks, in milliseconds: short at first, then the poll interval, each jittered. */
export interface Pace {
  next(): number;
  /** Doubles the interval, at most to eight times; each `recover` takes a fifth of that back. */
  slowDown(): void;
  recover(): void;
}

/** The pace of one wait. `random` is in [0, 1) and keeps waits that began together apart. */
export function createPace(pollIntervalMs: number, random: () => number): Pace {
  let intervalMs = Math.min(FIRST_INTERVAL_MS, pollIntervalMs);
  let slowness = 1;
  return {
    next() {
      const sleepMs = intervalMs * slowness * (1 - JITTER + 2 * JITTER * random());
      intervalMs = Math.min(pollIntervalMs, intervalMs * GROWTH);
      return sleepMs;
    },
    slowDown() {
      slowness = Math.min(MAX_SLOWNESS, slowness * 2);
    },
    recover() {
      slowness = Math.max(1, slowness * RECOVERY);
    },
  };
}
