import type { Clock } from '../../src/clock.ts';

/** A clock whose sleeps pass at once, and which remembers them. */
export interface VirtualClock extends Clock {
  readonly sleeps: number[];
  /** Moves time on, as work or a suspended machine does. */
  pass(ms: number): void;
  /** Called at the end of every sleep, with its length. */
  onSleep: (ms: number) => void;
}

/** A clock that starts at `startMs` and stands still but for `sleep` and `pass`. */
export function createVirtualClock(startMs = 1_000): VirtualClock {
  let now = startMs;
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
