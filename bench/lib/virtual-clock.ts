import type { Clock } from '../../src/clock.ts';

/** A clock for one wait: every sleep is over at once, and time has moved on by its length. */
export function createInstantClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    sleep: (ms) => {
      now += Math.max(0, ms);
      return Promise.resolve();
    },
  };
}

export interface SharedClock extends Clock {
  /** Wakes the sleepers in the order of their times until nobody sleeps. */
  run(): Promise<void>;
}

/** A clock for many waits: time moves on when all of them sleep. */
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
