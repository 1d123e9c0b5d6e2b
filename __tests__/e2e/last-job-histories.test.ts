import { describe, expect, it } from 'vitest';
import { toLimit } from '../github/faults.ts';
import { toSha } from '../github/repository.ts';
import { broken } from '../helpers/github.ts';
import { commit, inputs, on, setUpNights, toOtherRun } from '../helpers/nights.ts';
import { readFields } from '../helpers/record.ts';

// Where the changes begin, in histories that aren't a line, and after runs that went wrong.
const stories: Readonly<Record<string, string>> = {
  'the mark, then at the last job, also before a squash, if something is new':
    'c0 marked, c2 opened c0, squash opened c2, c3 opened c2, c3 skipped',
  'the mark after a force push that drops the last job, or at an older one after a push back to it':
    'c0 marked, c1 opened c0, forced opened c0, c2 opened c1, c1 skipped',
  'the last job, whichever branch, workflow, or event started it':
    'c0 marked, c1+elsewhere opened c0, c2+button opened c1, c3 opened c2',
  'the mark after a job that failed, also if it fails again':
    'failing: c0 marked, c1 job-failed c0, c1 job-failed c0, c2 job-failed c0',
  'the mark while all jobs since are at work, and at the second once the first has failed':
    'slow: c0 marked, c1 started c0, c2 started c0, job0 failed, job1 completed, c3 started c2',
  'the last job of its own task in a matrix':
    'slow: c0+odd marked, c0+sdk+same marked, c0+cli+same marked, ' +
    'c2+odd started c0, c2+sdk+same started c0, c2+cli+same skipped, job0 completed, ' +
    'job1 failed, c3+odd started c2, c3+sdk+same started c0, c3+cli+same skipped',
  'the last job after an edited prompt, then at its own mark, as another project at once':
    'c0 marked, c1 opened c0, c1+edited skipped, c1+other skipped, c2 opened c1, ' +
    'c2+edited opened c1',
  'the last job after edited paths, and at its own after the edit is undone':
    'c0 marked, c1 opened c0, c2+all opened c1, c3 opened c1',
  'its own last job if it began at the mark of other paths':
    'c0+sdk marked, c2+core opened c0, c2+core skipped, c3+core opened c2, c3+core skipped',
  'its own last job if it began at the mark of other paths, which are edited again':
    'c0 marked, c1+all opened c0, c1+all skipped, c2+all opened c1, c2 opened c0, c2 skipped',
  'any last job with a prompt made at run time, which may be too far':
    'c0+monday marked, c1+tuesday opened c0, c1+edited skipped',
  'the mark after jobs for a tag, or without changes, and is its own in a re-run and another step':
    'c0 marked, c1+plain+tag opened nowhere, c1+plain+button opened nowhere, c2 opened c0, ' +
    'c2+same opened, c2+again opened',
  'the same in a re-run of a failed job, which pays again even if a newer job covered it':
    'slow: c0 marked, c1 started c0, job0 failed, c2 started c0, job1 completed, ' +
    'c1+again started c0, c3 started c2',
  'nothing in a re-run of a failed job once another one has ended at its commit':
    'slow: c0 marked, c1+one started c0, job0 failed, c1 started c0, job1 completed, ' +
    'c1+retry skipped',
  'nothing in a re-run of a failed job whose changes an older commit has covered':
    'slow+sdk: c0 marked, c1 started c0, c2+one started c0, job1 failed, job0 completed, ' +
    'c2+retry skipped, c3 skipped',
  'the start of its failed job in a re-run, although another package went on':
    'slow: c0+docs marked, c2+sdk started c0, job0 failed, c1+docs skipped, ' +
    'c2+sdk+again started c0',
};

