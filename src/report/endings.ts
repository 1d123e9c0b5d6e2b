import { LAST_RUN } from '../inputs/changes-since.ts';
import { isFinalStatus } from '../service/job.ts';
import type {
  CancelledOutcome,
  DryRunOutcome,
  LostOutcome,
  NotStartedOutcome,
  Outcome,
  SkippedOutcome,
  StartUnknownOutcome,
} from '../state/outcome.ts';
import { getEffect } from '../state/outcome.ts';
import { getJobId, isWaiting, type RecordedAttempt, type RunState } from '../state/run-state.ts';
import { formatDuration, formatInstant } from '../text/duration.ts';
import { parsePullRequest } from '../text/link.ts';
import { code, joinSentences, link, type Message, message } from '../text/message.ts';
import { describeSkip } from './changes.ts';
import { atCost, atNoCost } from './cost.ts';
import { describeEarlierJob, seeAttempt } from './earlier-job.ts';
import {
  type FinalFacts,
  getRangeStart,
  isDryRun,
  isFollowUp,
  isNamed,
  isOwnService,
  nameJob,
} from './facts.ts';
import {
  CHECK_FOR_COMMITS,
  canAttach,
  canRerunStart,
  checkEffect,
  checkRival,
  copyJobId,
  lookForJob,
  ofProject,
  startAnotherJob,
  startJob,
  startsOne,
  waitForJob,
  withNewTask,
} from './next-steps.ts';
import { CONNECT_PAGE } from './pages.ts';
import { findRefusal } from './refusals.ts';
import { stopsWithoutChanges } from './rerun.ts';

/** How a run ended, in words. What it cost and what a re-run does are said elsewhere. */
export interface Ending {
  readonly title: string;
  readonly happened: Message;
  /** Problems, each as a sentence. */
  readonly problems?: readonly Message[];
  /** What to do, the most important step first. At most two steps. */
  readonly next: readonly Message[];
}

/** Returns the words for an ending. */
export function describeEnding(facts: FinalFacts): Ending {
  const { outcome } = facts;
  switch (outcome.result) {
    case 'pull-request-opened':
      return describeLink(facts);
    case 'no-pull-request':
      return describeNoPullRequest(facts);
    case 'archived':
      return describeArchived(facts);
    case 'failed':
      return describeFailed(facts);
    case 'started':
      return describeStarted(facts);
    case 'timed-out':
      return describeTimeout(facts);
    case 'lost':
      return describeLost(outcome, facts);
    case 'dry-run':
      return describeDryRun(outcome, facts);
    case 'skipped':
      return describeSkipped(outcome, facts);
    case 'cancelled':
      return describeCanceled(outcome, facts);
    case 'start-unknown':
      return outcome.attempt === undefined
        ? describeUnknownStart(outcome, facts)
        : describeRival(outcome.attempt, facts);
    case 'not-started':
      return describeNotStarted(outcome, facts);
  }
}

/** How an ending is shown. `none`: in the log and the summary only. */
export type Level = 'notice' | 'warning' | 'error' | 'none';

/** Returns how an ending is shown. The runner itself shows that a step was canceled. */
export function getLevel(outcome: Outcome, state: RunState): Level {
  switch (outcome.result) {
    case 'cancelled':
      return getJobId(state) === undefined && getEffect(state) === 'none' ? 'none' : 'warning';
    case 'dry-run':
      return outcome.keyCheck === 'unchecked' ? 'warning' : 'none';
    case 'archived':
      return 'warning';
    case 'started':
      return state.pollFailure === undefined ? 'notice' : 'warning';
    case 'no-pull-request':
      return state.job?.refusedLink === undefined ? 'notice' : 'warning';
    default:
      return outcome.code === undefined ? 'notice' : 'error';
  }
}

function describeLink(facts: FinalFacts): Ending {
  const { prLink = '' } = facts.state.job ?? {};
  const isPullRequest = prLink !== '' && parsePullRequest(prLink) !== undefined;
  return isPullRequest
    ? {
        title: 'Documentation pull request opened',
        happened: message`${nameJob(facts)} opened ${link(prLink)}.`,
        next: [],
      }
    : {
        title: 'Documentation job completed',
        happened: message`${nameJob(facts)} completed with the link ${link(prLink)}.`,
        next: [],
      };
}

