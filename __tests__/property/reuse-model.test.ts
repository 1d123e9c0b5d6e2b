import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { forAll } from './for-all.ts';
import {
  isUsable,
  type Plan,
  type ReadFault,
  type Report,
  readFaults,
  type SimulatedJob,
  type SimulatedRun,
  type Status,
  World,
} from './reuse-model.ts';

const REFUSALS: readonly ReadFault[] = ['forbidden', 'not-found'];

const fault = fc.constantFrom(...(Object.keys(readFaults) as ReadFault[]));

const noFaults = fc.constant<Plan['faults']>({});
const someFaults = fc
  .array(fc.tuple(fc.nat(12), fault), { minLength: 1, maxLength: 4 })
  .map((pairs): Plan['faults'] => Object.fromEntries(pairs));
/** Reads fail alike without a permission, or if the API is down. */
const sameFault = fault.map((kind): Plan['faults'] =>
  Object.fromEntries(Array.from({ length: 60 }, (_, read) => [read, kind])),
);

function planOf(faults: fc.Arbitrary<Plan['faults']>, isCalm = false): fc.Arbitrary<Plan> {
  return fc.record({
    create: isCalm
      ? fc.constant('accepted' as const)
      : fc.constantFrom('accepted', 'accepted', 'accepted', 'lost', 'lost-without-job', 'refused', 'crash'),
    look: isCalm
      ? fc.constantFrom('truth', 'not-found-once', 'young')
      : fc.constantFrom('truth', 'truth', 'error', 'gateway', 'not-found-once', 'young'),
    faults,
    knowsItself: fc.boolean(),
    hasOwnName: fc.boolean(),
    mask: fc.constantFrom('', '', '', '', 'docs', '1', 'job', 'e'),
    killed: isCalm ? fc.constant(false) : fc.constantFrom(false, false, false, false, true),
    finishes: isCalm ? fc.constant(true) : fc.constantFrom(true, true, true, false),
  });
}

const prompts = fc.constantFrom(['A'], ['A'], ['A', 'B'], ['B']);

function eventOf(reuse: fc.Arbitrary<SimulatedRun['reuse']>) {
  const tag = fc.constantFrom('v1.0.0', 'v1.0.0', 'v2.0.0');
  const status = fc.constantFrom<Status>('completed', 'archived', 'failed', 'failed', 'deleted');
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('run'), reuse, tag, prompts }) },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('rerun'), run: fc.nat(2), prompts }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('status'), job: fc.nat(5), status }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('finish') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('forge'), job: fc.nat(9) }) },
  );
}

type Event = ReturnType<typeof eventOf> extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays the events in order, compares each attempt with the decision table, and returns the attempts. */
async function play(events: readonly Event[], plans: readonly Plan[]): Promise<Report[]> {
  const world = new World();
  const reports: Report[] = [];
  const attempt = async (run: SimulatedRun, prompts: readonly string[], number: number): Promise<void> => {
    for (const prompt of prompts) {
      const before = new Map(world.statuses);
      const plan = plans[reports.length % plans.length] as Plan;
      const report = await world.attempt(run, prompt, number, plan);
      expectDecision(report, listUsable(report, before));
      expectExcuse(report);
      expectRecord(report);
      reports.push(report);
    }
  };
  const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length];
  const listJobs = (run: SimulatedRun): SimulatedJob[] => run.attempts.flat();
  const finish = (jobs: readonly SimulatedJob[]): void => {
    for (const job of jobs) if (job.state === 'running') job.state = 'finished';
  };
  for (const event of events) {
    switch (event.kind) {
      case 'run': {
        const tag = event.reuse === 'rerun' ? undefined : event.tag;
        await attempt(world.addRun(event.reuse, tag), event.prompts, 1);
        break;
      }
      case 'rerun': {
        const again = pick(world.runs, event.run);
        if (again === undefined) break;
        // GitHub re-runs a run only after its end.
        finish(listJobs(again));
        again.attempts.push([...(again.attempts.at(-1) ?? [])]);
        await attempt(again, event.prompts, again.attempts.length);
        break;
      }
      case 'status': {
        const create = pick(world.creates, event.job);
        if (create !== undefined) world.statuses.set(create.jobId, event.status);
        break;
      }
      case 'finish':
        finish(world.runs.flatMap(listJobs));
        break;
      case 'forge': {
        const forged = pick(world.runs, event.job);
        const job = forged && pick(listJobs(forged), event.job);
        if (forged && job) world.forge(forged, job);
        break;
      }
    }
  }
  return reports;
}

