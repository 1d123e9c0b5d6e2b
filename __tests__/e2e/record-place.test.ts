import { describe, expect, it } from 'vitest';
import { type FaultRule, toApiError } from '../github/faults.ts';
import { headSha } from '../harness/action-environment.ts';
import { eventually } from '../helpers/eventually.ts';
import { silence } from '../helpers/faults.ts';
import { acceptJob, readFields, setUpRuns, tagRun } from '../helpers/record.ts';
import type { Script } from '../helpers/scripted-service.ts';

const TAG = 'v1.2.0';

/** Sets up GitHub with faults, and a service, for runs of a release. */
async function setUpReleases(script: Script = {}, faults: readonly FaultRule[] = []) {
  const { service, startRun, statuses } = await setUpRuns(script, { faults });
  return {
    service,
    startRelease: (runId: string, number = 1, inputs = {}) =>
      startRun(tagRun(runId, TAG, headSha, number), { reuse: 'release', ...inputs }),
    /** The states on record, oldest first. */
    readStates: () => readFields(statuses[headSha]).map(({ state }) => state),
  };
}

const write = { path: /\/statuses\//, method: 'POST' } as const;

describe.concurrent('the place of a claim decides', () => {
  it('runs at the same moment start one job, and write once if they lost', async () => {
    const { startRelease, readStates, service } = await setUpReleases();
    const runs = ['77', '78', '79'].map((runId) => startRelease(runId));
    const results = await Promise.all(runs.map(({ ended }) => ended));
    expect(service.creates).toBe(1);
    expect(results.map(({ outputs }) => outputs['job-id'])).toEqual(['job_1', 'job_1', 'job_1']);
    expect(readStates().filter((state) => state === 'job')).toHaveLength(1);
    expect(readStates()).not.toContain('released');
  });

  it('a claim that was refused after it took effect is withdrawn, and blocks nobody', async () => {
    const faults: FaultRule[] = [
      { ...write, calls: [1], fault: 'reset' },
      {
        ...write,
        calls: Array.from({ length: 20 }, (_, index) => index + 2),
        fault: toApiError(403),
      },
    ];
    const { startRelease, readStates, service } = await setUpReleases({}, faults);
    const first = await startRelease('77').ended;
    expect(first.outputs).toMatchObject({ 'error-code': 'record-failed', 'job-id': '' });
    expect(readStates()).toEqual(['starting', 'released']);
    const second = await startRelease('78').ended;
    expect(second.outputs['job-id']).toBe('job_1');
    expect(service.creates).toBe(1);
  });

  it('a killed run blocks its release, its re-run included, until a run with another `reuse`', async () => {
    const { startRelease, service } = await setUpReleases({
      create: [{ fault: silence }, acceptJob(2)],
    });
    const killed = startRelease('77');
    await eventually(() => expect(service.creates).toBe(1), killed);
    await killed.signal('SIGKILL');
    await killed.ended;
    const blocked = [
      [startRelease('78', 1, { 'timeout-minutes': '1' }), '/actions/runs/77/attempts/1'],
      [startRelease('77', 2, { 'timeout-minutes': '1' }), 'Attempt 1 may have'],
    ] as const;
    for (const [run, named] of blocked) {
      const { outputs, annotations } = await run.ended;
      expect(outputs).toMatchObject({ 'error-code': 'start-unknown', 'job-id': '' });
      expect(annotations.errors.join()).toContain(named);
    }
    const other = await startRelease('79', 1, { reuse: 'rerun' }).ended;
    expect(other.outputs).toMatchObject({ 'job-id': 'job_2', reused: 'false' });
    expect(service.creates).toBe(2);
  });
});
