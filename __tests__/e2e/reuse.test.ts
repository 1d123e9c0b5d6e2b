import { describe, expect, it } from 'vitest';
import { matrix, RUN_ID, toWorkflowJob } from '../helpers/github.ts';
import { attempt, failsAtOnce, findRecords, recordOf, runningJob, setUpRun } from '../helpers/reuse.ts';

const firstAttempt = `[attempt 1](https://github.com/acme/widgets/actions/runs/${RUN_ID}/attempts/1)`;

describe.concurrent('the record of a job', () => {
  it('is left once, before the wait, and a re-run waits for the job, which log, outputs, and summary say', async () => {
    const { finish, emulator, attempts, baseUrl } = await setUpRun();
    const first = await finish({ wait: 'false' });
    const jobId = first.outputs['job-id'] ?? '';
    const marker = recordOf(jobId, { baseUrl }).message.replace(/^[^[]*/, '');
    const promise = 'While you rehearse, a re-run costs nothing.';
    expect(findRecords(first)).toEqual([`Started agent job ${jobId}. ${promise} ${marker}`]);
    expect(first.outputs['reused']).toBe('false');

    attempts.push([toWorkflowJob(11, 'docs', first)]);
    const second = await finish({}, attempt(2));
    expect(emulator.counts().creates).toBe(1);
    expect(second.outputs).toMatchObject({
      outcome: 'pull-request-opened',
      'job-id': jobId,
      reused: 'true',
    });
    expect(second.stdout).toContain(`waiting for job ${jobId}, which attempt 1 started`);
    expect(second.summary).toContain(
      `| Reuse | started by ${firstAttempt}; this run did not start another |`,
    );
    expect(second.annotations.warnings).toEqual([]);
    // What an attempt leaves is what it found, so a chain of any length is read like this one.
    expect(findRecords(second)).toEqual([`Waiting for agent job ${jobId}. ${promise} ${marker}`]);
  });

  it('is in the log before the job is final, so that a killed runner leaves it', async () => {
    const { start } = await setUpRun();
    const action = start({ 'project-id': 'endless' });
    await action.waitForLog(/\[docs-agent-job v1 id \S+ attempt 1 fingerprint/);
    action.child.kill('SIGKILL');
    expect((await action.ended).outputs['job-id']).not.toBe('');
  });
});

describe.concurrent('reuse: rerun', () => {
  it('follows a chain of attempts, past those that left no record', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun();
    const kept = earlier();
    // A re-run of failed jobs does not repeat this one.
    for (let id = 100; id < 110; id += 1) attempts.push([kept, { id, name: 'site' }]);
    for (let id = 110; id < 114; id += 1) attempts.push([{ id, name: 'docs', state: 'killed' }]);
    const last = await finish({}, attempt(15));
    expect(last.outputs).toMatchObject({ reused: 'true', outcome: 'pull-request-opened' });
    expect(last.summary).toContain(`started by ${firstAttempt}`);
    expect(emulator.counts().creates).toBe(0);
    expect([10, 9].map((number) => github.count(RegExp(`attempts/${number}/jobs`)))).toEqual([1, 0]);
  });

  it('keeps the jobs of a matrix apart by their prompts', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    const prompts = ['Write in English', 'Write in German', 'Write in Greek'];
    attempts.push(
      prompts.map((prompt, index) => earlier({ id: 20 + index, name: `docs (${prompt})` }, { prompt })),
    );
    const second = await finish({ prompt: 'Write in German' }, attempt(2));
    expect(second.outputs['job-id']).toBe('job_21');
    expect(emulator.counts().creates).toBe(0);
  });

  it('starts a new job if the earlier one failed', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    attempts.push([earlier({}, { projectId: 'failing' })]);
    emulator.setProject(failsAtOnce);
    const second = await finish({ 'project-id': 'failing' }, attempt(2));
    expect(second.summary).toContain('| Reuse | new job: job job\\_11, which attempt 1 started, failed |');
    expect(second.stdout).toContain('no job to wait for: job job_11, which attempt 1 started, failed');
    expect(second.outputs['reused']).toBe('false');
    expect(emulator.counts('failing').creates).toBe(1);
  });

  it('takes nothing from an annotation but an id that the service knows as a job of this project', async () => {
    const { finish, emulator, baseUrl, attempts, earlier } = await setUpRun();
    emulator.addJob('no-change', 'job_of_another_project');
    const first = earlier();
    const own = recordOf('job_11', { baseUrl }).message;
    const forged = ['../x', '..', '%2e%2e', 'a/b', 'job_of_another_project', 'job_unknown'].map((id) =>
      recordOf(id, { baseUrl }),
    );
    const malformed = [own.replace('v1', 'v2'), own.replace('attempt 1', 'attempt ::error::x')].map(
      (message) => ({ title: 'Docs agent: job record', message }),
    );
    attempts.push([
      first,
      {
        id: 12,
        name: 'docs',
        annotations: [...forged, recordOf('job_in_a_warning', { baseUrl, level: 'warning' })],
        startedAt: '2099-01-01T00:00:00Z',
      },
      { id: 13, name: 'docs', annotations: malformed },
    ]);
    const second = await finish({}, attempt(2));
    expect(second.outputs['job-id']).toBe('job_11');
    expect(emulator.counts().creates).toBe(0);
    const paths = emulator.requests.map(({ path }) => path);
    expect(paths).toContain('/v2/agent/quick/job/job_of_another_project');
    expect(paths).not.toContain('/v2/agent/quick/job/job_in_a_warning');
    expect(paths.filter((path) => !/^\/v2\/agent\/quick\/job(?:\/[\w-]+)?$/.test(path))).toEqual([]);
  });

  it('does not look with reuse: never', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun();
    attempts.push([earlier()]);
    const second = await finish({ wait: 'false', reuse: 'never' }, attempt(2));
    expect(github.requests).toEqual([]);
    expect(emulator.counts().creates).toBe(1);
    expect(findRecords(second)[0]).toMatch(/ \[docs-agent-job v1 id \S+ attempt 2 /);
  });

  it.each([
    ['quick', 'wait for job job_11, which attempt 1 started', 'true'],
    ['failing', 'start a new job: job job_11, which attempt 1 started, failed', 'false'],
  ])('looks in a dry run at the job of %s, and says what would happen', async (projectId, would, reused) => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    attempts.push([earlier({}, { projectId })]);
    emulator.setProject(failsAtOnce);
    const second = await finish({ 'dry-run': 'true', 'project-id': projectId }, attempt(2));
    expect(second.outputs).toMatchObject({ outcome: 'dry-run', reused });
    expect(second.stdout).toContain(`a real run would ${would}`);
    expect(second.stdout).toContain('::group::Prompt');
    expect(findRecords(second)).toEqual([]);
    expect(emulator.counts(projectId).creates).toBe(0);
  });

  it('finds the record of a job whose name holds the attempt, beside many others and one that was skipped', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    const { job, inputs } = runningJob(21, 'docs, attempt 2');
    const strangers = matrix(100, 'build', 30, { startedAt: '2099-01-01T00:00:00Z' });
    const skipped = { id: 99, name: 'docs, attempt 2', conclusion: 'skipped' } as const;
    attempts.push(
      [earlier({ name: 'docs, attempt 1' }), skipped, { id: 98, name: 'site / docs' }, ...strangers],
      [job],
    );
    const second = await finish(inputs, attempt(2));
    expect(second.outputs).toMatchObject({ 'job-id': 'job_11', reused: 'true' });
    expect(emulator.counts().creates).toBe(0);
  });
});
