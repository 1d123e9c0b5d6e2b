import { describe, expect, it } from 'vitest';
import { type Event, type StepPlan, World, type WorldPlan } from '../../property/record-model.ts';

const plan: StepPlan = {
  create: 'accepted',
  fate: 'completed',
  fateAfterMs: 0,
  wait: false,
  timeoutMs: 1_800_000,
  isDryRun: false,
  stop: undefined,
  fault: undefined,
};
type Change = Partial<StepPlan & Pick<Event, 'reuse' | 'isNamed' | 'afterMs'>>;

/** Returns an event five minutes after the previous event. */
function toEvent(
  kind: Event['kind'],
  { reuse = 'rerun', isNamed = false, afterMs = 300_000, ...step }: Change,
): Event {
  return { kind, afterMs, run: 0, reuse, isNamed, prompt: 'Write it', step: { ...plan, ...step } };
}
const start = (change: Change = {}): Event => toEvent('start', change);
const again = (change: Change = {}): Event => toEvent('again', change);
const rerun = (change: Change = {}): Event => toEvent('rerun', change);

type Fault = NonNullable<StepPlan['fault']>;
const fail = (kind: Fault['kind'], from = 0, count: Fault['count'] = 99) => ({
  fault: { kind, from, count },
});
const cancel = (turn: number) => ({ stop: { kind: 'cancel' as const, turn } });
const kill = (turn: number) => ({ stop: { kind: 'kill' as const, turn } });
const release: Change = { reuse: 'release' };
const beside: Change = { ...release, afterMs: 0 };

/** Plays the events in a world in which each request takes 10 ms. Names the claims in order. */
async function play(events: readonly Event[], change: Partial<WorldPlan> = {}): Promise<string[]> {
  const world = new World({
    isOrdered: true,
    delaysMs: [5],
    lagsMs: [0],
    events: [...events],
    ...change,
  });
  await world.play();
  const claims: string[] = [];
  return world.history.map((line) =>
    line.replace(/claim=(\w+)/, (_, claim) => {
      claims.push(...(claims.includes(claim) ? [] : [claim]));
      return `claim ${'ABCDEFGH'[claims.indexOf(claim)]}`;
    }),
  );
}

describe('runs that share a record', () => {
  it.each<[string, Event[], Partial<WorldPlan>?]>([
    ['a re-run waits for the job', [start(), rerun(), rerun({ wait: true })]],
    ['a step and a re-run after a lost response', [start({ create: 'lost' }), again(), rerun()]],
    ['a re-run after a refusal', [start({ create: 'refused' }), rerun()]],
    ['a re-run of a failed job', [start({ fate: 'failed' }), rerun()]],
    ['a re-run of a missing job', [start({ fate: 'gone' }), rerun(), rerun({ timeoutMs: 20_000 })]],
    [
      'GitHub is down',
      [start(fail('down')), rerun(fail('down')), start({ ...release, ...fail('down') })],
    ],
    [
      'no permission',
      [start(fail('refused')), rerun(fail('refused')), start({ ...release, ...fail('refused') })],
    ],
    ['no permission to write', [rerun(fail('refused', 1))]],
    ['the first write takes effect too late', [start(fail('late', 0, 1)), rerun()]],
    ['writes of the id fail', [start({ wait: true, fateAfterMs: 100_000, ...fail('down', 2, 2) })]],
    ['all writes of the id fail', [start({ wait: true, ...fail('down', 2) })]],
    ['the write of the id is refused', [start(fail('refused', 2)), rerun()]],
    ['a list lags behind', [start()], { lagsMs: [1_000] }],
    ['a list lags behind for too long', [start(), rerun()], { lagsMs: [8_000] }],
    ['two runs for a release at once', [start(release), start(beside)]],
    ['another run starts no job', [start({ ...release, create: 'refused' }), start(beside)]],
    [
      'the release of a claim fails',
      [start({ ...release, create: 'refused' }), start({ ...beside, ...fail('down', 3, 1) })],
    ],
    ['a re-run names a tag', [start({ isNamed: true }), rerun()]],
    ['a named release', [start(release), start({ ...release, isNamed: true })]],
    [
      'another run is stopped',
      [start({ ...release, ...kill(6) }), start({ ...release, afterMs: 1_000 })],
    ],
    [
      'two runs with little time',
      [start({ ...release, ...kill(6) }), start({ ...release, timeoutMs: 20_000 })],
    ],
    ['GitHub fails beside another run', [start(kill(6)), again(fail('down', 4))]],
    ['a re-run after a stopped run', [start(kill(6)), rerun(), rerun()]],
    ['canceled before its claim is listed', [start(cancel(2)), rerun()]],
    [
      'canceled while another run starts the job',
      [start({ ...release, ...kill(6) }), start({ ...release, ...cancel(9) })],
    ],
    ['canceled while it waits', [start({ wait: true, fate: 'active', ...cancel(12) }), rerun()]],
    ['dry runs', [start({ isDryRun: true }), again(), rerun({ isDryRun: true })]],
    ['a dry run beside another step', [start(kill(6)), again({ isDryRun: true })]],
    [
      'a dry run without GitHub',
      [start({ isDryRun: true, ...fail('down') }), rerun({ isDryRun: true, ...fail('refused') })],
    ],
  ])('%s', async (_, events, change) => {
    expect(await play(events, change)).toMatchSnapshot();
  });
});
