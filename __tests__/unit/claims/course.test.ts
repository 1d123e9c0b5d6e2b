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
 * ended, and what it knows about the record, such as `create: started, saved`.
 */
async function play(events: readonly Event[], change?: Partial<WorldPlan>): Promise<string[]> {
  const world = await playWorld(events, change);
  return world.steps.map(({ sent, warnings, state, outcome, tracker }) => {
    const request = sent === undefined ? 'nothing sent' : 'create';
    const end = state === 'killed' ? 'killed' : outcome?.result;
    const warned = warnings === 0 ? '' : ', with a warning';
    const { claim } = tracker.state;
    const open = claim.kind === 'saved' && claim.leftOpen !== undefined ? ', left open' : '';
    return `${request}: ${end}, ${claim.kind}${open}${warned}`;
  });
}

it.each<[string, Event[], string[], Partial<WorldPlan>?]>([
  [
    'a re-run after a refusal starts a job without a warning',
    [start({ create: 'refused' }), rerun()],
    ['create: not-started, closed', 'create: started, saved'],
  ],
  [
    'without permission, only `reuse: release` sends nothing',
    [start(fail('refused')), rerun(fail('refused')), start({ ...release, ...fail('refused') })],
    [
      'create: started, refused',
      'create: started, refused, with a warning',
      'nothing sent: not-started, refused',
    ],
  ],
  [
    'a re-run waits for a job whose claim was listed too late',
    [start(fail('late', 0, 1)), rerun()],
    ['create: started, saved, with a warning', 'nothing sent: pull-request-opened, saved'],
  ],
  [
    'the id is written again after two failures',
    [start({ wait: true, fateAfterMs: 100_000, ...fail('down', 2, 2) })],
    ['create: pull-request-opened, saved'],
  ],
  [
    'a run that ends before it may write the id again tries once more',
    [start(fail('rate-limited', 2, 1))],
    ['create: started, saved'],
  ],
  [
    'a run that is canceled before it may write the id again tries once more',
    [start({ wait: true, ...fail('rate-limited', 2, 1), ...cancel(11) })],
    ['create: cancelled, saved'],
  ],
  [
    'the job counts even if its id is never written',
    [start({ wait: true, ...fail('down', 2) })],
    ['create: pull-request-opened, unavailable'],
  ],
  [
    'a re-run warns if the id could not be written',
    [start(fail('refused', 2)), rerun()],
    ['create: started, refused', 'create: started, saved, with a warning'],
  ],
  [
    'the run waits until GitHub lists its claim, up to four seconds later',
    [start()],
    ['create: started, saved'],
    { lagsMs: [4_000] },
  ],
  [
    'a first attempt warns of a duplicate if the list lags for too long',
    [start(), rerun()],
    ['create: started, saved, with a warning', 'nothing sent: pull-request-opened, saved'],
    { lagsMs: [8_000] },
  ],
  [
    'two runs for a release start one job',
    [start(release), start(beside)],
    ['create: started, saved', 'nothing sent: pull-request-opened, saved'],
  ],
  [
    'a run starts the job if the rival started none',
    [start({ ...release, create: 'refused' }), start(beside)],
    ['create: not-started, closed', 'create: started, saved'],
  ],
  [
    'a first attempt whose claim was void sends nothing without GitHub',
    [start({ fate: 'failed' }), again(fail('down', 2))],
    ['create: started, saved', 'nothing sent: not-started, left-open'],
  ],
  [
    'a killed run is in the way of other runs until it is re-run',
    [start({ ...release, ...kill(8) }), start(beside), rerun(release), start(release)],
    [
      'create: killed, open',
      'nothing sent: start-unknown, closed',
      'create: started, saved, with a warning',
      'nothing sent: pull-request-opened, saved',
    ],
  ],
  [
    'a killed run is in the way of other runs again once the job of its re-run has failed',
    [start({ ...release, ...kill(8) }), rerun({ fate: 'failed' }), start(release)],
    [
      'create: killed, open',
      'create: started, saved, with a warning',
      'nothing sent: start-unknown, off',
    ],
  ],
  [
    'a re-run that finds the job after all says that it could not withdraw its claim',
    [start(fail('late', 2, 1)), rerun({ afterMs: 25_005, ...fail('refused', 3) })],
    ['create: started, unavailable', 'nothing sent: pull-request-opened, saved, left open'],
  ],
  [
    'a re-run that finds the job after all withdraws its claim',
    [start(fail('late', 2, 1)), rerun({ afterMs: 25_005, ...fail('down', 3, 1) })],
    ['create: started, unavailable', 'nothing sent: pull-request-opened, saved'],
  ],
  [
    'a claim that was refused after a try that took effect is withdrawn',
    [start({ ...release, ...fail('lost-refused', 1, 1) }), start(release)],
    ['nothing sent: not-started, closed', 'create: started, saved'],
  ],
  [
    'a claim that takes effect after its withdrawal is ignored',
    [start({ ...release, ...fail('late', 1, 1) }), start(release)],
    ['nothing sent: not-started, closed', 'create: started, saved'],
  ],
  [
    'a step that claims again waits longer until GitHub lists its claim',
    [start({ fate: 'failed' }), again()],
    ['create: started, saved', 'create: started, saved'],
    { lagsMs: [0, 0, 0, 0, 0, 0, 8_000] },
  ],
  [
    'after an unknown start, a re-run of the run that claimed first starts the job',
    [start({ ...release, create: 'lost-without-job' }), start(beside), rerun(release)],
    [
      'create: start-unknown, closed',
      'nothing sent: start-unknown, closed',
      'create: started, saved, with a warning',
    ],
  ],
  [
    'a canceled run says that it could not withdraw its claim',
    [start({ ...release, ...cancel(4), ...fail('down', 2) })],
    ['nothing sent: cancelled, left-open'],
  ],
  [
    'a re-run with `release-tag` waits for the job',
    [start({ isNamed: true }), rerun()],
    ['create: started, saved', 'nothing sent: pull-request-opened, saved'],
  ],
  [
    'a step sends nothing if GitHub fails while a rival may be at work',
    [start(kill(6)), again(fail('down', 4))],
    ['create: killed, open', 'nothing sent: not-started, unavailable'],
  ],
  [
    'a re-run after a killed run starts a job with a warning, once',
    [start(kill(6)), rerun(), rerun()],
    [
      'create: killed, open',
      'create: started, saved, with a warning',
      'nothing sent: pull-request-opened, saved',
    ],
  ],
  [
    'a run that is canceled while it waits for a rival sends nothing',
    [start({ ...release, ...kill(6) }), start({ ...release, ...cancel(9) })],
    ['nothing sent: killed, open', 'nothing sent: cancelled, off'],
  ],
  [
    'a dry run sends and records nothing',
    [start({ isDryRun: true }), again()],
    ['nothing sent: dry-run, off', 'create: started, saved'],
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
