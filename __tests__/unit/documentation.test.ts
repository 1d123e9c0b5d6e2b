import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ERROR_CODES } from '../../src/errors.ts';
import { OUTCOMES } from './fixtures.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.includes('__snapshots__'));
const action = parse(read('action.yml')) as Record<'inputs' | 'outputs', object>;

/** The anchors that GitHub gives to the headings of a page. */
function getAnchors(path: string): string[] {
  const withoutCode = read(path).replace(/^```[\s\S]*?^```/gm, '');
  return [...withoutCode.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Links to other files of the repository, and to headings, that lead nowhere. */
function findBrokenLinks(page: string): string[] {
  const targets = [...read(page).matchAll(/(?:\]\(|(?:src|srcset)=")([^)"\s]+)/g)].map(([, to = '']) => to);
  return targets.filter((target) => {
    const [path = '', anchor] = target.split('#');
    // `../../fork` is a page of GitHub's.
    if (/^[a-z]+:/.test(target) || path === '../../fork') return false;
    const file = path === '' ? page : posix.join(posix.dirname(page), path);
    return !existsSync(`${root}${file}`) || (anchor !== undefined && !getAnchors(file).includes(anchor));
  });
}

describe('README.md', () => {
  const readme = read('README.md');

  it.each(['npm ci && npm start', 'npm ci && npm test'])('names the command %s', (command) => {
    expect(readme).toContain(command);
  });

  it.each(Object.keys({ ...action.inputs, ...action.outputs }))('names %s', (name) => {
    expect(readme).toContain(`\`${name}\``);
  });

  it('links to every page', () => {
    const others = pages.filter((path) => path.startsWith('docs/'));
    expect(others.filter((path) => !readme.includes(`](${path}`))).toEqual([]);
  });

  it('can be read in a few minutes', () => {
    expect(readme.split(/[\s|]+/).length).toBeLessThan(1_300);
  });
});

describe('docs/outcomes.md', () => {
  it.each([...OUTCOMES, ...ERROR_CODES])('explains %s', (name) => {
    expect(read('docs/outcomes.md')).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'));
  });
});

it.each(pages)('%s has no link that leads nowhere', (page) => {
  expect(findBrokenLinks(page)).toEqual([]);
});
