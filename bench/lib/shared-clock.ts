import type { Clock } from '../../src/clock.ts';

export interface SharedClock extends Clock {
  /** Wakes all sleepers in the order of their times. */
  run(): Promise<void>;
}

/** Returns a clock for many waits at once. It moves when all of them sleep. */
export function createSharedClock(): SharedClock {
  const sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  let now = 0;
  return {
    now: () => now,
    sleep: (ms) =>
      new Promise((wake) => {
        const at = now + Math.max(0, ms);
        const index = sleepers.findIndex((sleeper) => sleeper.at <= at);
        sleepers.splice(index === -1 ? sleepers.length : index, 0, { at, wake });
      }),
    async run() {
      for (let next = sleepers.pop(); next !== undefined; next = sleepers.pop()) {
        now = next.at;
        next.wake();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
