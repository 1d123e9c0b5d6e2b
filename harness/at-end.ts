const closers = new Set<() => Promise<unknown>>();

/** Calls this once when the tests of the file have run: before what was given earlier, such as servers of a process. */
export function closeAtEnd(close: () => Promise<unknown>): void {
  closers.add(close);
}

/** Closes all that the tests of a file left open. */
export async function closeAll(): Promise<void> {
  const open = [...closers].reverse();
  closers.clear();
  for (const close of open) await close();
}
