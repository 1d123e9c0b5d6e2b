import { vi } from 'vitest';

/**
 * Waits until the check no longer throws, 60 s at most; then its last error is thrown. `expect.poll` would need the
 * current test, which nobody knows where tests run side by side.
 */
export function eventually(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 10 });
}
