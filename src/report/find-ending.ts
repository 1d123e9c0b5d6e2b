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
import { ENDINGS, type Ending, type EndingKey, HAPPENED, NEXT } from './endings.ts';
import { type FinalFacts, isFollowUp, isNamed } from './facts.ts';
import { describeFix, findRefusal, REFUSALS } from './refusals.ts';

/** The row of an ending, and the fact that explains it, which isn't a whole sentence. */
type Found = readonly [key: EndingKey, detail?: Message | undefined];

/** Returns the ending of a run. A refusal has its title and what to do from its own tables. */
export function findEnding(facts: FinalFacts): Ending {
  const { outcome } = facts;
  if (outcome.result === 'not-started') {
    return findNotStarted(outcome, facts);
  }
  const [key, detail = []] = findRow(outcome, facts);
  const happened = joinSentences(HAPPENED[key] ?? [], toSentence(detail));
  return { ...ENDINGS[key], happened, next: NEXT[key] };
}

function findNotStarted(outcome: NotStartedOutcome, facts: FinalFacts): Ending {
  const key = findRefusal(outcome, facts);
  const refusal = REFUSALS[key];
  const what = isFollowUp(facts) ? 'follow-up not accepted' : 'no job started';
  const title = facts.inputs?.dryRun ? refusal.title : `${refusal.title}, ${what}`;
  const happened = toSentence(outcome.code === 'invalid-input' ? [] : untrusted(outcome.detail));
  return { title, happened, next: describeFix(key) };
}

type Rest = Exclude<Outcome, NotStartedOutcome>;

function findRow(outcome: Rest, facts: FinalFacts): Found {
  const { state } = facts;
  const { job, rival, pollFailure } = state;
  const continuesJob = isFollowUp(facts);
  const opened = job?.prLink === undefined ? [] : message`It opened ${link(job.prLink)} first`;
  switch (outcome.result) {
    case 'pull-request-opened':
      // The link is shown by itself.
      return [outcome.result];
    case 'no-pull-request':
      return findWithoutPullRequest(state);
    case 'archived':
    case 'failed':
      return [outcome.result, opened];
    case 'started':
      return pollFailure === undefined
        ? [continuesJob ? 'follow-up-sent' : 'started']
        : ['unread', untrusted(pollFailure)];
    case 'dry-run':
      return findDryRun(outcome.unchecked, state);
    case 'skipped':
      return [continuesJob ? 'follow-up-skipped' : 'skipped', describeSkip(state)];
    case 'timed-out':
      return findTimedOut(facts);
    case 'cancelled':
      return [findCancelled(facts), rival && describeRival(rival)];
    case 'lost':
      return [findLost(outcome, facts), untrusted(outcome.detail)];
    case 'start-unknown':
      return findStartUnknown(outcome, facts);
  }
}

function findWithoutPullRequest({ job }: RunState): Found {
  const shown = job?.refusedLink ?? job?.prLink;
  return shown === undefined
    ? ['no-pull-request']
    : ['other-link', message`The job completed with another link: ${code(shown)}`];
}

function findTimedOut({ state: { job, pollFailure }, elapsedMs }: FinalFacts): Found {
  if (job === undefined || pollFailure !== undefined) {
    const last = job === undefined ? [] : message` (last status: ${code(job.status)})`;
    return ['timed-out', message`Its status can't be read: ${pollFailure ?? 'no response'}${last}`];
  }
  return isFinalStatus(job.status)
    ? ['timed-out-follow-up', message`No new work was seen in ${formatDuration(elapsedMs)}`]
    : ['timed-out', message`It is still ${code(job.status)} after ${formatDuration(elapsedMs)}`];
}

type StartUnknown = Extract<Outcome, { readonly result: 'start-unknown' }>;

function findStartUnknown(outcome: StartUnknown, facts: FinalFacts): Found {
  const { attempt } = outcome;
  if (attempt === undefined) {
    return [isFollowUp(facts) ? 'follow-up-unknown' : 'start-unknown', untrusted(outcome.detail)];
  }
  return [attempt.mayRun ? 'started-elsewhere' : 'started-before', describeRival(attempt)];
}

function findCancelled(facts: FinalFacts): EndingKey {
  const { state } = facts;
  if (getEffect(state) === 'possible') {
    return isFollowUp(facts) ? 'cancelled-follow-up' : 'cancelled-sending';
  }
  if (isWaiting(state)) {
    return 'cancelled-waiting';
  }
  return state.rival === undefined ? 'cancelled' : 'cancelled-behind';
}

function findLost({ reason, httpStatus }: LostOutcome, facts: FinalFacts): EndingKey {
  if (reason === undefined) {
    return 'lost-by-bug';
  }
  if (reason === 'not-found') {
    return isNamed(facts) && facts.state.job === undefined ? 'job-missing' : 'job-gone';
  }
  return httpStatus === 401 ? 'key-rejected' : 'unreadable';
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
  const key = unchecked === undefined ? 'dry-run' : 'key-unchecked';
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
