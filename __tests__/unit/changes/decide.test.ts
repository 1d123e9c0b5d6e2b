import { expect, it } from 'vitest';
import { decideByChanges } from '../../../src/changes/decide.ts';
import type { Start } from '../../../src/changes/range.ts';
import type { Changes } from '../../../src/changes/read-changes.ts';
import { parsePaths } from '../../../src/inputs/parsers.ts';
import { readOrExplain } from '../fixtures.ts';

const toFiles = (...names: string[]) =>
  names.map((filename) => ({ filename, status: 'modified', additions: 1, deletions: 1 }));
const whole: Changes = {
  commits: [],
  total: 2,
  files: toFiles('src/a.ts', 'docs/b.md'),
  isCut: false,
  status: 'ahead',
};
const other = { ...whole, files: toFiles('src/a.ts') };
const empty: Changes = { ...whole, total: 0, files: [], status: 'identical' };
const behind: Changes = { ...empty, status: 'behind' };
const known: Start = { kind: 'known', ref: 'v1.0.0' };
const none: Start = { kind: 'none', reason: 'the push created the branch' };
const first: Start = { kind: 'first-run' };
const unknown: Start = { kind: 'unknown', cause: 'gone', detail: 'lost' };

function decide(start: Start, changes: Changes | undefined, tag?: string, paths?: string) {
  const failure = { missing: [], reason: 'HTTP 503', isRefused: false };
  const facts = { tag, commit: 'c'.repeat(40), start, changes, notes: undefined };
  const patterns = paths === undefined ? undefined : parsePaths(paths);
  return decideByChanges({ ...facts, ...failure }, patterns);
}

const go = (paths?: object) => ({ kind: 'go', paths });
const skip = (reason: string, more: object = { since: 'v1.0.0' }) => {
  return { kind: 'skip', skip: { reason, ...more } };
};
const fail = { kind: 'fail', unknown };
const match = (file: string) => go({ kind: 'match', file });
const ignored = (reason: string) => go({ kind: 'ignore', reason });
const unread = go({ kind: 'unread', reason: 'HTTP 503' });
const unmatched = skip('no-match', { since: 'v1.0.0', files: 1 });

it.each<[string, Start, Changes | undefined, object, object]>([
  ['changes', known, whole, go(), go()],
  ['no changes', known, empty, skip('no-commits'), go()],
  ['a start that is ahead', known, behind, skip('behind'), go()],
  ['a start without lists', known, undefined, go(), go()],
  ['nothing to compare with', none, undefined, go(), go()],
  ['a first run', first, undefined, skip('first-run', {}), skip('first-run', {})],
  ['an unknown start', unknown, undefined, fail, go()],
])('with %s, decides without `paths`', (_, start, changes, onBranch, forTag) => {
  expect(decide(start, changes)).toEqual(onBranch);
  expect(decide(start, changes, 'v1.1.0')).toEqual(forTag);
});

const apart: Changes = { ...other, status: 'diverged' };
const cut = { ...other, files: Array(300).fill(other.files).flat(), isCut: true };
const tooMany = ignored('GitHub lists no more than 300 changed files');
const diverged = (end: string) => ignored(`v1.0.0 is not an ancestor of ${end}`);
it.each<[string, Start, Changes | undefined, object, object]>([
  ['a file that matches', known, whole, match('docs/b.md'), match('docs/b.md')],
  ['no file that matches', known, other, unmatched, unmatched],
  ['no changes', known, empty, skip('no-commits'), skip('no-commits')],
  ['a start that is ahead', known, behind, skip('behind'), skip('behind')],
  ['no lists', known, undefined, unread, unread],
  ['nothing to compare with', none, undefined, ignored(none.reason), ignored(none.reason)],
  ['a first run', first, undefined, skip('first-run', {}), skip('first-run', {})],
  ['an unknown start', unknown, undefined, fail, unread],
  ['a start that is no ancestor', known, apart, diverged('the commit'), diverged('v1.1.0')],
  ['a list that is cut', known, cut, tooMany, tooMany],
])('with %s, decides with `paths`', (_, start, changes, onBranch, forTag) => {
  expect(decide(start, changes, undefined, 'docs/**')).toEqual(onBranch);
  expect(decide(start, changes, 'v1.1.0', 'docs/**')).toEqual(forTag);
});

it('compares with the old name of a file, too', () => {
  const file = { ...toFiles('src/a.ts')[0], previous_filename: 'docs/a.md' };
  const files = [file] as Changes['files'];
  expect(decide(known, { ...whole, files }, undefined, 'docs/**')).toEqual(match('src/a.ts'));
});

const deep = { ...whole, files: toFiles('packages/cli/src/a.ts') };
it.each([
  ['packages', 'packages'],
  ['docs\npackages/cli', 'packages/cli'],
  ['packages/cli/src', 'packages/cli/src'],
  ['packages/cl[hi]', 'packages/cl[hi]'],
  ['packages/*/src', 'packages/*/src'],
  ['**/src', '**/src'],
  // It should exclude the folder.
  ['**\n!packages/cli', 'packages/cli'],
])('refuses the folder of a changed file in %j', (paths, folder) => {
  const renamed = { ...toFiles('a.ts')[0], previous_filename: 'packages/cli/src/a.ts' };
  const cut = { ...deep, isCut: true };
  for (const changes of [deep, cut, { ...whole, files: [renamed] as Changes['files'] }]) {
    expect(readOrExplain(() => decide(known, changes, 'v1.1.0', paths))).toEqual([
      `\`paths\` has the folder \`${folder}\`, which matches no file in it. Write \`${folder}/**\`.`,
    ]);
  }
});

it.each([
  '*',
  'packages/*',
  'packages/cl',
  'src',
  '**/a.ts.bak',
  '*.ts',
  'packages/cli/src/a.ts/b',
])('does not take %s for a folder of a changed file', (paths) => {
  expect(decide(known, deep, undefined, paths)).toEqual(unmatched);
});
