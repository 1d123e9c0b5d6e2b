/**
 * The interval between two checks as a share of the poll interval, by seconds since the wait began; between
 * two rows it is interpolated. Few jobs end at once, so the first check comes late; those that end within
 * half a minute are noticed in half the usual time; a job that has taken long will take longer. Chosen so
 * that over the usual mix of job lengths there are hardly more checks than at a fixed interval, and no more
 * delay (`npm run bench -- schedule`).
 */
const SHAPE: readonly (readonly [seconds: number, share: number])[] = [
  [0, 0.9],
  [9, 0.41],
  [30, 0.42],
  [52, 0.99],
  [300, 0.98],
  [600, 1.1],
  [1_800, 1.3],
];
const MIN_INTERVAL_MS = 1_000;
const JITTER = 0.1;
const MAX_SLOWNESS = 8;
const RECOVERY = 0.8;

/** The sleeps between the checks of one wait. */
export interface Pace {
  /** The next sleep in milliseconds, when the wait has gone on for `elapsedMs`. */
  next(elapsedMs: number): number;
  /** Doubles the interval, at most to eight times; each `recover` takes a fifth of it back. */
  slowDown(): void;
  recover(): void;
}

/** The pace of one wait. `random` is in [0, 1) and keeps waits that began together apart. */
export function createPace(pollIntervalMs: number, random: () => number): Pace {
  let slowness = 1;
  return {
    next(elapsedMs) {
      const intervalMs = Math.max(MIN_INTERVAL_MS, pollIntervalMs * toShare(elapsedMs / 1000));
      return intervalMs * slowness * (1 - JITTER + 2 * JITTER * random());
    },
    slowDown() {
      slowness = Math.min(MAX_SLOWNESS, slowness * 2);
    },
    recover() {
      slowness = Math.max(1, slowness * RECOVERY);
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
