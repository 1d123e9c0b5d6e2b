import { describe, expect, it } from 'vitest';
import { type RepositoryCommit, toSha } from '../github/repository.ts';
import { commits, setUp } from '../helpers/github.ts';
import { inputs, night, on, opened, play, settle, short } from '../helpers/nights.ts';

// Where the changes begin, in histories that aren't a line, and after runs that went wrong.

/** A commit with these parents. It changes a file of its own name. */
function commit(name: string, ...parents: string[]): RepositoryCommit {
  return {
    sha: toSha(name),
    parents: parents.map(toSha),
    message: `Change ${name}`,
    author: 'octocat',
    files: [{ path: `${name}.ts`, status: 'modified', additions: 2, deletions: 1 }],
  };
}

/** The newest last: `b1` and `b2` are on a branch that begins at `c0`. */
const graph = [
  commit('c0'),
  commit('b1', 'c0'),
  commit('b2', 'b1'),
  commit('c1', 'c0'),
  commit('c2', 'c1'),
  commit('merge', 'c2', 'b2'),
  commit('squash', 'c2'),
  commit('forced', 'c0'),
  commit('c3', 'c2'),
];
const [c0, c1, c2, c3] = ['c0', 'c1', 'c2', 'c3'].map(toSha) as [string, string, string, string];
const notWaiting = { 'project-id': 'endless', wait: 'false' };

const setUpGraph = (timeScale?: number) =>
  setUp({ commits: graph, branches: { main: toSha('c3') } }, {}, timeScale);

/** Runs the action for some commits, one after the other. Returns where the changes began. */
async function playAll(names: readonly string[], changes: Record<string, string> = {}) {
  const world = await setUpGraph();
  const starts: (string | undefined)[] = [];
  for (const name of names) {
    const { since } = await play(world, toSha(name), changes);
    starts.push(...since);
  }
  const nameOf = (start?: string) =>
    graph.find(({ sha }) => short(sha) === start)?.message.replace('Change ', '');
  return { starts: starts.map(nameOf), prompt: world.prompts().at(-1) ?? '' };
}

describe.concurrent('a job begins', () => {
  it('at the last one on main after a merge, with all commits of the branch', async () => {
    const { starts, prompt } = await playAll(['c0', 'c2', 'merge']);
    expect(starts).toEqual(['c0', 'c2']);
    expect(['b1.ts', 'b2.ts'].every((file) => prompt.includes(file))).toBe(true);
    expect(prompt).not.toContain('c1.ts');
  });

  it('at the newest one after a merge of a branch with jobs of its own', async () => {
    const { starts, prompt } = await playAll(['c0', 'b1', 'c2', 'merge']);
    expect([starts, prompt.includes('b2.ts')]).toEqual([['c0', 'c0', 'c2'], true]);
  });

  it.each([
    ['a squash', ['c0', 'c2', 'squash'], ['c0', 'c2']],
    ['a force push that drops the last job', ['c0', 'c1', 'forced'], ['c0', 'c0']],
    ['a push back to an older job', ['c0', 'c1', 'c2', 'c1'], ['c0', 'c1']],
  ])('where all before it is documented, after %s', async (_, names, starts) => {
    expect((await playAll(names)).starts).toEqual(starts);
  });

  it('at the last one, whichever branch, workflow, or event started it', async () => {
    const world = await setUpGraph();
    await night(world, c0);
    await night(world, c1, {}, on(c1, { GITHUB_WORKFLOW_REF: 'acme/widgets/x.yml@refs/heads/a' }));
    const button = on(c2, { GITHUB_REF: 'refs/heads/trunk' }, 'workflow_dispatch');
    expect((await night(world, c2, {}, button))[1]).toBe(short(c1));
    expect((await night(world, c3))[1]).toBe(short(c2));
  });

  it('in 260 commits on the third page', async () => {
    const long = commits(261);
    const world = await setUp({ commits: long, branches: { main: long[260]?.sha ?? '' } });
    await night(world, long[0]?.sha ?? '');
    const before = world.github.count(/graphql/);
    const last = await night(world, long[260]?.sha ?? '');
    expect([last[1], world.github.count(/graphql/) - before]).toEqual([
      short(long[0]?.sha ?? ''),
      3,
    ]);
  });
});

