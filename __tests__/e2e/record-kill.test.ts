import fc from 'fast-check';
import { expect } from 'vitest';
import { headSha } from '../../harness/action-environment.ts';
import type { Fault, FaultRule } from '../github/faults.ts';
import { eventually } from '../helpers/eventually.ts';
import { silence } from '../helpers/faults.ts';
import { setUp } from '../helpers/github.ts';
import { acceptJob, tagRun } from '../helpers/record.ts';
import { type Step, scriptedService } from '../helpers/scripted-service.ts';
import { forAll } from '../property/for-all.ts';

const TAG = 'v1.2.0';
const hang: Fault = { kind: 'dropped' };
const unanswered: Fault = { kind: 'lost', isReset: false };

/** A request during which a run is killed: its number, and whether it takes effect. */
const moment = fc.oneof(
  fc.record({
    method: fc.constantFrom('GET', 'POST'),
    number: fc.integer({ min: 1, max: 2 }),
    fault: fc.constantFrom(hang, unanswered),
  }),
  // The service starts a job or none, and never responds.
  fc.constantFrom<Step>({ fault: silence }, { fault: silence, madeJob: false }),
);

forAll(
  'a run that is killed at any step costs no second job without a warning, and blocks only until its re-run',
  [moment, fc.boolean()],
  async (at, isBlockedFirst) => {
    const isCreate = !('method' in at);
    const faults: FaultRule[] = isCreate
      ? []
      : [{ path: /statuses/, method: at.method, calls: [at.number], fault: at.fault }];
    const create = [...(isCreate ? [at] : []), acceptJob(1), acceptJob(2)];
    const service = await scriptedService({ create });
    const { start, github } = await setUp({}, { faults });
    const run = (runId: string, attempt = 1, minutes = '30') =>
      start(
        {
          'base-url': service.url,
          reuse: 'release',
          wait: 'false',
          'timeout-minutes': minutes,
        },
        tagRun(runId, TAG, headSha, attempt),
      );

    const killed = run('77');
    await eventually(() => {
      if (isCreate) {
        expect(service.creates).toBe(1);
      } else {
        expect(github.count(/statuses/, at.method)).toBe(at.number);
      }
    }, killed);
    await killed.signal('SIGKILL');
    await killed.ended;

    const other = isBlockedFirst ? await run('78', 1, '0.1').ended : undefined;
    const before = service.jobs;
    const rerun = await run('77', 2).ended;
    const isSecond = before > 0 && service.jobs > before;
    expect(rerun.annotations.warnings.length).toBeGreaterThanOrEqual(isSecond ? 1 : 0);
    expect(rerun.outputs['job-id']).toMatch(/^job_/);
    if (other?.outputs['job-id'] === '') {
      expect(other.outputs['error-code']).toBe('start-unknown');
      expect(other.annotations.errors.join()).toContain('/actions/runs/77/attempts/1');
    }
    const last = await run('79').ended;
    expect(last.outputs).toMatchObject({ 'job-id': rerun.outputs['job-id'], reused: 'true' });
  },
  0.06,
);
