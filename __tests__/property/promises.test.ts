import { afterAll, expect } from 'vitest';
import type { Facts } from '../../src/report/facts.ts';
import { findCost, findRerun, type Rerun } from '../../src/report/money.ts';
import { getJobId } from '../../src/state/run-state.ts';
import { createGitHubContext, createInputs } from '../unit/fixtures.ts';
import { forAll } from './for-all.ts';
import { checkWorld, type Event, type Step, type World, worldPlan } from './record-model.ts';

// What a run says of its cost and of a re-run, compared with what it did and what the next attempt
// does. Both are keys.

/** What the next attempt may do: wait for a job, send a create request, or stop without one. */
type Deed = 'waits' | 'sends' | 'stops';

/** What each key allows. If the job has failed since, `free-unless-failed` also allows to send. */
const PROMISES: Readonly<Record<Rerun, readonly Deed[]>> = {
  free: ['waits', 'stops'],
  'free-unless-failed': ['waits', 'stops'],
  'may-pay': ['waits', 'stops', 'sends'],
  pays: ['waits', 'sends'],
};
/** Until then, a list of statuses may lag behind. */
const SETTLED_AFTER_MS = 30_000;

function getFacts({ tracker, outcome, run, attempt, plan }: Step): Facts {
  return {
    state: tracker.state,
    elapsedMs: tracker.elapsedMs,
    inputs: createInputs({ reuse: run.reuse, wait: plan.wait, dryRun: plan.isDryRun }),
    github: createGitHubContext({ runAttempt: attempt }),
    redact: String,
    ...(outcome === undefined ? {} : { outcome }),
  };
}

/** What a step did. Undefined if it was stopped from outside, or had no GitHub. */
function getDeed({ state, plan, hadTrouble, cancelledAtMs, sent, tracker }: Step) {
  if (state !== 'ended' || plan.isDryRun || hadTrouble || cancelledAtMs !== undefined) {
    return undefined;
  }
  const ifUnsent = tracker.state.earlierJob?.kind === 'found' ? 'waits' : 'stops';
  return sent === undefined ? ifUnsent : 'sends';
}

/** Returns the next attempt, if nothing but its own decision can change what it does. */
function findNext(world: World, own: Step): Step | undefined {
  const [next] = own.run.attempts[own.attempt] ?? [];
  if (next === undefined || next.startedAtMs < own.endedAtMs + SETTLED_AFTER_MS) {
    return undefined;
  }
  const others = world.steps.filter((other) => other !== own && next.counts(other));
  const isLast = others.every(({ endedAtMs }) => endedAtMs <= own.endedAtMs);
  return isLast && next.counts(own) ? next : undefined;
}

/** True if another step may have started a job, or recorded one, that this run couldn't know of. */
function isMisled({ statuses, steps }: World, own: Step, next: Step): boolean {
  const knownUntilMs = own.sent?.atMs ?? own.endedAtMs;
  const hasLaterJob = statuses.some(({ sha, atMs, target_url: link }) => {
    const id = /&jobId=([^&]+)/.exec(link)?.[1];
    const isOther = sha === own.commit && id !== undefined && id !== own.jobId;
    return isOther && atMs >= knownUntilMs && atMs < next.startedAtMs;
  });
  // Their claims may be open on record, whatever this run knows of them.
  const isBlocked = steps.some((other) => {
    const { kind } = other.tracker.state.claim;
    const isOpen = other.state !== 'ended' || kind === 'open' || kind === 'unsettled';
    return other !== own && next.counts(other) && other.claims.size > 0 && isOpen;
  });
  return hasLaterJob || isBlocked;
}

function isKept(own: Step, next: Step, deed: Deed, rerun: Rerun): boolean {
  const jobId = getJobId(own.tracker.state);
  const starter = own.world.steps.find((other) => other.jobId === jobId);
  const hasFailed = starter?.getJobStatus(next.endedAtMs) === 'failed';
  if (deed === 'waits' && jobId !== undefined && getJobId(next.tracker.state) !== jobId) {
    return hasFailed;
  }
  // Only what was not sent, or has failed, may leave it open what a re-run does.
  if (rerun === 'may-pay' && jobId !== undefined && !hasFailed) {
    return false;
  }
  return PROMISES[rerun].includes(deed) || (rerun === 'free-unless-failed' && hasFailed);
}

let comparisons = 0;

function checkRerun(world: World, own: Step): string[] {
  const next = findNext(world, own);
  const deed = next && getDeed(next);
  // A killed run says nothing about re-runs.
  const isSilent = own.state !== 'ended' || own.plan.isDryRun;
  if (next === undefined || deed === undefined || isSilent || isMisled(world, own, next)) {
    return [];
  }
  const rerun = findRerun(getFacts(own));
  comparisons += 1;
  const problem = `${own.name} says "${rerun}", but the next attempt ${deed}`;
  return isKept(own, next, deed, rerun) ? [] : [problem];
}

function checkCost(own: Step): string[] {
  if (own.state !== 'ended') {
    return [];
  }
  const cost = findCost(getFacts(own));
  const mayHaveJob = own.sent !== undefined && own.plan.create !== 'refused';
  const isKnown = own.tracker.state.job !== undefined && own.sent !== undefined;
  const isRight = cost === 'nothing' ? !mayHaveJob : mayHaveJob && (cost === '1 job') === isKnown;
  return isRight ? [] : [`${own.name} says "${cost}"`];
}

/**
 * Any history, after which each run is re-run under good conditions. All steps have the same
 * timeout, as all attempts of a run do.
 */
const tried = worldPlan.map((plan) => {
  const timeoutMs = plan.events[0]?.step.timeoutMs ?? 0;
  const events = plan.events.map((event) => ({ ...event, step: { ...event.step, timeoutMs } }));
  const reruns = events.map((event, run): Event => {
    const step = { ...event.step, stop: undefined, fault: undefined, isDryRun: false };
    return { ...event, kind: 'rerun', afterMs: 3_600_000, run, step };
  });
  return { ...plan, events: [...events, ...reruns] };
});

forAll(
  'a run says what it has cost, and what a re-run does',
  [tried],
  checkWorld((world, own) => [...checkCost(own), ...checkRerun(world, own)]),
  10,
);

afterAll(() => {
  expect(comparisons).toBeGreaterThan(50);
});
