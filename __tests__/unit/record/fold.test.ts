import { describe, expect, it } from 'vitest';
import { foldClaims } from '../../../src/record/rule.ts';
import type { Entry } from '../../../src/record/wire-format.ts';
import { parseEntries } from './entries.ts';

/** Returns the state of each claim of a list, oldest first. See `parseEntries`. */
function fold(list: string, scope: Entry['scope'] = 'rerun'): string[] {
  const claims = foldClaims(parseEntries(list, scope).entries);
  return claims.toReversed().map(({ state }) => state);
}

describe('a claim', () => {
  it.each<[string, string]>([
    ['7.1 starting', 'starting'],
    ['7.1 starting, 7.1 starting', 'starting void'],
    ['7.1 starting, 7.1 starting, #1 released, 7.1 starting', 'released void starting'],
    ['7.1 starting, 7.2 starting', 'starting void'],
    ['7.2 starting, 7.1 starting', 'starting void'],
    ['7.1 starting other-prompt, 7.1 starting', 'starting starting'],
    // It stays void after what was in its way has ended.
    ['7.1 starting, 7.1 starting, #1 released', 'released void'],
    ['7.1 starting, 7.1 starting, #2 found', 'starting job'],
    ['7.1 released, #1 found', 'released'],
    // It stands only behind jobs up to the one that it names.
    ['7.1 found, 7.1 starting after:claim_1', 'job starting'],
    ['7.1 found, 7.1 starting after:none', 'job void'],
    ['7.1 found, 7.1 found, 7.1 starting after:claim_1', 'job job void'],
    ['7.1 found, 7.1 found, 7.1 starting after:claim_2', 'job job starting'],
    ['7.1 found, 7.2 starting after:none', 'job void'],
    // The place of a job is that of its claim.
    [
      '7.1 starting other-prompt, 7.2 found after:none, 7.3 starting after:claim_2',
      'starting job starting',
    ],
  ])('in the list "%s": %s', (list, expected) => {
    expect(fold(list).join(' ')).toBe(expected);
  });

  it('is judged in its own scope', () => {
    expect(fold('7.1 starting, 8.1 starting', 'rerun')).toEqual(['starting', 'starting']);
    expect(fold('7.1 starting, 8.1 starting', 'release')).toEqual(['starting', 'void']);
    expect(fold('7.1 starting rerun, 8.1 starting', 'release')).toEqual(['starting', 'void']);
    expect(fold('7.1 starting, 8.1 starting rerun', 'release')).toEqual(['starting', 'starting']);
    expect(fold('7.1 found, 8.1 starting rerun after:none', 'release')).toEqual([
      'job',
      'starting',
    ]);
  });

  it('is not revived by a second "starting", after what was in its way has ended', () => {
    const { entries } = parseEntries('7.1 starting, 7.1 starting, #1 released', 'rerun');
    const second = entries[1];
    const written = [...entries, ...(second === undefined ? [] : [{ ...second, id: 9 }])];
    expect(written).toHaveLength(4);
    expect(foldClaims(written).map(({ state, order }) => [state, order])).toEqual([
      ['void', 2],
      ['released', 1],
    ]);
  });

  it('does not start again after it was settled', () => {
    const { entries } = parseEntries('7.1 released', 'rerun');
    const late = entries.map((entry) => ({ ...entry, id: entry.id + 10 }));
    expect(foldClaims([...entries, ...late]).map(({ state }) => state)).toEqual(['released']);
  });

  it('keeps the run, scope, and name of its first status', () => {
    const { entries } = parseEntries('7.1 found', 'rerun');
    const [first, second] = entries;
    const changed = { ...second, runId: 8, attempt: 5, scope: 'release', after: 'claim 9' };
    const [claim] = foldClaims([first, changed].flatMap((one) => (one ? [one as never] : [])));
    expect(claim).toMatchObject({ runId: 7, attempt: 1, scope: 'rerun', jobId: 'job_1', order: 1 });
    expect(claim?.after).toBeUndefined();
  });
});

it('the order of the list does not matter, because Gitea does not keep it', () => {
  const { entries } = parseEntries(
    '7.1 released, 7.1 failed, 8.1 starting, 7.2 released',
    'release',
  );
  const claims = foldClaims(entries);
  expect(claims.map(({ order }) => order)).toEqual([6, 5, 3, 1]);
  expect(foldClaims(entries.toReversed())).toEqual(claims);
  expect(foldClaims([...entries, ...entries])).toEqual(claims);
});

it('20,000 entries of many tasks are folded at once', () => {
  const { entries } = parseEntries('7.1 starting', 'rerun');
  const [first] = entries;
  const many = Array.from({ length: 20_000 }, (_, index) => ({
    ...(first as NonNullable<typeof first>),
    fingerprint: `task ${index % 200}`,
    nonce: `claim ${index}`,
    id: index + 1,
  }));
  const claims = foldClaims(many);
  expect(claims.filter(({ state }) => state === 'starting')).toHaveLength(200);
});
