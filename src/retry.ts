import type { Clock } from './clock.ts';

/**
 * Retries an operation as long as the policy returns a delay in milliseconds for its result, and the signal is not aborted.
 * Returns the last result. The policy also gets the number of retries so far. It is not asked once the signal is aborted.
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
