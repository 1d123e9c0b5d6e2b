import { isFinalStatus } from '../service/job.ts';
import {
  getEffect,
  type LostOutcome,
  type NotStartedOutcome,
  type Outcome,
} from '../state/outcome.ts';
import { isWaiting, type RecordedAttempt, type RunState } from '../state/run-state.ts';
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
import { type EndKey, isEndKey } from './ends.ts';
import { type FinalFacts, isFollowUp, isNamed } from './facts.ts';

/** The key of an end, and the fact that explains it, which may not be a whole sentence. */
type Found = readonly [key: EndKey, reason?: Message];

/** Returns the end of a run, and why it ended so, in whole sentences. */
export function findEnd(facts: FinalFacts): { readonly key: EndKey; readonly reason: Message } {
  const [key, reason = []] = findByOutcome(facts);
  const ofFollowUp = `${key}/follow-up`;
  return {
    key: isFollowUp(facts) && isEndKey(ofFollowUp) ? ofFollowUp : key,
    reason: toSentence(reason),
  };
}

function findByOutcome(facts: FinalFacts): Found {
  const { outcome, state } = facts;
  const { job, rival, pollFailure } = state;
  const opened = job?.prLink === undefined ? [] : message`It opened ${link(job.prLink)} first`;
  switch (outcome.result) {
    case 'pull-request-opened':
      // The link is shown by itself.
      return [outcome.result];
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
      return [outcome.result, describeSkip(state)];
    case 'timed-out':
      return findTimedOut(facts);
    case 'cancelled':
      return [findCancelled(state), rival === undefined ? [] : describeRival(rival)];
    case 'lost':
      return [findLost(outcome, facts), untrusted(outcome.detail)];
    case 'start-unknown':
      return findStartUnknown(outcome);
    case 'not-started':
      return findNotStarted(outcome);
  }
}

/** Only the code, the cause, and the kind decide: they come from where the refusal was known. */
function findNotStarted(outcome: NotStartedOutcome): Found {
  if (outcome.code === 'invalid-input') {
    // The problems are shown by themselves.
    return [outcome.kind === 'workflow' ? outcome.code : `${outcome.code}/${outcome.kind}`];
  }
  return [findRefusal(outcome), untrusted(outcome.detail)];
}

type Refusal = Exclude<NotStartedOutcome, { readonly code: 'invalid-input' }>;

function findRefusal(outcome: Refusal): EndKey {
  switch (outcome.code) {
    case 'record-failed':
    case 'changes-unknown':
    case 'pr-unknown':
      return findGitHubProblem(outcome);
    case 'timed-out':
      return 'timed-out/unsent';
    default:
      return outcome.kind ?? outcome.code;
  }
}

type GitHubProblem = Extract<Refusal, { readonly cause: string }>;

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

function findTimedOut({ state: { job, pollFailure }, elapsedMs }: FinalFacts): Found {
  if (job === undefined || pollFailure !== undefined) {
    const last = job === undefined ? [] : message` (last status: ${code(job.status)})`;
    return ['timed-out', message`Its status can't be read: ${pollFailure ?? 'no response'}${last}`];
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

function findCancelled(state: RunState): EndKey {
  if (getEffect(state) === 'possible') {
    return 'cancelled/sending';
  }
  if (isWaiting(state)) {
    return 'cancelled/waiting';
  }
  return state.rival === undefined ? 'cancelled' : 'cancelled/behind';
}

function findLost({ reason, httpStatus }: LostOutcome, facts: FinalFacts): EndKey {
  if (reason === undefined) {
    return 'internal/waiting';
  }
  if (reason === 'not-found') {
    return isNamed(facts) && facts.state.job === undefined ? 'job-lost/missing' : 'job-lost';
  }
  return httpStatus === 401 ? 'job-lost/key' : 'job-lost/unread';
}

/** Empty for another step of the same attempt, which has no page of its own. */
function describeRival({ attempt, isOtherRun, mayRun, page }: RecordedAttempt): Message {
  if (mayRun) {
    return isOtherRun ? message`${link(page)} may have started the job` : [];
  }
  return message`Attempt ${String(attempt)} may have started the job, but recorded no id`;
}

function findDryRun(unchecked: string | undefined, state: RunState): Found {
  const reason = toSentence(untrusted(unchecked ?? ''));
  const key = unchecked === undefined ? 'dry-run' : 'dry-run/unchecked';
  return [key, joinSentences(reason, describeRealRun(state))];
}

function describeRealRun(state: RunState): Message {
  const { skip, request } = state;
  if (skip !== undefined) {
    return message`A real run would be skipped: ${describeSkip(state)}`;
  }
  if (request?.kind === 'attach') {
    return message`A real run would wait for job ${code(request.jobId)}`;
  }
  return request?.kind === 'follow-up'
    ? message`A real run would send the follow-up`
    : message`A real run would start a job`;
}

function describeSkip({ skip, job }: RunState): Message {
  switch (skip?.reason) {
    case undefined:
      return [];
    case 'job-at-work': {
      const since = job?.createdAt === undefined ? '' : `, created ${job.createdAt},`;
      return job === undefined
        ? message`Another run may be starting a job, so a later run picks up the changes`
        : message`Job ${code(job.id)}${since} is still running, so a later run picks up the
            changes`;
    }
    case 'pr-open':
      return message`${link(job?.prLink)} is still open, so a later run picks up the changes`;
    case 'first-run':
      return message`This is the first run: a later run picks up what changes from here`;
    case 'no-commits':
      return message`No commits since ${code(skip.since)}`;
    case 'behind':
      return message`This commit is behind ${code(skip.since)}`;
    case 'no-match':
      return message`No changed file matches {paths} (${String(skip.files)} changed since
        ${code(skip.since)})`;
  }
}
