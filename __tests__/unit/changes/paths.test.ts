import { expect, it } from 'vitest';
import { matchesPatterns } from '../../../src/changes/paths.ts';
import { parsePaths } from '../../../src/inputs/parsers.ts';
import { readOrExplain } from '../fixtures.ts';

const drafts = ['docs/**', '!docs/drafts/**', 'docs/drafts/final/**', '!**/*.png'];

// The rules are on GitHub's page about filter patterns.
it.each<[string | readonly string[], string[], string[]]>([
  ['*', ['LICENSE', 'main.go', ''], ['cmd/main.go', 'a/']],
  ['*.go', ['main.go', '.go'], ['cmd/main.go', 'main.gone', 'main_go']],
  ['guide/**/*.md', ['guide/a.md', 'guide/x/a.md', 'guide/x/y/a.md'], ['guide/a.txt', 'a.md']],
  ['**/a.md', ['a.md', 'lib/a.md', 'a/b/a.md'], ['old-a.md', 'a.md/x']],
  ['x**/a', ['x/a', 'xy/z/a'], ['xa', 'xya', 'a']],
  ['v[12].[0-9]+.md', ['v1.0.md', 'v2.10.md'], ['v3.0.md', 'v1..md', 'v12.0.md']],
  ['colou?r', ['color', 'colour'], ['colouur', 'colo']],
  ['docs/\\[z-a].md', ['docs/[z-a].md'], ['docs/a.md']],
  ['\\!important/**', ['!important/a'], ['important/a']],
  ['a\\?\\++', ['a?+', 'a?++'], ['a', 'a?']],
  ['a.b(c){d}e^f$g', ['a.b(c){d}e^f$g'], ['aXb(c){d}e^f$g', 'a.bcd']],
  ['[0-9]+/[A-Z]', ['0/A', '123/Z'], ['/A', '1/a', '1/AA']],
  ['naïve/📖+.md', ['naïve/📖.md', 'naïve/📖📖.md'], ['naive/📖.md']],
  ['caf\u00e9/**', ['cafe\u0301/a.md'], []],
  // The last pattern that matches decides.
  [drafts, ['docs/a.md', 'docs/drafts/final/a.md'], ['docs/drafts/a.md', 'docs/a.png']],
  [drafts, [], ['docs/drafts/final/a.png']],
  [['!docs/**', 'docs/**'], ['docs/a.md'], []],
])('matchesPatterns applies the patterns %s', (texts, matching, others) => {
  const patterns = parsePaths([texts].flat().join('\n'));
  expect(matching.filter((path) => !matchesPatterns(path, patterns))).toEqual([]);
  expect(others.filter((path) => matchesPatterns(path, patterns))).toEqual([]);
});

it.each([
  ['wildcards', '*_*_*_*_*.mdx'],
  ['stars for any folder', '**_**_**_**_**x'],
  ['optional characters', `${'_?'.repeat(250)}x`],
  ['repeated characters', `${'_+'.repeat(40)}x`],
])('matchesPatterns decides about a long name at once for many %s', (_, text) => {
  const patterns = parsePaths(text);
  const start = performance.now();
  expect(matchesPatterns('_'.repeat(250), patterns)).toBe(false);
  expect(performance.now() - start).toBeLessThan(500);
});

it.each([
  ['docs/**', 1],
  ['*_.md', 29],
  ['**/docs/*.md', 11],
])('matchesPatterns looks at no character for %s once nothing can match', (text, count) => {
  let looks = 0;
  const patterns = parsePaths(text).map((pattern) => ({
    ...pattern,
    tokens: pattern.tokens.map((token) => ({
      ...token,
      matches(character: string): boolean {
        looks += 1;
        return token.matches(character);
      },
    })),
  }));
  expect(matchesPatterns('_'.repeat(10), patterns)).toBe(false);
  expect(looks).toBe(count);
});

it.each<[RegExp, readonly string[]]>([
  [/quotes/, ["'docs/**'", '"docs/**"', '`docs/**`', "docs/**'", "!'docs/**'", 'say "x"']],
  [/list markers/, ['- docs/**', '* docs/**', '!- docs/**', '-\tdocs']],
  [/comments/, ['# docs', '#docs', 'docs/** # all', '!#x', 'docs/**\t#x']],
  [/one pattern per line/, ['docs/** src/**', 'docs/**, src/**', 'a.md;b.md', 'a|b']],
  [/one pattern per line/, ['*.{md,mdx}', '! docs', 'a\u00a0b', 'a\u200b/b', 'a\0']],
  [/folders with `\/`/, ['docs\\guide', 'docs\\', 'a\\/b', 'docs\\*.md', 'a\\\\b', 'a\\📖']],
  [/begin at the root/, ['/docs/**', './docs/**', '../a', '..', '.', '!', 'C:/src/**', 'd:/']],
  [/after each `\/`/, ['docs/', 'a//b', 'a/./b', 'a/..']],
  [/between `\[` and `\]`/, ['[a', '[]', '[^a]', '[docs/**]', 'x[]]']],
  [/lower end/, ['[z-a]', '![z-a]']],
  [/before `\?` or `\+`/, ['?a', '+a', 'a++', '*+', 'docs/?', '**/?', 'b/+a']],
])('says %s', (remedy, texts) => {
  for (const text of texts) {
    const problems = readOrExplain(() => parsePaths(`a\n\n${text}\n`));
    expect(problems).toEqual([expect.stringMatching(/^line 3: /)]);
    expect(String(problems)).toMatch(remedy);
  }
});

it('takes a pattern per line', () => {
  const patterns = parsePaths(' src/**\r\n\n!src/*.md\rdocs ');
  expect(patterns.map(({ isNegative, glob }) => [isNegative, glob])).toEqual([
    [false, 'src/**'],
    [true, 'src/*.md'],
    [false, 'docs'],
  ]);
});

it('rejects a list that only excludes', () => {
  expect(readOrExplain(() => parsePaths('!a\n!b'))).toEqual([expect.stringContaining('`!`')]);
});
