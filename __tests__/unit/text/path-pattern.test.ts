import { describe, expect, it } from 'vitest';
import { matchesPatterns, type PathPattern, parsePathPattern } from '../../../src/text/path-pattern.ts';

function parse(...texts: string[]): PathPattern[] {
  return texts.flatMap((text) => parsePathPattern(text) ?? []);
}

// The examples of GitHub's workflow syntax (filter patterns), and its neighbors.
describe('a path pattern', () => {
  it.each([
    ['*', ['README.md', 'server.rb'], ['docs/a']],
    ['*.jsx?', ['page.js', 'page.jsx'], ['page.jsxx', 'a/page.js']],
    ['**', ['all/the/files.md', 'a'], []],
    ['*.js', ['app.js', 'index.js'], ['js/index.js', 'appjs']],
    ['**.js', ['index.js', 'js/index.js', 'src/js/app.js'], ['index.jsx']],
    ['docs/*', ['docs/README.md', 'docs/file.txt'], ['docs/a/b', 'docs']],
    ['docs/**', ['docs/README.md', 'docs/mona/octocat.txt'], ['docs', 'src/docs/a']],
    [
      'docs/**/*.md',
      ['docs/README.md', 'docs/mona/hello-world.md', 'docs/a/markdown/file.md'],
      ['docs/a.mdx'],
    ],
    [
      '**/docs/**',
      ['docs/hello.md', 'dir/docs/my-file.txt', 'space/docs/plan/space.doc'],
      ['mydocs/a', 'docs'],
    ],
    ['**/README.md', ['README.md', 'js/README.md'], ['js/READMEx.md', 'myREADME.md']],
    ['**/*src/**', ['a/src/app.js', 'my-src/code/js/app.js'], ['a/srcs/b']],
    ['**/*-post.md', ['my-post.md', 'path/their-post.md'], ['my-postamd']],
    ['**/migrate-*.sql', ['migrate-10909.sql', 'db/sept/migrate-v1.sql'], ['db/migrate.sql']],
    ['a+b', ['ab', 'aab'], ['b', 'a+b']],
    ['v[0-9].x', ['v1.x'], ['va.x', 'v1yx']],
    ['v[12]+', ['v12'], ['v3']],
    ['a\\*', ['a*'], ['ab']],
    ['a\\\\', ['a\\'], ['a']],
    ['(a|b)^$.{c}', ['(a|b)^$.{c}'], ['a']],
    ['a]', ['a]'], ['a']],
    ['a\\-b', ['a-b'], ['a']],
    ['a\\', ['a\\'], ['a']],
    ['ä📖?', ['ä📖', 'ä'], ['📖']],
    ['x', ['x'], ['xx', 'ax', 'x\n']],
    ['a*b', ['a\nb'], ['a/b']],
    ['a**b', ['a\n/b'], ['a']],
  ])('%s matches %o, and not %o', (pattern, paths, others) => {
    expect(parse(pattern)).toHaveLength(1);
    expect(paths.filter((path) => !matchesPatterns(path, parse(pattern)))).toEqual([]);
    expect(others.filter((path) => matchesPatterns(path, parse(pattern)))).toEqual([]);
  });

  it.each(['?a', '+', '[', 'a[', '[z-a]', '!['])('%s is invalid', (pattern) => {
    expect(parsePathPattern(pattern)).toBeUndefined();
  });

  it('is negative behind an exclamation mark', () => {
    expect(parse('!a')[0]).toMatchObject({ isNegative: true });
    expect(parse('a')[0]).toMatchObject({ isNegative: false });
    expect(parse('!a')[0]?.pattern.test('a')).toBe(true);
  });
});

describe('matchesPatterns', () => {
  it('lets the last pattern that matches decide', () => {
    const patterns = parse('docs/**', '!docs/internal/**', 'docs/internal/keep.md');
    expect(matchesPatterns('docs/a.md', patterns)).toBe(true);
    expect(matchesPatterns('docs/internal/a.md', patterns)).toBe(false);
    expect(matchesPatterns('docs/internal/keep.md', patterns)).toBe(true);
    expect(matchesPatterns('src/a', patterns)).toBe(false);
    expect(matchesPatterns('docs/a.md', [...patterns].reverse())).toBe(true);
    expect(matchesPatterns('docs/internal/keep.md', [...patterns].reverse())).toBe(true);
    expect(matchesPatterns('a', [])).toBe(false);
  });
});