/** Returns the decision of the table for the records that the attempt could see. */
function expectDecision(report: Report, usable: readonly string[]): void {
  const { run, attempt, outcome, sentCreate, attachedTo, seen, visible, faults, answered, warnings } = report;
  const isSearched = run.reuse === 'release' || (run.reuse === 'rerun' && attempt > 1);
  if (!isSearched) {
    expect([sentCreate, seen, faults, warnings]).toEqual([true, [], [], []]);
    return;
  }
  if (usable.length > 0) {
    expect(sentCreate).toBe(false);
    expect(usable).toContain(attachedTo);
    return;
  }
  expect(attachedTo).toBeUndefined();
  const records = seen.filter(({ isMasked }) => !isMasked).map(({ record }) => record);
  const starts = records.flatMap(({ jobId, startedBy }) => (jobId === undefined ? [] : [startedBy]));
  const open = records.filter(
    ({ jobId, runId, attempt: lost }) =>
      jobId === undefined && !starts.some((start) => start.runId === runId && start.attempt > lost),
  );
  const code = outcome !== 'crashed' && 'code' in outcome ? outcome.code : undefined;
  const failure = outcome !== 'crashed' && 'failure' in outcome ? outcome.failure : undefined;
  if (open.some(({ runId }) => runId !== run.id)) {
    expect({ sentCreate, code }).toEqual({ sentCreate: false, code: 'start-unknown' });
    return;
  }
  if (seen.some(({ isMasked }) => isMasked) || report.atWork.same > 0) expect(sentCreate).toBe(false);
  if (failure === 'run-in-progress') expect(report.atWork.all).toBeGreaterThan(0);
  else if (failure === 'unreadable-record') expect(report.isMaskedNear).toBe(true);
  else if (faults.length > 0) {
    const isRefused = faults.every(({ list, fault: kind }) => REFUSALS.includes(kind) && !answered.has(list));
    const goesOn = isRefused && run.reuse === 'rerun';
    expect(sentCreate).toBe(goesOn);
    if (goesOn) expect(warnings).toEqual([expect.stringContaining('`actions: read`')]);
    else expect({ code, warnings }).toEqual({ code: 'reuse-unknown', warnings: [] });
  } else {
    expect(new Set(seen), 'everything visible was seen').toEqual(new Set(visible));
    expect(sentCreate).toBe(true);
    const [newest] = open;
    expect(warnings).toEqual(
      newest ? [expect.stringContaining(`Attempt ${newest.attempt} may have started`)] : [],
    );
  }
}

/** An attempt must leave a record for later attempts: the id, or that it is unknown. */
function expectRecord({ plan, outcome, sentCreate, attachedTo, notices }: Report): void {
  const recorded = notices.map(({ record }) => record.jobId);
  if (outcome === 'crashed' || (sentCreate && plan.create === 'refused')) {
    expect(recorded).toEqual([]);
  } else if (sentCreate) {
    expect(recorded).toEqual([plan.create === 'accepted' ? expect.stringMatching(/^job-/) : undefined]);
  } else {
    expect(recorded).toEqual(attachedTo === undefined ? [] : [attachedTo]);
  }
}

/** Returns the recorded jobs that an attempt saw and must wait for. */
function listUsable({ plan, seen }: Report, statuses: ReadonlyMap<string, Status>): string[] {
  const ids = seen.flatMap(({ isMasked, record }) => (isMasked ? [] : (record.jobId ?? [])));
  return plan.look === 'error' || plan.look === 'gateway'
    ? ids
    : ids.filter((id) => isUsable(statuses.get(id)));
}

/** A second job may start while one continues only if GitHub shows no record of it, or after a warning. */
function expectExcuse(report: Report): void {
  const { run, sentCreate, alive, warnings } = report;
  if (!sentCreate || run.reuse === 'never') return;
  const inScope = alive.filter((create) => create.run === run || run.reuse === 'release');
  const isRecorded = inScope.filter(({ jobId, holders }) =>
    holders.some(
      ({ state, notices }) => state === 'finished' && notices.some(({ record }) => record.jobId === jobId),
    ),
  );
  if (isRecorded.length > 0) expect(warnings).toHaveLength(1);
}

const anyReuse = fc.constantFrom('rerun' as const, 'release' as const, 'release' as const, 'never' as const);

describe('reuse, for any order of attempts, runs, and failures', () => {
  forAll(
    'follows the decision table',
    [
      fc.array(eventOf(anyReuse), { minLength: 2, maxLength: 12 }),
      fc.array(
        planOf(fc.oneof({ weight: 2, arbitrary: noFaults }, { weight: 2, arbitrary: someFaults }, sameFault)),
        {
          minLength: 1,
          maxLength: 8,
        },
      ),
    ],
    async (events, plans) => {
      await play(events, plans);
    },
  );

  const tag = 'v1.0.0';
  const prompts = ['A'] as const;
  const lossy = planOf(noFaults).map((plan) => ({
    ...plan,
    mask: '',
    look: 'truth' as const,
    killed: false,
  }));
  forAll(
    'follows the decision table for runs at the same time and for unknown starts',
    [fc.nat(1), fc.array(lossy, { minLength: 3, maxLength: 5 })],
    async (job, plans) => {
      const events: Event[] = [
        { kind: 'run', reuse: 'release', tag, prompts },
        { kind: 'run', reuse: 'release', tag, prompts },
        { kind: 'run', reuse: 'never', tag, prompts },
        { kind: 'rerun', run: 0, prompts },
        { kind: 'status', job, status: 'failed' },
        { kind: 'rerun', run: 0, prompts },
        { kind: 'run', reuse: 'release', tag, prompts },
      ];
      await play(events, plans);
    },
  );

  const calmEvent = eventOf(fc.constant('release' as const)).filter(
    (event) => event.kind === 'run' || event.kind === 'rerun' || event.kind === 'finish',
  );
  forAll(
    'pays once for each prompt and tag if no runner, response, or job is lost',
    [
      fc.array(calmEvent, { minLength: 2, maxLength: 12 }),
      fc.array(planOf(fc.oneof(noFaults, someFaults, sameFault), true), { minLength: 1, maxLength: 8 }),
    ],
    async (events, plans) => {
      const reports = await play(events, plans);
      const creates = reports.filter(({ sentCreate }) => sentCreate);
      const fingerprints = new Set(creates.map(({ fingerprint }) => fingerprint));
      expect(creates).toHaveLength(fingerprints.size);
    },
  );
});