function describeNoPullRequest(facts: FinalFacts): Ending {
  const { refusedLink } = facts.state.job ?? {};
  if (refusedLink !== undefined) {
    return {
      title: 'No link to a pull request',
      happened: message`${nameJob(facts)} completed. The service returned ${code(refusedLink)},
        which isn't a plain https link, so {pr-link} is empty.`,
      next: [message`Check whether ${code(refusedLink)} is the pull request. ${lookForJob(facts)}`],
    };
  }
  return {
    title: 'No documentation pull request',
    happened: message`${nameJob(facts)} completed without a pull request. Either there was nothing
      to update, or the project publishes without pull requests, and the change may already be
      live.`,
    next: [
      message`If you expected changes, check that this repository is connected to the service
        (${link(CONNECT_PAGE)}): the agent sees only connected repositories.`,
      startAnotherJob(facts),
    ],
  };
}

function describeArchived(facts: FinalFacts): Ending {
  const { prLink } = facts.state.job ?? {};
  return {
    title: 'Documentation job archived',
    happened: message`${nameJob(facts)} was archived by a person or by the service, so it won't
      continue.${prLink ? message` It opened ${link(prLink)}.` : []}`,
    next: [...(prLink ? [] : [lookForJob(facts)]), startAnotherJob(facts)],
  };
}

function describeFailed(facts: FinalFacts): Ending {
  const { prLink } = facts.state.job ?? {};
  const opened = prLink === undefined ? [] : message` after it opened ${link(prLink)}`;
  const review =
    prLink === undefined ? [] : message`Review the pull request first: it may be incomplete.`;
  const another = isNamed(facts)
    ? startAnotherJob(facts)
    : message`To start another job${atCost(facts)}, ${startJob(facts)}.`;
  const look = checkEarlierJob(facts) ?? [];
  return {
    title: 'Documentation job failed',
    happened: message`${nameJob(facts)} failed${opened}. The service doesn't say why.`,
    next: [
      joinSentences(look, review, another),
      message`To send this job a follow-up${atCost(facts)}, set {job-id} and {prompt} in a new
        run.${copyJobId(facts)}`,
    ],
  };
}

const STARTED_TITLES = {
  create: 'Documentation job started',
  'follow-up': 'Follow-up sent',
  attach: 'Documentation job continues',
} as const;

function describeStarted(facts: FinalFacts): Ending {
  const { pollFailure } = facts.state;
  if (pollFailure !== undefined) {
    return {
      title: "Documentation job couldn't be read",
      happened: message`${nameJob(facts)} couldn't be read (${withoutPeriod(pollFailure)}), and may
        still open a pull request. This run isn't waiting for it.`,
      next: waitForJob(facts),
    };
  }
  const { status = '' } = facts.state.job ?? {};
  const now = isFinalStatus(status)
    ? message`is ${code(status)}`
    : message`may still open a pull request`;
  const what = isFollowUp(facts) ? message`got the follow-up` : now;
  const isStart = facts.inputs?.changesSince === LAST_RUN && !isNamed(facts);
  const later = isStart
    ? message` If it fails later, the next run leaves out the changes of this one.`
    : [];
  const happened = message`${nameJob(facts)} ${what}. This run isn't waiting for it.${later}`;
  const next = canAttach(facts)
    ? message`To wait for the job, start a new run with this {job-id}, {wait: true}, and no
        prompt.${copyJobId(facts)}`
    : CHECK_FOR_COMMITS;
  return {
    title: STARTED_TITLES[facts.state.request?.kind ?? 'attach'],
    happened,
    next: [next],
  };
}

function describeTimeout(facts: FinalFacts): Ending {
  const { job, pollFailure } = facts.state;
  const elapsed = formatDuration(facts.elapsedMs);
  const title = 'Timed out waiting for the documentation job';
  if (job === undefined || pollFailure !== undefined) {
    return {
      title,
      happened: message`${describeLastSeen(facts)} The job may still open a pull request.`,
      next: waitForJob(facts),
    };
  }
  if (isFinalStatus(job.status)) {
    return {
      title: 'Timed out waiting for the follow-up',
      happened: message`${nameJob(facts)} is ${code(job.status)} after ${elapsed}. That may be its
        status from before the follow-up: no poll has shown the agent at work on it.`,
      next: checkEffect(facts),
    };
  }
  return {
    title,
    happened: message`${nameJob(facts)} is still ${code(job.status)} after ${elapsed}. It may still
      open a pull request.`,
    next: waitForJob(facts),
  };
}

