import { isFinalStatus } from '../service/job.ts';
import {
  getEffect,
  type LostOutcome,
  type NotStartedOutcome,
  type Outcome,
} from '../state/outcome.ts';
import { isWaiting, type RunState } from '../state/run-state.ts';
import { message } from '../text/message.ts';
import type { Rerun } from './cost-and-rerun.ts';
import { CHECK_PULL_REQUEST, ENDINGS, type Ending } from './endings.ts';
import { type FinalFacts, isDryRun, isFollowUp, isNamed } from './facts.ts';
import { FIXES, findRefusal, REFUSALS } from './refusals.ts';

/** Returns the ending of a run. A refusal has its title and what to do from its own table. */
export function findEnding(facts: FinalFacts, rerun: Rerun): Ending {
  const { outcome, state } = facts;
  switch (outcome.result) {
    case 'not-started':
      return findNotStarted(outcome, facts, rerun);
    case 'archived':
      return state.job?.prLink === undefined
        ? { ...ENDINGS.archived, remedy: 'if-none' }
        : ENDINGS.archived;
    case 'cancelled': {
      const key = findCancelled(facts);
      const isLeftOpen = key === 'cancelled' && rerun === 'blocked';
      return isLeftOpen ? { ...ENDINGS.cancelled, remedy: 'left-open' } : ENDINGS[key];
    }
    case 'skipped': {
      const title = isFollowUp(facts) ? 'Follow-up skipped' : ENDINGS.skipped.title;
      return { ...ENDINGS.skipped, title };
    }
    case 'failed': {
      const next = state.job?.prLink === undefined ? [] : CHECK_PULL_REQUEST;
      return { ...ENDINGS.failed, next };
    }
    default:
      return ENDINGS[findKey(outcome, facts)];
  }
}

function findNotStarted(outcome: NotStartedOutcome, facts: FinalFacts, rerun: Rerun): Ending {
  const key = findRefusal(outcome, facts);
  const refusal = REFUSALS[key];
  const what = isFollowUp(facts) ? 'follow-up not accepted' : 'no job started';
  const correct = refusal.rerun === 'tries' ? [] : message`Correct this first.`;
  return {
    title: isDryRun(facts) ? refusal.title : `${refusal.title}, ${what}`,
    level: 'error',
    ...(rerun === 'blocked' ? { remedy: 'left-open', next: correct } : { next: FIXES[key] }),
  };
}

type Rest = Exclude<
  Outcome,
  { readonly result: 'not-started' | 'skipped' | 'archived' | 'cancelled' | 'failed' }
>;

function findKey(outcome: Rest, facts: FinalFacts): keyof typeof ENDINGS {
  const { state } = facts;
  switch (outcome.result) {
    case 'no-pull-request': {
      const { refusedLink, prLink } = state.job ?? {};
      return (refusedLink ?? prLink) === undefined ? 'no-pull-request' : 'other-link';
    }
    case 'dry-run':
      return outcome.unchecked === undefined ? 'dry-run' : 'key-unchecked';
    case 'started':
      return findStarted(facts);
    case 'timed-out':
      return findTimedOut(state);
    case 'lost':
      return findLost(outcome, facts);
    case 'start-unknown':
      return findUnknown(outcome, facts);
    default:
      return outcome.result;
  }
}

function findUnknown(
  { attempt }: Extract<Outcome, { readonly result: 'start-unknown' }>,
  facts: FinalFacts,
): keyof typeof ENDINGS {
  if (attempt !== undefined) {
    return attempt.isOtherRun ? 'started-elsewhere' : 'started-before';
  }
  return isFollowUp(facts) ? 'follow-up-unknown' : 'start-unknown';
}

function findTimedOut({ job, pollFailure }: RunState): keyof typeof ENDINGS {
  const isOld = job !== undefined && isFinalStatus(job.status);
  return isOld && pollFailure === undefined ? 'timed-out-follow-up' : 'timed-out';
}

function findStarted(facts: FinalFacts): keyof typeof ENDINGS {
  if (facts.state.pollFailure !== undefined) {
    return 'unread';
  }
  return isFollowUp(facts) ? 'follow-up-sent' : 'started';
}

function findLost({ reason, httpStatus }: LostOutcome, facts: FinalFacts): keyof typeof ENDINGS {
  switch (reason) {
    case undefined:
      return 'lost-by-bug';
    case 'not-found':
      return isNamed(facts) && facts.state.job === undefined ? 'job-not-found' : 'job-gone';
    default:
      return httpStatus === 401 ? 'key-rejected' : 'unreadable';
  }
}

function findCancelled({ state }: FinalFacts): keyof typeof ENDINGS {
  if (getEffect(state) === 'possible') {
    return 'cancelled-sending';
  }
  if (isWaiting(state)) {
    return 'cancelled-waiting';
  }
  return state.rival === undefined ? 'cancelled' : 'cancelled-behind';
}
