import { LAST_JOB } from '../changes/range.ts';
import { findPullRequest } from '../github/pull-request.ts';
import { isFinalStatus } from '../service/job.ts';
import {
  getEffect,
  type LostOutcome,
  type NotStartedOutcome,
  type Outcome,
} from '../state/outcome.ts';
import { getJobId, isWaiting, type RecordedAttempt, type RunState } from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import {
  code,
  joinSentences,
  link,
  type Message,
  message,
  toSentence,
  untrusted,
} from '../text/message.ts';
import { countWaitingDays, describeRealRun, describeSkip } from './decision.ts';
import { type EndKey, isEndKey, KEY_ACCEPTED } from './ends.ts';
import { type FinalFacts, isFollowUp, isNamed } from './facts.ts';

/** The key of an end, and the fact that explains it, which may not be a whole sentence. */
type Found = readonly [key: EndKey, reason?: Message];

/** Returns the end of a run, and why it ended so, in whole sentences. */
export function findEnd(facts: FinalFacts): readonly [key: EndKey, reason: Message] {
  const [key, reason = []] = findByOutcome(facts);
  const ofFollowUp = `${key}/follow-up`;
  const isOther = isFollowUp(facts) && isEndKey(ofFollowUp);
  return [isOther ? ofFollowUp : key, toSentence(reason)];
}

function findByOutcome(facts: FinalFacts): Found {
  const { outcome, state } = facts;
  const { job, rival, pollFailure } = state;
  const opened = describeOpened(job?.prLink);
  switch (outcome.result) {
    case 'pull-request-opened':
      // The link is shown by itself.
      return [isChangeItself(facts) ? 'pull-request-opened/here' : outcome.result];
    case 'no-pull-request':
      return findWithoutPullRequest(state);
    case 'archived':
      return [outcome.result, opened];
    case 'failed':
      return [outcome.code, opened];
    case 'started':
      return pollFailure === undefined
        ? [outcome.result]
        : ['started/unread', untrusted(pollFailure)];
    case 'dry-run':
      return findDryRun(outcome.unchecked, state);
    case 'skipped':
      return [findSkipped(state), describeSkip(state)];
    case 'timed-out':
      return findTimedOut(facts);
    case 'cancelled':
      return [findCancelled(state), rival === undefined ? [] : describeRival(rival)];
    case 'lost':
      return findLost(outcome, facts);
    case 'start-unknown':
      return findStartUnknown(outcome);
    case 'not-started':
      return findNotStarted(outcome);
  }
}

/** A job that didn't complete may have opened a pull request before. */
function describeOpened(prLink: string | undefined): Message {
  return prLink === undefined ? [] : message`Review ${link(prLink)}: it may be incomplete`;
}

/** True if a merge of the pull request is a change in the sense of the next run. */
function isChangeItself({ state: { job }, inputs, github }: FinalFacts): boolean {
  const { repository, serverUrl, before } = github;
  const place = findPullRequest(serverUrl, job?.prLink ?? '');
  const isHere = place !== undefined && place.project === repository;
  // Other runs have no range, or one that a person starts. A range with `paths` leaves it out.
  const isForBranch = inputs?.changesSince === LAST_JOB || before !== undefined;
  return isHere && isForBranch && inputs?.tag === undefined && inputs?.paths === undefined;
}

/** The code, the cause, and the kind come from where the refusal was known. */
function findNotStarted(outcome: NotStartedOutcome): Found {
  switch (outcome.code) {
    case 'invalid-input':
      // The problems are shown by themselves.
      return [`${outcome.code}/${outcome.kind}`];
    case 'record-failed':
    case 'changes-unknown':
    case 'pr-unknown':
      return [findGitHubProblem(outcome), untrusted(outcome.detail)];
    case 'timed-out':
      return ['timed-out/unsent', untrusted(outcome.detail)];
    default:
      return [outcome.kind ?? outcome.code, untrusted(outcome.detail)];
  }
}

type GitHubProblem = Extract<NotStartedOutcome, { readonly cause: string }>;

function findGitHubProblem({ code, cause }: GitHubProblem): EndKey {
  switch (cause) {
    case 'token':
    case 'organization':
      return `github-${cause}`;
    case 'access':
    case 'setting':
    case 'unavailable':
      return `${code}/${cause}`;
    case 'full':
      // Only a write finds that.
      return 'record-failed/full';
    case 'gone':
    case 'deleted':
    case 'no-record':
    case 'host':
      return `changes-unknown/${cause}`;
  }
}

function findWithoutPullRequest({ job }: RunState): Found {
  const shown = job?.refusedLink ?? job?.prLink;
  return shown === undefined
    ? ['no-pull-request']
    : ['no-pull-request/other-link', message`The job completed with another link: ${code(shown)}`];
}

function findDryRun(unchecked: string | undefined, state: RunState): Found {
  const real = toSentence(describeRealRun(state));
  return unchecked === undefined
    ? ['dry-run', joinSentences(real, KEY_ACCEPTED)]
    : ['dry-run/unchecked', joinSentences(toSentence(untrusted(unchecked)), real)];
}

function findTimedOut({ state: { job, pollFailure }, elapsedMs }: FinalFacts): Found {
  if (job === undefined || pollFailure !== undefined) {
    const last = job === undefined ? [] : message` (last status: ${code(job.status)})`;
    const reason = pollFailure ?? 'no response';
    return ['timed-out/unread', message`Its status can't be read: ${reason}${last}`];
  }
  return isFinalStatus(job.status)
    ? ['timed-out/unseen', message`No new work was seen in ${formatDuration(elapsedMs)}`]
    : ['timed-out', message`It is still ${code(job.status)} after ${formatDuration(elapsedMs)}`];
}

type StartUnknown = Extract<Outcome, { readonly result: 'start-unknown' }>;

function findStartUnknown(outcome: StartUnknown): Found {
  const { attempt } = outcome;
  if (attempt === undefined) {
    return [outcome.result, untrusted(outcome.detail)];
  }
  const key = attempt.mayRun ? 'start-unknown/elsewhere' : 'start-unknown/before';
  return [key, describeRival(attempt)];
}

function findSkipped(state: RunState): EndKey {
  const { reason } = state.skip ?? {};
  if (reason === 'taken-back' || reason === 'first-run') {
    return `skipped/${reason}`;
  }
  return countWaitingDays(state) ? 'skipped/waiting' : 'skipped';
}

function findCancelled(state: RunState): EndKey {
  if (getEffect(state) === 'possible') {
    return 'cancelled/sending';
  }
  if (isWaiting(state)) {
    return 'cancelled/waiting';
  }
  return state.rival === undefined ? 'cancelled' : 'cancelled/behind';
}

function findLost({ reason, httpStatus, detail }: LostOutcome, facts: FinalFacts): Found {
  if (reason === 'not-found') {
    const isMissing = isNamed(facts) && facts.state.job === undefined;
    const jobId = code(getJobId(facts.state) ?? '');
    return [
      isMissing ? 'job-lost/missing' : 'job-lost',
      message`The service can't find ${jobId} (${detail})`,
    ];
  }
  const ofService = httpStatus === 401 ? 'job-lost/key' : 'job-lost/unread';
  return [reason === undefined ? 'internal/waiting' : ofService, untrusted(detail)];
}

function describeRival({ attempt, isOtherRun, mayRun, page }: RecordedAttempt): Message {
  if (mayRun) {
    return isOtherRun ? message`See ${link(page)}` : message`See another step of this run`;
  }
  return message`Attempt ${String(attempt)} may have started one`;
}
