import { describe, expect, it } from 'vitest';
import type { WorkflowRun } from '../../emulator/github/repository.ts';
import type { ActionOptions } from '../../harness/action.ts';
import { tagPush, toWorkflowJob } from '../helpers/github.ts';
import { findRecords, setUpRun, tagAttempt } from '../helpers/reuse.ts';

const release = { reuse: 'release' };
const started = { ...release, wait: 'false' };
const TAG = 'v1.2.0';
const OTHER_RUN = '77';

/** Options for a run of a `release` event. It runs on the tag, as does a push of the tag. */
const releaseEvent: ActionOptions = {
  env: { ...tagPush(TAG).env, GITHUB_RUN_ID: OTHER_RUN, GITHUB_EVENT_NAME: 'release' },
  event: { name: 'release', payload: { release: { tag_name: TAG } } },
};

describe.concurrent('a run with `reuse: release`', () => {
  it('waits for the job of another run for the tag, and so does a third run', async () => {
    const { finish, emulator, runs } = await setUpRun();
    const first = await finish(started, releaseEvent);
    const attempts = [
      [toWorkflowJob(11, 'docs', first)],
      [{ id: 12, name: 'docs', state: 'killed' as const }],
    ];
    runs[OTHER_RUN] = { event: 'release', headBranch: TAG, attempts };
    const second = await finish(release, tagAttempt(1, TAG, '78'));
    const page = `https://github.com/acme/widgets/actions/runs/${OTHER_RUN}/attempts/1`;
    expect(second.outputs).toMatchObject({
      outcome: 'pull-request-opened',
      'job-id': first.outputs['job-id'],
      reused: 'true',
    });
    expect(second.stdout).toContain(`which attempt 1 of another run (${page}) started`);
    const row = `| Reuse | started by [run ${OTHER_RUN}, attempt 1](${page}); this run did not start another |`;
    expect(second.summary).toContain(row);
    expect(findRecords(second)).toEqual([
      expect.stringContaining(` run ${OTHER_RUN} attempt 1 fingerprint `),
    ]);

    runs['78'] = { headBranch: TAG, attempts: [[toWorkflowJob(13, 'docs', second)]] };
    delete runs[OTHER_RUN];
    const third = await finish(started, tagAttempt(1, TAG));
    expect(third.summary).toContain(row);
    expect(emulator.counts().creates).toBe(1);
  });

  it.each<[string, Partial<WorkflowRun>, 'finished' | 'killed', number]>([
    ['for another tag', { headBranch: 'v1.1.0' }, 'finished', 0],
    ['of another workflow file', { file: 'site.yml' }, 'finished', 0],
    [
      'from more than a month ago',
      { createdAt: new Date(Date.now() - 32 * 86_400_000).toISOString() },
      'finished',
      0,
    ],
    ['that lost its runner', {}, 'killed', 1],
  ])('finds no record of a run %s', async (_title, changes, state, reads) => {
    const { finish, emulator, runs, github, earlier } = await setUpRun();
    runs[OTHER_RUN] = { headBranch: TAG, attempts: [[earlier({ state }, { tag: TAG })]], ...changes };
    const second = await finish(started, tagAttempt(1, TAG));
    expect(second.outputs).toMatchObject({ outcome: 'started', reused: 'false' });
    expect(second.summary).toContain('| Reuse | new job: no earlier job was recorded |');
    expect(emulator.counts().creates).toBe(1);
    expect(github.count(/check-runs\/11\//)).toBe(reads);
  });

  it('starts no job while an older run for the tag may still start a job', async () => {
    const { finish, emulator, runs } = await setUpRun();
    runs[OTHER_RUN] = { headBranch: TAG, attempts: [[{ id: 14, name: 'docs', state: 'running' }]] };
    const second = await finish(started, tagAttempt(1, TAG));
    expect(second.outputs).toMatchObject({ outcome: 'not-started', 'error-code': 'reuse-unknown' });
    expect(second.annotations.errors.join()).toContain('run 77 of this workflow is in progress');
    expect(emulator.requests).toEqual([]);
  });

  it('finds a run without a branch behind 30 newer ones on the branch of a dispatch', async () => {
    const { finish, emulator, runs, earlier } = await setUpRun();
    runs['7'] = { headBranch: null, attempts: [[earlier({}, { tag: TAG })]] };
    runs['8'] = { headBranch: TAG, attempts: [[{ id: 12, name: 'docs' }]] };
    for (let id = 100; id < 140; id += 1)
      runs[id] = { headBranch: 'main', attempts: [[{ id, name: 'docs' }]] };
    const env = {
      GITHUB_WORKFLOW_REF: 'acme/widgets/.github/workflows/docs.yml@refs/heads/main',
      GITHUB_REF_NAME: 'main',
    };
    const second = await finish({ ...started, 'release-tag': TAG }, { env });
    expect(second.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
  });

  it('starts no job and says why if it may not read annotations', async () => {
    const { finish, emulator, runs } = await setUpRun({ permissions: ['actions'] });
    runs[OTHER_RUN] = { headBranch: TAG, attempts: [[{ id: 11, name: 'docs' }]] };
    const result = await finish(release, tagAttempt(1, TAG));
    expect(result.outputs).toMatchObject({
      outcome: 'not-started',
      'error-code': 'reuse-unknown',
      'job-id': '',
      reused: 'false',
    });
    const error = result.annotations.errors.join();
    expect(error).toContain("Couldn't check for an earlier job");
    expect(error).toContain('HTTP 403: Resource not accessible by integration');
    expect(error).toContain('Give the workflow job `actions: read` and `checks: read`, and start a new run');
    expect(emulator.requests).toEqual([]);
    expect(findRecords(result)).toEqual([]);
  });
});
