import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { ERROR_CODES, OUTCOMES } from './fixtures.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.includes('__snapshots__'));
const action = parse(read('action.yml')) as Record<'inputs' | 'outputs', object>;

function getAnchors(path: string): string[] {
  const withoutCode = read(path).replace(/^```[\s\S]*?^```/gm, '');
  return [...withoutCode.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const words = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '');
    return words.replaceAll(' ', '-');
  });
}

function findBrokenLinks(page: string): string[] {
  const found = read(page).matchAll(/(?:\]\(|(?:src|srcset)=")([^)"\s]+)/g);
  const targets = [...found].map(([, to = '']) => to);
  // `../../fork` is a page of GitHub's.
  const own = targets.filter((to) => !/^(?:[a-z]+:|\.\.\/\.\.\/fork$)/.test(to));
  return own.filter((target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : posix.join(posix.dirname(page), path);
    const isFound = existsSync(`${root}${file}`);
    return !isFound || (anchor !== undefined && !getAnchors(file).includes(anchor));
  });
}

/** Returns the names that a page lacks as code, or as the first cell of a row. */
function findMissing(page: string, names: readonly string[], isRow = false): string[] {
  const text = `\n${read(page)}`;
  const toCell = (name: string): string => (isRow ? `\n| \`${name}\` |` : `\`${name}\``);
  return names.filter((name) => !text.includes(toCell(name)));
}

it('README.md names every input and output, and links to every page', () => {
  const names = [...Object.keys(action.inputs), ...Object.keys(action.outputs)];
  expect(findMissing('README.md', names)).toEqual([]);
  const others = pages.filter((path) => path.startsWith('docs/'));
  expect(others).toContain('docs/usage.md');
  expect(others.filter((path) => !read('README.md').includes(`](${path}`))).toEqual([]);
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
