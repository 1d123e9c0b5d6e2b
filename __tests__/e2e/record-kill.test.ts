import { describe, expect, it } from 'vitest';
import type { Fault, FaultRule } from '../github/faults.ts';
import { headSha } from '../harness/action-environment.ts';
import { eventually } from '../helpers/eventually.ts';
import { silence } from '../helpers/faults.ts';
import { acceptJob, setUpRuns, tagRun } from '../helpers/record.ts';
import type { Step } from '../helpers/scripted-service.ts';

const TAG = 'v1.2.0';
/** A request during which a run is killed: its number, and whether it takes effect. */
type Moment = { readonly method: 'GET' | 'POST'; readonly number: number; readonly fault: Fault };

const moments: [string, Moment | Step][] = [
  ['its claim, which is lost', { method: 'POST', number: 1, fault: 'dropped' }],
  ['its claim, which takes effect', { method: 'POST', number: 1, fault: 'lost' }],
  ['the read of its claim', { method: 'GET', number: 1, fault: 'dropped' }],
  ['the create, which starts a job', { fault: silence }],
  ['the create, which starts none', { fault: silence, madeJob: false }],
  ['the id, which is lost', { method: 'POST', number: 2, fault: 'dropped' }],
  ['the id, which takes effect', { method: 'POST', number: 2, fault: 'lost' }],
];

describe.concurrent.each(['rerun', 'release'])('with `reuse: %s`', (reuse) => {
  it.each(moments)('a run that is killed during %s costs no second job', async (_, at) => {
    const isCreate = !('method' in at);
    const faults: FaultRule[] = isCreate
      ? []
      : [{ path: /statuses/, method: at.method, calls: [at.number], fault: at.fault }];
    const create = [...(isCreate ? [at] : []), acceptJob(1), acceptJob(2)];
    const { service, startRun, github } = await setUpRuns({ create }, { faults });
    const run = (runId: string, attempt = 1, minutes = '30', timeScale = 4) =>
      startRun(
        { ...tagRun(runId, TAG, headSha, attempt), timeScale },
        { reuse, 'timeout-minutes': minutes },
      );

    const killed = run('77', 1, '30', 0.1);
    await eventually(() => {
      if (isCreate) {
        expect(service.creates).toBe(1);
      } else {
        expect(github.count(/statuses/, at.method)).toBe(at.number);
      }
    }, killed);
    await killed.signal('SIGKILL');
    await killed.ended;

    const before = service.jobs;
    const rerun = await run('77', 2, '1').ended;
    // A re-run never pays while a job may exist, and says so if it stops.
    expect(service.jobs).toBeLessThanOrEqual(1);
    expect(before === 1 ? service.jobs : 1).toBe(1);
    const isStopped = rerun.outputs['error-code'] === 'start-unknown';
    expect(isStopped || /^job_/.test(rerun.outputs['job-id'] ?? '')).toBe(true);
    const other = await run('78', 1, '1').ended;
    const isBlocked = isStopped && reuse === 'release';
    expect(other.outputs['error-code']).toBe(isBlocked ? 'start-unknown' : '');
  });
});
