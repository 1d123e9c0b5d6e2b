import { describe, expect, it } from 'vitest';
import { createRepository, type Pull } from '../github/repository.ts';
import { createToken } from '../github/token.ts';
import { eventually } from '../helpers/eventually.ts';
import { commits, setUp, TOKEN } from '../helpers/github.ts';
import { expectNoSecret } from '../helpers/invariants.ts';
import { night, on, opened, play, settle, short } from '../helpers/nights.ts';
import { readFields } from '../helpers/record.ts';

const history = commits(6);
const [first, second, third, fourth, fifth, sixth] = history.map(({ sha }) => sha) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const LINK = 'https://github.com/acme/docs/pull/128';
const skips = { 'skip-while-pr-open': 'true' };
const open: Pull = { title: 'Docs', state: 'open', files: [] };
const merged: Pull = { ...open, state: 'closed', merged: true };

type Options = Parameters<typeof setUp>[1];
/** Sets up a world in which a first run has marked a commit, and a job has opened a pull request. */
async function setUpWithPull(pull: Pull | null = open, options: Options = {}, timeScale = 4) {
  const pulls: Record<number, Pull> = pull === null ? {} : { 128: pull };
  const world = await setUp(
    { commits: history, branches: { main: fifth } },
    { repositories: { 'acme/docs': createRepository({ pulls }) }, ...options },
    timeScale,
  );
  await night(world, first, skips);
  expect((await night(world, second, skips))[0]).toBe(opened);
  return { ...world, pulls };
}

