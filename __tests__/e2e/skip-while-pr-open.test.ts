import { describe, expect, it } from 'vitest';
import { toApiError } from '../github/faults.ts';
import { createRepository, type Pull } from '../github/repository.ts';
import { createToken } from '../github/token.ts';
import { broken, commits, setUp, TOKEN } from '../helpers/github.ts';
import { expectNoSecret } from '../helpers/invariants.ts';
import { inputs, night, on, opened, play, settle, short } from '../helpers/nights.ts';
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
async function setUpWithPull(pull: Pull | null = open, options: Options = {}) {
  const pulls: Record<number, Pull> = pull === null ? {} : { 128: pull };
  const world = await setUp(
    { commits: history, branches: { main: fifth } },
    { repositories: { 'acme/docs': createRepository({ pulls }) }, ...options },
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
    // The next run still begins at the job, not at the commit of the skipped run.
    expect(world.statuses[third]).toBeUndefined();
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

  it('it costs nothing, also with a key of the service', async () => {
    const world = await setUpWithPull();
    const key = 'mint_4f9c2b7e6d1a8350';
    const result = await world.start({ ...inputs, ...skips, 'api-key': key }, on(third)).ended;
    expect(result.outputs['job-result']).toBe('skipped');
    expect(result.summary).toMatch(/\| \*\*Cost\*\* \| nothing \|/);
  });

  it('its commit is marked with the start once that is far away', async () => {
    const long = commits(130);
    const shas = long.map(({ sha }) => sha);
    const pulls = { 128: open };
    const world = await setUp(
      { commits: long, branches: { main: shas[129] ?? '' } },
      { repositories: { 'acme/docs': createRepository({ pulls }) } },
    );
    const [start = '', job = '', near = '', far = ''] = [0, 1, 50, 120].map((at) => shas[at]);
    await night(world, start, skips);
    await night(world, job, skips);
    expect((await night(world, near, skips))[0]).toBe('skipped');
    expect((await night(world, far, skips))[0]).toBe('skipped');
    expect([world.statuses[near], readFields(world.statuses[far])]).toEqual([
      undefined,
      [expect.objectContaining({ state: 'mark', since: job, jobId: world.emulator.jobs[0]?.id })],
    ]);
  });

  it('a re-run of an older skipped run does not hide its new job', async () => {
    const world = await setUpWithPull();
    const skipped = on(third);
    await night(world, third, skips, skipped);
    await night(world, fourth, skips);
    world.pulls[128] = merged;
    const again = { ...skipped, env: { ...skipped.env, GITHUB_RUN_ATTEMPT: '2' } };
    expect((await night(world, third, skips, again))[0]).toBe(opened);
    world.pulls[128] = open;
    const { outputs } = await play(world, fifth, skips);
    expect(outputs['job-id']).toBe(world.emulator.jobs[1]?.id);
  });

  it('a link that is no pull request holds up nothing', async () => {
    const world = await setUpWithPull();
    const prLink = 'https://github.com/acme/docs/commit/abc';
    settle(world.emulator.jobs[0], { status: 'completed', prLink });
    expect((await night(world, third, skips)).slice(0, 2)).toEqual([opened, short(second)]);
  });

  it.each(['http://git.example/acme/docs/pull/7', 'https://git.example/my(docs)/pull/7'])(
    'a link that is not shown, such as %s, may be one, so nothing is sent',
    async (prLink) => {
      const world = await setUpWithPull();
      settle(world.emulator.jobs[0], { status: 'completed', prLink });
      expect((await night(world, third, skips))[0]).toBe('pr-unknown');
      expect(world.emulator.counts().creates).toBe(1);
    },
  );

  it('a night without a match is quiet, and does not hide it', async () => {
    const world = await setUpWithPull();
    const before = world.github.count(/\/pulls\//);
    expect((await night(world, second, skips))[0]).toBe('skipped');
    expect(world.github.count(/\/pulls\//)).toBe(before);

    const quiet = { ...skips, paths: 'src/file-3.ts\nsrc/file-5.ts' };
    await night(world, third, quiet);
    expect((await night(world, fourth, quiet)).slice(0, 2)).toEqual([opened, short(third)]);
    expect((await night(world, fifth, quiet))[0]).toBe('skipped');
    expect(readFields(world.statuses[fifth]).at(-1)).toMatchObject({
      state: 'mark',
      jobId: world.emulator.jobs[1]?.id,
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
    expect(stdout).toContain('is still running');
    settle(job, { status: 'failed' });
    expect((await night(world, fourth, slow)).slice(0, 2)).toEqual(['started', short(first)]);
  });

  it.each([
    ['a moment', 'skipped', new Date().toISOString()],
    ['an hour', opened, new Date(Date.now() - 3_600_000).toISOString()],
  ])('a claim of another run that is open for %s ends in %s', async (_, end, created_at) => {
    const world = await setUp({ commits: history, branches: { main: fifth } });
    await night(world, first, skips);
    await night(world, second, skips);
    const [claim] = world.statuses[second] ?? [];
    world.statuses[second] = claim === undefined ? [] : [{ ...claim, created_at }];
    const [result, ...others] = await night(world, third, skips);
    expect(result).toBe(end);
    expect(others.at(-1)).toContain(
      end === 'skipped' ? 'Another run is starting a job' : 'Documentation pull request opened',
    );
  });
});

describe.concurrent('in a matrix', () => {
  const core = { ...skips, paths: 'src/file-[1-3].ts' };
  const sdk = { ...skips, paths: 'src/file-4.ts' };

  it('an edited prompt goes on where its package is, whatever others have marked', async () => {
    const world = await setUp(
      { commits: history, branches: { main: fifth } },
      { repositories: { 'acme/docs': createRepository({ pulls: { 128: open } }) } },
    );
    for (const sha of [first, second, third]) {
      const options = on(sha);
      await night(world, sha, core, options);
      await night(world, sha, sdk, options);
    }
    expect(world.emulator.counts().creates).toBe(1);
    const edited = { ...core, prompt: 'Edited' };
    expect((await play(world, fourth, edited)).outputs['job-result']).toBe('skipped');
    settle(world.emulator.jobs[0], { status: 'completed' });
    expect((await night(world, fourth, edited)).slice(0, 2)).toEqual([opened, short(second)]);
  });

  it('a new package has a pull request of its own, and begins where the last of them is', async () => {
    const world = await setUpWithPull();
    await night(world, third, sdk);
    const start = await night(world, fifth, sdk);
    expect(start.slice(0, 2)).toEqual([opened, short(third)]);
    expect(readFields(world.statuses[fifth]).map(({ state }) => state)).toEqual([
      'starting',
      'job',
      'job',
    ]);
  });

  it('a job of an edited prompt that fails comes again', async () => {
    const world = await setUp({ commits: history, branches: { main: fifth } });
    const task = { 'project-id': 'endless', wait: 'false' };
    await night(world, first, task);
    const edited = { ...task, prompt: 'Edited' };
    expect((await night(world, second, edited))[1]).toBe(short(first));
    settle(world.emulator.jobs[0], { status: 'failed' });
    await night(world, third, task);
    settle(world.emulator.jobs[1], { status: 'completed' });
    expect((await night(world, fourth, edited))[1]).toBe(short(first));
  });
});

it.concurrent('a night that takes changes back while a job is at work is no start', async () => {
  const empty = {
    status: 'ahead',
    total_commits: 2,
    behind_by: 0,
    commits: [second, third].map((sha) => ({ sha, commit: { message: 'Change' }, author: null })),
    files: [],
  };
  const world = await setUp(
    { commits: history, branches: { main: fifth } },
    broken({ status: 200, body: empty }, new RegExp(`/compare/.*${third}`)),
  );
  const task = { paths: 'src/**', 'project-id': 'endless', wait: 'false' };
  await night(world, first, task);
  await night(world, second, task);
  expect((await night(world, third, task))[0]).toBe('skipped');
  settle(world.emulator.jobs[0], { status: 'completed' });
  expect((await night(world, fourth, task))[1]).toBe(short(second));
});

const unreadable: Readonly<Record<string, readonly [Pull | null, Options, string]>> = {
  'is in a repository that the token can not read': [null, {}, 'set `pr-token`'],
  'can not be read for now': [open, broken(toApiError(503), /\/pulls\//), 'Re-run later'],
};

it.concurrent.each(Object.entries(unreadable))(
  'if the last pull request %s, nothing is sent',
  async (_, [pull, options, remedy]) => {
    const world = await setUpWithPull(pull, options);
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

it.concurrent.each([
  ['an hour old is done', 3_600_000, 'started', [short(second)]],
  ['new may still be at work', 0, 'skipped', []],
])('a job that the service does not find and that is %s', async (_, ageMs, result, since) => {
  const world = await setUp({ commits: history, branches: { main: fifth } });
  const lost = { ...skips, 'project-id': 'lost', wait: 'false' };
  await night(world, first, lost);
  await night(world, second, lost);
  await new Promise((resolve) => setTimeout(resolve, 250));
  const created_at = new Date(Date.now() - ageMs).toISOString();
  world.statuses[second] = (world.statuses[second] ?? []).map((one) => ({ ...one, created_at }));
  const end = await play(world, third, lost);
  expect([end.outputs['job-result'], end.since]).toEqual([result, since]);
  // Without the input, a new job that fails later is in the next range, too.
  const again = await night(world, fourth, { ...lost, 'skip-while-pr-open': 'false' });
  expect(again[1]).toBe(short(ageMs === 0 ? first : second));
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
