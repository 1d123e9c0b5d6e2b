import type { PathsDecision, RunEvent } from '../events.ts';
import type { EarlierJob, RecordedAttempt } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { code, link, type Message, message } from '../text/message.ts';

/**
 * Why a run starts a job, or what it waits for. With a warning if it starts a job although one may
 * already exist.
 */
type Explanation = readonly [text: Message, warning?: Message];

/** Explains what the run found out about an earlier job. */
export function explainEarlierJob(earlierJob: EarlierJob): Explanation {
  const attempt = 'attempt' in earlierJob ? nameAttempt(earlierJob.attempt) : [];
  const job = 'jobId' in earlierJob ? message`job ${earlierJob.jobId} from ${attempt}` : [];
  switch (earlierJob.kind) {
    case 'none':
      return [message`no earlier job is on record`];
    case 'found':
      return [job];
    case 'failed':
      return [message`${job} failed`];
    case 'gone':
      return [
        message`${job} is gone`,
        message`The service can no longer find ${job}. If that job still exists, this run's job is a
          duplicate.`,
      ];
    case 'starting':
      return [message`${attempt} may be starting the job; a real run would wait`];
    case 'open':
      return [
        message`${attempt} may have started a job, but its id is not on record`,
        message`Attempt ${String(earlierJob.attempt.attempt)} may have started a job, but its id is
          not on record. If so, this run's job is a duplicate.`,
      ];
    case 'unreadable': {
      const { problem, detail, isFirst } = earlierJob;
      const remedy =
        problem === 'refused' ? message`: give the workflow job ${code('statuses: write')}` : [];
      const rerun =
        problem === 'unavailable' ? [] : message`, so a re-run starts another job${remedy}`;
      const text = message`the record on GitHub can't be read or written (${detail})${rerun}`;
      const warning = message`An earlier attempt may have started a job, but its record on GitHub
        can't be read (${detail}). If so, this run's job is a duplicate.`;
      return isFirst ? [text] : [text, warning];
    }
  }
}

/** Names an attempt, with a link if it belongs to another run. */
function nameAttempt({ attempt, page, isOtherRun }: RecordedAttempt): Message {
  const name = message`attempt ${String(attempt)}`;
  return isOtherRun ? message`${name} of another run (${link(page)})` : name;
}

/** Says what the run does about an earlier job, or what a real run would do. */
export function describeEarlierJob(earlierJob: EarlierJob, isDryRun: boolean): Message {
  const [text] = explainEarlierJob(earlierJob);
  switch (earlierJob.kind) {
    case 'starting':
      return text;
    case 'found':
      return message`${isDryRun ? 'a real run would wait for' : 'found'} ${text}`;
    default:
      return message`${isDryRun ? 'a real run would start' : 'starting'} a new job: ${text}`;
  }
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
      return message`The changed files couldn't be read (${decision.reason}), so ${code('paths')} is
        ignored.${askToRead(decision.isRefused)}`;
  }
}

/** Warns that the prompt lacks some of the requested facts. */
export function describeMissingFacts({
  missing,
  reason,
  isRefused,
}: Extract<RunEvent, { kind: 'missing-facts' }>): Message {
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
