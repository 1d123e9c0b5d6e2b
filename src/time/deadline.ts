import { setTimeout as delay } from 'node:timers/promises';

/** Monotonic time, so that changes to the wall clock don't move deadlines. */
export interface Clock {
  /** Milliseconds since some fixed instant. */
  now(): number;
  /** Resolves after `ms` (at once if not positive) or when the signal is aborted. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Shared by all parts of a run: time, randomness, and the signals to stop. */
export interface Timing {
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Instant of the clock at which the run gives up. */
  readonly deadline: number;
  /** Aborted when the step is canceled: nothing new starts, and sleeps and reads end. */
  readonly cancel: AbortSignal;
  /** Aborted later: a create request or follow-up in flight ends, too. */
  readonly forceCancel: AbortSignal;
}

/** Returns the milliseconds until the run gives up; negative after that. */
export function getRemainingMs({ clock, deadline }: Timing): number {
  return deadline - clock.now();
}

/** Returns `longestMs`, or half of the time left if that is less: the other half is for the job. */
export function getPreparationMs(longestMs: number, timing: Timing): number {
  return Math.min(longestMs, getRemainingMs(timing) / 2);
}

/** Last requests may take this long after the deadline: the run ends within two seconds of it. */
export const DEADLINE_GRACE_MS = 1_800;

/** Returns how long a last request may take, in milliseconds: what is left, and the grace. */
export function getLastRequestMs(timing: Timing): number {
  return Math.max(0, getRemainingMs(timing) + DEADLINE_GRACE_MS);
}

export const systemClock: Clock = {
  now: () => performance.now(),
  // Rejects if it is aborted, but the caller checks the signal.
  sleep: (ms, signal) => delay(Math.max(0, ms), undefined, { signal }).catch(() => {}),
};
