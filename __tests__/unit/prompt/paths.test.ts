import { describe, expect, it } from 'vitest';
import type { ReleaseFacts, ReleaseReading } from '../../../src/github/releases.ts';
import { parsePaths } from '../../../src/inputs/parsers.ts';
import { decideByPaths, selectFiles } from '../../../src/prompt/paths.ts';

const paths = parsePaths('docs/**');
const toFiles = (...names: string[]) => names.map((filename) => ({ filename, status: 'modified' }));
const files = { list: toFiles('src/a.ts', 'docs/b.md', 'docs/c.md'), isCut: false };
const without = { list: toFiles('src/a.ts', 'readme.md'), isCut: false };
const known = { repository: 'acme/app', url: '', commit: undefined, commits: undefined, notes: undefined };
const release: ReleaseFacts = { ...known, tag: 'v2.0.0', previous: { tag: 'v1.0.0' }, files };
const unread = { kind: 'unread', reason: 'HTTP 403', isRefused: true };

describe('decideByPaths', () => {
  it.each<[string, Partial<ReleaseFacts>, boolean, object]>([
    ['a file matches', {}, false, { kind: 'match', previousTag: 'v1.0.0', file: 'docs/b.md' }],
    ['no file matches', { files: without }, false, { kind: 'skip', previousTag: 'v1.0.0', files: 2 }],
    ['the release is the first', { previous: { none: 'why' } }, true, { kind: 'ignore', reason: 'why' }],
    ['the previous tag is unknown', { previous: undefined }, false, unread],
    ['the files are unknown', { files: undefined }, true, unread],
    ['history diverged', {}, true, { kind: 'ignore', reason: 'v1.0.0 is not an ancestor of v2.0.0' }],
    [
      'not all files are listed',
      { files: { ...without, isCut: true } },
      false,
      { kind: 'ignore', reason: 'GitHub lists no more than 300 changed files' },
    ],
  ])('decides if %s', (_, changes, isDiverged, expected) => {
    const facts = { release: { ...release, ...changes }, isDiverged, missing: [] };
    const reading: ReleaseReading = { ...facts, reason: 'HTTP 403', isRefused: true };
    expect(decideByPaths(reading, paths)).toEqual(expected);
  });
});

it('selectFiles returns files whose new or old name matches', () => {
  const renamed = [
    { filename: 'docs/a.md', previous_filename: 'a.md' },
    { filename: 'b.md', previous_filename: 'docs/b.md' },
    { filename: 'c.md', previous_filename: 'lib/c.md' },
  ];
  expect(selectFiles(renamed, paths).map(({ filename }) => filename)).toEqual(['docs/a.md', 'b.md']);
});
