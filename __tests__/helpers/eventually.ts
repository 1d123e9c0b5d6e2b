import { vi } from 'vitest';

/** Waits until the check no longer throws. Throws its last error after a minute. */
export function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 10 });
}
