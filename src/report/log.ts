import type { JobRequest } from '../service/job.ts';
import type { NotStarted } from '../service/retry-policy.ts';
import type { MissingFacts } from '../state/events.ts';
import type { EarlierJob, PathsDecision, RecordedAttempt } from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import { type Message, message } from '../text/message.ts';
import { describeEarlierJob, nameAttempt } from './earlier-job.ts';
import { type Facts, isDryRun } from './facts.ts';

// The lines of the log before and after the wait, and the warnings on the way.

/** Says what the run does about an earlier job, or what a real run would do. */
export function logEarlierJob(earlierJob: EarlierJob, facts: Facts): Message {
  const { reason } = describeEarlierJob(earlierJob, facts);
  switch (earlierJob.kind) {
    case 'found':
      return isDryRun(facts)
        ? message`a real run would wait for ${reason}`
        : message`found ${reason}`;
    case 'starting':
      return message`a real run would wait for ${reason}`;
    default:
      return isDryRun(facts)
        ? message`a real run would not wait for an earlier job: ${reason}`
        : message`starting a new job: ${reason}`;
  }
}

/** Says that the run waits until another attempt has started the job. */
export function logRival(attempt: RecordedAttempt, waitMs: number): Message {
  const limit = formatDuration(waitMs);
  return message`${nameAttempt(attempt)} is starting the job; waiting for its id for up
    to ${limit}`;
}

/** Says what the run sends next. */
export function logRequest(request: JobRequest): string {
  switch (request.kind) {
    case 'create':
      return 'starting a job';
    case 'attach':
      return `attaching to job ${request.jobId}`;
    case 'follow-up':
      return `sending a follow-up to job ${request.jobId}`;
  }
}

export function logRetry({ code, detail }: NotStarted, delayMs: number): Message {
  const what = code === 'rate-limited' ? 'rate-limited' : "couldn't connect";
  return message`${what} (${detail}), retrying in ${formatDuration(delayMs)}`;
}

/** Says why `paths` starts the job. */
export function describePaths(decision: PathsDecision): Message {
  switch (decision.kind) {
    case 'match':
      return message`${decision.file} has changed since ${decision.since} and matches {paths}`;
    case 'ignore':
      return message`{paths} ignored (${decision.reason}); starting the job`;
    case 'unread':
      return message`The changed files couldn't be read (${decision.reason}), so the job starts
        whether or not a file matches {paths}.${askToRead(decision.isRefused)}`;
  }
}

/** Warns that the prompt lacks some of the requested facts. */
export function describeMissingFacts({ missing, reason, isRefused }: MissingFacts): Message {
  return message`Some facts about the changes couldn't be read, so the prompt lacks them:
    ${missing.join(', ')} (${reason}).${askToRead(isRefused)}`;
}

function askToRead(isRefused: boolean): Message {
  return isRefused ? message` Give the workflow job {contents: read}.` : [];
}

/** Says that the summary lacks details of the pull request. */
export function logUnreadPullRequest(reason: string, isRefused: boolean): Message {
  const need = message`; check that {github-token} can read pull requests there`;
  return message`couldn't read details of the pull request (${reason}${isRefused ? need : []})`;
}
