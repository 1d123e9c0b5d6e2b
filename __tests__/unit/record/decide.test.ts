import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decide, foldClaims } from '../../../src/record/rule.ts';
import { parseEntries } from './entries.ts';

/**
 * Decides in attempt 2 of run 7. For `list`, see `parseEntries`; the state of a job is what the
 * service says. Claim `own`, counted from 1, is the run's own.
 */
async function decideOn(
  list: string,
  { isAnyRun = false, own = 0, asked = [] as string[] } = {},
): Promise<string> {
  const scope = isAnyRun ? 'release' : 'rerun';
  const { entries, words } = parseEntries(list, scope);
  const decision = await decide(foldClaims(entries), {
    fingerprint: 'this prompt',
    scope,
    runId: 7,
    nonce: `claim ${own}`,
    hasFailed: async (jobId) => {
      asked.push(jobId);
      return words.get(jobId) === 'failed';
    },
  });
  const claim = 'claim' in decision ? decision.claim : decision.failed;
  const { jobId = '', runId, attempt } = claim ?? {};
  const shown = claim === undefined ? [] : [jobId, `${runId}.${attempt}`];
  return [decision.kind, ...shown].filter((word) => word !== '').join(' ');
}

const alive = 'a job that has not failed (the newest of them)';
describe(alive, () => {
  it.each([
    ['of an earlier attempt', '7.1 found', 0, 'wait job_1 7.1'],
    ['of another step', '7.2 found', 0, 'wait job_1 7.2'],
    ['that the service no longer finds', '7.1 gone', 0, 'wait job_1 7.1'],
    ['before a job that failed', '7.1 found, 7.1 failed', 0, 'wait job_1 7.1'],
    ['before an open claim', '7.1 found, 7.2 starting', 0, 'wait job_1 7.1'],
    ['after an open claim', '7.1 starting, 7.1 found', 0, 'wait job_2 7.1'],
    ['after another one', '7.1 found, 7.1 found', 0, 'wait job_2 7.1'],
    ['that a void claim has led to', '7.2 starting, 7.1 found', 0, 'wait job_2 7.1'],
    ['although the run has a claim', '7.1 found, 7.2 starting', 2, 'wait job_1 7.1'],
  ])('is waited for: %s', async (_, list, own, expected) => {
    expect(await decideOn(list, { own })).toBe(expected);
  });

  it('ends the questions to the service', async () => {
    const asked: string[] = [];
    await decideOn('7.1 found, 7.1 found, 7.1 failed', { asked });
    expect(asked).toEqual(['job_3', 'job_2']);
  });

  it('of another run is waited for only with `reuse: release`', async () => {
    expect(await decideOn('8.1 found')).toBe('claim');
    expect(await decideOn('8.1 found', { isAnyRun: true })).toBe('wait job_1 8.1');
  });
});

const open = 'an open claim of another attempt, step, or run';
describe(open, () => {
  it.each([
    ['an earlier attempt', '7.1 starting', false, 0, 'busy 7.1'],
    ['a step of this attempt', '7.2 starting', false, 0, 'busy 7.2'],
    ['another run', '8.1 starting', true, 0, 'busy 8.1'],
    ['a step that claimed first', '7.2 starting, 7.2 starting', false, 2, 'busy 7.2'],
    ['beside a job that failed', '8.1 starting, 9.2 failed', true, 0, 'busy 8.1'],
    ['not one that claimed later', '7.2 starting, 7.2 starting', false, 1, 'start'],
    ['not one that has withdrawn its claim', '7.2 released', false, 0, 'claim'],
    ['not a void claim', '8.1 starting, 9.1 starting', true, 0, 'busy 8.1'],
    ['a later claim of `reuse: rerun`', '7.2 starting, 8.1 starting rerun', true, 1, 'busy 8.1'],
    ['not one for another task', '7.1 starting other-prompt', false, 0, 'claim'],
  ])('is waited for: %s', async (_, list, isAnyRun, own, expected) => {
    expect(await decideOn(list, { isAnyRun, own })).toBe(expected);
  });
});

const free = 'only jobs that failed, claims without a job, or nothing';
it.each([
  ['', 0, 'claim'],
  ['7.1 released', 0, 'claim'],
  ['7.1 released, 7.2 starting', 2, 'start'],
  ['7.1 failed, 7.1 failed', 0, 'claim job_2 7.1'],
  ['7.1 failed, 7.2 starting', 2, 'start job_1 7.1'],
  // What made its claim void has ended.
  ['7.2 starting, 7.2 starting, #1 released', 2, 'claim'],
  ['7.2 starting, 7.2 starting, #1 failed', 2, 'claim job_1 7.2'],
])(`${free}: a new job on "%s"`, async (list, own, expected) => {
  expect(await decideOn(list, { own })).toBe(expected);
});

it('has a rule for each row of the table in docs/changes.md, in its order', () => {
  const page = readFileSync(new URL('../../../docs/changes.md', import.meta.url), 'utf8');
  const [, table = ''] = /\n\| Record \|.*\n\|-.*\n((?:\|.*\n)+)/.exec(page) ?? [];
  const rows = table.match(/(?<=^\| ).*?(?= \| )/gm);
  expect(rows).toEqual([alive, open, free, "can't be written or read"]);
});
