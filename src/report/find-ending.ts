import { isFinalStatus } from '../service/job.ts';
import {
  getEffect,
  type LostOutcome,
  type NotStartedOutcome,
  type Outcome,
} from '../state/outcome.ts';
import { isWaiting, type RecordedAttempt, type RunState } from '../state/run-state.ts';
import { message } from '../text/message.ts';
import type { Rerun } from './cost-and-rerun.ts';
import { ENDINGS, type Ending, type EndingKey, HAPPENED, NEXT } from './endings.ts';
import { type FinalFacts, isDryRun, isFollowUp, isNamed } from './facts.ts';
import { FIXES, findRefusal, REFUSALS } from './refusals.ts';

/** Returns the ending of a run. A refusal has its title and what to do from its own tables. */
export function findEnding(facts: FinalFacts, rerun: Rerun): Ending {
  const { outcome } = facts;
  if (outcome.result === 'not-started') {
    return findNotStarted(outcome, facts, rerun);
  }
  const key = findKey(outcome, facts, rerun);
  return { ...ENDINGS[key], happened: HAPPENED[key], next: NEXT[key] };
}

function findNotStarted(outcome: NotStartedOutcome, facts: FinalFacts, rerun: Rerun): Ending {
  const key = findRefusal(outcome, facts);
  const refusal = REFUSALS[key];
  const what = isFollowUp(facts) ? 'follow-up not accepted' : 'no job started';
  const title = isDryRun(facts) ? refusal.title : `${refusal.title}, ${what}`;
  if (rerun !== 'blocked') {
    return { title, next: FIXES[key] };
  }
  const next = refusal.rerun === 'tries' ? [] : message`Correct this first.`;
  return { title, next, remedy: 'new-job' };
}

type Rest = Exclude<Outcome, NotStartedOutcome>;

function findKey(outcome: Rest, facts: FinalFacts, rerun: Rerun): EndingKey {
  const { state } = facts;
  switch (outcome.result) {
    case 'no-pull-request':
      return hasLink(state) ? 'other-link' : 'no-pull-request';
    case 'dry-run':
      return outcome.unchecked === undefined ? 'dry-run' : 'key-unchecked';
    case 'skipped':
      return isFollowUp(facts) ? 'follow-up-skipped' : 'skipped';
    case 'started':
      return state.pollFailure === undefined ? findStarted(facts) : 'unread';
    case 'timed-out':
      return findTimedOut(state);
    case 'lost':
      return findLost(outcome, facts);
    case 'start-unknown':
      return findUnknown(outcome.attempt, facts);
    case 'failed':
      return isNamed(facts) ? 'failed-named' : 'failed';
    case 'cancelled':
      return findCancelled(facts, rerun);
    default:
      return outcome.result;
  }
}

function hasLink({ job }: RunState): boolean {
  return job?.refusedLink !== undefined || job?.prLink !== undefined;
}

function findUnknown(attempt: RecordedAttempt | undefined, facts: FinalFacts): EndingKey {
  if (attempt !== undefined) {
    return attempt.isOtherRun ? 'started-elsewhere' : 'started-before';
  }
  return isFollowUp(facts) ? 'follow-up-unknown' : 'start-unknown';
}

function findTimedOut({ job, pollFailure }: RunState): EndingKey {
  const isOld = job !== undefined && isFinalStatus(job.status);
  return isOld && pollFailure === undefined ? 'timed-out-follow-up' : 'timed-out';
}

function findStarted(facts: FinalFacts): EndingKey {
  return isFollowUp(facts) ? 'follow-up-sent' : 'started';
}

function findLost({ reason, httpStatus }: LostOutcome, facts: FinalFacts): EndingKey {
  switch (reason) {
    case undefined:
      return 'lost-by-bug';
    case 'not-found':
      return isNamed(facts) && facts.state.job === undefined ? 'job-missing' : 'job-gone';
    default:
      return httpStatus === 401 ? 'key-rejected' : 'unreadable';
  }
}

function findCancelled({ state }: FinalFacts, rerun: Rerun): EndingKey {
  if (getEffect(state) === 'possible') {
    return 'cancelled-sending';
  }
  if (isWaiting(state)) {
    return 'cancelled-waiting';
  }
  if (state.rival !== undefined) {
    return 'cancelled-behind';
  }
  return rerun === 'blocked' ? 'cancelled-left-open' : 'cancelled';
}
