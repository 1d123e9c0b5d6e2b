import fc from 'fast-check';
import { it } from 'vitest';

/** PROPERTY_SEED, or a new one. */
export const seed = Number(process.env['PROPERTY_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const runs = Number(process.env['PROPERTY_RUNS'] ?? 50);

/**
 * Adds a test of a property with random values. It is tried PROPERTY_RUNS times, 50 if unset, times
 * `share`. A failure prints its seed; PROPERTY_SEED repeats that run.
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
