import { expect, it } from 'vitest';
import {
  type Event,
  STEP,
  type StepPlan,
  World,
  type WorldPlan,
} from '../../property/record-model.ts';

type Change = Partial<StepPlan & Pick<Event, 'reuse' | 'isNamed' | 'afterMs'>>;

const settings: Readonly<Record<string, Change>> = {
  refused: { create: 'refused' },
  waits: { wait: true },
  active: { fateAfterMs: 100_000 },
  /** Looks at the claims of any run. */
  any: { reuse: 'auto' },
  named: { isNamed: true },
  brief: { timeoutMs: 1_000 },
  /** Without these, an event is five minutes after the one before. */
  beside: { afterMs: 0 },
  soon: { afterMs: 200_000 },
};

/** Returns what a word such as `any`, `kill-8`, or `down-2-1` changes. */
function toChange(word: string): Change {
  const [name = '', from = 0, count = 99] = word.split('-');
  if (name === 'kill' || name === 'cancel') {
    return { stop: { kind: name, turn: Number(from) } };
  }
  if (name === 'down' || name === 'late') {
    return { fault: { kind: name, from: Number(from), count: Number(count) as 99 } };
  }
  if (settings[name] === undefined) {
    throw new Error(`no setting ${name}`);
  }
  return settings[name];
}

/** Plays events such as `start+any+kill-8`, in a world in which each request takes 10 ms. */
async function playWorld(events: readonly string[], change: Partial<WorldPlan>): Promise<World> {
  const plans = events.map((text) => {
    const [kind = '', ...words] = text.split('+');
    const change: Change = Object.assign({}, ...words.map(toChange));
    const { reuse = 'rerun', isNamed = false, afterMs = 300_000, ...step } = change;
    const event = { kind, afterMs, run: 0, reuse, isNamed, prompt: 'Write it' };
    return { ...event, step: { ...STEP, ...step } };
  });
  const world = new World({ delaysMs: [5], lagsMs: [0], ...change, events: plans as Event[] });
  await world.play();
  return world;
}

/** Each event with how its step ended, what it knows of the record, and who may start the job. */
it.each<[string, Partial<WorldPlan>?]>([
  // A re-run after a refusal starts a job.
  ['start+refused bad-request settled, rerun started settled'],
  // The id is written again after two failures.
  ['start+waits+active+down-2-2 pull-request-opened settled'],
  // A run that ends, or is canceled, before it may write the id again tries once more.
  ['start+down-2-1 started settled'],
  ['start+waits+down-2-1+cancel-11 cancelled settled'],
  // The run waits until GitHub lists its claim.
  ['start started settled', { lagsMs: [60_000] }],
  // A run starts the job if the rival started none. Then it is no rival.
  ['start+any+refused bad-request settled, start+any+beside started settled'],
  ['start+any started settled, start+any+beside unsent pull-request-opened off'],
  // A re-run that finds the job after all sends nothing.
  ['start+late-2 started unsettled, rerun+soon unsent pull-request-opened off'],
  // A re-run with `release-tag` waits for the job, although the tag has moved.
  ['start+named started settled, move, rerun unsent pull-request-opened off'],
  // A run that is canceled while it waits for a rival sends nothing.
  ['start+any+kill-6 unsent killed open, start+any+cancel-9 unsent cancelled off rival-1'],
  // A run that waits for a rival names it if GitHub fails meanwhile.
  ['start+any+kill-6 unsent killed open, start+any+down-1 unsent start-unknown off rival-1'],
  // The state names the rival after the run was canceled, or has given up.
  ['start+any+kill-8 killed open, start+any+cancel-4 unsent cancelled off rival-1'],
  ['start+any+kill-8 killed open, start+any unsent start-unknown off rival-1'],
])('a run goes on as it should: %s', async (story, change = {}) => {
  const events = story.split(', ').map((part) => part.replace(/ .*/, ''));
  const { steps } = await playWorld(events, change);
  const ends = steps.map(({ sent, state, outcome, tracker }) => {
    const { claim, rival } = tracker.state;
    const end = state === 'killed' ? state : (outcome?.code ?? outcome?.result);
    const known = `${end} ${claim.kind}${rival === undefined ? '' : ` rival-${rival.runId}`}`;
    return sent === undefined ? `unsent ${known}` : known;
  });
  const shown = events.map((event) => (event === 'move' ? event : `${event} ${ends.shift()}`));
  expect(shown.join(', ')).toBe(story);
});

it('a run without time for another attempt does not wait for it', async () => {
  const { steps } = await playWorld(['start+any+kill-8', 'start+any+brief'], {});
  const { startedAtMs = 0, endedAtMs, outcome } = steps[1] ?? {};
  expect(outcome?.code).toBe('start-unknown');
  expect(endedAtMs).toBeLessThanOrEqual(startedAtMs + 1_000);
});

it('a list that lags takes back nothing that a run has seen, so it claims only once', async () => {
  const events = ['start+any+kill-8', 'start+any+beside'];
  const { steps } = await playWorld(events, { lagsMs: [0, 0, 0, 0, 0, 0, 400_000] });
  expect(steps.map(({ claims }) => claims.size)).toEqual([1, 1]);
});
