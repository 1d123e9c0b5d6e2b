import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { decideMark, type MarkFacts } from '../../../src/last-job/decide-mark.ts';

type Test = (facts: MarkFacts) => boolean;

const page = readFileSync(new URL('../../../docs/changes.md', import.meta.url), 'utf8');
const [, table = ''] = /\n\| Last record \|.*\n\|-.*\n((?:\|.*\n)+)/.exec(page) ?? [];
const rows = [...table.matchAll(/^\| (.*?) \| (.*?) \| (.*?) \|$/gm)];

const waits = ['job-at-work', 'pr-open'] as const;

/** What the cells of the first two columns say. */
const TESTS: Readonly<Record<string, Test>> = {
  any: () => true,
  "none, another task's, or fading": ({ record, isFading }) => record !== 'own' || isFading,
  own: ({ record }) => record === 'own',
  'own, on an earlier commit': ({ record, isHere }) => record === 'own' && !isHere,
  'starts a job': ({ skip }) => skip === undefined,
  'waits for a pull request': ({ skip }) => waits.some((reason) => reason === skip),
  'has nothing to do': () => true,
  'changed no file of `paths`': ({ skip }) => skip === 'no-match',
  'anything else': () => true,
};

/** What those of the last one say. */
const MARKS: Readonly<Record<string, (facts: MarkFacts) => ReturnType<typeof decideMark>>> = {
  'where its changes begin': () => 'start',
  'this commit, if all before it is done': ({ isOwed }) => (isOwed ? 'start' : 'here'),
  none: () => 'none',
  'none: its status has the start': () => 'none',
};

const either = [false, true];
const skips = [undefined, 'no-commits', 'behind', 'no-match', 'first-run', ...waits] as const;
const all = (['none', 'own', 'other', 'elsewhere'] as const).flatMap((record) =>
  either.flatMap((isHere) =>
    either.flatMap((isFading) =>
      skips.flatMap((skip) =>
        either.map((isOwed): MarkFacts => ({ record, isHere, isFading, skip, isOwed })),
      ),
    ),
  ),
);

/** Returns the number of the first row that applies. */
function findRow(facts: MarkFacts): number {
  return rows.findIndex(([, ...cells]) => cells.slice(0, 2).every((cell) => TESTS[cell]?.(facts)));
}

it.each(all)('the mark is that of the table for %j', (facts) => {
  const [, , , mark = ''] = rows[findRow(facts)] ?? [];
  expect(decideMark(facts)).toBe(MARKS[mark]?.(facts));
});

it('each row of the table decides something', () => {
  expect(rows).toHaveLength(5);
  expect([...new Set(all.map(findRow))].sort()).toEqual([...rows.keys()]);
});
