import { describe, expect, it } from 'vitest';
import { matchesPatterns, type PathPattern, parsePathPattern } from '../../../src/text/path-pattern.ts';

function parse(texts: string | readonly string[]): PathPattern[] {
  return [texts].flat().map((text) => {
    const pattern = parsePathPattern(text);
    if (pattern === undefined) throw new Error(`Not a pattern: ${text}`);
    return pattern;
  });
}

describe('matchesPatterns', () => {
  const drafts = ['docs/**', '!docs/drafts/**', 'docs/drafts/final/**', '!**/*.png'];

  // Which paths match is what GitHub's page on the workflow syntax says about filter patterns.
  it.each<[string | readonly string[], string[], string[]]>([
    ['*', ['LICENSE', 'main.go', ''], ['cmd/main.go', 'a/']],
    ['**', ['LICENSE', 'cmd/main.go', 'a/b/c.d'], []],
    ['*.go', ['main.go', '.go'], ['cmd/main.go', 'main.gone', 'main_go']],
    ['**.go', ['main.go', 'cmd/main.go', 'cmd/x/y.go'], ['main.go.txt']],
    ['*.tsx?', ['a.ts', 'a.tsx'], ['a.tsxx', 'a.t', 'lib/a.ts']],
    ['guide/*', ['guide/a.md', 'guide/b'], ['guide/x/a.md', 'guide', 'my/guide/a.md']],
    ['guide/**', ['guide/a.md', 'guide/x/a.md'], ['guide', 'guides/a.md', 'my/guide/a.md']],
    ['guide/**/*.md', ['guide/a.md', 'guide/x/a.md', 'guide/x/y/a.md'], ['guide/a.txt', 'a.md']],
    ['**/guide/**', ['guide/a.md', 'my/guide/a.md', 'my/guide/x/a.txt'], ['my-guide/a.md', 'guide']],
    ['**/CHANGES.md', ['CHANGES.md', 'lib/CHANGES.md', 'a/b/CHANGES.md'], ['OLD-CHANGES.md', 'CHANGES.md/x']],
    ['**/*lib/**', ['a/lib/x.c', 'my-lib/a/b.c', 'lib/x'], ['a/libs/x.c', 'lib']],
    ['**/*-page.md', ['a-page.md', 'x/b-page.md'], ['a-page.mdx', 'page.md']],
    ['**/step-*.sql', ['step-1.sql', 'db/step-2.0.sql'], ['db/my-step-1.sql', 'db/step-1.sql.bak']],
    ['v[12].[0-9]+.md', ['v1.0.md', 'v2.10.md'], ['v3.0.md', 'v1..md', 'v12.0.md']],
    ['[CD]ocs/**', ['Cocs/a', 'Docs/a'], ['docs/a', 'ocs/a']],
    ['a+b', ['ab', 'aaab'], ['b', 'a+b']],
    ['ab?c', ['ac', 'abc'], ['abbc', 'ab?c']],
    ['a**b', ['ab', 'a/x/b', 'axb'], ['a/x/bc']],
    ['docs/\\*.md', ['docs/*.md'], ['docs/a.md']],
    ['docs/\\[a\\].md', ['docs/[a].md'], ['docs/a.md']],
    ['a\\?b\\+c', ['a?b+c'], ['abc', 'aab+c']],
    ['\\!important/**', ['!important/a'], ['important/a']],
    ['a.b(c){d}|e^f$g', ['a.b(c){d}|e^f$g'], ['aXb(c){d}|e^f$g', 'a.bcd']],
    ['a]b', ['a]b'], ['ab']],
    ['a\\-b', ['a-b'], ['ab']],
    ['a\\', ['a\\'], ['a']],
    ['naïve/📖+.md', ['naïve/📖.md', 'naïve/📖📖.md'], ['naive/📖.md']],
    ['docs/a b.md', ['docs/a b.md'], ['docs/ab.md']],
    ['docs/**', ['docs/a\nb.md'], []],
    ['docs/*', ['docs/a\nb.md'], []],
    // The last pattern that matches decides.
    [drafts, ['docs/a.md', 'docs/drafts/final/a.md'], ['docs/drafts/a.md', 'docs/a.png', 'src/a.ts']],
    [drafts, [], ['docs/drafts/final/a.png']],
    [['!docs/**', 'docs/**'], ['docs/a.md'], []],
    [['docs/**', '!docs/**'], [], ['docs/a.md']],
    [[], [], ['docs/a.md']],
  ])('%s', (texts, matching, others) => {
    const patterns = parse(texts);
    expect(matching.filter((path) => !matchesPatterns(path, patterns))).toEqual([]);
    expect(others.filter((path) => matchesPatterns(path, patterns))).toEqual([]);
  });
});

describe('parsePathPattern', () => {
  it.each(['[a', 'docs/[', '[]', '[^a]', '[z-a]', '?a', '+a', '!?a', 'a++', '*+', 'a?+'])(
    'refuses %s',
    (text) => {
      expect(parsePathPattern(text)).toBeUndefined();
    },
  );

  it('tells an excluding pattern', () => {
    expect(parsePathPattern('!docs/**')?.isNegative).toBe(true);
    expect(parsePathPattern('docs/!a')?.isNegative).toBe(false);
    expect(parsePathPattern('\\!docs')?.isNegative).toBe(false);
  });
});
