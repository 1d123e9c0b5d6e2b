import { isFinalStatus } from '../service/job.ts';
import { getEffect } from '../state/outcome.ts';
import { type Facts, isFollowUp, isRehearsal } from './facts.ts';

// What a step has cost, and whether a re-run of its workflow job costs. A property compares both
// with what the service and the next attempt do.

/** What a step has cost, in words. */
export type Cost = 'nothing' | `${'' | 'maybe '}1 ${'job' | 'follow-up'}`;

/**
 * Whether a re-run costs. `free`: the inputs, the record, or an open claim keep the next attempt
 * from sending anything. `free-unless-failed`: it waits for the job, and starts another one only
 * if that job fails. `pays`: it sends the prompt. `may-pay`: anything else.
 */
export type Rerun = 'free' | 'free-unless-failed' | 'may-pay' | 'pays';

/** Returns what the step has cost. */
export function findCost(facts: Facts): Cost {
  const effect = getEffect(facts.state, facts.outcome);
  if (effect === 'none' || isRehearsal(facts) || facts.inputs?.dryRun) {
    return 'nothing';
  }
  const kind = isFollowUp(facts) ? 'follow-up' : 'job';
  return effect === 'certain' ? `1 ${kind}` : `maybe 1 ${kind}`;
}

/** Returns whether a re-run costs, as far as this run can know. */
export function findRerun(facts: Facts): Rerun {
  const { state, outcome, inputs } = facts;
  const effect = getEffect(state, outcome);
  const isRecorded = inputs?.reuse !== 'never' && !isFollowUp(facts);
  if (inputs?.dryRun || state.skip?.reason === 'taken-back') {
    return 'free';
  }
  if (effect !== 'none' && !isRecorded) {
    return 'pays';
  }
  if (effect === 'possible') {
    // Its claim is open on record.
    return 'free';
  }
  if (effect === 'certain' || state.earlierJob?.kind === 'found') {
    return findByJob(facts);
  }
  const isAttached = state.request?.kind === 'attach' && state.skip === undefined;
  return isAttached || isHeldUp(facts) ? 'free' : 'may-pay';
}

/** True if the claim of an earlier attempt has stopped the run, and will stop the next one. */
function isHeldUp({ outcome }: Facts): boolean {
  if (outcome?.result !== 'start-unknown' || outcome.attempt === undefined) {
    return false;
  }
  return outcome.isLongestWait && !outcome.attempt.mayRun;
}

/** The next attempt waits for the job on record, or stops at the open claim. */
function findByJob({ state: { job, claim }, inputs }: Facts): Rerun {
  if (job?.status !== 'failed') {
    return job !== undefined && isFinalStatus(job.status) ? 'free' : 'free-unless-failed';
  }
  // A pull request that the job opened before may hold up the next one, as an open claim does.
  const isKept = inputs?.skipWhilePrOpen === true && job.prLink !== undefined;
  return isKept || claim.kind === 'unsettled' ? 'may-pay' : 'pays';
}

/** Returns the words for a re-run. A follow-up starts no job, and a rehearsal pays nothing. */
export function describeRerun(rerun: Rerun, facts: Facts): string {
  if (rerun === 'free') {
    return 'free';
  }
  if (rerun === 'free-unless-failed') {
    return 'free, unless the job fails';
  }
  const isSure = rerun === 'pays';
  const isFree = isRehearsal(facts);
  if (isFollowUp(facts)) {
    return `${isSure ? 'sends it again' : 'may send the follow-up'}${isFree ? '' : ', paid'}`;
  }
  return `${isSure ? 'starts' : 'may start'} a ${isFree ? '' : 'paid '}job`;
}

/** True if a re-run finds the job: it is on record, or the inputs name it. */
export function isFound(facts: Facts): boolean {
  const { claim, earlierJob, job, request } = facts.state;
  const isOnRecord = claim.kind === 'settled' && job !== undefined && !isFollowUp(facts);
  return request?.kind === 'attach' || earlierJob?.kind === 'found' || isOnRecord;
}
