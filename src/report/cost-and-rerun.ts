import { isFinalStatus } from '../service/job.ts';
import { getEffect } from '../state/outcome.ts';
import { type Facts, isFollowUp, isNamed, isRehearsal } from './facts.ts';
import { findRefusal, REFUSALS } from './refusals.ts';

// What a step has cost, and what a re-run of its workflow job does. Both are keys, and a property
// compares them with what the service and the next attempt do.

/** What a step has cost. */
export const COSTS = {
  nothing: 'nothing',
  job: '1 job',
  'maybe-job': 'maybe 1 job',
  'follow-up': '1 follow-up',
  'maybe-follow-up': 'maybe 1 follow-up',
} as const;
export type Cost = keyof typeof COSTS;

/** What a re-run does. It never pays while a job for the same task may exist. */
export const RERUNS = {
  shows: 'shows this job again, free',
  waits: 'keeps waiting, free',
  continues: 'continues with this job; if it failed, starts a paid one',
  pays: 'starts a new paid job',
  tries: 'tries again, paid if it works',
  blocked: 'stops with an error, free',
  depends: 'may wait, stop, or pay',
  stops: 'stops again until fixed, free',
  fixed: 'stops again, free; once fixed, paid if it sends the prompt',
  'follow-up': 'sends the follow-up again, paid',
  compares: 'checks again, paid only if it sends the prompt',
  'dry-run': 'repeats the dry run, free',
} as const;
export type Rerun = keyof typeof RERUNS;

/** Returns what the step has cost. */
export function findCost(facts: Facts): Cost {
  const effect = getEffect(facts.state, facts.outcome);
  if (effect === 'none' || isRehearsal(facts) || facts.inputs?.dryRun) {
    return 'nothing';
  }
  const kind = isFollowUp(facts) ? 'follow-up' : 'job';
  return effect === 'certain' ? kind : `maybe-${kind}`;
}

/** Returns what a re-run does, as far as this run can know. */
export function findRerun(facts: Facts): Rerun {
  const { state, outcome, inputs } = facts;
  if (outcome?.code === 'invalid-input') {
    return findUnsent(facts);
  }
  if (inputs?.dryRun) {
    return 'dry-run';
  }
  // Unless the mark that a skipped run needs couldn't be written.
  if (state.skip !== undefined && outcome?.result !== 'not-started') {
    return 'compares';
  }
  if (isFollowUp(facts)) {
    return getEffect(state, outcome) === 'none' ? findUnsent(facts) : 'follow-up';
  }
  return isNamed(facts) ? findNamed(facts) : findByRecord(facts);
}

/** Later attempts look for the job on record. */
function findByRecord(facts: Facts): Rerun {
  const { state, outcome, inputs } = facts;
  const { claim, earlierJob, job } = state;
  if (earlierJob?.kind === 'found' || (claim.kind === 'settled' && job !== undefined)) {
    return findRecorded(facts);
  }
  const effect = getEffect(state, outcome);
  // Only a request without an answer leaves the claim open. Otherwise, the last write may have an
  // effect, or none. Nothing pays again for a job that has ended.
  if (claim.kind === 'unsettled' || (claim.kind === 'open' && effect !== 'possible')) {
    return findRecorded(facts) === 'shows' ? 'blocked' : 'depends';
  }
  if (effect === 'none') {
    return findUnsent(facts);
  }
  // A job may exist that isn't on record.
  return inputs?.reuse === 'never' ? 'pays' : 'blocked';
}

function findRecorded({ state: { job }, inputs }: Facts): Rerun {
  if (job?.status === 'failed') {
    // A pull request that the job opened before may hold up the next one.
    return inputs?.skipWhilePrOpen && job.prLink !== undefined ? 'compares' : 'pays';
  }
  return job !== undefined && isFinalStatus(job.status) ? 'shows' : 'continues';
}

/** The inputs name the job, so that a re-run never starts one. */
function findNamed({ state: { job }, outcome, inputs }: Facts): Rerun {
  if (outcome?.result === 'lost' && outcome.reason === 'not-found') {
    return job === undefined ? 'stops' : 'waits';
  }
  const isFinal = job !== undefined && isFinalStatus(job.status);
  // Without `wait`, a run for the job only reads it once.
  return isFinal || inputs?.wait === false ? 'shows' : 'waits';
}

/** Nothing was sent, or it was refused. */
function findUnsent(facts: Facts): Rerun {
  const { outcome, state } = facts;
  if (state.rival !== undefined) {
    // It may still start a job, or none.
    return state.rival.mayRun ? 'depends' : 'blocked';
  }
  return outcome?.result === 'not-started' ? REFUSALS[findRefusal(outcome, facts)].rerun : 'tries';
}
