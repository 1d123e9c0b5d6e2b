import type { ReleaseReading } from '../github/releases.ts';
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

/**
 * What `paths` means for the run: no changed file matches, a file matches, or the files can't be
 * compared or read.
 */
export type PathsDecision =
  | { readonly kind: 'skip'; readonly previousTag: string; readonly files: number }
  | { readonly kind: 'match'; readonly previousTag: string; readonly file: string }
  | { readonly kind: 'ignore'; readonly reason: string }
  | { readonly kind: 'unread'; readonly reason: string; readonly isRefused: boolean };

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
export function describeMissingFacts({ missing, reason, isRefused }: ReleaseReading): Message {
  return message`Some release facts couldn't be read, so the prompt lacks them:
    ${missing.join(', ')} (${reason}).${askToRead(isRefused)}`;
}

function askToRead(isRefused: boolean): Message {
  return isRefused ? message` Give the workflow job ${code('contents: read')}.` : [];
}
