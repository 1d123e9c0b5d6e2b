const closers = new Set<() => Promise<unknown>>();

/**
 * Calls the function once, after the tests of the file, in reverse order: processes end before
 * their servers.
 */
export function closeAtEnd(close: () => Promise<unknown>): void {
  closers.add(close);
}

/** Calls the functions given to `closeAtEnd`. */
export async function closeAll(): Promise<void> {
  const open = [...closers].reverse();
  closers.clear();
  for (const close of open) {
    await close();
  }
}
