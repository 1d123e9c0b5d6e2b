import { setTimeout as sleep } from 'node:timers/promises';

const LIMIT_MS = 60_000;
const INTERVAL_MS = 10;

/**
 * Waits until the check no longer throws. Throws its last error when the action has ended, or after
 * a minute.
 */
export async function eventually(
  check: () => void | Promise<void>,
  action?: { readonly ended: Promise<unknown> },
): Promise<void> {
  const deadlineMs = performance.now() + LIMIT_MS;
  let isEnded = false;
  void action?.ended.then(() => {
    isEnded = true;
  });
  for (;;) {
    const isLastTry = isEnded || performance.now() > deadlineMs;
    try {
      return await check();
    } catch (error) {
      if (isLastTry) {
        throw error;
      }
    }
    await sleep(INTERVAL_MS);
  }
}
