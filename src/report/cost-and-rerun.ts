import { isFinalStatus } from '../service/job.ts';
import { getEffect, type NotStartedOutcome, type Outcome } from '../state/outcome.ts';
import { getJobId } from '../state/run-state.ts';
import { type Facts, isDryRun, isFollowUp, isNamed, isOnRecord, isRehearsal } from './facts.ts';

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
  waits: 'goes on waiting, free',
  pays: 'starts a new paid job',
  tries: 'tries again, paid if it works',
  blocked: 'starts no job, free',
  depends: 'waits for that job, or starts one (paid)',
  stops: 'stops again, free; paid once fixed',
  'follow-up': 'sends the follow-up again, paid',
  compares: 'skips again, free; paid if something changed',
  'dry-run': 'repeats the dry run, free',
} as const;
export type Rerun = keyof typeof RERUNS;

/** Returns what the step has cost. */
export function findCost(facts: Facts): Cost {
  const effect = getEffect(facts.state, facts.outcome);
  if (effect === 'none' || isRehearsal(facts) || isDryRun(facts)) {
    return 'nothing';
  }
  if (isFollowUp(facts)) {
    return effect === 'certain' ? 'follow-up' : 'maybe-follow-up';
  }
  return effect === 'certain' ? 'job' : 'maybe-job';
}

/** Returns what a re-run does, as far as this run can know. */
export function findRerun(facts: Facts): Rerun {
  const { state, outcome } = facts;
  if (outcome?.code === 'invalid-input') {
    return 'stops';
  }
  if (isDryRun(facts)) {
    return 'dry-run';
  }
  if (state.skip !== undefined) {
    return 'compares';
  }
  if (isFollowUp(facts)) {
    return getEffect(state, outcome) === 'none' ? findUnsent(outcome) : 'follow-up';
  }
  if (isNamed(facts)) {
    return findKnown(facts);
  }
  return getJobId(state) === undefined ? findWithoutJob(facts) : findWithJob(facts);
}

/** The job is known. */
function findWithJob(facts: Facts): Rerun {
  const { state, inputs } = facts;
  if (!isOnRecord(facts)) {
    return inputs?.reuse === 'never' ? 'pays' : 'blocked';
  }
  if (state.job?.status === 'failed') {
    return 'pays';
  }
  return findKnown(facts);
}

/** The inputs or the record name the job, so that a re-run finds it. */
function findKnown(facts: Facts): Rerun {
  const { outcome, state } = facts;
  if (outcome?.result === 'lost' && outcome.reason === 'not-found') {
    return isNamed(facts) && state.job === undefined ? 'stops' : 'waits';
  }
  return isRead(facts) ? 'shows' : 'waits';
}

/** No job is known, but one may exist. */
function findWithoutJob({ state, inputs, outcome }: Facts): Rerun {
  const mayHaveStarted = getEffect(state, outcome) !== 'none';
  if (mayHaveStarted && inputs?.reuse === 'never') {
    return 'pays';
  }
  if (mayHaveStarted) {
    return 'blocked';
  }
  // The other run may start a job, or none.
  if (state.rival?.isOtherRun === true) {
    return 'depends';
  }
  const isClaimed = state.claim.kind === 'open' || state.claim.kind === 'unsettled';
  return isClaimed || state.rival !== undefined ? 'blocked' : findUnsent(outcome);
}

/** What a person has to correct before a request is accepted. */
const NEEDS_FIX: readonly (string | undefined)[] = [
  'bad-request',
  'unauthorized',
  'forbidden',
  'not-found',
  'no-credits',
  'redirected',
  'tls-failed',
] satisfies NotStartedOutcome['code'][];

/** True if a request would be refused again until a person corrects something. */
export function needsFix(code: Outcome['code']): boolean {
  return NEEDS_FIX.includes(code);
}

/** Nothing was sent, or it was refused. */
function findUnsent(outcome: Outcome | undefined): Rerun {
  const isLasting = outcome !== undefined && 'cause' in outcome && outcome.cause !== 'unavailable';
  return isLasting || needsFix(outcome?.code) ? 'stops' : 'tries';
}

/** True if a run for the job only reads it once. */
function isRead({ state: { job }, inputs }: Facts): boolean {
  return inputs?.wait === false || (job !== undefined && isFinalStatus(job.status));
}