/** Says when the job was last read, and what polls have returned since then. */
function describeLastSeen(facts: FinalFacts): Message {
  const { job, pollFailure = 'no response', seenMs } = facts.state;
  return job === undefined || seenMs === undefined
    ? message`The service didn't return the status of agent job
        ${code(getJobId(facts.state) ?? '')} (${pollFailure}).`
    : message`${nameJob(facts)} was ${code(job.status)} ${formatDuration(seenMs)} into the run. It
        couldn't be read after that (${pollFailure}).`;
}

function describeLost(outcome: LostOutcome, facts: FinalFacts): Ending {
  const { detail, reason } = outcome;
  if (reason === 'not-found' && isNamed(facts) && facts.state.job === undefined) {
    return {
      title: 'Documentation job not found',
      happened: message`${nameJob(facts)} was not found in this project (${detail}).`,
      next: [
        message`Start a new run with the job id, {project-id}, and {base-url} of the run that
          started the job.`,
      ],
    };
  }
  const wasRead = facts.state.job !== undefined;
  const unread = wasRead ? message`can't be read anymore` : message`can't be read`;
  const happened =
    reason === undefined
      ? message`This action failed (${detail}) while it waited for the job.`
      : message`The job ${unread} (${detail}).`;
  const unless = wasRead ? [] : message`, unless it already has`;
  // If it wasn't found, a step says where to look.
  const where =
    reason === 'not-found' ? [] : message` in the documentation repository${ofProject(facts)}`;
  return {
    title: wasRead ? 'Lost track of the documentation job' : "Can't read the documentation job",
    happened: message`${happened} ${nameJob(facts)} may still open a pull
      request${where}${unless}.`,
    next: getLossSteps(outcome, facts),
  };
}

function getLossSteps({ reason }: LostOutcome, facts: FinalFacts): Message[] {
  if (reason === undefined) {
    return waitAfter(REPORT_BUG, facts);
  }
  switch (reason) {
    case 'not-found':
      return isFollowUp(facts)
        ? [CHECK_FOR_COMMITS]
        : [
            message`To look for it again${atNoCost(facts)}, start a new run with this {job-id} and
              no prompt.${copyJobId(facts)}`,
            message`${lookForJob(facts)} ${startAnotherJob(facts)}`,
          ];
    case 'refused':
      return waitAfter(
        message`If the key has expired, update the secret. Check that it has the {read} scope, and
          may be used from the runner's address, and that {project-id} and {base-url} are right.`,
        facts,
      );
    case 'unreadable':
      return waitAfter(
        message`Check {base-url}, and the firewall and the proxy between the runner and the
          service.`,
        facts,
      );
  }
}

const REPORT_BUG = message`Report this as a bug in this action.`;

/** What to check, then how to wait. */
function waitAfter(check: Message, facts: FinalFacts): Message[] {
  const [first = [], ...others] = waitForJob(facts);
  return [joinSentences(check, first), ...others];
}

function describeDryRun(outcome: DryRunOutcome, facts: FinalFacts): Ending {
  if (outcome.keyCheck === 'unchecked') {
    return {
      title: 'Key not checked',
      happened: message`The inputs are valid, but the key couldn't be checked
        (${outcome.detail ?? ''}). ${describeRealRun(outcome, facts)}`,
      next: [
        message`Check {base-url}, and correct it in a new run. If it is right, check the service's
          status page, and re-run.`,
      ],
    };
  }
  return {
    title: 'No problem found',
    happened: joinSentences(
      describeKey(outcome, facts),
      describeRealRun(outcome, facts),
      warnOfPassing(facts),
    ),
    next: [],
  };
}

/** A dry run that passes is the last successful run, too. */
function warnOfPassing(facts: FinalFacts): Message {
  const start = getRangeStart(facts);
  const isSkipped = facts.state.skip !== undefined;
  return facts.inputs?.changesSince === LAST_RUN && start !== undefined && !isSkipped
    ? message`But once this dry run has passed, the next run for this event leaves out these
        changes, unless {changes-since} is set to ${code(start)}.`
    : [];
}

function describeKey({ keyCheck }: DryRunOutcome, facts: FinalFacts): Message {
  if (keyCheck === 'may-read') {
    return message`The inputs are valid, and the key can read the job.`;
  }
  return isFollowUp(facts)
    ? message`The inputs are valid, and the service accepts the key for follow-ups. Only a real run
        shows whether any credits are left.`
    : message`The inputs are valid, and the service accepts the key for starting jobs. Only a real
        run shows whether the project id is right and whether any credits are left.`;
}

