import { describe, expect, it } from 'vitest';
import type { ReleaseReading } from '../../../src/github/releases.ts';
import { parsePaths } from '../../../src/inputs/parsers.ts';
import { decideByPaths, isSelected } from '../../../src/prompt/paths.ts';

const paths = parsePaths('docs/**');
const file = { status: 'modified', additions: 1, deletions: 1 };
const toFiles = (...names: string[]) => names.map((filename) => ({ ...file, filename }));
const files = toFiles('src/a.ts', 'docs/b.md', 'docs/c.md');
const changes = { commits: [], total: 0, files, isCut: false, isDiverged: false };
const without = { ...changes, files: toFiles('src/a.ts', 'readme.md') };
const cut = { ...without, isCut: true };
const CUT = 'GitHub lists no more than 300 changed files';
const diverged = { ...changes, isDiverged: true };
const NO_ANCESTOR = 'v1.0.0 is not an ancestor of v2.0.0';
const known = { repository: 'acme/app', url: '', commit: undefined, notes: undefined, missing: [] };
const why = { reason: 'HTTP 403', isRefused: true };
const release = { ...known, ...why, tag: 'v2.0.0', previous: { tag: 'v1.0.0' }, changes };
const unread = { kind: 'unread', ...why };

describe('decideByPaths', () => {
  it.each<[string, Partial<ReleaseReading>, object]>([
    ['a file matches', {}, { kind: 'match', previousTag: 'v1.0.0', file: 'docs/b.md' }],
    ['no file matches', { changes: without }, { kind: 'skip', previousTag: 'v1.0.0', files: 2 }],
    ['the release is the first', { previous: { none: 'why' } }, { kind: 'ignore', reason: 'why' }],
    ['the previous tag is unknown', { previous: undefined }, unread],
    ['the files are unknown', { changes: undefined }, unread],
    ['history diverged', { changes: diverged }, { kind: 'ignore', reason: NO_ANCESTOR }],
    ['not all files are listed', { changes: cut }, { kind: 'ignore', reason: CUT }],
  ])('decides if %s', (_, facts, expected) => {
    expect(decideByPaths({ ...release, ...facts }, paths)).toEqual(expected);
  });
});

it('isSelected looks at the new and the old name', () => {
  const renamed = { ...file, filename: 'docs/a.md', previous_filename: 'a.md' };
  expect(isSelected(renamed, paths)).toBe(true);
  expect(isSelected({ ...renamed, filename: 'b.md', previous_filename: 'docs/b.md' }, paths)).toBe(true);
  expect(isSelected({ ...renamed, filename: 'c.md', previous_filename: 'lib/c.md' }, paths)).toBe(false);
});
