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

/**
 * Plays the events in a world in which each request takes 10 ms. Returns what each step did, how it
 * ended, and what it knows about the record, such as `create: started, saved`.
 */
async function play(events: readonly Event[], change: Partial<WorldPlan> = {}): Promise<string[]> {
  const world = new World({
    isOrdered: true,
    delaysMs: [5],
    lagsMs: [0],
    events: [...events],
    ...change,
  });
  await world.play();
  return world.steps.map(({ sent, warnings, state, outcome, tracker }) => {
    const request = sent === undefined ? 'nothing sent' : 'create';
    const end = state === 'killed' ? 'killed' : outcome?.outcome;
    const warned = warnings === 0 ? '' : ', with a warning';
    return `${request}: ${end}, ${tracker.state.claim.kind}${warned}`;
  });
}

describe('runs that share a record', () => {
  it.each<[string, Event[], string[], Partial<WorldPlan>?]>([
    [
      'a re-run after a refusal starts a job without a warning',
      [start({ create: 'refused' }), rerun()],
      ['create: not-started, closed', 'create: started, saved'],
    ],
    [
      'a re-run replaces a missing job, but not with little time',
      [start({ fate: 'gone' }), rerun(), rerun({ timeoutMs: 20_000 })],
      [
        'create: started, saved',
        'create: started, saved, with a warning',
        'nothing sent: pull-request-opened, saved',
      ],
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
      'the id is written again after two failures',
      [start({ wait: true, fateAfterMs: 100_000, ...fail('down', 2, 2) })],
      ['create: pull-request-opened, saved'],
    ],
    [
      'a first attempt warns of a duplicate if the list lags for too long',
      [start(), rerun()],
      ['create: started, saved, with a warning', 'nothing sent: pull-request-opened, saved'],
      { lagsMs: [8_000] },
    ],
    [
      'a canceled run says that it could not release its claim',
      [start({ ...release, ...cancel(4), ...fail('down', 2) })],
      ['nothing sent: cancelled, unreleased'],
    ],
    [
      'a step sends nothing if GitHub fails while a rival may be at work',
      [start(kill(6)), again(fail('down', 4))],
      ['create: killed, open', 'nothing sent: not-started, unavailable'],
    ],
  ])('%s', async (_, events, expected, change) => {
    expect(await play(events, change)).toEqual(expected);
  });
});