/** Says what a real run would do. */
function describeRealRun(outcome: DryRunOutcome, facts: FinalFacts): Message {
  const { awaited } = outcome;
  const { earlierJob, skip } = facts.state;
  if (skip !== undefined) {
    return message`A real run would be skipped. ${describeSkip(skip)}`;
  }
  if (awaited !== undefined) {
    const first = isFollowUp(facts) ? message`send the follow-up and ` : [];
    const { id, status } = awaited;
    return message`A real run would ${first}wait for job ${code(id)}, now ${code(status)}.`;
  }
  if (earlierJob?.kind === 'found') {
    return message`A real run would wait for ${describeEarlierJob(earlierJob, facts).reason}.`;
  }
  if (earlierJob?.kind === 'starting') {
    return message`A real run would wait for another step or run that may be starting the job.`;
  }
  if (earlierJob === undefined || earlierJob.kind === 'none') {
    return outcome.keyCheck === 'unchecked'
      ? message`A real run would try to start a new job.`
      : message`A real run would start a new job.`;
  }
  const { reason, duplicate } = describeEarlierJob(earlierJob, facts);
  return message`A real run would start a new job: ${duplicate ?? message`${reason}.`}`;
}

function describeSkipped({ skip }: SkippedOutcome, facts: FinalFacts): Ending {
  const next =
    skip.reason === 'first-run'
      ? [
          message`To ${isFollowUp(facts) ? message`send the follow-up` : message`start a job`}
            now${atCost(facts)}, start a new run with {changes-since} set to a tag, branch, or
            commit.`,
        ]
      : [];
  return {
    title: `${isFollowUp(facts) ? 'Follow-up' : 'Documentation job'} skipped`,
    happened: describeSkip(skip),
    next,
  };
}

function describeCanceled(outcome: CancelledOutcome, facts: FinalFacts): Ending {
  const stopped = message`The step was canceled, or stopped by its {timeout-minutes}.`;
  if (isDryRun(facts)) {
    return { title: 'Canceled', happened: stopped, next: [] };
  }
  if (getEffect(facts.state) === 'possible') {
    return {
      title: `Canceled, ${isFollowUp(facts) ? 'follow-up' : 'job'} not confirmed`,
      happened: message`${stopped} Its request was sent${nameInstant(facts)}, and the response is
        unknown.${quoteExcerpt(outcome.excerpt)}`,
      next: checkEffect(facts, outcome.namedId),
    };
  }
  if (facts.state.rival !== undefined) {
    const { title, happened, next } = describeRival(facts.state.rival, facts);
    return { title: `Canceled. ${title}`, happened: message`${stopped} ${happened}`, next };
  }
  return isWaiting(facts.state)
    ? {
        title: 'Canceled, job may continue',
        happened: message`${stopped} ${nameJob(facts)} can't be stopped, and may still open a pull
          request.`,
        next: waitForJob(facts),
      }
    : {
        title: `Canceled, ${isFollowUp(facts) ? 'follow-up not sent' : 'no job started'}`,
        happened: stopped,
        next: [],
      };
}

function describeUnknownStart(outcome: StartUnknownOutcome, facts: FinalFacts): Ending {
  const { detail, excerpt } = outcome;
  const what = isFollowUp(facts) ? 'follow-up' : 'job';
  const next = checkEffect(facts, outcome.namedId);
  if (outcome.code === 'internal') {
    return {
      title: `Error in this action, ${what} not confirmed`,
      happened: message`This action failed after it sent the request${nameInstant(facts)}
        (${detail}). ${REPORT_BUG}`,
      next,
    };
  }
  return {
    title: `${isFollowUp(facts) ? 'Follow-up' : 'Job'} not confirmed`,
    happened: message`The request was sent${nameInstant(facts)}, but its result is unknown
      (${withoutPeriod(detail)}). To avoid a second ${what}, the action did not
      retry.${outcome.namedId === undefined ? quoteExcerpt(excerpt) : []}`,
    next,
  };
}

/** Says when the request was sent, so that a pull request or a charge can be matched to it. */
function nameInstant({ state: { sentAt } }: FinalFacts): Message {
  return sentAt === undefined ? [] : message` at ${formatInstant(sentAt)}`;
}

