import { expect, it } from 'vitest';
import type { Changes, Start } from '../../../src/github/changes.ts';
import { describeChanges } from '../../../src/report/changes.ts';
import { renderInterimSummary } from '../../../src/report/summary.ts';
import { toPlainText } from '../../../src/text/message.ts';
import { createResult, createState } from '../fixtures.ts';

const file = { filename: 'a', status: 'modified', additions: 1, deletions: 1 };

function createChanges(total: number, files: number, isCut = false): Changes {
  return { commits: [], total, files: Array(files).fill(file), isCut, isDiverged: false };
}

const known: Start = { kind: 'known', ref: 'v1.1.0' };
const commit: Start = { kind: 'known', ref: '0123456789abcdef'.repeat(3).slice(0, 40) };

it.each<[Start, Changes | undefined, string]>([
  [known, createChanges(4, 7), '4 commits, 7 files since v1.1.0'],
  [known, createChanges(1, 1), '1 commit, 1 file since v1.1.0'],
  [known, createChanges(0, 0), '0 commits, 0 files since v1.1.0'],
  [commit, createChanges(400, 300, true), '400 commits, 300 or more files since 0123456789'],
  [known, undefined, 'not listed, since v1.1.0'],
  [{ kind: 'none', reason: 'it is new' }, undefined, 'nothing to compare with, because it is new'],
  [{ kind: 'first-run' }, undefined, 'nothing to compare with yet'],
  [{ kind: 'unknown', cause: 'gone', detail: 'HTTP 404' }, undefined, 'unknown (HTTP 404)'],
])('log and summary say what changed since %j', (start, changes, words) => {
  const state = createState({ changes: { start, changes } });
  expect(toPlainText(describeChanges(state))).toBe(words);
  const summary = renderInterimSummary(createResult({ result: 'started' }, { state }));
  expect(summary.replaceAll('\\', '')).toContain(`| **Changes** | ${words} |`);
});

it('log and summary say nothing of changes that no input needs', () => {
  const state = createState();
  expect(describeChanges(state)).toEqual([]);
  expect(renderInterimSummary(createResult({ result: 'started' }, { state }))).not.toContain(
    'Changes',
  );
});
