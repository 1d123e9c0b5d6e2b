import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ERROR_CODES, OUTCOMES } from './fixtures.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.includes('__snapshots__'));
const action = parse(read('action.yml')) as Record<'inputs' | 'outputs', object>;

/** Returns the anchors that GitHub gives to the headings of a page. */
function getAnchors(path: string): string[] {
  const withoutCode = read(path).replace(/^```[\s\S]*?^```/gm, '');
  return [...withoutCode.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the broken links of a page to files of the repository and to headings. */
function findBrokenLinks(page: string, text = read(page)): string[] {
  const targets = [...text.matchAll(/(?:\]\(|(?:src|srcset)=")([^)"\s]+)/g)].map(
    ([, to = '']) => to,
  );
  return targets.filter((target) => {
    const [path = '', anchor] = target.split('#');
    // `../../fork` is a page of GitHub's.
    if (/^[a-z]+:/.test(target) || path === '../../fork') {
      return false;
    }
    const file = path === '' ? page : posix.join(posix.dirname(page), path);
    return (
      !existsSync(`${root}${file}`) || (anchor !== undefined && !getAnchors(file).includes(anchor))
    );
  });
}

/**
 * Returns the names that a page lacks as code, or as the first cell of a row. A failure prints
 * these, not the page.
 */
function findMissing(page: string, names: readonly string[], isRow = false): string[] {
  const lines = read(page).split('\n');
  return names.filter(
    (name) =>
      !lines.some((line) =>
        isRow ? line.startsWith(`| \`${name}\` |`) : line.includes(`\`${name}\``),
      ),
  );
}

describe('README.md', () => {
  const page = 'README.md';

  it('names every input and output', () => {
    const names = [...Object.keys(action.inputs), ...Object.keys(action.outputs)];
    expect(findMissing(page, names)).toEqual([]);
  });

  it('links to every page', () => {
    const others = pages.filter((path) => path.startsWith('docs/'));
    expect(others).toContain('docs/usage.md');
    expect(others.filter((path) => !read(page).includes(`](${path}`))).toEqual([]);
  });
});

it('docs/usage.md has a row for every outcome', () => {
  expect(findMissing('docs/usage.md', OUTCOMES, true)).toEqual([]);
});

it('docs/errors.md has a section for every result and every error code', () => {
  const results = OUTCOMES.filter((name) => !['failed', 'lost', 'not-started'].includes(name));
  const anchors = getAnchors('docs/errors.md');
  expect([...results, ...ERROR_CODES].filter((name) => !anchors.includes(name))).toEqual([]);
});

it('the story in CONTRIBUTING.md names files that exist, from main.ts to the summary', () => {
  const [, story = ''] = read('.github/CONTRIBUTING.md').split(/^## /m);
  const files = [...story.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(files.filter((file) => !existsSync(`${root}src/${file}`))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['main.ts', 'report/summary.ts']));
});

it.each(pages)('%s has no broken link', (page) => {
  expect(findBrokenLinks(page)).toEqual([]);
});
