import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldClaims } from '../../src/record/rule.ts';
import { forAll } from './for-all.ts';
import { checkState } from './record-checks.ts';
import { explore, type Participant, type Plan, wander } from './record-orders.ts';

const step = (runId: number, attempt = 1): Participant => ({ scope: 'rerun', runId, attempt });
const release = (runId: number, attempt = 1): Participant => ({
  ...step(runId, attempt),
  scope: 'release',
});

const two = [release(1), release(2)];
const three = [...two, release(3)];
const twoSteps = [step(1), step(1)];
const threeSteps = [...twoSteps, step(1)];
const attempts = [step(1), step(1, 2)];
const mixed = [release(1), step(2)];

/** More faults than in the test run: with 1, it takes minutes; with 2, hours. */
const MORE_FAULTS = Number(process.env['RECORD_MORE_FAULTS'] ?? 0);
const TIMEOUT_MS = 60_000 * 60 ** MORE_FAULTS;

const plan = (participants: readonly Participant[], faults: number, failures: number): Plan => ({
  participants,
  faults,
  failures,
});

describe('the promises hold in every order of requests of', () => {
  it.each<[string, Plan]>([
    ['three runs for a release, without faults', plan(three, 0, 0)],
    ['three steps of a run, and a job that fails', plan(threeSteps, 0, 1)],
    ['two runs for a release, with a fault and a failure', plan(two, 1, 1)],
    ['two steps of a run, with a fault and a failure', plan(twoSteps, 1, 1)],
    ['two steps and a re-run, with a fault', plan([...twoSteps, step(1, 2)], 1, 0)],
    ['two attempts, with two faults', plan(attempts, 2, 0)],
    [
      'two attempts for a release, with a fault and a failure',
      plan([release(1), release(1, 2)], 1, 1),
    ],
    [
      'two attempts beside another run for the release, with a fault',
      plan([...two, release(1, 2)], 1, 0),
    ],
    ['both values of `reuse`, with a fault and a failure', plan(mixed, 1, 1)],
    ['both values of `reuse`, three runs', plan([...two, step(3)], 0, 0)],
  ])(
    '%s',
    async (_, { faults, ...others }) => {
      const { problems, states } = await explore(
        { ...others, faults: faults + MORE_FAULTS },
        checkState,
      );
      expect(problems).toEqual([]);
      expect(states).toBeGreaterThan(20);
    },
    TIMEOUT_MS,
  );
});

const anyone = fc.record({
  scope: fc.constantFrom('rerun', 'release'),
  runId: fc.integer({ min: 1, max: 3 }),
  attempt: fc.integer({ min: 1, max: 2 }),
});

forAll(
  'the promises hold in random orders of up to four participants, with up to three faults',
  [
    fc.array(anyone, { minLength: 2, maxLength: 4 }),
    fc.nat(3),
    fc.nat(2),
    fc.array(fc.nat(1_000), { minLength: 1, maxLength: 60 }),
  ],
  async (anyones, faults, failures, picks) => {
    // All steps of a run have the same inputs.
    const scopes = new Map(anyones.map(({ runId, scope }) => [runId, scope]));
    const participants = anyones.map((one) => ({
      ...one,
      scope: scopes.get(one.runId) ?? one.scope,
    }));
    let turn = 0;
    const pick = (count: number): number => (picks[turn++ % picks.length] ?? 0) % count;
    expect(await wander({ participants, faults, failures }, checkState, pick)).toEqual([]);
  },
  8,
);

describe('the checks find a rule', () => {
  it.each<[string, Plan]>([
    [
      'by which no claim is void',
      {
        ...plan(threeSteps, 0, 0),
        fold: (entries) =>
          foldClaims(entries).map((claim) =>
            claim.state === 'void' ? { ...claim, state: 'starting' } : claim,
          ),
      },
    ],
    [
      "by which an open claim of an earlier attempt is in nobody's way",
      {
        ...plan(attempts, 1, 0),
        fold: (entries) =>
          foldClaims(entries).map((claim) =>
            claim.state === 'starting' && entries.some(({ attempt }) => attempt > claim.attempt)
              ? { ...claim, state: 'released' }
              : claim,
          ),
      },
    ],
    [
      'by which a claim names no earlier job',
      {
        ...plan(two, 0, 1),
        fold: (entries) => foldClaims(entries.map((entry) => ({ ...entry, after: undefined }))),
      },
    ],
    [
      'by which a claim moves to the place of its last "starting"',
      {
        ...plan([release(1), release(1, 2), release(2)], 1, 1),
        fold: (entries) =>
          foldClaims(
            entries.filter(
              ({ nonce, state }, index) =>
                state !== 'starting' ||
                !entries.slice(index + 1).some((one) => one.nonce === nonce && one.state === state),
            ),
          ),
      },
    ],
  ])('%s', async (_, broken) => {
    const { problems } = await explore(broken, checkState);
    expect(problems.length).toBeGreaterThan(1);
  });
});
