import { describe, expect, it } from 'vitest';
import {
  canMatch,
  matchesPatterns,
  type PathPattern,
  parsePathPattern,
} from '../../../src/text/path-pattern.ts';

function parse(texts: string | readonly string[]): PathPattern[] {
  return [texts].flat().map((text) => {
    const pattern = parsePathPattern(text);
    if (pattern === undefined) {
      throw new Error(`Not a pattern: ${text}`);
    }
    return pattern;
  });
}

const drafts = ['docs/**', '!docs/drafts/**', 'docs/drafts/final/**', '!**/*.png'];

// The rules are on GitHub's page about filter patterns.
it.each<[string | readonly string[], string[], string[]]>([
  ['*', ['LICENSE', 'main.go', ''], ['cmd/main.go', 'a/']],
  ['*.go', ['main.go', '.go'], ['cmd/main.go', 'main.gone', 'main_go']],
  ['guide/**/*.md', ['guide/a.md', 'guide/x/a.md', 'guide/x/y/a.md'], ['guide/a.txt', 'a.md']],
  ['**/a.md', ['a.md', 'lib/a.md', 'a/b/a.md'], ['old-a.md', 'a.md/x']],
  ['v[12].[0-9]+.md', ['v1.0.md', 'v2.10.md'], ['v3.0.md', 'v1..md', 'v12.0.md']],
  ['docs/\\[a\\].md', ['docs/[a].md'], ['docs/a.md']],
  ['\\!important/**', ['!important/a'], ['important/a']],
  ['a.b(c){d}e^f$g', ['a.b(c){d}e^f$g'], ['aXb(c){d}e^f$g', 'a.bcd']],
  ['[0-9]+/[A-Z]', ['0/A', '123/Z'], ['/A', '1/a', '1/AA']],
  ['naïve/📖+.md', ['naïve/📖.md', 'naïve/📖📖.md'], ['naive/📖.md']],
  ['caf\u00e9/**', ['cafe\u0301/a.md'], []],
  // The last pattern that matches decides.
  [drafts, ['docs/a.md', 'docs/drafts/final/a.md'], ['docs/drafts/a.md', 'docs/a.png']],
  [drafts, [], ['docs/drafts/final/a.png']],
  [['!docs/**', 'docs/**'], ['docs/a.md'], []],
  [[], [], ['docs/a.md']],
])('matchesPatterns applies the patterns %s', (texts, matching, others) => {
  const patterns = parse(texts);
  expect(matching.filter((path) => !matchesPatterns(path, patterns))).toEqual([]);
  expect(others.filter((path) => matchesPatterns(path, patterns))).toEqual([]);
});

describe('parsePathPattern', () => {
  it.each<[string, readonly string[]]>([
    ['quotes', ["'docs/**'", '"docs/**"', '`docs/**`', "docs/**'", "!'docs/**'", 'say "x" y']],
    ['a list marker', ['- docs/**', '* docs/**', '!- docs/**', '-\tdocs']],
    ['a comment', ['# docs', '#docs', 'docs/** # all', '!#x', 'docs/**\t#x']],
    ['several patterns', ['docs/** src/**', 'docs/**, src/**', 'a.md;b.md', 'a|b']],
    ['unknown syntax', ['*.{md,mdx}', '["docs/**"]', '! docs']],
    ['invisible characters', ['docs/**\r', 'docs/**\u00a0', '\ufeffdocs/**', 'a\0']],
    ['backslashes', ['docs\\guide', 'docs\\', 'a\\/b', 'docs\\*.md', 'docs\\\\guide', 'a\\📖']],
    ['brackets without letters or digits', ['[a', '[]', '[^a]', '[z-a]', '[docs/**]', 'x[]]']],
    ['a repetition of no character', ['?a', '+a', 'a++', '*+', 'docs/?', '**/?', '/+a']],
    ['a segment that no path has', ['/docs/**', './docs/**', 'docs/', '..', '', '!', 'a//b']],
  ])('rejects %s', (_, texts) => {
    expect(texts.filter((text) => parsePathPattern(text) !== undefined)).toEqual([]);
  });

  it.each<readonly string[]>([
    ['src/**', '!src/**'],
    ['src/**', '!**'],
    ['src/**', '!**/*'],
    ['!docs/**'],
    ['**/a/*', '!**/a/**'],
  ])('finds that no path can match %j, %j', (...texts) => {
    expect(canMatch(parse(texts))).toBe(false);
  });

  it.each<readonly string[]>([
    ['src/**', '!src/*'],
    ['src/**', '!src/*/**'],
    ['**', '!**/*.md'],
    ['**/*.md', '!*.md', '!*/*.md'],
    ['v[0-9]/**', '!v0/**'],
    ['docs/\\[id\\].md', '!docs/i.md'],
    ['!src/**', 'src/**'],
    ['**/drafts/**', '!docs/drafts/**'],
    ['!**', 'src/📖\\ 1.md'],
  ])('finds that a path can match %j, %j', (...texts) => {
    expect(canMatch(parse(texts))).toBe(true);
  });
});