describe.concurrent('a job that', () => {
  it('failed six times in a row is about all since', async () => {
    const world = await setUpGraph();
    const failing = { 'project-id': 'failing' };
    await night(world, c0, failing);
    for (const sha of [c1, c1, c2, c2, c3, c3]) {
      expect((await night(world, sha, failing)).slice(0, 2)).toEqual(['job-failed', short(c0)]);
    }
  });

  it('timed out and completed later counts', async () => {
    const world = await setUpGraph(5);
    await night(world, c0, notWaiting);
    const brief = { 'project-id': 'endless', 'timeout-minutes': '0.5' };
    expect((await night(world, c1, brief))[0]).toBe('timed-out');
    settle(world.emulator.jobs[0], { status: 'completed' });
    expect((await night(world, c2, notWaiting)).slice(0, 2)).toEqual(['started', short(c1)]);
  });

  it('fails after the next one has begun was in that one, too', async () => {
    const world = await setUpGraph();
    await night(world, c0, notWaiting);
    await night(world, c1, notWaiting);
    expect((await night(world, c2, notWaiting))[1]).toBe(short(c0));
    settle(world.emulator.jobs[0], { status: 'failed' });
    settle(world.emulator.jobs[1], { status: 'completed' });
    expect((await night(world, c3, notWaiting))[1]).toBe(short(c2));
  });

  it('runs at the same moment for a parent loses nothing', async () => {
    const world = await setUpGraph();
    await night(world, c0);
    await Promise.all([c1, c2].map((sha) => world.start(inputs, on(sha)).ended));
    const starts = world.prompts().map((prompt) => /^Changes since: (.+)$/m.exec(prompt)?.[1]);
    expect([starts.length, starts.includes(short(c0))]).toEqual([2, true]);
    expect((await night(world, c3))[1]).toBe(short(c2));
  });

  it('was killed while it started counts for nothing', async () => {
    const world = await setUpGraph();
    await night(world, c0);
    await night(world, c1);
    world.statuses[c1] = (world.statuses[c1] ?? []).slice(0, 1);
    expect((await night(world, c2)).slice(0, 2)).toEqual([opened, short(c0)]);
  });
});

describe.concurrent('a task', () => {
  it('of a matrix begins where its own last job ended', async () => {
    const world = await setUpGraph();
    const packages = [{ paths: 'c1.ts\nc3.ts' }, { paths: 'c1.ts' }, { paths: 'b1.ts' }];
    const playMatrix = async (sha: string): Promise<unknown[]> => {
      const options = on(sha);
      const found: unknown[] = [];
      for (const changes of packages) {
        const [result, start] = await night(world, sha, { ...notWaiting, ...changes }, options);
        found.push(result === 'started' ? start : result);
      }
      return found;
    };
    expect(await playMatrix(c0)).toEqual(['skipped', 'skipped', 'skipped']);
    expect(await playMatrix(c2)).toEqual([short(c0), short(c0), 'skipped']);
    settle(world.emulator.jobs[0], { status: 'completed' });
    settle(world.emulator.jobs[1], { status: 'failed' });
    expect(await playMatrix(c3)).toEqual([short(c2), short(c0), 'skipped']);
  });

  it('goes on after edited paths, and back at its own last job after an edit is undone', async () => {
    const world = await setUpGraph();
    await night(world, c0);
    await night(world, c1);
    expect((await night(world, c2, { paths: '**' }))[1]).toBe(short(c1));
    expect((await night(world, c3))[1]).toBe(short(c1));
  });

  it('with a prompt made at run time goes on after any other, which may be too far', async () => {
    const world = await setUpGraph();
    await night(world, c0, { prompt: 'Monday' });
    expect((await night(world, c1, { prompt: 'Tuesday' }))[1]).toBe(short(c0));
    expect((await night(world, c1, { prompt: 'Another workflow, Tuesday' }))[0]).toBe('skipped');
  });

  it('for a tag, or without changes, does not move the start', async () => {
    const world = await setUpGraph();
    await night(world, c0);
    const tag = on(c1, { GITHUB_REF: 'refs/tags/v1', GITHUB_REF_NAME: 'v1' }, 'push');
    await world.finish({}, tag);
    await world.finish({}, on(c1, {}, 'workflow_dispatch'));
    expect(world.emulator.counts().creates).toBe(2);
    expect((await night(world, c2))[1]).toBe(short(c0));
  });

  it('ignores statuses of others, and links that only look like a record', async () => {
    const world = await setUpGraph();
    await night(world, c0);
    const [mark] = world.statuses[c0] ?? [];
    const link = mark?.target_url?.replace('state=mark', 'state=marked') ?? '';
    world.statuses[c1] = [null, 'https://ci.example/1', link].map((target_url, index) => ({
      ...mark,
      id: 900 + index,
      state: 'success',
      context: `ci/${index}`,
      description: null,
      target_url,
      created_at: '2026-11-27T00:00:00Z',
    }));
    expect((await night(world, c2))[1]).toBe(short(c0));
  });
});

describe.concurrent('a re-run', () => {
  const again = (options: ReturnType<typeof on>) => ({
    ...options,
    env: { ...options.env, GITHUB_RUN_ATTEMPT: '2' },
  });

  it('shows the job again, and so does another step with the same task', async () => {
    const world = await setUpGraph();
    await night(world, c0);
    const options = on(c1);
    await night(world, c1, {}, options);
    expect((await play(world, c1, {}, options)).outputs['reused']).toBe('true');
    expect((await play(world, c1, {}, again(options))).outputs['reused']).toBe('true');
    expect(world.emulator.counts().creates).toBe(1);
  });

  it('of a failed job has the same range, and pays again even if a newer job covered it', async () => {
    const world = await setUpGraph();
    await night(world, c0, notWaiting);
    const options = on(c1);
    await night(world, c1, notWaiting, options);
    settle(world.emulator.jobs[0], { status: 'failed' });
    await night(world, c2, notWaiting);
    settle(world.emulator.jobs[1], { status: 'completed' });
    expect((await night(world, c1, notWaiting, again(options)))[1]).toBe(short(c0));
    expect((await night(world, c3, notWaiting))[1]).toBe(short(c2));
  });
});
