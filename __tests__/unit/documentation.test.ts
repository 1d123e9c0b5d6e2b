import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readExamples, root } from '../../scripts/tools.ts';
import { INPUT_NAMES } from '../../src/inputs/read-inputs.ts';
import { getOutputs } from '../../src/report/outputs.ts';
import { runHere } from '../helpers/run-here.ts';
import { createResult, ERROR_CODES, OUTCOMES } from './fixtures.ts';

const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !path.includes('__snapshots__'));
const action = parse(read('action.yml'));
const examples = readExamples();

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

/** Returns the names that a text lacks as code. */
function findMissing(text: string, names: readonly string[]): string[] {
  return names.filter((name) => !text.includes(`\`${name}\``));
}

it('README.md names every input and output, and links to every page', () => {
  const readme = read('README.md');
  // The outputs follow the link to them. An input may have the same name, so it must be elsewhere.
  const [outputs = ''] = /\]\(docs\/usage\.md#outputs\)[\s\S]*?(?=\n#|$)/.exec(readme) ?? [];
  expect(findMissing(outputs, Object.keys(action.outputs))).toEqual([]);
  expect(findMissing(readme.replace(outputs, ''), Object.keys(action.inputs))).toEqual([]);
  const others = pages.filter((path) => path.startsWith('docs/'));
  expect(others).toContain('docs/usage.md');
  expect(others.filter((path) => !readme.includes(`](${path}`))).toEqual([]);
});

it('docs/usage.md names every outcome in a table', () => {
  const [rows = ''] = /\| Step \|[\s\S]*?\n\n/.exec(read('docs/usage.md')) ?? [];
  expect(findMissing(rows, OUTCOMES)).toEqual([]);
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

it('action.yml declares exactly the inputs that are read, and the outputs that are written', () => {
  expect(Object.keys(action.inputs)).toEqual(INPUT_NAMES);
  const outputs = getOutputs(createResult({ result: 'started' }));
  expect(Object.keys(action.outputs).sort()).toEqual(Object.keys(outputs).sort());
  // The Marketplace refuses 125 characters or more when a release is published, and a version is
  // never used twice.
  expect(action.description.length).toBeLessThan(125);
});

it.each(pages.filter((path) => path.startsWith('docs/')))(
  '%s names the account only where `npm version` fills it in, or the release stops',
  (page) => {
    expect(read(page).replaceAll('OWNER/', '')).not.toMatch(/\bOWNER\b/);
  },
);

it('the generated files are up to date', async () => {
  const passed = { stderr: '', exitCode: 0 };
  expect(await runHere('scripts/generate.ts', '--check')).toMatchObject(passed);
});

describe.each(examples)('$path', ({ path, text }) => {
  it('is linked from the recipes', () => {
    expect(read('docs/recipes.md')).toContain(`](../${path})`);
  });

  it('has no default prompt, so that a click alone starts no paid job', () => {
    const { on } = parse(text) as { on: Record<string, { inputs?: object } | null> };
    for (const trigger of ['workflow_dispatch', 'workflow_call']) {
      expect(on[trigger]?.inputs ?? {}).not.toHaveProperty('prompt.default');
    }
  });
});

it('the README begins with a short form of the first workflow', () => {
  const text = examples.find(({ path }) => path === 'examples/docs.yml')?.text ?? '';
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(33);
  const [intro = '', block = ''] = read('README.md').split('```yaml\n');
  const [short = ''] = block.split('```');
  expect(`${intro}${short}`.split('\n').length).toBeLessThanOrEqual(25);
  const { on, jobs } = parse(short);
  const { permissions, steps } = jobs.docs;
  const full = parse(text);
  expect(full.on).toMatchObject(on);
  expect(full.jobs.docs.permissions).toEqual(permissions);
  expect(full.jobs.docs.steps[0].uses).toBe(steps[0].uses);
  expect(Object.keys(full.jobs.docs.steps[0].with)).toEqual(
    expect.arrayContaining(Object.keys(steps[0].with)),
  );
});
