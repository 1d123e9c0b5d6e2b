import type { Clock } from './clock.ts';

/**
 * Retries while the policy returns a delay in milliseconds and the signal isn't aborted. Returns
 * the last result.
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
