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
const rerun = (change: Change = {}): Event => toEvent('rerun', change);

type Fault = NonNullable<StepPlan['fault']>;
const fail = (kind: Fault['kind'], from = 0, count: Fault['count'] = 99) => ({
  fault: { kind, from, count },
});
const cancel = (turn: number) => ({ stop: { kind: 'cancel' as const, turn } });
const kill = (turn: number) => ({ stop: { kind: 'kill' as const, turn } });
const release: Change = { reuse: 'release' };
const beside: Change = { ...release, afterMs: 0 };

async function playWorld(
  events: readonly Event[],
  change: Partial<WorldPlan> = {},
): Promise<World> {
  const world = new World({ delaysMs: [5], lagsMs: [0], events: [...events], ...change });
  await world.play();
  return world;
}

/**
 * Plays the events in a world in which each request takes 10 ms. Returns what each step did, how it
 * ended, and what it knows about the record, such as `create: started, settled`.
 */
async function play(events: readonly Event[], change?: Partial<WorldPlan>): Promise<string[]> {
  const world = await playWorld(events, change);
  return world.steps.map(({ sent, state, outcome, tracker }) => {
    const request = sent === undefined ? 'nothing sent' : 'create';
    const end = state === 'killed' ? 'killed' : (outcome?.code ?? outcome?.result);
    return `${request}: ${end}, ${tracker.state.claim.kind}`;
  });
}

it.each<[string, Event[], string[], Partial<WorldPlan>?]>([
  [
    'a re-run after a refusal starts a job',
    [start({ create: 'refused' }), rerun()],
    ['create: bad-request, settled', 'create: started, settled'],
  ],
  [
    'the id is written again after two failures',
    [start({ wait: true, fateAfterMs: 100_000, ...fail('down', 2, 2) })],
    ['create: pull-request-opened, settled'],
  ],
  [
    'a run that ends before it may write the id again tries once more',
    [start(fail('down', 2, 1))],
    ['create: started, settled'],
  ],
  [
    'a run that is canceled before it may write the id again tries once more',
    [start({ wait: true, ...fail('down', 2, 1), ...cancel(11) })],
    ['create: cancelled, settled'],
  ],
  [
    'the run waits until GitHub lists its claim',
    [start()],
    ['create: started, settled'],
    { lagsMs: [60_000] },
  ],
  [
    'a run starts the job if the rival started none',
    [start({ ...release, create: 'refused' }), start(beside)],
    ['create: bad-request, settled', 'create: started, settled'],
  ],
  [
    'a re-run that finds the job after all sends nothing',
    [start(fail('late', 2)), rerun({ afterMs: 200_000 })],
    ['create: started, unsettled', 'nothing sent: pull-request-opened, off'],
  ],
  [
    'a re-run with `release-tag` waits for the job, although the tag has moved',
    [start({ isNamed: true }), toEvent('move', {}), rerun()],
    ['create: started, settled', 'nothing sent: pull-request-opened, off'],
  ],
  [
    'a run that is canceled while it waits for a rival sends nothing',
    [start({ ...release, ...kill(6) }), start({ ...release, ...cancel(9) })],
    ['nothing sent: killed, open', 'nothing sent: cancelled, off'],
  ],
  [
    'a run that waits for a rival names it if GitHub fails meanwhile',
    [start({ ...release, ...kill(6) }), start({ ...release, ...fail('down', 1) })],
    ['nothing sent: killed, open', 'nothing sent: start-unknown, off'],
  ],
])('%s', async (_, events, expected, change) => {
  expect(await play(events, change)).toEqual(expected);
});

it('a list that lags does not take back what a run has seen, so the run claims only once', async () => {
  const events = [start({ ...release, ...kill(8) }), start(beside)];
  const { steps } = await playWorld(events, { lagsMs: [0, 0, 0, 0, 0, 0, 400_000] });
  expect(steps.map(({ claims }) => claims.size)).toEqual([1, 1]);
});

describe('the state names the attempt that may start the job', () => {
  const getRivals = async (...events: Event[]) => {
    const { steps } = await playWorld(events);
    return steps.map(({ tracker }) => tracker.state.rival?.runId);
  };
  const killed = start({ ...release, ...kill(8) });

  it('after a run was canceled while it waited for that one', async () => {
    expect(await getRivals(killed, start({ ...release, ...cancel(4) }))).toEqual([undefined, 1]);
  });

  it('after a run has given up waiting for it', async () => {
    expect(await getRivals(killed, start(release))).toEqual([undefined, 1]);
  });

  it('not once it has started no job, or its id is on record', async () => {
    const refused = start({ ...release, create: 'refused' });
    expect(await getRivals(refused, start(beside))).toEqual([undefined, undefined]);
    expect(await getRivals(start(release), start(beside))).toEqual([undefined, undefined]);
  });
});
