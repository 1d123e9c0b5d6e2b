import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { foldClaims } from '../../src/record/rule.ts';
import type { Entry } from '../../src/record/wire-format.ts';
import { forAll, seed } from '../property/for-all.ts';
import { checkState } from './record-checks.ts';
import { explore, type Participant, type Plan, wander } from './record-orders.ts';

/** Returns a plan for steps such as `rerun 1.1 2.1`: attempt 1 of each of two runs. */
function toPlan(steps: string, faults: number, failures: number): Plan {
  const participants = steps.split(', ').flatMap((part) => {
    const [scope, ...attempts] = part.split(' ') as [Participant['scope'], ...string[]];
    return attempts.map((text): Participant => {
      const [runId = 0, attempt = 0] = text.split('.').map(Number);
      return { scope, runId, attempt };
    });
  });
  return { participants, faults, failures };
}

/** With 1, it takes minutes; with 2, hours. */
const MORE_FAULTS = Number(process.env['RECORD_MORE_FAULTS'] ?? 0);
const TIMEOUT_MS = 60_000 * 60 ** MORE_FAULTS;

const covered = { plans: 0, states: 0, randomOrders: 0 };
afterAll(() => console.log('orders of the record', { seed, faultsAdded: MORE_FAULTS, ...covered }));

it.each([
  ['release 1.1 2.1 3.1', 0, 0],
  ['rerun 1.1 1.1 1.1', 0, 1],
  ['release 1.1 2.1', 1, 1],
  ['rerun 1.1 1.1', 1, 1],
  ['rerun 1.1 1.1 1.2', 1, 0],
  ['rerun 1.1 1.2', 2, 0],
  ['release 1.1 1.2', 1, 1],
  ['release 1.1 2.1 1.2', 1, 0],
  ['release 1.1, rerun 2.1', 1, 1],
  ['release 1.1 2.1, rerun 3.1', 0, 0],
])(
  'the promises hold in every order of requests of %s, with %i faults and %i failures',
  async (steps, faults, failures) => {
    const plan = toPlan(steps, faults + MORE_FAULTS, failures);
    const { problems, states } = await explore(plan, checkState);
    expect(problems).toEqual([]);
    expect(states).toBeGreaterThan(20);
    covered.plans += 1;
    covered.states += states;
  },
  TIMEOUT_MS,
);

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
    covered.randomOrders += 1;
  },
  8,
);

type Fold = NonNullable<Plan['fold']>;
const toStarting: Fold = (entries) =>
  foldClaims(entries).map((one) => (one.state === 'void' ? { ...one, state: 'starting' } : one));
const toReleased: Fold = (entries) =>
  foldClaims(entries).map((claim) => {
    const isOld = entries.some(({ attempt }) => attempt > claim.attempt);
    return claim.state === 'starting' && isOld ? { ...claim, state: 'released' } : claim;
  });
const withoutAfter: Fold = (entries) =>
  foldClaims(entries.map((entry) => ({ ...entry, after: undefined })));
const toLastStart: Fold = (entries) => {
  const getLast = (own: Entry) =>
    entries.findLast(({ nonce, state }) => nonce === own.nonce && state === 'starting');
  return foldClaims(entries.filter((own) => own.state !== 'starting' || own === getLast(own)));
};

it.each<[string, Plan, Fold]>([
  ['no claim is void', toPlan('rerun 1.1 1.1 1.1', 0, 0), toStarting],
  ["an earlier attempt's open claim is released", toPlan('rerun 1.1 1.2', 1, 0), toReleased],
  ['a claim names no earlier job', toPlan('release 1.1 2.1', 0, 1), withoutAfter],
  ['a claim moves to its last "starting"', toPlan('release 1.1 1.2 2.1', 1, 1), toLastStart],
])('the checks find a rule by which %s', async (_, plan, fold) => {
  const { problems } = await explore({ ...plan, fold }, checkState);
  expect(problems.length).toBeGreaterThan(1);
});
