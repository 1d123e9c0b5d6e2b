import { describe, expect, it } from 'vitest';
import { headSha } from '../../harness/action-environment.ts';
import type { FaultRule } from '../github/faults.ts';
import { eventually } from '../helpers/eventually.ts';
import { silence } from '../helpers/faults.ts';
import { setUp } from '../helpers/github.ts';
import { jobRecord } from '../helpers/job-record.ts';
import { acceptJob, readFields, tagRun } from '../helpers/record.ts';
import { type Script, scriptedService } from '../helpers/scripted-service.ts';

const TAG = 'v1.2.0';

/** Sets up GitHub with faults, and a service, for runs of a release. */
async function setUpRuns(script: Script = {}, faults: readonly FaultRule[] = []) {
  const service = await scriptedService({ create: [acceptJob(1)], ...script });
  const { start, statuses } = await setUp({}, { faults });
  const inputs = { 'base-url': service.url, wait: 'false' };
  const startRelease = (runId: string, number = 1, minutes = '30') =>
    start(
      { ...inputs, reuse: 'release', 'timeout-minutes': minutes },
      tagRun(runId, TAG, headSha, number),
    );
  return {
    service,
    startRelease,
    runRelease: (runId: string, number = 1, minutes = '30') =>
      startRelease(runId, number, minutes).ended,
    /** The states on record, oldest first. */
    readStates: () => readFields(statuses[headSha]).map(({ state }) => state),
  };
}

/** A create request that starts a job, but gets no response. */
const held = { fault: silence };
const write = { path: /\/statuses\//, method: 'POST' } as const;

describe.concurrent('the place of a claim decides', () => {
  it('runs at the same moment start one job, and write once if they lost', async () => {
    const { startRelease, readStates, service } = await setUpRuns();
    const runs = ['77', '78', '79'].map((runId) => startRelease(runId));
    const results = await Promise.all(runs.map(({ ended }) => ended));
    expect(service.creates).toBe(1);
    expect(results.map(({ outputs }) => outputs['job-id'])).toEqual(['job_1', 'job_1', 'job_1']);
    expect(results.flatMap(({ annotations }) => annotations.warnings)).toEqual([]);
    expect(readStates().filter((state) => state === 'job')).toHaveLength(1);
    expect(readStates()).not.toContain('released');
  });

  it('a claim that was refused after it took effect is withdrawn, and blocks nobody', async () => {
    const faults: FaultRule[] = [
      { ...write, calls: [1], fault: { kind: 'lost', isReset: true } },
      { ...write, calls: [2], fault: { kind: 'error', status: 403 } },
    ];
    const { runRelease, readStates, service } = await setUpRuns({}, faults);
    const first = await runRelease('77');
    expect(first.outputs).toMatchObject({ 'error-code': 'reuse-unknown', 'job-id': '' });
    expect(readStates()).toEqual(['starting', 'released']);
    const second = await runRelease('78');
    expect(second.outputs['job-id']).toBe('job_1');
    expect(second.annotations.warnings).toEqual([]);
    expect(service.creates).toBe(1);
  });

  it('the re-run that a blocked run recommends starts the job, with a warning', async () => {
    const { startRelease, runRelease, service } = await setUpRuns({ create: [held, acceptJob(2)] });
    const killed = startRelease('77');
    await eventually(() => expect(service.creates).toBe(1), killed);
    await killed.signal('SIGKILL');
    await killed.ended;
    const blocked = await runRelease('78', 1, '0.1');
    expect(blocked.outputs['error-code']).toBe('start-unknown');
    expect(blocked.annotations.errors.join()).toContain('/actions/runs/77/attempts/1');
    const rerun = await runRelease('77', 2);
    expect(rerun.outputs).toMatchObject({ 'job-id': 'job_2', reused: 'false' });
    expect(rerun.annotations.warnings.join()).toContain('Attempt 1 may have started a job');
    const last = await runRelease('79');
    expect(last.outputs).toMatchObject({ 'job-id': 'job_2', reused: 'true' });
  });

  it('a third attempt still warns of the job that the first one may have started', async () => {
    const { startRelease, runRelease, service } = await setUpRuns({
      create: [held, acceptJob(2), acceptJob(3)],
      get: [{ body: jobRecord({ id: 'job_2', status: 'failed' }) }],
    });
    const killed = startRelease('77');
    await eventually(() => expect(service.creates).toBe(1), killed);
    await killed.signal('SIGKILL');
    await killed.ended;
    expect((await runRelease('77', 2)).outputs['job-id']).toBe('job_2');
    const third = await runRelease('77', 3);
    expect(third.outputs['job-id']).toBe('job_3');
    expect(third.annotations.warnings.join()).toContain('Attempt 1 may have started a job');
  });
});
