import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { decideMark, type MarkFacts } from '../../../src/last-job/decide-mark.ts';

type Test = (facts: MarkFacts) => boolean;

const page = readFileSync(new URL('../../../docs/changes.md', import.meta.url), 'utf8');
const [, table = ''] = /\n\| Last record \|.*\n\|-.*\n((?:\|.*\n)+)/.exec(page) ?? [];
const rows = [...table.matchAll(/^\| (.*?) \| (.*?) \| (.*?) \|$/gm)];

/** What the cells of the first two columns say. */
const TESTS: Readonly<Record<string, Test>> = {
  none: ({ record }) => record === 'none',
  "another task's": ({ record }) => record === 'other',
  own: ({ record }) => record === 'own',
  'own, 100 or more commits back': ({ record, isFading }) => record === 'own' && isFading,
  'own, on an earlier commit': ({ record, isHere }) => record === 'own' && !isHere,
  'is the first one': ({ skip }) => skip === 'first-run',
  'starts a job, or waits for a pull request': ({ skip }) => skip === undefined,
  'has nothing to do': ({ skip }) => skip !== undefined,
  'changed no file of `paths`': ({ skip }) => skip === 'no-match',
  'anything else': () => true,
};

/** What those of the last one say. */
const MARKS: Readonly<Record<string, (facts: MarkFacts) => ReturnType<typeof decideMark>>> = {
  'this commit': () => 'here',
  'the start of this run': () => 'start',
  'this commit, if all before it is done': ({ isOwed }) => (isOwed ? 'start' : 'here'),
  none: () => 'none',
};

const either = [false, true];
const skips = [undefined, 'no-commits', 'behind', 'no-match'] as const;
const first = { record: 'none', isHere: true, isFading: false, skip: 'first-run' } as const;
const later = (['own', 'other'] as const).flatMap((record) =>
  either.flatMap((isHere) =>
    // What is on this commit is not far back.
    (isHere ? [false] : either).flatMap((isFading) =>
      skips.map((skip) => ({ record, isHere, isFading, skip })),
    ),
  ),
);
const all = [first, ...later].flatMap((facts) => either.map((isOwed) => ({ ...facts, isOwed })));

/** Returns the number of the first row that applies. */
function findRow(facts: MarkFacts): number {
  return rows.findIndex(([, ...cells]) => cells.slice(0, 2).every((cell) => TESTS[cell]?.(facts)));
}

it.each(all)('the mark is that of the table for %j', (facts) => {
  const [, , , mark = ''] = rows[findRow(facts)] ?? [];
  expect(decideMark(facts)).toBe(MARKS[mark]?.(facts));
});

it('each row of the table decides something', () => {
  expect(rows).toHaveLength(6);
  expect([...new Set(all.map(findRow))].sort()).toEqual([...rows.keys()]);
});