/** Another step or run was about to start the job. */
function describeRival(attempt: RecordedAttempt, facts: FinalFacts): Ending {
  const rival = attempt.isSameAttempt
    ? message`Another step of this attempt`
    : message`Attempt ${String(attempt.attempt)} of the run at ${link(attempt.page)}`;
  const title = `Another ${attempt.isSameAttempt ? 'step' : 'run'} may have started this job`;
  const what = message`${rival} was about to start this job, and may have, but no job id is on
    record. To avoid a second job,`;
  return isDryRun(facts)
    ? {
        title,
        happened: message`${what} a real run would send nothing.`,
        next: [lookForJob(facts)],
      }
    : {
        title,
        happened: message`${what} this step sent nothing.`,
        next: checkRival(attempt, facts),
      };
}

function describeNotStarted(outcome: NotStartedOutcome, facts: FinalFacts): Ending {
  const { title, happened, next, page } = findRefusal(outcome, facts);
  const isRefusal = 'httpStatus' in outcome && outcome.httpStatus !== undefined;
  const followUp = isRefusal ? 'follow-up refused' : 'follow-up not sent';
  const what = isFollowUp(facts) ? followUp : 'no job started';
  const see = page !== undefined && isOwnService(facts) ? message`See ${link(page)}.` : [];
  const complete = isDryRun(facts) ? title : `${title}, ${what}`;
  const [first, ...others] = getNotStartedSteps(outcome, joinSentences(next, see), facts);
  if (outcome.code === 'invalid-input') {
    const { problems } = outcome;
    return { title: complete, happened: message`${happened}.`, problems, next: [first, ...others] };
  }
  const excerpt = 'excerpt' in outcome ? quoteExcerpt(outcome.excerpt) : [];
  return {
    title: complete,
    happened: message`${happened} (${withoutPeriod(outcome.detail)}).${excerpt}`,
    next: [first, ...others],
  };
}

/** Without a connection, GitHub can't be reached either, and a new run doesn't help. */
const OFFLINE_CODES: readonly NotStartedOutcome['code'][] = [
  'connect-failed',
  'tls-failed',
  'proxy-refused',
];

/** What to do about the cause, and how to start a job without waiting for GitHub. */
function getNotStartedSteps(
  { code: errorCode }: NotStartedOutcome,
  next: Message,
  facts: FinalFacts,
): [Message, ...Message[]] {
  const newRun = message`start a new run${withNewTask(facts)}`;
  if (errorCode === 'reuse-unknown') {
    // While GitHub fails, a run that has to find the start of the changes stops, too.
    const canStart = !isDryRun(facts) && !stopsWithoutChanges(facts);
    const start = canStart
      ? message`Or, if there is no earlier job, ${newRun}. ${startsOne(facts)}`
      : [];
    const wait = message`If an earlier attempt or run shows the id of a job that hasn't failed,
      start a new run with that {job-id} and no prompt.`;
    return [next, joinSentences(wait, start)];
  }
  if (errorCode === 'bad-request' || errorCode === 'changes-unknown') {
    return [joinSentences(next, includeTheseChanges(facts))];
  }
  const look = checkEarlierJob(facts);
  if (look !== undefined && !isDryRun(facts)) {
    return [look, next];
  }
  const isOffline = OFFLINE_CODES.includes(errorCode);
  return canRerunStart(facts) || isOffline
    ? [next]
    : [next, message`While GitHub's API fails, ${newRun} instead of a re-run.`];
}

/** What to do before another job is started, if an earlier attempt may have started one. */
function checkEarlierJob(facts: FinalFacts): Message | undefined {
  const { earlierJob } = facts.state;
  const { duplicate } = earlierJob === undefined ? {} : describeEarlierJob(earlierJob, facts);
  return (
    duplicate &&
    message`Don't re-run yet. ${duplicate} ${lookForJob(facts, true)} If you find anything, don't
      start another job.${seeAttempt(earlierJob)}`
  );
}

/** A new run for a later push begins after the changes of this one. */
function includeTheseChanges(facts: FinalFacts): Message {
  const { outcome } = facts;
  const start = getRangeStart(facts);
  const isGone = outcome.code === 'changes-unknown' && outcome.cause === 'gone';
  return start === undefined || isGone
    ? []
    : message`For a later push, a new run leaves out the changes of this one, unless it has
        {changes-since} set to ${code(start)}.`;
}

/** Quotes the start of a response that is neither a usable record nor an error in words. */
function quoteExcerpt(excerpt: string | undefined): Message {
  if (excerpt === undefined) {
    return [];
  }
  return excerpt.startsWith('<')
    ? message` The response is a web page.`
    : message` The response starts with ${code(excerpt)}.`;
}

/** Returns a detail for parentheses, which a period follows. */
function withoutPeriod(detail: string): string {
  return detail.replace(/\.$/, '');
}
