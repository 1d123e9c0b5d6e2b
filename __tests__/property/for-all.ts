import fc from 'fast-check';
import { it } from 'vitest';

const { PROPERTY_RUNS, PROPERTY_SEED } = process.env;
const runs = Number(PROPERTY_RUNS ?? 50);
/** PROPERTY_SEED. If unset, a new one with PROPERTY_RUNS, or else always the same. */
export const seed = Number(
  PROPERTY_SEED ?? (PROPERTY_RUNS ? Math.floor(Math.random() * 2 ** 31) : 1),
);

/**
 * Adds a test of a property with random values. It is tried PROPERTY_RUNS times, 50 if unset, times
 * `share`. A failure prints its seed. Without these variables, the values are always the same.
 */
export function forAll<T extends [unknown, ...unknown[]]>(
  title: string,
  kinds: { readonly [Index in keyof T]: fc.Arbitrary<T[Index]> },
  check: (...values: T) => void | Promise<void>,
  share = 1,
): void {
  const property = fc.asyncProperty(fc.tuple<T>(...kinds), async (values) => check(...values));
  const numRuns = Math.ceil(runs * share);
  it(title, () => fc.assert(property, { numRuns, seed }));
}
