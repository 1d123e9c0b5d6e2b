import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { decide, foldClaims } from '../../../src/record/rule.ts';
import { parseEntries } from './entries.ts';

/**
 * Decides in attempt 2 of run 7. For `list`, see `parseEntries`; the state of a job is what the
 * service says. Claim `own`, counted from 1, is the run's own.
 */
async function decideOn(
  text: string,
  own = 0,
  asked: string[] = [],
  { awaited = 0, startedAtMs }: { readonly awaited?: number; readonly startedAtMs?: number } = {},
): Promise<string> {
  const list = text.replace('release: ', '');
  const scope = list === text ? 'rerun' : 'release';
  const { entries, words } = parseEntries(list, scope);
  const decision = await decide(foldClaims(entries), {
    fingerprint: 'this prompt',
    scope,
    runId: 7,
    nonce: `claim ${own}`,
    startedAtMs,
    awaited: new Set([`claim ${awaited}`]),
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

const alive = 'a job that has not failed (the newest)';
const open = 'an open claim of another attempt, step, or run';
const shared =
  'a job that another run claimed since this one began, or that it has waited for, failed or not';
const free = 'only jobs that failed, claims without a job, or nothing';

it.each<[string, string, string, string, number?]>([
  [alive, 'of an earlier attempt', '7.1 found', 'wait job_1 7.1'],
  [alive, 'of another step', '7.2 found', 'wait job_1 7.2'],
  [alive, 'that the service no longer finds', '7.1 gone', 'wait job_1 7.1'],
  [alive, 'before a job that failed', '7.1 found, 7.1 failed', 'wait job_1 7.1'],
  [alive, 'before an open claim', '7.1 found, 7.2 starting', 'wait job_1 7.1'],
  [alive, 'after an open claim', '7.1 starting, 7.1 found', 'wait job_2 7.1'],
  [alive, 'after another one', '7.1 found, 7.1 found', 'wait job_2 7.1'],
  [alive, 'that a void claim has led to', '7.2 starting, 7.1 found', 'wait job_2 7.1'],
  [alive, 'although the run has a claim', '7.1 found, 7.2 starting', 'wait job_1 7.1', 2],
  [alive, 'not of another run', '8.1 found', 'claim'],
  [alive, 'of another run, for a release', 'release: 8.1 found', 'wait job_1 8.1'],
  [open, 'an earlier attempt', '7.1 starting', 'busy 7.1'],
  [open, 'a step of this attempt', '7.2 starting', 'busy 7.2'],
  [open, 'another run', 'release: 8.1 starting', 'busy 8.1'],
  [open, 'a step that claimed first', '7.2 starting, 7.2 starting', 'busy 7.2', 2],
  [open, 'beside a job that failed', 'release: 8.1 starting, 9.2 failed', 'busy 8.1'],
  [open, 'not one that claimed later', '7.2 starting, 7.2 starting', 'start', 1],
  [open, 'not one that has withdrawn its claim', '7.2 released', 'claim'],
  [open, 'not a void claim', 'release: 8.1 starting, 9.1 starting', 'busy 8.1'],
  [open, 'of `reuse: rerun`', 'release: 7.2 starting, 8.1 starting rerun', 'busy 8.1', 1],
  [open, 'not one for another task', '7.1 starting other-prompt', 'claim'],
  [free, 'nothing', '', 'claim'],
  [free, 'a claim without a job', '7.1 released', 'claim'],
  [free, 'and its own claim', '7.1 released, 7.2 starting', 'start', 2],
  [free, 'two jobs that failed', '7.1 failed, 7.1 failed', 'claim job_2 7.1'],
  [free, 'one, and its own claim', '7.1 failed, 7.2 starting', 'start job_1 7.1', 2],
  // What made its claim void has ended.
  [free, 'released', '7.2 starting, 7.2 starting, #1 released', 'claim', 2],
  [free, 'failed', '7.2 starting, 7.2 starting, #1 failed', 'claim job_1 7.2', 2],
])('%s: %s, on "%s": %s', async (_, __, list, expected, own) => {
  expect(await decideOn(list, own)).toBe(expected);
});

it.each<[string, string, NonNullable<Parameters<typeof decideOn>[3]>, string]>([
  ['failed', '7.1 failed', { awaited: 1 }, 'wait job_1 7.1'],
  ['of another run', 'release: 8.1 failed', { awaited: 1 }, 'wait job_1 8.1'],
  ['and a later one', '7.1 failed, 7.1 failed', { awaited: 1 }, 'wait job_1 7.1'],
  ['not the one before it', '7.1 failed, 7.1 released', { awaited: 2 }, 'claim job_1 7.1'],
  ['claimed later', 'release: 8.1 failed', { startedAtMs: 9_000 }, 'wait job_1 8.1'],
  ['in the same second', 'release: 8.1 failed', { startedAtMs: 10_999 }, 'wait job_1 8.1'],
  ['not of an earlier attempt', '7.1 failed', { startedAtMs: 9_000 }, 'claim job_1 7.1'],
  ['not claimed before', 'release: 8.1 failed', { startedAtMs: 11_000 }, 'claim job_1 8.1'],
])(`${shared}: %s, on "%s"`, async (_, list, known, expected) => {
  expect(await decideOn(list, 0, [], known)).toBe(expected);
});

it('a job that is alive ends the questions to the service', async () => {
  const asked: string[] = [];
  await decideOn('7.1 found, 7.1 found, 7.1 failed', 0, asked);
  expect(asked).toEqual(['job_3', 'job_2']);
});

it('has a rule for each row of the table in docs/changes.md, in its order', () => {
  const page = readFileSync(new URL('../../../docs/changes.md', import.meta.url), 'utf8');
  const [, table = ''] = /\n\| Record \|.*\n\|-.*\n((?:\|.*\n)+)/.exec(page) ?? [];
  const rows = table.match(/(?<=^\| ).*?(?= \| )/gm);
  expect(rows).toEqual([alive, shared, open, free, "can't be written or read"]);
});
