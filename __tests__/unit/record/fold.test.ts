import { expect, it } from 'vitest';
import { foldClaims } from '../../../src/record/rule.ts';
import type { RecordedEntry } from '../../../src/record/wire-format.ts';
import { parseEntries } from './entries.ts';

// decide.test.ts shows claims that are void, settled, or for another task, run, or scope.
it.each<[string, string]>([
  ['7.1 released, #1 found', 'released'],
  // It stands only behind jobs up to the one that it names.
  ['7.1 found, 7.1 starting after:claim_1', 'job starting'],
  ['7.1 found, 7.1 starting after:none', 'job void'],
  ['7.1 found, 7.1 found, 7.1 starting after:claim_1', 'job job void'],
  ['7.1 found, 7.2 starting after:none', 'job void'],
  // The place of a job is that of its claim.
  [
    '7.1 starting x-prompt, 7.2 found after:none, 7.3 starting after:claim_2',
    'starting job starting',
  ],
])('a claim in the list "%s": %s', (list, expected) => {
  const claims = foldClaims(parseEntries(list, 'rerun').entries);
  const states = claims.map(({ state }) => state);
  expect(states.reverse().join(' ')).toBe(expected);
});

it('a claim is not revived by a second "starting", after what was in its way has ended', () => {
  const { entries } = parseEntries('7.1 starting, 7.1 starting, #1 released', 'rerun');
  const again = { ...(entries[1] as RecordedEntry), id: 9 };
  expect(foldClaims([...entries, again]).map(({ state, id }) => [state, id])).toEqual([
    ['void', 2],
    ['released', 1],
  ]);
});

it('a claim that already has a job in its first status is not void', () => {
  const { entries } = parseEntries('7.1 starting, 7.1 found', 'rerun');
  const late = entries.filter(({ id }) => id !== 2);
  expect(foldClaims(late).map(({ state }) => state)).toEqual(['job', 'starting']);
});

it('a claim does not start again after it was settled', () => {
  const { entries } = parseEntries('7.1 released', 'rerun');
  const late = entries.map((entry) => ({ ...entry, id: entry.id + 10 }));
  expect(foldClaims([...entries, ...late]).map(({ state }) => state)).toEqual(['released']);
});

it('a claim keeps the run, scope, and name of its first status', () => {
  const { entries } = parseEntries('7.1 found', 'rerun');
  const [first, second] = entries;
  const changed = { ...second, runId: 8, attempt: 5, scope: 'release', after: 'claim 9' };
  const [claim] = foldClaims([first, changed].flatMap((one) => (one ? [one as never] : [])));
  expect(claim).toMatchObject({ runId: 7, attempt: 1, scope: 'rerun', jobId: 'job_1', id: 1 });
  expect(claim?.after).toBeUndefined();
});

it('the order of the list does not matter, because Gitea does not keep it', () => {
  const { entries } = parseEntries(
    '7.1 released, 7.1 failed, 8.1 starting, 7.2 released',
    'release',
  );
  const claims = foldClaims(entries);
  expect(claims.map(({ id }) => id)).toEqual([6, 5, 3, 1]);
  expect(foldClaims(entries.toReversed())).toEqual(claims);
  expect(foldClaims([...entries, ...entries])).toEqual(claims);
});

it('20,000 entries of many tasks are folded at once', () => {
  const first = parseEntries('7.1 starting', 'rerun').entries[0] as RecordedEntry;
  const many = Array.from({ length: 20_000 }, (_, id) => {
    return { ...first, fingerprint: `task ${id % 200}`, nonce: `claim ${id}`, id };
  });
  const claims = foldClaims(many);
  expect(claims.filter(({ state }) => state === 'starting')).toHaveLength(200);
});
