import type { GitHubFailure } from '../github/api.ts';
import type { MissingFacts, PathsDecision } from '../state/events.ts';
import type {
  EarlierJob,
  EndedJob,
  FoundJob,
  OtherTask,
  RecordedAttempt,
  StartingAttempt,
  UnreadableRecord,
} from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import { code, joinSentences, link, type Message, message } from '../text/message.ts';

/** Says what the run does about an earlier job, or what a real run would do. */
export function describeEarlierJob(earlierJob: EarlierJob, isDryRun: boolean): Message {
  switch (earlierJob.kind) {
    case 'found': {
      const what = isDryRun ? 'a real run would wait for job' : 'found job';
      return message`${what} ${earlierJob.jobId}, started by ${nameAttempt(earlierJob.attempt)}`;
    }
    case 'starting':
      return message`${nameAttempt(earlierJob.attempt)} may be starting the job; a real run would
        wait`;
    default: {
      const what = isDryRun ? 'a real run would start a new job' : 'starting a new job';
      return message`${what}: ${explainNewJob(earlierJob)}`;
    }
  }
}

/** Says why a run starts a new job. */
export function explainNewJob(
  earlierJob: Exclude<EarlierJob, FoundJob | StartingAttempt>,
): Message {
  switch (earlierJob.kind) {
    case 'none':
      return message`no earlier job is on record`;
    case 'failed':
      return message`${nameEarlierJob(earlierJob)} failed`;
    case 'gone':
      return message`the service can no longer find ${nameEarlierJob(earlierJob)}`;
    case 'other-task':
      return message`${nameOtherJob(earlierJob)} was for a different task`;
    case 'open':
      return message`no job id of ${nameAttempt(earlierJob.attempt)} is on record`;
    case 'unreadable':
      return message`the record on GitHub can't be read or written (${earlierJob.detail})`;
  }
}

/** Warns about money before a run starts a job. Undefined if there is nothing to warn about. */
export function warnBeforeStart(earlierJob: EarlierJob): Message | undefined {
  const second = warnOfSecondJob(earlierJob);
  switch (earlierJob.kind) {
    case 'other-task':
      return warnOfOtherTask(earlierJob);
    case 'unreadable':
      return joinSentences(
        message`The record on GitHub can't be read or written (${earlierJob.detail}).`,
        second === undefined
          ? []
          : message`${nameOther(earlierJob)} may have started a job, so this one may be a
            duplicate.`,
        message`A re-run may start another paid job, and so may another step with the same prompt.`,
        askForLaterRuns(earlierJob.problem, earlierJob.detail),
      );
    default:
      return second;
  }
}

/** Warns that a job may exist beside the one that the run starts. */
export function warnOfSecondJob(earlierJob: EarlierJob | undefined): Message | undefined {
  const reason = explainSecondJob(earlierJob);
  return (
    reason &&
    message`${reason} If so, this run's job is a duplicate: keep one pull request, and close the
      other.`
  );
}

function nameOther({ isFirst }: UnreadableRecord): Message {
  return isFirst ? message`Another step of this run` : message`Another attempt or step`;
}

/** Says why a job may exist beside the one that a run starts. */
export function explainSecondJob(earlierJob: EarlierJob | undefined): Message | undefined {
  switch (earlierJob?.kind) {
    case 'gone':
      return message`The service can no longer find ${nameEarlierJob(earlierJob)}, but the job may
        still exist.`;
    case 'open':
      return message`Attempt ${String(earlierJob.attempt.attempt)} may have started a job, but its
        id is not on record.`;
    case 'unreadable': {
      const { isFirst, isClaimed, detail } = earlierJob;
      const mayExist = !isFirst || isClaimed;
      if (!mayExist) {
        return undefined;
      }
      return message`${nameOther(earlierJob)} may have started a job, but the record on GitHub can't
        be read (${detail}).`;
    }
    default:
      return undefined;
  }
}

/** Says how later runs get access to the record. Empty if nothing but GitHub can help. */
export function askForLaterRuns(problem: GitHubFailure['kind'], detail: string): Message {
  switch (problem) {
    case 'no-access':
      return message`For later runs, check ${code('github-token')}.`;
    case 'refused':
      return isAboutSaml(detail)
        ? message`For later runs, authorize ${code('github-token')} for SAML single sign-on.`
        : message`To make later re-runs wait, give the workflow job ${code('statuses: write')}.`;
    case 'unavailable':
      return [];
  }
}

/** GitHub has no other sign of a token that isn't authorized for single sign-on. */
export function isAboutSaml(detail: string): boolean {
  return /\bSAML\b/i.test(detail);
}

function warnOfOtherTask({ jobId, attempt }: OtherTask): Message {
  const number = String(attempt.attempt);
  const started =
    jobId === undefined
      ? message`may have started a job`
      : message`started agent job ${code(jobId)}`;
  return message`Attempt ${number} ${started} with another prompt, project, address, or
    ${code('paths')}. This run starts a new job, which may cost credits again. If attempt ${number}
    never reached this step, ignore this.`;
}

function nameOtherJob({ jobId, attempt }: OtherTask): Message {
  return jobId === undefined
    ? message`a job that ${nameAttempt(attempt)} may have started`
    : message`${code(jobId)} (${nameAttempt(attempt)})`;
}

function nameEarlierJob({ jobId, attempt }: EndedJob): Message {
  return message`${code(jobId)} (${nameAttempt(attempt)})`;
}

/** Names an attempt, with a link if it belongs to another run. */
function nameAttempt({ attempt, page, isOtherRun, isSameAttempt }: RecordedAttempt): Message {
  if (isSameAttempt) {
    return message`another step of this attempt`;
  }
  const name = message`attempt ${String(attempt)}`;
  return isOtherRun ? message`${name} of another run (${link(page)})` : name;
}

/** Says that the run waits until another attempt has started the job. */
export function describeRival(attempt: RecordedAttempt, waitMs: number): Message {
  const limit = formatDuration(waitMs);
  return message`${nameAttempt(attempt)} is starting the job; waiting for its id, ${limit} at most`;
}

/** Says what `paths` means for the run. A dry run continues even if no file matches. */
export function describePaths(decision: PathsDecision): Message {
  switch (decision.kind) {
    case 'skip':
      return message`no changed file matches ${code('paths')}: a real run would be skipped`;
    case 'match':
      return message`${decision.file} has changed since ${decision.previousTag} and matches
        ${code('paths')}`;
    case 'ignore':
      return message`${code('paths')} ignored (${decision.reason}); starting the job`;
    case 'unread':
      return message`The changed files couldn't be read (${decision.reason}), so the job starts
        whether or not a file matches ${code('paths')}.${askToRead(decision.isRefused)}`;
  }
}

/** Warns that the prompt lacks some of the requested facts. */
export function describeMissingFacts({ missing, reason, isRefused }: MissingFacts): Message {
  return message`Some release facts couldn't be read, so the prompt lacks them:
    ${missing.join(', ')} (${reason}).${askToRead(isRefused)}`;
}

function askToRead(isRefused: boolean): Message {
  return isRefused ? message` Give the workflow job ${code('contents: read')}.` : [];
}

/** Says that the summary lacks details of the pull request. */
export function describeUnreadPullRequest(reason: string, isRefused: boolean): Message {
  const need = message`; check that ${code('github-token')} can read pull requests there`;
  return message`couldn't read details of the pull request (${reason}${isRefused ? need : []})`;
}
