import fc from 'fast-check';
import { it } from 'vitest';
import { parameters } from './parameters.ts';

/** Adds a test of a property with random values. `share` scales how often it is tried. */
export function forAll<T extends [unknown, ...unknown[]]>(
  title: string,
  kinds: { readonly [Index in keyof T]: fc.Arbitrary<T[Index]> },
  check: (...values: T) => void | Promise<void>,
  share = 1,
): void {
  const property = fc.asyncProperty(fc.tuple<T>(...kinds), async (values) => check(...values));
  it(title, () =>
    fc.assert(property, { ...parameters, numRuns: Math.ceil(parameters.numRuns * share) }),
  );
}
