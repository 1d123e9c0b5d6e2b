import fc from 'fast-check';
import { it } from 'vitest';
import { parameters } from './parameters.ts';

/** A test of what holds for any values of these kinds, tried as often as usual or a share of that. */
export function forAll<T extends [unknown, ...unknown[]]>(
  title: string,
  kinds: { readonly [Index in keyof T]: fc.Arbitrary<T[Index]> },
  check: (...values: T) => void | Promise<void>,
  share = 1,
): void {
  const property = fc.asyncProperty(fc.tuple<T>(...kinds), async (values) => check(...values));
  it(title, () => fc.assert(property, { ...parameters, numRuns: Math.ceil(parameters.numRuns * share) }));
}
