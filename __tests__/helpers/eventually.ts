import { vi } from 'vitest';

/**
 * Waits until the check no longer throws. After 60 s, throws its last error. `expect.poll` doesn't
 * work here: it needs to know the current test, and tests run side by side.
 */
export function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 10 });
}
