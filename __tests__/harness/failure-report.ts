import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';

/** A value to print if a test fails. */
export interface Evidence {
  readonly title: string;
  readonly read: () => unknown;
}

const MAX_STRING_LENGTH = 2_000;
const collected = new AsyncLocalStorage<Evidence[]>();

/** Prints the value below the error if the current test fails. Outside a test, it does nothing. */
export function showOnFailure(title: string, read: () => unknown): void {
  collected.getStore()?.push({ title, read });
}

/** Runs a test, and collects its values for `showOnFailure`. */
export function collectEvidence(evidence: Evidence[], runTest: () => Promise<void>): Promise<void> {
  return collected.run(evidence, runTest);
}

/** Returns the evidence as text, with long strings cut. */
export function formatEvidence(evidence: readonly Evidence[]): string {
  return evidence
    .map(({ title, read }) => {
      const value = read();
      const text =
        typeof value === 'string'
          ? value
          : inspect(value, { depth: 6, maxStringLength: MAX_STRING_LENGTH, breakLength: 120 });
      return `--- ${title}\n${text.trimEnd()}\n`;
    })
    .join('');
}
