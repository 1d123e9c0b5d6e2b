import { describe, expect, it } from 'vitest';
import { RUN_ID, tagPush, toWorkflowJob } from '../helpers/github.ts';
import { attempt, failsAtOnce, findRecords, jobWith, recordOf, setUpRun } from '../helpers/reuse.ts';

const pageOf = (number: number): string =>
  `https://github.com/acme/widgets/actions/runs/${RUN_ID}/attempts/${number}`;

describe.concurrent('the record of a job', () => {
  it('is left once, before the wait: a sentence for people, then the marker', async () => {
    const { finish, baseUrl } = await setUpRun();
    const created = await finish({ wait: 'false' });
    const jobId = created.outputs['job-id'] ?? '';
    const marker = recordOf(jobId, { baseUrl }).message.replace(/^[^[]*/, '');
    expect(findRecords(created)).toEqual([expect.stringContaining(marker)]);
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
    const { finish, emulator, github, attempts, earlier } = await setUpRun();
    attempts.push([earlier()]);
    const second = await finish({ wait: 'false' }, attempt(2));
    for (let number = 2; number <= 14; number += 1) attempts.push([toWorkflowJob(number, 'docs', second)]);
    const last = await finish({ wait: 'false' }, attempt(15));
    expect(emulator.counts().creates).toBe(0);
    expect(last.summary).toContain(`started by [attempt 1](${pageOf(1)})`);
    // What an attempt leaves is what it found, so a chain of any length is read like this one.
    expect(findRecords(last)).toEqual(findRecords(second));
    expect(findRecords(last)).toEqual([
      expect.stringMatching(/^Waiting for agent job job_11\. .* attempt 1 fin/),
    ]);
    expect(github.count(/attempts\/14\/jobs/)).toBe(1);
    expect(github.count(/attempts\/13\/jobs/)).toBe(0);
  });

  it('looks past attempts that left no record', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    attempts.push([earlier()]);
    for (let number = 2; number <= 12; number += 1) {
      attempts.push([{ id: number, name: 'docs', state: 'killed' }]);
    }
    const last = await finish({}, attempt(13));
    expect(last.outputs).toMatchObject({ reused: 'true', outcome: 'pull-request-opened' });
    expect(emulator.counts().creates).toBe(0);
  });

  it('finds the record of a workflow job that a re-run of failed jobs did not repeat', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    const kept = earlier();
    attempts.push([kept, { id: 12, name: 'site' }], [kept, { id: 13, name: 'site' }]);
    const third = await finish({}, attempt(3));
    expect(third.summary).toContain(`started by [attempt 1](${pageOf(1)})`);
    expect(emulator.counts().creates).toBe(0);
  });

  it('finds it in a reusable workflow, and among jobs of the same name', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    attempts.push([
      { id: 10, name: 'release / docs' },
      earlier({ name: 'release / docs' }),
      { id: 12, name: 'release / docs' },
      { id: 13, name: 'publish / docs' },
    ]);
    const running = { id: 21, name: 'release / docs', state: 'running' } as const;
    attempts.push([running]);
    const second = await finish({ 'check-run-id': '21' }, attempt(2));
    expect(second.outputs['reused']).toBe('true');
    expect(emulator.counts().creates).toBe(0);
  });

  it('keeps the jobs of a matrix apart by their prompts', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    const prompts = ['Write in English', 'Write in German', 'Write in Greek'];
    attempts.push(
      prompts.map((prompt, index) => earlier({ id: 20 + index, name: `docs (${prompt})` }, { prompt })),
    );
    for (const [index, prompt] of prompts.entries()) {
      const again = await finish({ prompt }, attempt(2));
      expect(again.outputs['job-id']).toBe(`job_${20 + index}`);
    }
    const other = await finish({ prompt: 'Write in Welsh' }, attempt(2));
    expect(other.summary).toContain('| Reuse | new job: no earlier job was recorded |');
    expect(emulator.counts().creates).toBe(1);
  });

  it('keeps another project and another tag apart', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    attempts.push([earlier()]);
    await finish({ 'project-id': 'no-change' }, attempt(2));
    await finish({}, attempt(2, tagPush('v1.0.0').env));
    expect(emulator.counts().creates).toBe(2);
  });

  it('starts a new job if the earlier one failed or its runner was killed', async () => {
    const { finish, emulator, attempts, earlier } = await setUpRun();
    const failed = earlier({}, { projectId: 'failing' });
    emulator.setProject(failsAtOnce);
    attempts.push([failed]);
    const second = await finish({ 'project-id': 'failing' }, attempt(2));
    expect(second.summary).toContain('| Reuse | new job: the job that attempt 1 started failed |');
    expect(second.stdout).toContain('no job to wait for: the job that attempt 1 started failed');
    expect(second.outputs['reused']).toBe('false');
    expect(emulator.counts('failing').creates).toBe(1);

    attempts[0] = [earlier({ id: 12, state: 'killed' })];
    const third = await finish({}, attempt(2));
    expect(third.summary).toContain('new job: no earlier job was recorded');
    expect(third.annotations.warnings).toEqual([]);
  });

  it('waits for a job that an older attempt started if the job of a newer one failed', async () => {
    const { finish, baseUrl, attempts, earlier } = await setUpRun();
    attempts.push([earlier()], [jobWith(12, 'docs', recordOf('job_gone', { baseUrl, attempt: 2 }))]);
    const third = await finish({}, attempt(3));
    expect(third.outputs).toMatchObject({ 'job-id': 'job_11', reused: 'true' });
  });

  it('takes nothing from an annotation but an id that the service knows as a job of this project', async () => {
    const { finish, emulator, baseUrl, attempts, earlier } = await setUpRun();
    emulator.addJob('no-change', 'job_of_another_project');
    const first = earlier();
    const own = recordOf('job_11', { baseUrl }).message;
    const forged = ['../x', '..', '%2e%2e', 'a/b', 'job_of_another_project', 'job_unknown'].map((id) =>
      recordOf(id, { baseUrl }),
    );
    const malformed = [
      own.replace('v1', 'v2'),
      own.replace(/fingerprint ./, 'fingerprint g'),
      `${own} and more`,
      own.replace(' attempt', ' run -1 attempt'),
      own.replace('attempt 1', 'attempt ::error::x'),
    ].map((message) => ({ title: 'Docs agent: job record', message }));
    attempts.push([
      first,
      {
        ...jobWith(12, 'docs', ...forged, recordOf('job_in_a_warning', { baseUrl, level: 'warning' })),
        startedAt: '2099-01-01T00:00:00Z',
      },
      jobWith(13, 'docs', ...malformed),
    ]);
    const second = await finish({}, attempt(2));
    expect(second.outputs['job-id']).toBe('job_11');
    expect(emulator.counts().creates).toBe(0);
    const paths = emulator.requests.map(({ path }) => path);
    expect(paths).toContain('/v2/agent/quick/job/job_of_another_project');
    expect(paths).not.toContain('/v2/agent/quick/job/job_in_a_warning');
    expect(paths.filter((path) => !/^\/v2\/agent\/quick\/job(?:\/[\w-]+)?$/.test(path))).toEqual([]);
  });

  it('does not look with reuse: never, a job-id, or on a first attempt', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun();
    await finish({ wait: 'false' });
    attempts.push([earlier()]);
    await finish({ wait: 'false', reuse: 'never' }, attempt(2));
    await finish({ 'job-id': 'job_11', prompt: '' }, attempt(2));
    expect(github.count(/attempts/)).toBe(0);
    expect(emulator.counts().creates).toBe(2);
  });

  it('says in a dry run what would happen, and asks GitHub alone', async () => {
    const { finish, emulator, github, attempts, earlier } = await setUpRun();
    attempts.push([earlier()]);
    const second = await finish({ 'dry-run': 'true' }, attempt(2));
    const other = await finish({ 'dry-run': 'true', prompt: 'Another' }, attempt(2));
    expect(second.outputs).toMatchObject({ outcome: 'dry-run' });
    expect(second.stdout).toContain('a real run would wait for job job_11, which attempt 1 started');
    expect(second.stdout).toContain('::group::Prompt');
    expect(other.stdout).toContain('no job to wait for: no earlier job was recorded');
    expect(emulator.requests).toEqual([]);
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