describe.concurrent('while the last pull request is open', () => {
  it.each([
    ['open', open],
    ['a draft', { ...open, draft: true }],
  ])('nothing starts if it is %s, and nothing is lost', async (_, pull) => {
    const world = await setUpWithPull(pull);
    const { exitCode, outputs, annotations, summary } = await play(world, third, skips);
    expect([exitCode, outputs]).toEqual([
      0,
      expect.objectContaining({
        'job-result': 'skipped',
        'pr-link': LINK,
        'job-id': world.emulator.jobs[0]?.id,
        reused: 'true',
        'pr-state': pull === open ? 'open' : 'draft',
      }),
    ]);
    expect(annotations.notices.join()).toContain('is still open');
    expect(summary).toContain('acme/docs\\#128');
    const [mark] = readFields(world.statuses[third]);
    expect(mark).toMatchObject({ state: 'mark', since: second, id: outputs['job-id'] });
    // The next run still begins at the job, not at the commit of the skipped run.
    world.pulls[128] = merged;
    expect((await night(world, fourth, skips)).slice(0, 2)).toEqual([opened, short(second)]);
    expect(world.emulator.counts().creates).toBe(2);
  });

  it.each([
    ['merged', merged],
    ['closed', { ...open, state: 'closed' } as const],
  ])('the next job starts once it is %s', async (_, pull) => {
    const world = await setUpWithPull(pull);
    expect((await night(world, third, skips)).slice(0, 2)).toEqual([opened, short(second)]);
  });

  it('a night without a match is quiet, and does not hide it', async () => {
    const world = await setUpWithPull();
    const before = world.github.count(/\/pulls\//);
    expect((await night(world, second, skips))[0]).toBe('skipped');
    expect(world.github.count(/\/pulls\//)).toBe(before);

    const quiet = { ...skips, paths: 'src/file-3.ts\nsrc/file-5.ts' };
    await night(world, third, quiet);
    expect((await night(world, fourth, quiet))[0]).toBe('skipped');
    world.pulls[128] = merged;
    expect((await night(world, fourth, quiet)).slice(0, 2)).toEqual([opened, short(third)]);
    world.pulls[128] = open;
    expect((await night(world, fifth, quiet))[0]).toBe('skipped');
    expect(readFields(world.statuses[fifth]).at(-1)).toMatchObject({
      state: 'mark',
      id: world.emulator.jobs[1]?.id,
    });
    expect((await play(world, sixth, quiet)).annotations.notices.join()).toContain('still open');
  });

  it('a dry run says so, and writes nothing', async () => {
    const world = await setUpWithPull();
    const { outputs, summary } = await play(world, third, { ...skips, 'dry-run': 'true' });
    expect([outputs['job-result'], world.statuses[third]]).toEqual(['dry-run', undefined]);
    expect(summary).toMatch(/A real run would be skipped: .*acme\/docs\/pull\/128> is still open/);
  });
});

describe.concurrent('while the last job is at work', () => {
  it('nothing starts, and the next run covers its changes if it failed', async () => {
    const world = await setUp({ commits: history, branches: { main: fifth } });
    const slow = { ...skips, 'project-id': 'endless', wait: 'false' };
    await night(world, first, slow);
    expect((await night(world, second, slow))[0]).toBe('started');
    const { outputs, stdout } = await play(world, third, slow);
    const [job] = world.emulator.jobs;
    expect(outputs).toMatchObject({ 'job-result': 'skipped', 'job-id': job?.id, status: 'active' });
    expect(stdout).toContain('is still at work');
    settle(job, { status: 'failed' });
    expect((await night(world, fourth, slow)).slice(0, 2)).toEqual(['started', short(first)]);
  });

  it('a run that starts a moment later waits for its id, and is skipped', async () => {
    const world = await setUp({ commits: history, branches: { main: fifth } });
    const slow = { ...skips, 'project-id': 'endless', wait: 'false' };
    await night(world, first, slow);
    const parent = world.start(
      { ...slow, 'include-changes': 'true', 'changes-since': 'last job' },
      on(second),
    );
    await eventually(() => expect(world.github.count(/\/statuses\//, 'POST')).toBe(2), parent);
    const child = await night(world, third, slow);
    expect((await parent.ended).outputs['job-result']).toBe('started');
    expect([child[0], world.emulator.counts().creates]).toEqual(['skipped', 1]);
  });

  it('an open claim of a killed run is waited for at most two minutes', async () => {
    const world = await setUp({ commits: history, branches: { main: fifth } }, {}, 20);
    await night(world, first, skips);
    await night(world, second, skips);
    const [claim] = world.statuses[second] ?? [];
    world.statuses[second] = claim === undefined ? [] : [claim];
    const [result, since, log] = await night(world, third, skips);
    expect([result, since]).toEqual([opened, short(first)]);
    expect(log).toContain('may be starting the job');
  });
});

const broken: Readonly<Record<string, readonly [Pull | null, Options, string]>> = {
  'is in a repository that the token can not read': [null, {}, 'set `pr-token`'],
  'can not be read for now': [
    open,
    { faults: [{ path: /\/pulls\//, fault: { kind: 'error', status: 503 } }] },
    'Re-run later',
  ],
};

it.concurrent.each(Object.entries(broken))(
  'if the last pull request %s, nothing is sent',
  async (_, [pull, options, remedy]) => {
    const world = await setUpWithPull(pull, options, 20);
    const { outputs, annotations } = await play(world, third, skips);
    expect(outputs['error-code']).toBe('pr-unknown');
    expect(annotations.errors.join()).toContain(remedy);
    expect([world.emulator.counts().creates, world.statuses[third]]).toEqual([1, undefined]);
  },
);

it.concurrent('on GitLab, nothing is sent, and the remedy is named', async () => {
  const world = await setUp({ commits: history, branches: { main: fifth } });
  const gitlab = { ...skips, 'project-id': 'gitlab' };
  await night(world, first, gitlab);
  expect((await night(world, second, gitlab))[0]).toBe(opened);
  const { outputs, annotations } = await play(world, third, gitlab);
  expect(outputs['error-code']).toBe('pr-unknown');
  expect(annotations.errors.join()).toContain('remove `skip-while-pr-open`');
});

it.concurrent.each([
  ['refuses the key', { 'api-key': 'mint_emulator_expired_key_0001' }, 'unauthorized'],
])('if the service %s, the last job is unknown, and nothing is sent', async (_, change, code) => {
  const world = await setUpWithPull();
  expect((await night(world, third, { ...skips, ...change }))[0]).toBe(code);
  expect(world.emulator.counts().creates).toBe(1);
});

it.concurrent('a job that the service no longer knows is done', async () => {
  const world = await setUp({ commits: history, branches: { main: fifth } });
  const lost = { ...skips, 'project-id': 'lost', wait: 'false' };
  await night(world, first, lost);
  await night(world, second, lost);
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect((await night(world, third, lost)).slice(0, 2)).toEqual(['started', short(second)]);
});

describe.concurrent('`pr-token`', () => {
  const token = createToken('the documentation');

  it('reads a pull request that `github-token` can not, and goes nowhere else', async () => {
    const world = await setUpWithPull(open, { otherTokens: { 'acme/docs': token } });
    const result = await play(world, third, { ...skips, 'pr-token': token });
    expect(result.outputs).toMatchObject({ 'job-result': 'skipped', 'pr-title': 'Docs' });
    expectNoSecret(result, token);
    const users = world.github.requests.filter(({ headers }) =>
      headers.authorization?.includes(token),
    );
    expect(users.length).toBeGreaterThan(0);
    expect(users.every(({ path }) => path.startsWith('/repos/acme/docs/pulls/128'))).toBe(true);
    expect(JSON.stringify(world.emulator.requests)).not.toContain(token);
  });

  it('may be the same as `github-token`, but is refused in a prompt', async () => {
    const world = await setUpWithPull(merged);
    const { outputs } = await play(world, third, { 'pr-token': token, prompt: `Use ${token}` });
    expect([outputs['error-code'], world.emulator.counts().creates]).toEqual(['invalid-input', 1]);
    expect((await night(world, third, { ...skips, 'pr-token': TOKEN }))[0]).toBe(opened);
  });
});

it.concurrent('`skip-while-pr-open` alone is an error, and nothing is sent', async () => {
  const world = await setUp();
  const { outputs, stdout } = await world.finish({ ...skips, 'include-changes': 'true' });
  expect([outputs['error-code'], world.emulator.requests, world.github.requests]).toEqual([
    'invalid-input',
    [],
    [],
  ]);
  expect(stdout).toContain('changes-since: last job');
});
