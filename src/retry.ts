import type { Clock } from './clock.ts';

/** When to stop retrying, besides the policy, and what to call before each pause. */
interface RetryOptions<T> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onRetry?: (result: T, delayMs: number) => unknown;
}

/**
 * Retries an operation as long as the policy returns a delay in milliseconds for its result, and the signal is not aborted.
 * Returns the last result. The policy also gets the number of retries so far.
 */
export async function retry<T>(
  operation: () => Promise<T>,
  getDelay: (result: T, retries: number) => number | undefined,
  { clock, signal, onRetry }: RetryOptions<T>,
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    const result = await operation();
    const delayMs = getDelay(result, retries);
    if (delayMs === undefined || signal.aborted) {
      return result;
    }
    onRetry?.(result, delayMs);
    await clock.sleep(delayMs, signal);
    if (signal.aborted) {
      return result;
    }
  }
}