describe.concurrent('a job begins at', () => {
  it.each(Object.entries(stories))('%s', async (_, story) => {
    await (await setUpNights()).tell(story);
  });

  it('the last job on main after a merge, with all commits of the branch', async () => {
    const { tell, prompts } = await setUpNights();
    // The branch has had a job of its own.
    await tell('c0 marked, b1 opened c0, c2 opened c0, merge opened c2');
    const files = prompts()
      .at(-1)
      ?.match(/\w+\.ts/g);
    expect(files).toEqual(['b1.ts', 'b2.ts', 'merge.ts']);
  });

  it('the last job if it is on the third page', async () => {
    const long = Array.from({ length: 261 }, (_, index) => commit(`n${index}`));
    const { tell, github } = await setUpNights({}, { commits: long });
    await tell('n0 marked');
    const before = github.count(/graphql/);
    await tell('n260 opened n0');
    expect(github.count(/graphql/) - before).toBe(3);
  });

  it('the mark in one of two runs at the same moment', async () => {
    const { tell, start, prompts, findStart } = await setUpNights();
    await tell('c0 marked');
    await Promise.all(['c1', 'c2'].map((name) => start(inputs, on(toSha(name))).ended));
    const starts = prompts().map(findStart);
    expect([starts.length, starts.includes('c0')]).toEqual([2, true]);
    await tell('c3 opened c2');
  });

  it('the mark, whatever statuses of others or links look like a record', async () => {
    const { tell, statuses } = await setUpNights();
    await tell('c0 marked');
    const [mark] = statuses[toSha('c0')] ?? [];
    const link = mark?.target_url?.replace('state=mark', 'state=marked') ?? '';
    statuses[toSha('c1')] = [null, 'https://ci.example/1', link].map((target_url, index) => ({
      ...{ ...mark, id: 900 + index, state: 'success', context: `ci/${index}` },
      ...{ description: null, target_url, created_at: '2026-11-27T00:00:00Z' },
    }));
    await tell('c2 opened c0');
  });
});

describe.concurrent('a run that starts no job', () => {
  it('marks its commit if it is the first and not dry; its own record is no start', async () => {
    const { tell, play, statuses } = await setUpNights();
    await tell('c0+sdk+dry dry-run');
    expect(statuses).toEqual({});
    await tell('c0+sdk skipped');
    const [mark, ...others] = readFields(statuses[toSha('c0')]);
    expect(mark).toMatchObject({ 'docs-agent-job': 'v7', state: 'mark' });
    expect(others).toEqual([]);
    // As the other tests mark it.
    await tell('c1+sdk marked');
    const [marked] = readFields(statuses[toSha('c1')]);
    expect(marked).toEqual({ ...mark, runId: marked?.['runId'] });
    const { end, stdout } = await play('c0+sdk+again');
    expect([end, stdout]).toEqual(['skipped', expect.stringContaining('No earlier job was found')]);
  });

  it('waits for a limit of half a minute before it compares', async () => {
    const { tell } = await setUpNights(broken(toLimit(30), /\/compare\//, 2));
    await tell('sdk: c0 marked, c1 opened c0, c2 skipped');
  });

  it('marks a quiet commit, so that the range of a quiet package does not grow', async () => {
    const { tell, play, statuses } = await setUpNights();
    await tell('docs: c0 marked, c1 skipped');
    const { end, stdout } = await play('c2+docs');
    expect([end, stdout]).toEqual(['skipped', expect.stringContaining(toSha('c1').slice(0, 10))]);
    expect(readFields(statuses[toSha('c2')]).map(({ state }) => state)).toEqual(['mark']);
  });

  it.each([
    ['three hours ago', 10_800_000, undefined],
    ['just now', 0, toSha('c1')],
  ])('counts from its commit unless a claim is still open from %s', async (_, ageMs, since) => {
    const { tell, statuses } = await setUpNights();
    await tell('sdk: c0 marked, c1 opened c0');
    const [claim, ...others] = statuses[toSha('c1')] ?? [];
    statuses[toSha('c1')] = claim ? [toOtherRun(claim, ageMs), claim, ...others] : [];
    await tell('sdk: c2 skipped');
    const [mark] = readFields(statuses[toSha('c2')]);
    expect([mark?.['state'], mark?.['since']]).toEqual(['mark', since]);
  });
});
