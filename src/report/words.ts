import { isFinalStatus } from '../service/job.ts';
import {
  getEffect,
  type LostOutcome,
  type NotStartedOutcome,
  type Outcome,
} from '../state/outcome.ts';
import { isWaiting, type RunState } from '../state/run-state.ts';
import { formatInstant } from '../text/duration.ts';
import { joinSentences, type Message, message, toSentence } from '../text/message.ts';
import { type Cost, findCost, findRerun, needsFix, type Rerun } from './cost-and-rerun.ts';
import {
  ATTACH,
  CHECK_PULL_REQUEST,
  ENDINGS,
  type Ending,
  type Level,
  REMEDIES,
  type Remedy,
} from './endings.ts';
import {
  completeTitle,
  type Facts,
  type FinalFacts,
  isDryRun,
  isFollowUp,
  isNamed,
} from './facts.ts';
import { findRefusal } from './refusals.ts';
import { getDetail } from './table.ts';

/** The answers to four questions: what happened, what to do, what it cost, what a re-run does. */
export interface Words {
  readonly title: string;
  readonly level: Level;
  /** What happened, in whole sentences. Empty if the title says it. */
  readonly happened: Message;
  /** Problems with inputs, each as a sentence. */
  readonly problems: readonly Message[];
  readonly next: Message;
  /** True if `job-id` is to be copied into a new run. */
  readonly copiesJobId: boolean;
  readonly cost: Cost;
  readonly rerun: Rerun;
  /** The section of the page about errors. */
  readonly anchor: string;
}

/** Returns the words for a run that has ended. */
export function describeEnd(facts: FinalFacts): Words {
  const { outcome } = facts;
  const rerun = findRerun(facts);
  const ending = findEnding(facts, rerun);
  const remedy = ending.remedy && findRemedy(ending.remedy, rerun, facts);
  const words: Words = {
    title: completeTitle(ending.title, facts),
    level: ending.level,
    happened: joinSentences(
      ending.happened ?? [],
      toSentence(getDetail(facts)),
      describeUnrecorded(facts),
    ),
    problems: outcome.code === 'invalid-input' ? outcome.problems : [],
    next: joinSentences(
      ending.looks === true ? lookForPullRequest(facts) : [],
      ending.next ?? [],
      remedy ?? [],
    ),
    copiesJobId: remedy === ATTACH,
    cost: findCost(facts),
    rerun,
    anchor: outcome.code ?? outcome.result,
  };
  return addOutputProblem(words, facts);
}

/** Returns how to find out whether a job was started, and what to do if there is none. */
export function lookForJob(facts: Facts): Message {
  return joinSentences(lookForPullRequest(facts), findRemedy('if-none', 'blocked', facts));
}

function findRemedy(key: keyof typeof REMEDIES, rerun: Rerun, { inputs }: Facts): Message {
  const remedy: Remedy = REMEDIES[key];
  if (inputs?.reuse === 'release' && remedy.forRelease !== undefined && rerun !== 'pays') {
    return remedy.forRelease;
  }
  const isFree = rerun === 'shows' || rerun === 'waits' || rerun === 'looks';
  return (key === 'another' ? rerun === 'pays' : isFree) ? remedy.here : remedy.anew;
}

/** The job is known, but later runs can't find it. */
function describeUnrecorded({ state: { claim, job } }: FinalFacts): Message {
  return claim.kind === 'unsettled' && job !== undefined
    ? toSentence(message`The job id couldn't be recorded: ${claim.detail}`)
    : [];
}

const FREE_SPACE = message`Free disk space on the runner.`;
const FREE_AND_RERUN = message`Free disk space on the runner, then re-run.`;

/** Later steps don't get the outputs, so the step fails. */
function addOutputProblem(words: Words, { outcome, outputProblem }: FinalFacts): Words {
  if (outputProblem === undefined || outcome.code === 'unwritable-output') {
    return words;
  }
  return {
    ...words,
    title: `${words.title}, outputs not written`,
    level: 'error',
    happened: joinSentences(
      words.happened,
      toSentence(message`The outputs can't be written: ${outputProblem}`),
    ),
    next: joinSentences(words.next, words.rerun === 'shows' ? FREE_AND_RERUN : FREE_SPACE),
    copiesJobId: true,
  };
}

function lookForPullRequest({ state: { sentAt, rival, job } }: Facts): Message {
  const createdAt = job?.createdAt === undefined ? undefined : Date.parse(job.createdAt);
  const since = sentAt ?? rival?.atMs ?? createdAt;
  const after = since === undefined ? [] : message` opened after ${formatInstant(since)}`;
  return message`Check the docs repository for a pull request${after}.`;
}

function findEnding(facts: FinalFacts, rerun: Rerun): Ending {
  const { outcome, state } = facts;
  switch (outcome.result) {
    case 'not-started':
      return findNotStarted(outcome, facts, rerun);
    case 'archived':
      return state.job?.prLink === undefined
        ? { ...ENDINGS.archived, looks: true, remedy: 'if-none' }
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
      const ending: Ending = ENDINGS[findKey(outcome, facts)];
      const first = state.job?.prLink === undefined ? [] : CHECK_PULL_REQUEST;
      return { ...ending, next: joinSentences(first, ending.next ?? []) };
    }
    default:
      return ENDINGS[findKey(outcome, facts)];
  }
}

function findNotStarted(outcome: NotStartedOutcome, facts: FinalFacts, rerun: Rerun): Ending {
  const { title, next } = findRefusal(outcome, facts);
  const what = isFollowUp(facts) ? 'follow-up not accepted' : 'no job started';
  const correct = needsFix(outcome.code) ? message`Correct this first.` : [];
  return {
    title: isDryRun(facts) ? title : `${title}, ${what}`,
    level: 'error',
    ...(rerun === 'blocked' ? { remedy: 'left-open', next: correct } : { next }),
  };
}

type Rest = Exclude<
  Outcome,
  { readonly result: 'not-started' | 'skipped' | 'archived' | 'cancelled' }
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
    case 'failed':
      return isNamed(facts) ? 'failed-named' : 'failed';
    case 'start-unknown':
      return findUnknown(outcome, facts);
    default:
      return outcome.result;
  }
}

function findUnknown(
  { attempt, code }: Extract<Outcome, { readonly result: 'start-unknown' }>,
  facts: FinalFacts,
): keyof typeof ENDINGS {
  if (attempt !== undefined) {
    return attempt.isOtherRun ? 'started-elsewhere' : 'started-before';
  }
  if (isFollowUp(facts)) {
    return 'follow-up-unknown';
  }
  return code === 'internal' ? 'unknown-by-bug' : 'start-unknown';
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
