import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { GitHubApiOptions } from '../github/api.ts';
import { toApiError } from '../github/faults.ts';
import { toSha } from '../github/repository.ts';
import { createToken } from '../github/token.ts';
import { broken, TOKEN } from '../helpers/github.ts';
import { expectNoSecret } from '../helpers/invariants.ts';
import { commit, inputs, on, settle, setUpNights, toOtherRun } from '../helpers/nights.ts';
import { readFields } from '../helpers/record.ts';

const DAY_MS = 86_400_000;
/** The emulator, which is 20 times as fast, forgets such a job after four seconds. */
const LOST_AFTER_MS = 300;
const LINK = 'https://github.com/acme/docs/pull/128';

/** Sets up a first run that has marked `c0`, and a job of `c1` that has opened a pull request. */
async function setUpWithPull(api?: Partial<GitHubApiOptions>, pull = 'open') {
  const world = await setUpNights(api, { pull });
  await world.tell('skip: c0 marked, c1 opened c0');
  return world;
}

describe.concurrent('while the last pull request is open', () => {
  it('nothing is said to start although the changes could not be read', async () => {
    const { play } = await setUpWithPull(broken(toApiError(502), /\/compare\//));
    const { end, annotations } = await play('c2+skip');
    expect([end, annotations.warnings]).toEqual(['skipped', []]);
  });

  it('nothing starts, nothing is lost, and a dry run says so', async () => {
    const { tell, play, start, emulator, statuses } = await setUpWithPull();
    const dry = await play('c2+skip+dry');
    const range = { 'changes-start': toSha('c1'), 'changes-commits': '1' };
    expect(dry.outputs).toMatchObject({ 'job-result': 'dry-run', ...range });
    expect(dry.summary).toContain('A real run would be skipped: this pull request is still open');
    const { exitCode, outputs, annotations, summary } = await play('c2+skip');
    const link = { 'pr-link': LINK, 'pr-state': 'open' };
    const job = { 'job-id': emulator.jobs[0]?.id, reused: 'true' };
    expect(outputs).toMatchObject({ 'job-result': 'skipped', ...link, ...job, ...range });
    expect(exitCode).toBe(0);
    expect(annotations.notices.join()).toContain('is still open');
    expect(summary?.split('acme/docs\\#128')).toHaveLength(2);
    expect(summary).toContain('**This pull request is still open,');
    await tell('pull draft');
    expect((await play('c2+skip')).outputs).toMatchObject({ ...job, 'pr-state': 'draft' });
    // A rehearsal never costs anything. This key is one of the service.
    const given = { 'skip-while-pr-open': 'true', 'api-key': 'mint_4f9c2b7e6d1a8350' };
    const paid = await start({ ...inputs, ...given }, on(toSha('c2'))).ended;
    expect(paid.outputs['job-result']).toBe('skipped');
    expect(paid.summary).toMatch(/\| \*\*Cost\*\* \| nothing \|/);
    const expired = { 'api-key': 'mint_emulator_expired_key_0001' };
    expect((await play('c2+skip', expired)).end).toBe('unauthorized');
    // The next run still begins at the job, not at the commit of the skipped runs.
    expect(statuses[toSha('c2')]).toBeUndefined();
    await tell('skip: pull merged, c3 opened c1, pull closed, c4 opened c3');
  });

  it.each([
    ['of nine days', 'open+9', '9 days'],
    ['of nine days that is a draft', 'draft+9', '9 days'],
    ['of six days', 'open+6', undefined],
    ['from tomorrow', 'open+-1', undefined],
  ])('a run that waits for one %s says what waits', async (_, pull, age) => {
    const { play, tell, start } = await setUpWithPull({}, pull);
    const { annotations, outputs, exitCode, summary } = await play('c3+skip');
    const { notices, warnings } = annotations;
    const waits =
      age === undefined
        ? 'is still open, so a later run picks up the changes.'
        : `has been open for ${age}, and 2 commits are waiting for it.`;
    expect(outputs['message']).toBe(`Rehearsal: Documentation job skipped: acme/docs#128 ${waits}`);
    expect([notices, warnings].map(({ length }) => length)).toEqual(age ? [0, 1] : [1, 0]);
    expect([...notices, ...warnings].join()).toContain(`${LINK} ${waits}`);
    expect(summary).toContain(`**This pull request ${waits}**`);
    expect([exitCode, outputs['job-result']]).toEqual([0, 'skipped']);

    const dry = await play('c3+skip+dry');
    expect(dry.summary).toContain(`**A real run would be skipped: this pull request ${waits}`);
    expect([dry.annotations.warnings, dry.end]).toEqual([[], 'dry-run']);
    // The clock of the runner decides nothing.
    const wrong = { TIME_JUMP: `0,${30 * DAY_MS}` };
    const { outputs: others } = await start(
      { ...inputs, 'skip-while-pr-open': 'true' },
      on(toSha('c3'), wrong),
    ).ended;
    expect(others['message']).toBe(outputs['message']);
    await tell('pull closed+9');
    const { end, stdout } = await play('c3+skip');
    expect(end).toBe('opened c1');
    expect(stdout).toContain(
      `${LINK} was closed without a merge, so no later job covers its changes`,
    );
    await tell('pull merged');
    expect((await play('c4+skip')).stdout).not.toContain('without a merge');
  });

  it('its commit is marked with the start once that is far away', async () => {
    const long = Array.from({ length: 130 }, (_, index) => commit(`n${index}`));
    const { tell, statuses, emulator } = await setUpNights({}, { pull: 'open', commits: long });
    await tell('skip: n0 marked, n1 opened n0, n50 skipped, n120 skipped');
    const mark = { state: 'mark', since: toSha('n1'), jobId: emulator.jobs[0]?.id };
    expect(statuses[toSha('n50')]).toBeUndefined();
    expect(readFields(statuses[toSha('n120')])).toEqual([expect.objectContaining(mark)]);
  });

  it('a re-run of an older skipped run does not hide its new job', async () => {
    const { tell, play, emulator } = await setUpWithPull();
    await tell('skip: c2 skipped, c3 skipped, pull merged, c2+again opened c1, pull open');
    expect((await play('c5+skip')).outputs['job-id']).toBe(emulator.jobs[1]?.id);
  });

  it('a link that is not shown may be one, and one that is none holds up nothing', async () => {
    const { tell, emulator } = await setUpWithPull();
    for (const [prLink, end] of [
      ['http://git.example/acme/docs/pull/7', 'pr-unknown'],
      ['https://git.example/my(docs)/pull/7', 'pr-unknown'],
      ['https://github.com/acme/docs/commit/abc', 'opened c1'],
    ] as const) {
      settle(emulator.jobs[0], { status: 'completed', prLink });
      await tell(`skip: c2 ${end}`);
    }
  });

  it('it holds up the next job even if its own has failed', async () => {
    const { tell, play } = await setUpNights({}, { pull: 'open' });
    await tell('skip+linked: c0 marked, c1 job-failed c0, c1+again skipped, c2 skipped');
    expect((await play('c3+skip+linked')).stdout).toMatch(/job \S+ has failed, so the changes/);
    await tell('skip+linked: pull merged, c4 job-failed c0');
  });

  it('a night without a match does not hide that of a failed job', async () => {
    const { tell, emulator } = await setUpNights({}, { pull: 'open' });
    await tell('slow+early: c0 marked, c1 started c0, c2 started c0, job0 completed');
    settle(emulator.jobs[1], { status: 'failed', prLink: LINK });
    await tell('slow+early+skip: c3 skipped, c4 skipped, pull merged, c4 started c1');
  });

  it('a second workflow keeps its start, although a job of the first is starting each night', async () => {
    const { tell, statuses } = await setUpNights({}, { pull: 'merged' });
    await tell('c0 marked, c1 opened c0, c2 opened c1');
    const written = statuses[toSha('c2')] ?? [];
    // As if the id couldn't be recorded yet.
    statuses[toSha('c2')] = written.slice(0, 1).map((claim) => {
      return { ...claim, created_at: new Date().toISOString() };
    });
    await tell('c3+skip+edited skipped');
    statuses[toSha('c2')] = written;
    await tell('skip+edited: c4 opened c1');
  });

  it('a mark names the failed job whose pull request is open', async () => {
    const { tell, emulator } = await setUpNights({}, { pull: 'open' });
    await tell('c0 marked, c1 opened c0, c2 opened c1');
    settle(emulator.jobs[0], { status: 'completed' });
    settle(emulator.jobs[1], { status: 'failed', prLink: LINK });
    await tell('edited+skip: c3 skipped, c4 skipped, pull merged, c5 opened c1');
  });

  it('a night without a match is quiet, and does not hide it', async () => {
    const { tell, play, github, statuses, emulator } = await setUpWithPull();
    const before = github.count(/\/pulls\//);
    await tell('skip: c1 skipped');
    expect(github.count(/\/pulls\//)).toBe(before);

    await tell('skip+later: c2 skipped, c3 opened c2, c4 skipped');
    const mark = { state: 'mark', jobId: emulator.jobs[1]?.id };
    expect(readFields(statuses[toSha('c4')]).at(-1)).toMatchObject(mark);
    expect((await play('c5+skip+later')).annotations.notices.join()).toContain('still open');
  });
});

describe.concurrent('while the last job is at work', () => {
  it('nothing starts, and the next run covers its changes if it failed', async () => {
    const { tell, play, emulator } = await setUpNights();
    await tell('skip+slow: c0 marked, c1 started c0');
    const { end, outputs, stdout } = await play('c2+skip+slow');
    expect(end).toBe('skipped');
    expect(outputs).toMatchObject({ 'job-id': emulator.jobs[0]?.id, status: 'active' });
    expect(stdout).toMatch(/job \S+ is still running, so the changes begin before it/);
    await tell('skip+slow: job0 failed, c3 started c0');
  });

  it.each([
    // Longer than this run may take: the other one may have more time.
    ['an hour', 3_600_000, 'skipped', 'Another run may be starting a job'],
    ['three hours', 10_800_000, 'opened c0', 'Documentation pull request opened'],
  ])('a claim of another run that is open for %s', async (_, ageMs, end, shown) => {
    const { play, statuses } = await setUpWithPull();
    const created_at = new Date(Date.now() - ageMs).toISOString();
    const [claim] = statuses[toSha('c1')] ?? [];
    statuses[toSha('c1')] = claim === undefined ? [] : [{ ...claim, created_at }];
    const played = await play('c2+skip');
    expect([played.end, played.stdout]).toEqual([end, expect.stringContaining(shown)]);
  });

  it('a run far from its start marks that again, whatever another run may start', async () => {
    const long = Array.from({ length: 1_200 }, (_, index) => commit(`n${index}`));
    const { tell, statuses } = await setUpNights({}, { commits: long, pull: 'merged' });
    await tell('skip: n0 marked, n1 opened n0');
    const [claim] = statuses[toSha('n1')] ?? [];
    statuses[toSha('n700')] = claim ? [toOtherRun(claim, 0)] : [];
    await tell('skip: n700 skipped');
    statuses[toSha('n700')] = (statuses[toSha('n700')] ?? []).filter((one) => one.id !== 0);
    await tell('skip: n1100 opened n1');
  });

  it('one that the service does not find for a minute is done', async () => {
    const { tell } = await setUpNights({}, { timeScale: 20 });
    await tell('skip+lost: c0 marked, c1 started c0');
    await setTimeout(LOST_AFTER_MS);
    await tell('skip+lost: c2 started c1');
  });

  it('several that the service does not find leave time to compare', async () => {
    const { tell, emulator } = await setUpNights({}, { timeScale: 20 });
    await tell(
      'lost: c0+core marked, c0+sdk+same marked, c1+core started c0, c1+sdk+same started c0',
    );
    await setTimeout(LOST_AFTER_MS);
    const before = emulator.requests.length;
    await tell('c2+lost+docs skipped');
    // At the same time, because each may take a minute.
    const [first, second] = emulator.requests.slice(before);
    expect(first?.path).not.toBe(second?.path);
  });

  it('a newer job that failed does not hide it', async () => {
    const { tell, play, emulator } = await setUpNights({}, { pull: 'closed' });
    await tell('skip+slow: c0 marked, c1 started c0');
    await tell('slow: c2 started c0');
    settle(emulator.jobs[1], { status: 'failed', prLink: LINK });
    await tell('skip+slow: c3 skipped, job0 completed');
    const { end, stdout } = await play('c4+skip+slow');
    expect(end).toBe('started c1');
    // The next job covers the changes of the one that failed.
    expect(stdout).not.toContain('without a merge');
  });

  it('a night that takes changes back is no start', async () => {
    const one = { commit: { message: 'Change' }, author: null };
    const counts = { status: 'ahead', total_commits: 2, behind_by: 0 };
    const body = { ...counts, commits: ['c1', 'c2'].map((sha) => ({ sha, ...one })), files: [] };
    const path = new RegExp(`/compare/.*${toSha('c2')}`);
    const { tell, statuses } = await setUpNights(broken({ status: 200, body }, path));
    await tell('slow+all: c0 marked, c1 started c0');
    const { [toSha('c1')]: written } = statuses;
    // As if the id couldn't be recorded yet.
    statuses[toSha('c1')] = written?.slice(0, 1) ?? [];
    await tell('slow+all: c2 skipped, c2 skipped');
    expect(statuses[toSha('c2')]).toHaveLength(1);
    statuses[toSha('c1')] = written ?? [];
    await tell('slow+all: c2 skipped, job0 completed, c3 started c1');
    expect(statuses[toSha('c2')]).toHaveLength(1);
  });
});

const matrix: Readonly<Record<string, string>> = {
  'an edited prompt goes on where its package is, whatever others have marked':
    'skip: c0+core marked, c0+late+same marked, c1+core opened c0, c1+late+same skipped, ' +
    'c2+core skipped, c2+late+same skipped, c3+core+edited skipped, job0 completed, ' +
    'c3+core+edited opened c1',
  'a second workflow starts its own jobs, although one of the first is always at work':
    'skip+slow: c0 marked, c1 started c0, c1+edited skipped, job0 completed, ' +
    'c2 started c1, c2+edited started c0',
  'a job of an edited prompt that fails comes again':
    'slow: c0 marked, c1+edited started c0, job0 failed, c2 started c0, job1 completed, ' +
    'c3+edited started c0',
};

describe.concurrent('in a matrix', () => {
  it.each(Object.entries(matrix))('%s', async (_, story) => {
    await (await setUpNights({}, { pull: 'open' })).tell(story);
  });

  it('a new package has its own pull request, and begins where the last of them is', async () => {
    const { tell, statuses } = await setUpWithPull();
    await tell('skip+late: c2 skipped, c4 opened c2');
    const states = readFields(statuses[toSha('c4')]).map(({ state }) => state);
    expect(states).toEqual(['starting', 'job', 'job']);
  });
});

describe.concurrent('nothing is sent if the last pull request', () => {
  it("can't be read while GitHub is down", async () => {
    const { play, statuses } = await setUpWithPull(broken(toApiError(503), /\/pulls\//));
    const { end, annotations } = await play('c2+skip');
    expect([end, statuses[toSha('c2')]]).toEqual(['pr-unknown', undefined]);
    expect(annotations.errors.join()).toContain('Re-run later');
  });

  it('is on GitLab, and the remedy is named', async () => {
    const { tell, play } = await setUpNights();
    await tell('skip+gitlab: c0 marked, c1 opened c0');
    const { end, annotations } = await play('c2+skip+gitlab');
    expect(end).toBe('pr-unknown');
    expect(annotations.errors.join()).toContain('Remove `skip-while-pr-open`');
  });
});

describe.concurrent('`pr-token`', () => {
  const token = createToken('the documentation');

  it('reads a pull request that `github-token` can not, and goes nowhere else', async () => {
    const world = await setUpWithPull({ otherTokens: { 'acme/docs': token } });
    const { play, github, emulator, statuses } = world;
    const { end, annotations } = await play('c2+skip');
    expect([end, statuses[toSha('c2')]]).toEqual(['pr-unknown', undefined]);
    expect(annotations.errors.join()).toContain('In another? Set `pr-token`.');
    const result = await play('c2+skip', { 'pr-token': token });
    expect(result.outputs).toMatchObject({ 'job-result': 'skipped', 'pr-title': 'Docs' });
    expectNoSecret(result, token);
    const users = github.requests.filter(({ headers }) => headers.authorization?.includes(token));
    expect(users.length).toBeGreaterThan(0);
    expect(users.every(({ path }) => path.startsWith('/repos/acme/docs/pulls/128'))).toBe(true);
    expect(JSON.stringify(emulator.requests)).not.toContain(token);
  });

  it('may be the same as `github-token`', async () => {
    const { play } = await setUpWithPull({}, 'merged');
    expect((await play('c2+skip', { 'pr-token': TOKEN })).end).toBe('opened c1');
  });
});
