import { describe, expect, it } from 'vitest';
import { type FaultRule, toApiError } from '../github/faults.ts';
import type { CommitStatus } from '../github/repository.ts';
import type { ActionOptions } from '../harness/action.ts';
import { headSha } from '../harness/action-environment.ts';
import { eventually } from '../helpers/eventually.ts';
import { commits, repository, setUp, tagPush } from '../helpers/github.ts';
import { jobRecord } from '../helpers/job-record.ts';
import { acceptJob, attempt, getEnd, readFields, setUpRuns, tagRun } from '../helpers/record.ts';
import { createGate } from '../helpers/sockets.ts';

const TAG = 'v1.2.0';
const release = { wait: 'false' };
const history = commits(3);
const older = history[0]?.sha ?? '';

/** Sets up a repository whose tag points at a commit. */
const setUpTag = (isAnnotated = false) =>
  setUp({
    commits: history,
    tags: [{ name: TAG, sha: older, isAnnotated }],
    branches: { main: headSha },
  });

/** The same, and lets the tag move. */
async function setUpMovingTag(sha = older) {
  const tags = [{ name: TAG, sha, isAnnotated: false }];
  const moveTag = (to: string) => tags.splice(0, 1, { name: TAG, sha: to, isAnnotated: false });
  const world = await setUp({ commits: history, tags, branches: { main: headSha } });
  return { ...world, moveTag };
}

