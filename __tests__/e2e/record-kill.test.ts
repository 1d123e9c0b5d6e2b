import { describe, expect, it } from 'vitest';
import type { Fault } from '../github/faults.ts';
import { eventually } from '../helpers/eventually.ts';
import { silence } from '../helpers/faults.ts';
import { acceptJob, setUpRuns, tagRun } from '../helpers/record.ts';
import type { Step } from '../helpers/scripted-service.ts';

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

describe.concurrent.each(['rerun', 'auto'])('with `reuse: %s`', (reuse) => {
  it.each(moments)('a run that is killed during %s costs no second job', async (_, at) => {
    const isCreate = !('method' in at);
    const faults = isCreate ? [] : [{ ...at, path: /statuses/, calls: [at.number] }];
    const create = [...(isCreate ? [at] : []), acceptJob(1), acceptJob(2)];
    const { service, startRun, run, github } = await setUpRuns({ create }, { faults });
    const killed = startRun({ ...tagRun('77', { reuse }), timeScale: 0.1 });
    await eventually(() => {
      const count = isCreate ? service.creates : github.count(/statuses/, at.method);
      expect(count).toBe(isCreate ? 1 : at.number);
    });
    await killed.signal('SIGKILL');
    await killed.ended;

    const short = { reuse, 'timeout-minutes': '1' };
    const before = service.jobs;
    const rerun = await run(tagRun('77', short, 2));
    // A re-run never pays while a job may exist, and says so if it stops.
    expect(service.jobs).toBeLessThanOrEqual(1);
    expect(before === 1 ? service.jobs : 1).toBe(1);
    const isStopped = rerun.end === 'start-unknown';
    expect(isStopped || rerun.end.startsWith('started job_')).toBe(true);
    const other = await run(tagRun('78', short));
    const isBlocked = isStopped && reuse === 'auto';
    expect(other.outputs['error-code']).toBe(isBlocked ? 'start-unknown' : '');
    if (reuse === 'auto') {
      // A run with another `reuse` is always a way out.
      const another = await run(tagRun('79', { reuse: 'rerun' }));
      expect(another.outputs['error-code']).toBe('');
    }
  });
});
