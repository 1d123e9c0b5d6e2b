import { describe, expect, it } from 'vitest';
import { reset } from '../helpers/faults.ts';
import { toWorkflowJob } from '../helpers/github.ts';
import { jobRecord } from '../helpers/job-record.ts';
import { attempt, findRecords, recordOf, setUpRun, tagAttempt } from '../helpers/reuse.ts';
import { type Step, scriptedService } from '../helpers/scripted-service.ts';

const active: Step = { body: jobRecord({ id: 'job_1' }) };
const missing: Step = { status: 404, body: { error: 'no such job' } };

/** Sets up a service that follows a script, and GitHub. The action does not wait. */
async function setUpScene(get: Step[], create: Step[] = [{ body: jobRecord({ id: 'job_2' }) }]) {
  const service = await scriptedService({ get, create });
  const { finish, ...world } = await setUpRun({}, 3);
  const inputs = { 'base-url': service.url, wait: 'false' };
  return {
    ...world,
    service,
    finish: (changes: Record<string, string>, options: Parameters<typeof finish>[1]) =>
      finish({ ...inputs, ...changes }, options),
  };
}

// unit/plan/earlier-job.test.ts shows every other answer of the service.
describe.concurrent('a recorded job', () => {
  it.each<[string, Step[]]>([
    ['only a later look finds it', [missing, active]],
    [
      'only a gateway says that it is missing',
      [...Array<Step>(3).fill({ status: 404, body: '<p>' }), active],
    ],
  ])('is waited for if %s', async (_, get) => {
    const { service, attempts, finish } = await setUpScene(get);
    attempts.push([{ id: 11, name: 'docs', annotations: [recordOf('job_1', { baseUrl: service.url })] }]);
    const result = await finish({}, attempt(2));
    expect(service.creates).toBe(0);
    expect(result.outputs).toMatchObject({ 'job-id': 'job_1', reused: 'true' });
    expect(result.stdout).toContain('waiting for job job_1, which attempt 1 started');
    expect(findRecords(result)).toEqual([expect.stringContaining('[docs-agent-job v1 id job_1 attempt 1 ')]);
  });
});

describe.concurrent('a run that may have started a job', () => {
  it('leaves a record, so a re-run warns that it starts another job', async () => {
    const lost: Step = { fault: reset, madeJob: true };
    const { service, attempts, finish } = await setUpScene([], [lost, { body: jobRecord({ id: 'job_2' }) }]);
    const first = await finish({}, {});
    expect(first.outputs['outcome']).toBe('start-unknown');
    expect(findRecords(first)).toEqual([
      expect.stringMatching(
        /^A job may have been started and may cost credits\. Look for it before you re-run: a re-run starts another one\. \[docs-agent-job v1 unknown fingerprint [0-9a-f]{32}\]$/,
      ),
    ]);

    attempts.push([toWorkflowJob(11, 'docs', first)]);
    const second = await finish({}, attempt(2));
    expect(service.creates).toBe(2);
    expect(second.outputs['job-id']).toBe('job_2');
    expect(second.annotations.warnings).toEqual([
      expect.stringMatching(
        /^Attempt 1 may have started an agent job: its request was sent, but the response was lost\. This attempt does not wait for that job\.\nIf there are two jobs, both cost credits/,
      ),
    ]);
    expect(second.summary).toContain('new job: attempt 1 may have started one, but its response was lost');
  });

  it('keeps another run for the tag from starting a job', async () => {
    const { service, runs, finish } = await setUpScene([active]);
    const record = recordOf(undefined, { baseUrl: service.url, tag: 'v1.0.0' });
    runs['77'] = { headBranch: 'v1.0.0', attempts: [[{ id: 11, name: 'docs', annotations: [record] }]] };
    const result = await finish({ reuse: 'release' }, tagAttempt(1, 'v1.0.0'));
    expect(service.requests).toEqual([]);
    expect(result.outputs).toMatchObject({
      outcome: 'start-unknown',
      'error-code': 'start-unknown',
      'job-id': '',
      reused: 'false',
    });
    expect(result.annotations.errors.join()).toContain(
      'Attempt 1 of another run (https://github.com/acme/widgets/actions/runs/77/attempts/1) tried to start a job, but the response was lost.',
    );
    expect(findRecords(result)).toEqual([]);
  });
});
