/**
 * Retries an operation as long as the policy returns a delay in milliseconds for its result. Returns the first result for
 * which the policy returns undefined. The policy also gets the number of retries so far.
 */
export async function retry<T>(
  operation: () => Promise<T>,
  getDelay: (result: T, retries: number) => number | undefined,
  sleep: (delayMs: number, result: T) => Promise<void>,
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    const result = await operation();
    const delayMs = getDelay(result, retries);
    if (delayMs === undefined) {
      return result;
    }
    await sleep(delayMs, result);
  }
}
