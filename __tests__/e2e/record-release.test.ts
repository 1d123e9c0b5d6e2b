import { describe, expect, it } from 'vitest';
import { type FaultRule, toApiError } from '../github/faults.ts';
import { headSha } from '../harness/action-environment.ts';
import { commits, setUp } from '../helpers/github.ts';
import { setUpRuns, tagRun } from '../helpers/record.ts';

const TAG = 'v1.2.0';
const release = { reuse: 'release', wait: 'false' };
const history = commits(3);
const older = history[0]?.sha ?? '';

/** Sets up a repository whose tag points at a commit. */
const setUpTag = (isAnnotated = false) =>
  setUp({
    commits: history,
    tags: [{ name: TAG, sha: older, isAnnotated }],
    branches: { main: headSha },
  });

describe.concurrent('a run with `reuse: release`', () => {
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
    expect(Object.keys(statuses)).toEqual([older]);
    expect(emulator.counts().creates).toBe(1);
    expect(github.count(/matching-refs/)).toBe(1);
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
    expect(readStates()).toEqual(['starting', 'released']);
    expect((await run(tagRun('78', release))).end).toBe('started job_1');
  });
});
