import { describe, expect, it } from 'vitest';
import { matrix, RUN_ID, toWorkflowJob } from '../helpers/github.ts';
import { attempt, failsAtOnce, findRecords, recordOf, runningJob, setUpRun } from '../helpers/reuse.ts';

const firstAttempt = `[attempt 1](https://github.com/acme/widgets/actions/runs/${RUN_ID}/attempts/1)`;

describe.concurrent('the record of a job', () => {
  it('lets a re-run wait for the job, and both runs report it', async () => {
    const { finish, emulator, attempts, baseUrl } = await setUpRun();
    const first = await finish({ wait: 'false' });
    const jobId = first.outputs['job-id'] ?? '';
    const marker = recordOf(jobId, { baseUrl }).message.replace(/^[^[]*/, '');
    const promise = 'In a rehearsal, a re-run costs nothing.';
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
    // The second attempt leaves the same record, so a third attempt would find the job, too.
    expect(findRecords(second)).toEqual([`Waiting for agent job ${jobId}. ${promise} ${marker}`]);
  });
});

describe.concurrent('a re-run', () => {
  it('finds the job behind attempts that left no record', async () => {
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

  it('waits for the job with its own prompt in a matrix', async () => {
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

  // unit/plan/job-marker.test.ts shows every other annotation.
  it.each<[string, string, string[]]>([
    ['has a path as its id', '../x', []],
    ['names a job of another project', 'job_of_another_project', ['job_of_another_project']],
  ])('ignores a newer record that %s', async (_title, id, looks) => {
    const { finish, emulator, baseUrl, attempts, earlier } = await setUpRun();
    emulator.addJob('no-change', 'job_of_another_project');
    const annotations = [recordOf(id, { baseUrl })];
    attempts.push([earlier(), { id: 12, name: 'docs', annotations, startedAt: '2099-01-01T00:00:00Z' }]);
    const second = await finish({}, attempt(2));
    expect(second.outputs['job-id']).toBe('job_11');
    expect(emulator.counts().creates).toBe(0);
    const paths = emulator.requests.map(({ path }) => path);
    const ids = [...new Set(paths.map((path) => path.replace('/v2/agent/quick/job/', '')))];
    expect(ids.sort()).toEqual(['job_11', ...looks]);
  });

  it('starts a new job without a search if `reuse` is `never`', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun();
    attempts.push([earlier()]);
    const second = await finish({ wait: 'false', reuse: 'never' }, attempt(2));
    expect(github.requests).toEqual([]);
    expect(emulator.counts().creates).toBe(1);
    expect(findRecords(second)[0]).toMatch(/ \[docs-agent-job v1 id \S+ attempt 2 /);
  });

  it('says in a dry run that a real run would wait for the job', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    attempts.push([earlier()]);
    const second = await finish({ 'dry-run': 'true' }, attempt(2));
    expect(second.outputs).toMatchObject({ outcome: 'dry-run', reused: 'true' });
    expect(second.stdout).toContain('a real run would wait for job job_11, which attempt 1 started');
    expect(second.stdout).toContain('::group::Prompt');
    expect(findRecords(second)).toEqual([]);
    expect(emulator.counts().creates).toBe(0);
  });

  it('says in a dry run that a real run would start a new job after one that failed', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    attempts.push([earlier({}, { projectId: 'failing' })]);
    emulator.setProject(failsAtOnce);
    const inputs = { 'project-id': 'failing', 'dry-run': 'true' };
    const second = await finish(inputs, attempt(2));
    expect(second.outputs).toMatchObject({ outcome: 'dry-run', reused: 'false' });
    expect(second.stdout).toContain('a real run would start a new job: job ');
    expect(emulator.counts('failing').creates).toBe(0);
  });

  it('finds the record of a workflow job whose name includes the attempt, among many others', async () => {
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
