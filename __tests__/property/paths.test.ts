import fc from 'fast-check';
import { expect } from 'vitest';
import { findMistake, matchesPatterns, toPathPattern } from '../../src/changes/paths.ts';
import { forAll } from './for-all.ts';

/** Tries one way after the other: slow, but plainly the rules of GitHub's page. */
function matchesSlowly(glob: string, path: string, isStart = true): boolean {
  if (glob === '') {
    return path === '';
  }
  const ends = Array.from({ length: path.length + 1 }, (_, end) => end);
  if (isStart && glob.startsWith('**/')) {
    const folders = ends.filter((end) => end === 0 || path[end - 1] === '/');
    return folders.some((end) => matchesSlowly(glob.slice(3), path.slice(end)));
  }
  const [, stars = '', unit = '', times = ''] = /^(?:(\*+)|(\[\w+\]|.)([?+]?))/.exec(glob) ?? [];
  const part = {
    '*': /^[^/]*$/,
    '': new RegExp(`^[${unit.replace(/[[\]]/g, '')}]${times}$`),
  }[stars];
  const rest = glob.slice(stars.length + unit.length + times.length);
  return ends.some(
    (end) =>
      (part ?? /^.*$/).test(path.slice(0, end)) &&
      matchesSlowly(rest, path.slice(end), unit === '/'),
  );
}

const toText = (parts: readonly string[]): string => parts.join('');
const globPart = fc.constantFrom('a', 'b', '.', '/', '*', '**', '**/', '?', '+', '[ab]');
const glob = fc
  .array(globPart, { minLength: 1, maxLength: 7 })
  .map(toText)
  .filter((text) => findMistake(text) === undefined);
const path = fc.array(fc.constantFrom('a', 'b', '.', '/'), { maxLength: 7 }).map(toText);

forAll(
  'a path matches a pattern exactly if one of the ways to match it does',
  [glob, fc.array(path, { minLength: 10, maxLength: 20 })],
  (text, paths) => {
    const pattern = toPathPattern(text);
    for (const name of paths) {
      expect([name, matchesPatterns(name, [pattern])]).toEqual([name, matchesSlowly(text, name)]);
    }
  },
);