describe.concurrent('a run for a release', () => {
  it('waits for the job of another run, event, and workflow file for the tag', async () => {
    const { finish, emulator, github, statuses } = await setUpTag();
    const event = { name: 'release', payload: { release: { tag_name: TAG } } };
    const first = await finish(release, { ...tagRun('77', {}, 1, older), event });
    const env = { GITHUB_WORKFLOW_REF: 'acme/widgets/.github/workflows/site.yml@refs/heads/main' };
    const second = await finish(release, { env: { ...tagRun('78', {}, 1, older).env, ...env } });
    expect(second.outputs).toMatchObject({ 'job-id': first.outputs['job-id'], reused: 'true' });
    const page = 'https://github.com/acme/widgets/actions/runs/77/attempts/1';
    expect(second.stdout).toContain(`of another run (${page})`);
    expect(second.summary).toContain(` of another run (<${page}>) |`);
    expect(emulator.counts().creates).toBe(1);
    expect(Object.keys(statuses)).toEqual([older]);
    // The commit is known, so no tag has to be read.
    expect(github.count(/matching-refs/)).toBe(0);
  });

  it('finds the commit of an annotated `release-tag` on a branch', async () => {
    const { finish, emulator, github, statuses } = await setUpTag(true);
    const first = await finish(release, tagRun('77', {}, 1, older));
    const again = { ...release, 'release-tag': TAG };
    const second = await finish(again, { env: { GITHUB_RUN_ID: '78' } });
    expect(second.outputs).toMatchObject({ 'job-id': first.outputs['job-id'], reused: 'true' });
    // The commit of the second run says where its record is.
    expect(readFields(statuses[headSha])).toMatchObject([{ state: 'elsewhere', commit: older }]);
    expect(emulator.counts().creates).toBe(1);
    expect(github.count(/matching-refs/)).toBe(1);
  });

  it('waits in a re-run for its job, although `release-tag` has moved since', async () => {
    const { finish, emulator, moveTag } = await setUpMovingTag();
    const inputs = { ...release, 'release-tag': TAG };
    const first = await finish(inputs);
    moveTag(history[1]?.sha ?? '');
    const again = await finish(inputs, { env: { GITHUB_RUN_ATTEMPT: '2' } });
    expect(again.outputs).toMatchObject({ 'job-id': first.outputs['job-id'], reused: 'true' });
    expect(emulator.counts().creates).toBe(1);
  });

  it('waits in a re-run for its job on its own commit, although the tag has moved since', async () => {
    const { finish, emulator, moveTag } = await setUpMovingTag(headSha);
    const inputs = { ...release, 'release-tag': TAG };
    const first = await finish(inputs);
    moveTag(older);
    const again = await finish(inputs, { env: { GITHUB_RUN_ATTEMPT: '2' } });
    expect(again.outputs).toMatchObject({ 'job-id': first.outputs['job-id'], reused: 'true' });
    expect(emulator.counts().creates).toBe(1);
  });

  it('follows in a re-run a tag that has moved, if its first attempt started nothing', async () => {
    const { finish, emulator, moveTag } = await setUpMovingTag();
    const inputs = { ...release, 'release-tag': TAG };
    const refused = await finish({ ...inputs, 'api-key': 'mint_emulator_expired_key_0001' });
    expect(getEnd(refused)).toBe('unauthorized');
    // What another run has started there since is not what this one has waited for.
    await finish(release, tagRun('78', {}, 1, older));
    moveTag(headSha);
    const pushed = await finish(release, tagRun('79'));
    for (const number of ['2', '3']) {
      const again = await finish(inputs, { env: { GITHUB_RUN_ATTEMPT: number } });
      expect(again.outputs).toMatchObject({ 'job-id': pushed.outputs['job-id'], reused: 'true' });
    }
    expect(emulator.counts().jobs).toBe(2);
  });

  it('stays in a re-run with a newer job of another run that it has waited for', async () => {
    const { finish, emulator, moveTag } = await setUpMovingTag();
    const inputs = { ...release, 'release-tag': TAG };
    await finish({ ...inputs, 'api-key': 'mint_emulator_expired_key_0001' });
    await finish(release, tagRun('78', {}, 1, older));
    const waits = await finish(inputs, { env: { GITHUB_RUN_ATTEMPT: '2' } });
    moveTag(headSha);
    const again = await finish(inputs, { env: { GITHUB_RUN_ATTEMPT: '3' } });
    expect(again.outputs).toMatchObject({ 'job-id': waits.outputs['job-id'], reused: 'true' });
    expect(emulator.counts().jobs).toBe(1);
  });

  it('follows in a re-run a tag that has moved, if its job has failed', async () => {
    const tags = [{ name: TAG, sha: older, isAnnotated: false }];
    const widgets = repository({ commits: history, tags, branches: { main: headSha } });
    const failed = { body: jobRecord({ id: 'job_1', status: 'failed' }) };
    const repositories = { 'acme/widgets': widgets };
    const { run, service } = await setUpRuns({ get: [failed, {}] }, { repositories });
    const inputs = { 'release-tag': TAG };
    expect((await run({ inputs })).end).toBe('started job_1');
    tags[0] = { name: TAG, sha: headSha, isAnnotated: false };
    expect((await run(tagRun('78'))).end).toBe('started job_2');
    expect((await run(attempt(2, inputs))).end).toBe('started job_2 reused');
    expect(service.jobs).toBe(2);
  });

  it('stays in a re-run on the commit whose job another run had started before', async () => {
    const { finish, emulator, moveTag } = await setUpMovingTag();
    const inputs = { ...release, 'release-tag': TAG };
    await finish(release, tagRun('78', {}, 1, older));
    const first = await finish(inputs);
    moveTag(headSha);
    const again = await finish(inputs, { env: { GITHUB_RUN_ATTEMPT: '2' } });
    expect(first.outputs['job-id']).toBe(again.outputs['job-id']);
    expect(emulator.counts().jobs).toBe(1);
  });

  it('is another one for each `release-tag` of one run', async () => {
    const tags = [TAG, 'v1.3.0', 'v1.4.0'].map((name, index) => {
      return { name, sha: history[index]?.sha ?? '', isAnnotated: false };
    });
    const { finish, emulator } = await setUp({
      commits: history,
      tags,
      branches: { main: headSha },
    });
    for (const { name } of [...tags, ...tags]) {
      await finish({ ...release, 'release-tag': name });
    }
    expect(emulator.counts().creates).toBe(3);
  });

  it('is found on Gitea, too, which has other requests for a tag', async () => {
    const { finish, emulator, github, statuses } = await setUpTag(true);
    const gitea = (id: string, tag = TAG) => {
      const env = { GITEA_ACTIONS: 'true', GITHUB_RUN_ID: id };
      return finish({ ...release, 'release-tag': tag }, { env });
    };
    const first = await finish(release, tagRun('76', {}, 1, older));
    const second = await gitea('77');
    expect(second.outputs).toMatchObject({ 'job-id': first.outputs['job-id'], reused: 'true' });
    expect(Object.keys(statuses)).toEqual([older, headSha]);
    const missing = await gitea('78', 'v9.9.9');
    expect(getEnd(missing)).toBe('invalid-input');
    expect([emulator.counts().creates, github.count(/matching-refs/)]).toEqual([1, 0]);
  });

  it('finds a job of `reuse: rerun` that named the tag', async () => {
    const { finish, emulator } = await setUpTag();
    const first = await finish({ ...release, 'release-tag': TAG, reuse: 'rerun' });
    const second = await finish(release, tagRun('78', {}, 1, older));
    expect(second.outputs).toMatchObject({ 'job-id': first.outputs['job-id'], reused: 'true' });
    expect(emulator.counts().creates).toBe(1);
  });

  it('rejects a `release-tag` that does not exist', async () => {
    const { finish, emulator } = await setUpTag();
    const { outputs, annotations } = await finish({ ...release, 'release-tag': 'v9.9.9' });
    expect(outputs['error-code']).toBe('invalid-input');
    expect(annotations.errors.join()).toContain('the repository has no such tag yet');
    expect(emulator.requests).toEqual([]);
  });

  it('withdraws a claim that was refused after it took effect, which blocks nobody', async () => {
    const write = { path: /\/statuses\// } as const;
    const faults: FaultRule[] = [
      { ...write, calls: [1], fault: 'reset' },
      { ...write, body: /runId=77&.*state=starting/, fault: toApiError(403) },
      // For longer than a refusal is doubted: 12 s for the action, which tries for two minutes.
      { ...write, body: /state=released/, fault: toApiError(403), forMs: 3_000 },
    ];
    const { run, readStates } = await setUpRuns({}, { faults });
    expect((await run(tagRun('77', release))).end).toBe('record-failed');
    // A write without an answer in time is repeated.
    expect([...new Set(readStates())]).toEqual(['starting', 'released']);
    expect((await run(tagRun('78', release))).end).toBe('started job_1');
  });
});

/** Runs for these tags, which were all pushed to one commit. */
const pushes = (...tags: string[]): ActionOptions[] =>
  tags.map((tag, index) => {
    const { env } = tagPush(tag, headSha);
    return { env: { ...env, GITHUB_RUN_ID: `${77 + index}` } };
  });

describe.concurrent('one release', () => {
  it.each<[string, ActionOptions[]]>([
    ['three events', ['77', '78', '79'].map((id) => tagRun(id))],
    ['tags that move', pushes('v1.2.0', 'v1.2', 'v1', 'latest')],
  ])('starts one job for %s, and all wait for it', async (_, runs) => {
    const { startRun, service } = await setUpRuns();
    const inputs = { prompt: 'What is new in v1.2.0, the latest release?' };
    const all = runs.map((run) => startRun({ ...run, inputs }).ended);
    const ends = (await Promise.all(all)).map(getEnd).sort();
    const others = runs.slice(1).map(() => 'started job_1 reused');
    expect(ends).toEqual(['started job_1', ...others]);
    expect(service.creates).toBe(1);
  });

  it('starts one job, although that has failed by the time the others know of it', async () => {
    const gate = createGate();
    const failed = { body: jobRecord({ id: 'job_1', status: 'failed' }) };
    const create = [{ ...acceptJob(1), until: gate.opened }, acceptJob(2)];
    const world = await setUpRuns({ create, get: [failed] });
    const { startRun, run, service, github } = world;
    const wait = { wait: 'true' };
    const first = startRun(tagRun('77', wait));
    await eventually(() => expect(service.creates).toBe(1));
    const others = ['78', '79'].map((id) => startRun(tagRun(id, wait)));
    const reads = github.count(/statuses/, 'GET');
    await eventually(() => expect(github.count(/statuses/, 'GET')).toBeGreaterThan(reads + 3));
    gate.open();
    const results = await Promise.all([first, ...others].map(({ ended }) => ended));
    const reused = 'job-failed job_1 reused';
    expect(results.map(getEnd)).toEqual(['job-failed job_1', reused, reused]);
    expect(service.creates).toBe(1);
    // Whoever starts an hour later starts another one.
    age(world.statuses);
    expect((await run(tagRun('78', {}, 2))).end).toBe('started job_2');
  });

  it('is two for another name or a pre-release, and with `reuse: rerun`', async () => {
    const create = [1, 2, 3, 4].map(acceptJob);
    const { run } = await setUpRuns({ create });
    const ends = [];
    for (const push of pushes('a@1.0.0', 'b@1.0.0', 'a@1.0.0-rc.1')) {
      ends.push((await run(push)).end);
    }
    const rerun = { ...pushes('a@1.0.0')[0], inputs: { reuse: 'rerun' } };
    const another = await run({ ...rerun, env: { ...rerun.env, GITHUB_RUN_ID: '90' } });
    expect([...ends, another.end]).toEqual([1, 2, 3, 4].map((number) => `started job_${number}`));
    // It is what the inputs ask for, so it is told, but no news.
    expect(another.stdout).toContain('has started `job_1` for the same task');
    expect(another.annotations.warnings).toEqual([]);
  });
});

/** Makes the record of the commit more than an hour old. */
function age(statuses: Record<string, CommitStatus[]>): void {
  const created_at = new Date(Date.now() - 61 * 60_000).toISOString();
  statuses[headSha] = (statuses[headSha] ?? []).map((one) => ({ ...one, created_at }));
}

describe.concurrent('what another run did for the same task', () => {
  const push = (id: string, inputs: Record<string, string> = {}): ActionOptions => {
    return { env: { GITHUB_RUN_ID: id }, inputs };
  };

  it('is told in the log, in the summary, and as a warning', async () => {
    const { run, service } = await setUpRuns();
    await run(push('77'));
    const dry = await run(push('78', { 'dry-run': 'true' }));
    const second = await run(push('78'));
    const page = 'https://github.com/acme/widgets/actions/runs/77/attempts/1';
    for (const { stdout, summary } of [dry, second]) {
      expect(stdout).toContain(`another run (${page}) has started \`job_1\` for the same task`);
      expect(summary).toContain(
        `| **Other run** | another run (<${page}>) has started \`job_1\` for the same task |`,
      );
    }
    expect(dry.annotations.warnings.join()).not.toContain('Another run');
    const [warning, ...more] = second.annotations.warnings;
    expect(warning).toContain(`Another run (${page}) has started`);
    expect([second.end, service.creates, more]).toEqual(['started job_2', 2, []]);
  });

  it('is no news after an hour', async () => {
    const { run, statuses } = await setUpRuns();
    await run(push('77'));
    age(statuses);
    const { stdout, annotations } = await run(push('78'));
    expect(stdout).toContain('for the same task');
    expect(annotations.warnings).toEqual([]);
  });

  it('is not told if its job has failed', async () => {
    const get = [{ body: jobRecord({ id: 'job_1', status: 'failed' }) }];
    const { run } = await setUpRuns({ get });
    await run(push('77'));
    const { end, stdout } = await run(push('78'));
    expect([end, stdout.includes('for the same task')]).toEqual(['started job_2', false]);
  });
});

const merged = { pull_request: { merged: false } };
describe.concurrent('an event that takes something back', () => {
  it.each<[string, string, object]>([
    ['release', 'The release was deleted', { action: 'deleted' }],
    ['release', 'The release was unpublished', { action: 'unpublished' }],
    ['release', 'The release was edited', { action: 'edited' }],
    ['pull_request', 'closed without a merge', { action: 'closed', ...merged }],
    ['push', 'The tag or branch was deleted', { deleted: true }],
    ['delete', 'The tag or branch was deleted', { ref: 'v1.2.0' }],
  ])('starts nothing, and reads nothing: %s, %s', async (name, warning, payload) => {
    const { run, service, github } = await setUpRuns();
    const { end, outputs, annotations } = await run({ event: { name, payload } });
    expect([end, outputs['error-code']]).toEqual(['skipped', '']);
    expect(annotations.warnings).toEqual([expect.stringContaining(warning)]);
    expect([service.connections, github.requests]).toEqual([0, []]);
    const waits = { 'job-id': 'job_7', prompt: '' };
    const known = await run({ inputs: waits, event: { name, payload } });
    expect(known.outputs['job-id']).toBe('job_7');
  });
});

it.concurrent('a pushed tag that is gone is refused, unsent', async () => {
  // A list that comes too late proves nothing.
  const { finish, emulator, statuses } = await setUp({ tags: [], commits: history }, {}, 2);
  const inputs = { 'include-changes': 'true' };
  const { outputs, annotations } = await finish(inputs, { env: tagPush(TAG, headSha).env });
  expect(outputs['error-code']).toBe('changes-unknown');
  expect(annotations.errors.join()).toContain('The repository has no tag v1.2.0.');
  expect([emulator.requests, statuses[headSha] ?? []]).toEqual([[], []]);
});
