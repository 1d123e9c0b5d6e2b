import type { Clock } from './deadline.ts';

interface RetryOptions<T> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called before each pause. */
  readonly onRetry?: (result: T, delayMs: number) => void;
}

/**
 * Repeats an operation while `getDelayMs` returns a delay and the signal isn't aborted. Returns the
 * last result.
 */
export async function retry<T>(
  operation: () => Promise<T>,
  getDelayMs: (result: T, retries: number) => number | undefined,
  { clock, signal, onRetry }: RetryOptions<T>,
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    const result = await operation();
    const delayMs = signal.aborted ? undefined : getDelayMs(result, retries);
    if (delayMs === undefined) {
      return result;
    }
    onRetry?.(result, delayMs);
    await clock.sleep(delayMs, signal);
    if (signal.aborted) {
      return result;
    }
  }
}
