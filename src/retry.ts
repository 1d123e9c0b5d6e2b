import type { Clock } from './clock.ts';

/**
 * Repeats an operation after each delay, in milliseconds, that `getDelay` returns for its result. Returns the last result as
 * soon as `getDelay` returns undefined or the signal is aborted. `retries` is the number of retries so far.
 */
export async function retry<T>(
  operation: () => Promise<T>,
  getDelay: (result: T, retries: number) => number | undefined,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    const result = await operation();
    const delayMs = signal.aborted ? undefined : getDelay(result, retries);
    if (delayMs === undefined) {
      return result;
    }
    await clock.sleep(delayMs, signal);
    if (signal.aborted) {
      return result;
    }
  }
}
