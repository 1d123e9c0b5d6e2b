import { afterAll, describe, expect, it, vi } from 'vitest';
import type { ActionResult } from '../helpers/action.ts';
import { closeGitHub, RUN_ID, tagPush, toWorkflowJob } from '../helpers/github.ts';
import { attempt, findRecords, getServiceUrl, jobWith, recordOf, setUpRun } from '../helpers/reuse.ts';

vi.setConfig({ maxConcurrency: 4 });

afterAll(closeGitHub);

const pageOf = (number: number): string =>
  `https://github.com/acme/widgets/actions/runs/${RUN_ID}/attempts/${number}`;

describe.concurrent('the record of a job', () => {
  it('is left once, before the wait: a sentence for people, then the marker', async () => {
    const { finish } = await setUpRun();
    const created = await finish({ wait: 'false' });
    const jobId = created.outputs['job-id'] ?? '';
    expect(findRecords(created)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Started agent job ${jobId}\\. A re-run waits for it; that needs \`actions: read\` and \`checks: read\`\\. ` +
            `\\[docs-agent-job v1 id ${jobId} attempt 1 fingerprint [0-9a-f]{32}\\]$`,
        ),
      ),
    ]);
  });

  it('is not left by an attach, a follow-up, or a dry run', async () => {
    const { finish, emulator } = await setUpRun();
    emulator.addJob('quick', 'job_1');
    const others = [
      await finish({ prompt: '', 'job-id': 'job_1' }),
      await finish({ 'job-id': 'job_1', wait: 'false' }),
      await finish({ 'dry-run': 'true' }),
    ];
    expect(others.flatMap(findRecords)).toEqual([]);
  });

  it('promises nothing with reuse: never', async () => {
    const { finish } = await setUpRun();
    const [record] = findRecords(await finish({ wait: 'false', reuse: 'never' }));
    expect(record).toMatch(/^Started agent job \S+\. \[docs-agent-job v1 id /);
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
  it('waits for the job of the earlier attempt, and says so in log, outputs, and summary', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const first = await finish({ wait: 'false' });
    const jobId = first.outputs['job-id'];
    attempts.push([toWorkflowJob(11, 'docs', first)]);
    const second = await finish({}, attempt(2));
    expect(emulator.counts().creates).toBe(1);
    expect(first.outputs['reused']).toBe('false');
    expect(second.outputs).toMatchObject({
      outcome: 'pull-request-opened',
      'job-id': jobId,
      reused: 'true',
    });
    expect(second.stdout).toContain(`waiting for job ${jobId}, which attempt 1 started`);
    expect(second.summary).toContain(
      `| Reuse | started by [attempt 1](${pageOf(1)}); this run did not start another |`,
    );
    expect(second.annotations.warnings).toEqual([]);
  });

  it('follows a chain of fifteen attempts, and still names the one that started the job', async () => {
    const { finish, emulator, github, attempts } = await setUpRun();
    let last: ActionResult = await finish({ wait: 'false' });
    for (let number = 2; number <= 15; number += 1) {
      attempts.push([toWorkflowJob(number, 'docs', last)]);
      last = await finish({ wait: 'false' }, attempt(number));
    }
    expect(emulator.counts().creates).toBe(1);
    expect(last.summary).toContain(`started by [attempt 1](${pageOf(1)})`);
    expect(findRecords(last)).toEqual([
      expect.stringMatching(/^Waiting for agent job \S+\. .* attempt 1 fin/),
    ]);
    expect(github.count(/attempts\/14\/jobs/)).toBe(1);
    expect(github.count(/attempts\/13\/jobs/)).toBe(1);
  });

  it('looks past attempts that left no record', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    attempts.push([toWorkflowJob(1, 'docs', await finish({ wait: 'false' }))]);
    for (let number = 2; number <= 12; number += 1) {
      attempts.push([{ id: number, name: 'docs', state: 'killed' }]);
    }
    const last = await finish({}, attempt(13));
    expect(last.outputs).toMatchObject({ reused: 'true', outcome: 'pull-request-opened' });
    expect(emulator.counts().creates).toBe(1);
  });

  it('finds the record of a workflow job that a re-run of failed jobs did not repeat', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const kept = toWorkflowJob(11, 'docs', await finish({ wait: 'false' }));
    attempts.push([kept, { id: 12, name: 'site' }], [kept, { id: 13, name: 'site' }]);
    const third = await finish({}, attempt(3));
    expect(third.summary).toContain(`started by [attempt 1](${pageOf(1)})`);
    expect(emulator.counts().creates).toBe(1);
  });

  it('finds it in a reusable workflow, and among jobs of the same name', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const first = await finish({ wait: 'false' });
    attempts.push([
      { id: 10, name: 'release / docs' },
      toWorkflowJob(11, 'release / docs', first),
      { id: 12, name: 'release / docs' },
      { id: 13, name: 'publish / docs' },
    ]);
    const running = { id: 21, name: 'release / docs', state: 'running' } as const;
    attempts.push([running]);
    const second = await finish({ 'check-run-id': '21' }, attempt(2));
    expect(second.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(1);
  });

  it('keeps the jobs of a matrix apart by their prompts', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const prompts = ['Write in English', 'Write in German', 'Write in Greek'];
    const firsts: { prompt: string; result: ActionResult }[] = [];
    for (const prompt of prompts) {
      firsts.push({ prompt, result: await finish({ prompt, wait: 'false' }) });
    }
    attempts.push(
      firsts.map(({ prompt, result }, index) => toWorkflowJob(20 + index, `docs (${prompt})`, result)),
    );
    for (const { prompt, result } of firsts) {
      const again = await finish({ prompt }, attempt(2));
      expect(again.outputs['job-id']).toBe(result.outputs['job-id']);
    }
    const other = await finish({ prompt: 'Write in Welsh' }, attempt(2));
    expect(other.summary).toContain('| Reuse | new job: no earlier job was recorded |');
    expect(emulator.counts().creates).toBe(4);
  });

  it('keeps another project and another tag apart', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    attempts.push([toWorkflowJob(11, 'docs', await finish({ wait: 'false' }))]);
    await finish({ 'project-id': 'no-change' }, attempt(2));
    await finish({}, attempt(2, tagPush('v1.0.0').env));
    expect(emulator.counts().creates).toBe(3);
  });

  it('starts a new job if the earlier one failed or its runner was killed', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const failed = await finish({ 'project-id': 'failing' });
    expect(failed.outputs['outcome']).toBe('failed');
    attempts.push([toWorkflowJob(11, 'docs', failed)]);
    const second = await finish({ 'project-id': 'failing' }, attempt(2));
    expect(second.summary).toContain('| Reuse | new job: the job that attempt 1 started failed |');
    expect(second.stdout).toContain('no job to wait for: the job that attempt 1 started failed');
    expect(second.outputs['reused']).toBe('false');
    expect(emulator.counts('failing').creates).toBe(2);

    attempts[0] = [toWorkflowJob(11, 'docs', failed, { state: 'killed' })];
    const third = await finish({}, attempt(2));
    expect(third.summary).toContain('new job: no earlier job was recorded');
    expect(third.annotations.warnings).toEqual([]);
  });

  it('waits for a job that an older attempt started if the job of a newer one failed', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const first = await finish({ wait: 'false' });
    emulator.addJob('failing', 'job_failed');
    const baseUrl = getServiceUrl(first);
    attempts.push(
      [toWorkflowJob(11, 'docs', first)],
      [jobWith(12, 'docs', recordOf('job_gone', { baseUrl, attempt: 2 }))],
    );
    const third = await finish({}, attempt(3));
    expect(third.outputs).toMatchObject({ 'job-id': first.outputs['job-id'], reused: 'true' });
  });

  it('takes nothing from an annotation but an id that the service knows as a job of this project', async () => {
    const { finish, emulator, attempts } = await setUpRun();
    const first = await finish({ wait: 'false' });
    const baseUrl = getServiceUrl(first);
    emulator.addJob('no-change', 'job_of_another_project');
    const [own] = findRecords(first);
    const forged = ['../x', '..', '%2e%2e', 'a/b', 'job_of_another_project', 'job_unknown'].map((id) =>
      recordOf(id, { baseUrl }),
    );
    const malformed = [
      own?.replace('v1', 'v2'),
      own?.replace(/fingerprint ./, 'fingerprint g'),
      `${own} and more`,
      own?.replace(' attempt', ' run -1 attempt'),
      own?.replace('attempt 1', 'attempt ::error::x'),
    ].map((message = '') => ({ title: 'Docs agent: job record', message }));
    attempts.push([
      toWorkflowJob(11, 'docs', first),
      {
        ...jobWith(12, 'docs', ...forged, recordOf('job_in_a_warning', { baseUrl, level: 'warning' })),
        startedAt: '2099-01-01T00:00:00Z',
      },
      jobWith(13, 'docs', ...malformed),
    ]);
    const second = await finish({}, attempt(2));
    expect(second.outputs['job-id']).toBe(first.outputs['job-id']);
    expect(emulator.counts().creates).toBe(1);
    const paths = emulator.requests.map(({ path }) => path);
    expect(paths).toContain('/v2/agent/quick/job/job_of_another_project');
    expect(paths).not.toContain('/v2/agent/quick/job/job_in_a_warning');
    expect(paths.filter((path) => !/^\/v2\/agent\/quick\/job(?:\/[\w-]+)?$/.test(path))).toEqual([]);
  });

  it('does not look with reuse: never, a job-id, or on a first attempt', async () => {
    const { finish, emulator, github, attempts } = await setUpRun();
    attempts.push([toWorkflowJob(11, 'docs', await finish({ wait: 'false' }))]);
    await finish({ wait: 'false', reuse: 'never' }, attempt(2));
    emulator.addJob('quick', 'job_1');
    await finish({ 'job-id': 'job_1', prompt: '' }, attempt(2));
    expect(github.count(/attempts/)).toBe(0);
    expect(emulator.counts().creates).toBe(2);
  });

  it('says in a dry run what would happen, and asks GitHub alone', async () => {
    const { finish, emulator, github, attempts } = await setUpRun();
    const first = await finish({ wait: 'false' });
    attempts.push([toWorkflowJob(11, 'docs', first)]);
    const requests = emulator.requests.length;
    const second = await finish({ 'dry-run': 'true' }, attempt(2));
    const other = await finish({ 'dry-run': 'true', prompt: 'Another' }, attempt(2));
    expect(second.outputs).toMatchObject({ outcome: 'dry-run' });
    expect(second.stdout).toContain(
      `a real run would wait for job ${first.outputs['job-id']}, which attempt 1 started`,
    );
    expect(second.stdout).toContain('::group::Prompt');
    expect(other.stdout).toContain('no job to wait for: no earlier job was recorded');
    expect(emulator.requests).toHaveLength(requests);
    expect(github.count(/annotations/)).toBe(2);
  });

  it('shows the prompt in a dry run even if a real run would start nothing', async () => {
    const { finish, emulator, github } = await setUpRun();
    github.addFault({ path: /attempts/, fault: { kind: 'error', status: 401 } });
    const result = await finish({ 'dry-run': 'true' }, attempt(2));
    expect(result.outputs).toMatchObject({ outcome: 'dry-run', 'error-code': '' });
    expect(result.stdout).toContain("a real run would start nothing: earlier jobs can't be read");
    expect(result.stdout).toContain('::group::Prompt');
    expect(emulator.requests).toHaveLength(0);
  });
});
