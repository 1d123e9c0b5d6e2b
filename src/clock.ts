import { setTimeout as delay } from 'node:timers/promises';

/** Time as the action sees it: monotonic, so that a changed wall clock moves no deadline. */
export interface Clock {
  /** Milliseconds since some fixed instant. */
  now(): number;
  /** Resolves after `ms` (at once when that is past), or when the signal is aborted; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(Math.max(0, ms), undefined, { signal });
    } catch {
      // Aborted: the caller looks at the signal.
    }
  },
};
