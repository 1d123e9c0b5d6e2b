import { AsyncLocalStorage } from 'node:async_hooks';

/** A value to print if a test fails. */
export interface Evidence {
  readonly title: string;
  readonly read: () => unknown;
}

/** What the current test has shown. */
export const collected = new AsyncLocalStorage<Evidence[]>();

/** Prints the value below the error if the current test fails. Outside a test, it does nothing. */
export function showOnFailure(title: string, read: () => unknown): void {
  collected.getStore()?.push({ title, read });
}
