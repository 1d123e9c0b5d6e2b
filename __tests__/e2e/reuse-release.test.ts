import { describe, expect, it } from 'vitest';
import type { WorkflowRun } from '../../emulator/github-repository.ts';
import type { ActionOptions } from '../helpers/action.ts';
import { broken, tagPush, toWorkflowJob } from '../helpers/github.ts';
import { attempt, findRecords, jobWith, recordOf, setUpRun, tagAttempt } from '../helpers/reuse.ts';

const release = { reuse: 'release' };
const started = { ...release, wait: 'false' };
const TAG = 'v1.2.0';
const OTHER_RUN = '77';

/** The run of a `release` event for the tag, which runs on the tag as a push of it does. */
const releaseEvent: ActionOptions = {
  env: { ...tagPush(TAG).env, GITHUB_RUN_ID: OTHER_RUN, GITHUB_EVENT_NAME: 'release' },
  event: { name: 'release', payload: { release: { tag_name: TAG } } },
};

function runOf(parts: Partial<WorkflowRun>): WorkflowRun {
  return { headBranch: TAG, attempts: [], ...parts };
}

describe.concurrent('reuse: release', () => {
  it('waits for the job that another run for the tag started, and names and links that run', async () => {
    const { finish, emulator, runs } = await setUpRun();
    const first = await finish(started, releaseEvent);
    runs[OTHER_RUN] = runOf({ event: 'release', attempts: [[toWorkflowJob(11, 'docs', first)]] });
    const second = await finish(release, tagAttempt(1, TAG));
    const page = `https://github.com/acme/widgets/actions/runs/${OTHER_RUN}/attempts/1`;
    expect(emulator.counts().creates).toBe(1);
    expect(second.outputs).toMatchObject({
      outcome: 'pull-request-opened',
      'job-id': first.outputs['job-id'],
      reused: 'true',
    });
    expect(second.stdout).toContain(`which attempt 1 of another run (${page}) started`);
    expect(second.summary).toContain(
      `| Reuse | started by [run ${OTHER_RUN}, attempt 1](${page}); this run did not start another |`,
    );
    expect(findRecords(second)).toEqual([
      expect.stringContaining(` run ${OTHER_RUN} attempt 1 fingerprint `),
    ]);
  });

  it('still names that run when a third one finds the record of the second', async () => {
    const { finish, emulator, runs, earlier } = await setUpRun();
    runs[OTHER_RUN] = runOf({ attempts: [[earlier({}, { tag: TAG })]] });
    const second = await finish(started, tagAttempt(1, TAG, '78'));
    runs['78'] = runOf({ attempts: [[toWorkflowJob(12, 'docs', second)]] });
    delete runs[OTHER_RUN];
    const third = await finish(release, tagAttempt(1, TAG));
    expect(emulator.counts().creates).toBe(0);
    expect(third.summary).toContain(`started by [run ${OTHER_RUN}, attempt 1](`);
  });

  it('finds its own earlier attempt before other runs', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun();
    attempts.push([earlier({}, { tag: TAG })]);
    const second = await finish(release, tagAttempt(2, TAG));
    expect(second.outputs['reused']).toBe('true');
    expect(second.stdout).toContain('which attempt 1 started');
    expect(github.count(/workflows/)).toBe(0);
    expect(emulator.counts().creates).toBe(0);
  });

  it('finds a record in any attempt of another run', async () => {
    const { finish, emulator, runs, earlier } = await setUpRun();
    runs[OTHER_RUN] = runOf({
      attempts: [
        [{ id: 10, name: 'docs', state: 'killed' }],
        [earlier({}, { tag: TAG })],
        [{ id: 12, name: 'docs', conclusion: 'cancelled' }],
      ],
    });
    const second = await finish(release, tagAttempt(1, TAG));
    expect(second.outputs).toMatchObject({ 'job-id': 'job_11', reused: 'true' });
    expect(emulator.counts().creates).toBe(0);
  });

  it.each<[string, Partial<WorkflowRun>]>([
    ['another tag', { headBranch: 'v1.1.0' }],
    ['another workflow file', { file: 'site.yml' }],
    ['a time more than 30 days ago', { createdAt: new Date(Date.now() - 32 * 86_400_000).toISOString() }],
  ])('does not look at runs of %s', async (_, parts) => {
    const { finish, emulator, runs, github, earlier } = await setUpRun();
    runs[OTHER_RUN] = runOf({ attempts: [[earlier({}, { tag: TAG })]], ...parts });
    const second = await finish(started, tagAttempt(1, TAG));
    expect(second.outputs).toMatchObject({ outcome: 'started', reused: 'false' });
    expect(second.summary).toContain('| Reuse | new job: no earlier job was recorded |');
    expect(emulator.counts().creates).toBe(1);
    expect(github.count(/check-runs\/11\//)).toBe(0);
  });

  it('does not see the record of a run that goes on, or whose runner was killed', async () => {
    const { finish, emulator, runs, earlier } = await setUpRun();
    runs[OTHER_RUN] = runOf({ attempts: [[earlier({ id: 11, state: 'running' }, { tag: TAG })]] });
    runs['78'] = runOf({ attempts: [[earlier({ id: 12, state: 'killed' }, { tag: TAG })]] });
    const second = await finish(started, tagAttempt(1, TAG));
    expect(second.summary).toContain('new job: no earlier job was recorded');
    expect(emulator.counts().creates).toBe(1);
  });

  it('looks at the newest 30 runs', async () => {
    const { finish, emulator, runs, github, earlier } = await setUpRun();
    const createdAt = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
    for (let index = 0; index < 32; index += 1) {
      runs[`${1000 + index}`] = runOf({
        createdAt: createdAt(10 + index),
        attempts: [[{ id: 100 + index, name: 'docs' }]],
      });
    }
    const attempts = [[earlier({}, { tag: TAG })]];
    runs['2000'] = runOf({ createdAt: createdAt(35), attempts });
    const second = await finish(started, tagAttempt(1, TAG));
    expect(second.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
    runs['2000'] = runOf({ createdAt: createdAt(60), attempts });
    const before = github.count(/attempts/);
    const third = await finish(started, tagAttempt(1, TAG));
    expect(third.outputs['reused']).toBe('false');
    expect(github.count(/attempts/) - before).toBe(30);
  });

  it('finds a run that was dispatched on a branch for the same release-tag', async () => {
    const { finish, emulator, runs, attempts } = await setUpRun();
    attempts.push([{ id: 10, name: 'docs', state: 'running' }]);
    const env = { GITHUB_WORKFLOW_REF: 'acme/widgets/.github/workflows/docs.yml@refs/heads/main' };
    const inputs = { ...started, 'release-tag': TAG };
    const first = await finish(inputs, { env: { ...env, GITHUB_RUN_ID: OTHER_RUN } });
    runs[OTHER_RUN] = runOf({ headBranch: 'main', attempts: [[toWorkflowJob(11, 'docs', first)]] });
    const second = await finish(inputs, { env });
    const other = await finish({ ...inputs, 'release-tag': 'v1.3.0' }, { env });
    expect(second.outputs['reused']).toBe('true');
    expect(other.outputs['reused']).toBe('false');
    expect(emulator.counts().creates).toBe(2);
  });

  it('needs a tag', async () => {
    const { finish, emulator, github } = await setUpRun();
    const result = await finish(release);
    expect(result.outputs).toMatchObject({ outcome: 'not-started', 'error-code': 'invalid-input' });
    expect(result.annotations.errors.join()).toContain('`reuse: release` needs a tag');
    expect([...emulator.requests, ...github.requests]).toEqual([]);
  });

  it('says in a dry run what would happen', async () => {
    const { finish, emulator, runs, earlier } = await setUpRun();
    runs[OTHER_RUN] = runOf({ attempts: [[earlier({}, { tag: TAG })]] });
    const second = await finish({ ...release, 'dry-run': 'true' }, tagAttempt(1, TAG));
    expect(second.outputs['outcome']).toBe('dry-run');
    expect(second.stdout).toMatch(/a real run would wait for job \S+, which attempt 1 of another run \(/);
    expect(emulator.requests).toEqual([]);
  });
});

describe.concurrent('reuse: release where records cannot be read', () => {
  const needs = '`actions: read` and `checks: read`';

  it.each<[string, Parameters<typeof setUpRun>[0], RegExp, string]>([
    [
      'no permission for runs',
      { permissions: ['checks'] },
      /HTTP 403: Resource not accessible by integration/,
      needs,
    ],
    [
      'no permission for annotations',
      { permissions: ['actions'] },
      /HTTP 403: Resource not accessible by integration/,
      needs,
    ],
    ['an API without runs', broken({ kind: 'error', status: 404 }), /HTTP 404: Not Found/, needs],
    [
      'an API that fails',
      broken({ kind: 'error', status: 502 }),
      /HTTP 502: Server Error/,
      'Run this again later.',
    ],
    [
      'a rate limit',
      broken({ kind: 'primary-rate-limit', resetInSeconds: 900 }),
      /HTTP 403: rate limit exceeded/,
      'Run this again later.',
    ],
    [
      'a token that is not valid',
      broken({ kind: 'error', status: 401 }),
      /HTTP 401: Bad credentials/,
      'Check `github-token`.',
    ],
  ])('starts nothing: %s', async (_, api, detail, remedy) => {
    const { finish, emulator, runs } = await setUpRun(api);
    runs[OTHER_RUN] = runOf({ attempts: [[{ id: 11, name: 'docs' }]] });
    const result = await finish(release, tagAttempt(1, TAG));
    expect(result.outputs).toMatchObject({
      outcome: 'not-started',
      'error-code': 'reuse-unknown',
      'job-id': '',
      reused: 'false',
    });
    const error = result.annotations.errors.join();
    expect(error).toContain("Couldn't find out whether a job was started before");
    expect(error).toMatch(detail);
    expect(error).toContain(remedy);
    expect(error.includes(needs)).toBe(remedy === needs);
    expect(emulator.requests).toEqual([]);
    expect(findRecords(result)).toEqual([]);
  });

  it('starts nothing without a token, a run, or a workflow file, and names no permission', async () => {
    const { finish, emulator, github } = await setUpRun();
    const tokenless = await finish({ ...release, 'github-token': '' }, tagAttempt(1, TAG));
    const nowhere = await finish(release, attempt(1, { ...tagPush(TAG).env, GITHUB_RUN_ID: '' }));
    const old = await finish(release, attempt(1, { ...tagPush(TAG).env, GITHUB_WORKFLOW_REF: '' }));
    expect(tokenless.annotations.errors.join()).toContain("'github-token' is empty");
    expect(nowhere.annotations.errors.join()).toContain('GITHUB_RUN_ID is not set');
    expect(old.annotations.errors.join()).toContain('GITHUB_WORKFLOW_REF is not set');
    for (const { outputs, annotations } of [tokenless, nowhere, old]) {
      expect(outputs['error-code']).toBe('reuse-unknown');
      expect(annotations.errors.join()).not.toContain('actions: read');
    }
    expect([...emulator.requests, ...github.requests]).toEqual([]);
  });

  it('still waits for a job that it found', async () => {
    const { finish, emulator, github, runs, earlier } = await setUpRun();
    runs[OTHER_RUN] = runOf({ attempts: [[earlier({}, { tag: TAG }), { id: 12, name: 'docs' }]] });
    runs['90'] = runOf({ createdAt: new Date().toISOString(), attempts: [[{ id: 13, name: 'docs' }]] });
    github.addFault({ path: /check-runs\/12\//, fault: { kind: 'error', status: 404 } });
    github.addFault({ path: /runs\/90\/attempts/, fault: { kind: 'error', status: 502 } });
    const second = await finish(release, tagAttempt(1, TAG));
    expect(second.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
  });

  it('goes on after an own attempt whose start stayed unknown, but only if the other runs can be read', async () => {
    const { finish, emulator, github, baseUrl, attempts } = await setUpRun({}, { headBranch: TAG });
    attempts.push([jobWith(11, 'docs', recordOf(undefined, { baseUrl, tag: TAG }))]);
    const second = await finish(started, tagAttempt(2, TAG));
    expect(second.annotations.warnings.join()).toContain('Attempt 1 may have started an agent job');
    expect(emulator.counts().creates).toBe(1);
    github.addFault({ path: /workflows/, fault: { kind: 'error', status: 503 } });
    const third = await finish(started, tagAttempt(2, TAG));
    expect(third.outputs['error-code']).toBe('reuse-unknown');
    expect(emulator.counts().creates).toBe(1);
  });
});
