import fc from 'fast-check';
import { expect } from 'vitest';
import { canMatch, matchesPatterns, parsePathPattern } from '../../src/text/path-pattern.ts';
import { forAll } from './for-all.ts';

const token = fc.constantFrom(
  ...['a', 'b', '-', '/', '.', '*', '**', '**/', '?', '+', '[ab]', '[a-b-]', '\\[', '📖'],
);
const glob = fc.string({ unit: token, minLength: 1, maxLength: 10 });
const name = fc
  .string({ unit: fc.constantFrom('a', 'b', '-', '.', '[', '📖'), minLength: 1, maxLength: 4 })
  .filter((segment) => !/^\.{1,2}$/.test(segment));
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));

/** The rules of GitHub's page about filter patterns as a regular expression, which may backtrack for long. */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replace(/(?<![^/])\*\*\/|\*\*|\*|\[[^\]]+\]|\\?./gsu, (part) => {
    const known = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '?', '+': '+' }[part];
    return known ?? (part.length > 1 ? part : part.replace(/[.-]/, '\\$&'));
  });
  return new RegExp(`^${source.replaceAll('\\-', '-')}$`, 'su');
}

forAll(
  "a pattern follows GitHub's rules, and is refused only if it matches nothing",
  [glob, fc.array(path)],
  (text, paths) => {
    const pattern = parsePathPattern(text);
    const isRepeated = pattern === undefined && /(?:^|[?+*/])[?+]/.test(text);
    const expected = isRepeated ? [] : paths.filter((candidate) => toRegExp(text).test(candidate));
    const matching =
      pattern === undefined ? [] : paths.filter((candidate) => matchesPatterns(candidate, [pattern]));
    expect(matching).toEqual(expected);
    expect(pattern === undefined || canMatch([pattern])).toBe(true);
  },
);
