import type { Clock } from '../../src/time/deadline.ts';

/** A clock that records its sleeps, which end at once. */
export interface VirtualClock extends Clock {
  readonly sleeps: number[];
  /** Moves the clock, as work or a suspended machine would. */
  pass(ms: number): void;
  /** Called after each sleep with its length. */
  onSleep: (ms: number) => void;
}

/** Returns a clock that moves only with `sleep` and `pass`. */
export function createVirtualClock(): VirtualClock {
  let now = 1_000;
  return {
    sleeps: [],
    onSleep: () => {},
    now: () => now,
    pass(ms) {
      now += ms;
    },
    async sleep(ms, signal) {
      if (signal.aborted) {
        return;
      }
      this.sleeps.push(ms);
      now += Math.max(0, ms);
      this.onSleep(ms);
    },
  };
}

/** Returns the time limits of a run, and the ways to cancel it. */
export function createTiming(clock: Clock, deadline: number, random = 0.5) {
  const cancel = new AbortController();
  const forceCancel = new AbortController();
  const signals = { cancel: cancel.signal, forceCancel: forceCancel.signal };
  return { timing: { clock, random: () => random, deadline, ...signals }, cancel, forceCancel };
}
