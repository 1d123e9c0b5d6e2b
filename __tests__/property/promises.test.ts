import { afterAll, expect } from 'vitest';
import { describeCost } from '../../src/report/cost.ts';
import type { Facts } from '../../src/report/facts.ts';
import { describeRerun } from '../../src/report/rerun.ts';
import { getJobId } from '../../src/state/run-state.ts';
import { toPlainText } from '../../src/text/message.ts';
import { createGitHubContext, createInputs } from '../unit/fixtures.ts';
import { forAll } from './for-all.ts';
import { type Event, type Step, World, worldPlan } from './record-model.ts';

// What a run says of its cost and of a re-run, compared with what it did and what the next attempt
// does.

/** What the next attempt may do: wait for a job, send a create request, or stop without one. */
type Deed = 'waits' | 'sends' | 'stops';

/** What each sentence about a re-run allows. `over`: the job has failed or is gone. */
const PROMISES: readonly (readonly [RegExp, readonly Deed[], (readonly Deed[])?])[] = [
  [/^(?:waits for|reports) this job/, ['waits'], ['sends']],
  [/^starts .* if the service still can't find/, ['sends', 'waits']],
  [/^starts no job, because /, ['waits', 'stops']],
  [
    /^(?:starts|tries to start) .*, unless (?:a commit status names|it can read)/,
    ['sends', 'waits'],
  ],
  [/^(?:starts|tries to start) /, ['sends']],
  [/^may start /, ['sends', 'waits']],
  [/^looks for that job again/, ['waits', 'sends', 'stops']],
  [/^looks for an earlier job, and/, ['waits', 'sends']],
  [/^stops again, unless /, ['stops', 'waits', 'sends']],
  [/^tries to read this job/, ['waits'], ['sends']],
  [/^stops again, as long as /, ['stops', 'waits', 'sends']],
];
const MAY_STOP = /a re-run stops without starting one|It stops if another run may have started one/;
/** Until then, a list of statuses may lag behind. */
const SETTLED_AFTER_MS = 30_000;

function getFacts({ tracker, outcome, run, attempt, plan }: Step): Facts {
  return {
    state: tracker.state,
    inputs: createInputs({ reuse: run.reuse, wait: plan.wait, dryRun: plan.isDryRun }),
    github: createGitHubContext({ runAttempt: attempt }),
    redact: String,
    ...(outcome === undefined ? {} : { outcome }),
  };
}

/** What a step did. Undefined if it was stopped from outside, or had no GitHub. */
function getDeed({ state, plan, hadTrouble, cancelledAtMs, sent, tracker }: Step) {
  const isUsable =
    state === 'ended' && !plan.isDryRun && !hadTrouble && cancelledAtMs === undefined;
  if (!isUsable) {
    return undefined;
  }
  if (sent !== undefined) {
    return 'sends';
  }
  return tracker.state.earlierJob?.kind === 'found' ? 'waits' : 'stops';
}

/** Returns the next attempt, if nothing but its own decision can change what it does. */
function findNext(world: World, own: Step): Step | undefined {
  const [next] = own.run.attempts[own.attempt] ?? [];
  if (next === undefined || next.startedAtMs < own.endedAtMs + SETTLED_AFTER_MS) {
    return undefined;
  }
  const isLast = world.steps.every(
    (other) =>
      other === own || other === next || !next.counts(other) || other.endedAtMs <= own.endedAtMs,
  );
  return isLast && next.counts(own) ? next : undefined;
}

/**
 * True if a job of another step reached the record after this step had sent its request, when it
 * reads the record no more, or after both had ended: no run can know that.
 */
function isMisled({ statuses }: World, own: Step, next: Step): boolean {
  const knownUntilMs = own.sent?.atMs ?? own.endedAtMs;
  return statuses.some(({ sha, atMs, target_url: link }) => {
    const id = /&id=(\S+)$/.exec(link)?.[1];
    const isOther = sha === own.commit && id !== undefined && id !== own.jobId;
    return isOther && atMs >= knownUntilMs && atMs < next.startedAtMs;
  });
}

/** Returns what a step says of a re-run, unless nobody tries it under the same conditions. */
function getPromise(world: World, own: Step, next: Step): string | undefined {
  const isTried = own.state !== 'running' && !own.plan.isDryRun;
  return isTried && !isMisled(world, own, next)
    ? toPlainText(describeRerun(getFacts(own)))
    : undefined;
}

function isKept(world: World, own: Step, next: Step, deed: Deed, text: string): boolean {
  const [, allowed = [], ifOver = []] = PROMISES.find(([pattern]) => pattern.test(text)) ?? [];
  const jobId = getJobId(own.tracker.state);
  const starter = world.steps.find((other) => other.jobId === jobId);
  const isOver = ['failed', 'gone'].includes(starter?.getJobStatus(next.endedAtMs) ?? 'gone');
  const { earlierJob } = next.tracker.state;
  const awaited = earlierJob?.kind === 'found' ? earlierJob.jobId : undefined;
  // Whether a job is gone is a guess, which depends on the time that is left.
  const isGuessed = world.steps.some(
    (other) => other.plan.fate === 'gone' && other.jobId !== undefined && own.counts(other),
  );
  if (deed === 'waits' && isGuessed) {
    return true;
  }
  if (deed === 'waits' && /this job(?! or a newer)/.test(text) && awaited !== jobId) {
    return isOver;
  }
  const isAllowed = allowed.includes(deed) || (isOver && ifOver.includes(deed));
  return isAllowed || (deed === 'stops' && MAY_STOP.test(text));
}

let comparisons = 0;

function checkRerun(world: World, own: Step): string[] {
  const next = findNext(world, own);
  const deed = next && getDeed(next);
  const text = next && getPromise(world, own, next);
  if (next === undefined || deed === undefined || text === undefined) {
    return [];
  }
  comparisons += 1;
  return isKept(world, own, next, deed, text)
    ? []
    : [`${own.name} says "${text}", but the next attempt ${deed}`];
}

function checkCost(own: Step): string[] {
  if (own.state !== 'ended') {
    return [];
  }
  const text = toPlainText(describeCost(getFacts(own)));
  const mayHaveJob = own.sent !== undefined && own.plan.create !== 'refused';
  if (own.tracker.state.job !== undefined && own.sent !== undefined) {
    return text === 'credits for one job.' ? [] : [`${own.name} says "${text}"`];
  }
  const isRight =
    text === 'nothing for this step.'
      ? !mayHaveJob
      : mayHaveJob && (text === 'possibly credits for one job.' || own.jobId !== undefined);
  return isRight ? [] : [`${own.name} says "${text}"`];
}

/**
 * Any history, after which each run is re-run under good conditions. All steps have the same
 * timeout, as all attempts of a run do.
 */
const tried = worldPlan.map((plan) => {
  const timeoutMs = plan.events[0]?.step.timeoutMs ?? 0;
  const events = plan.events.map(
    (event): Event => ({ ...event, step: { ...event.step, timeoutMs } }),
  );
  const reruns = events.map((event, run): Event => {
    const step = { ...event.step, stop: undefined, fault: undefined, isDryRun: false };
    return { ...event, kind: 'rerun', afterMs: 3_600_000, run, step };
  });
  return { ...plan, events: [...events, ...reruns] };
});

forAll(
  'a run says what it has cost, and what a re-run does',
  [tried],
  async (plan) => {
    const world = new World(plan);
    await world.play();
    const problems = world.steps.flatMap((own) => [...checkCost(own), ...checkRerun(world, own)]);
    expect(problems, world.history.join('\n')).toEqual([]);
  },
  10,
);

afterAll(() => {
  expect(comparisons).toBeGreaterThan(50);
});
