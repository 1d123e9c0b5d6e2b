import type { GitHubFailure } from '../github/api.ts';
import { type EarlierJob, mayBeSecondJob, type RecordedAttempt } from '../state/run-state.ts';
import { code, joinSentences, link, type Message, message } from '../text/message.ts';
import { atCost } from './cost.ts';
import type { Facts } from './facts.ts';

/** What an earlier job means for a run. */
interface EarlierJobWords {
  /** Which job the run waits for, or why it starts a new one. Not a whole sentence. */
  readonly reason: Message;
  /** Why the new job may be the second one. Undefined if it can't be. */
  readonly duplicate?: Message | undefined;
  /** Warns about money before the new job starts. Undefined if there is nothing to warn about. */
  readonly warning?: Message | undefined;
}

/** Returns the words for an earlier job, or for the reason why there is none to wait for. */
export function describeEarlierJob(earlierJob: EarlierJob, facts: Facts): EarlierJobWords {
  switch (earlierJob.kind) {
    case 'found':
      return {
        reason: message`job ${earlierJob.jobId}, started by ${nameAttempt(earlierJob.attempt)}`,
      };
    case 'starting':
      return { reason: message`${nameAttempt(earlierJob.attempt)}, which may be starting the job` };
    case 'none':
      return { reason: message`no status of this commit names a job for the same task` };
    case 'failed':
      return {
        reason: message`${code(earlierJob.jobId)} (${nameAttempt(earlierJob.attempt)}) failed`,
      };
    case 'gone': {
      const job = message`${code(earlierJob.jobId)} (${nameAttempt(earlierJob.attempt)})`;
      return warnOfDuplicate(
        message`the service can no longer find ${job}`,
        message`The service can no longer find ${job}, but the job may still exist.`,
      );
    }
    case 'open':
      return warnOfDuplicate(
        message`no commit status has a job id of ${nameAttempt(earlierJob.attempt)}`,
        message`Attempt ${String(earlierJob.attempt.attempt)} may have started a job, but no
          commit status has its id.`,
      );
    case 'other-task':
      return describeOtherTask(earlierJob.jobId, earlierJob.attempt, facts);
    case 'unreadable':
      return describeUnreadable(earlierJob);
  }
}

/** Points to the summary of the only attempt that may have started a job: it may know more. */
export function seeAttempt(earlierJob: EarlierJob | undefined): Message {
  return earlierJob?.kind === 'open' && earlierJob.hasOthers !== true
    ? message` If the summary of attempt ${String(earlierJob.attempt.attempt)}
        (${link(earlierJob.attempt.page)}) says that no job was started, there is none.`
    : [];
}

/** What a second job means. */
const IF_DUPLICATE = message`If so, this run's job is a duplicate: keep one pull request, and
  close the other.`;

function warnOfDuplicate(reason: Message, duplicate: Message): EarlierJobWords {
  return { reason, duplicate, warning: message`${duplicate} ${IF_DUPLICATE}` };
}

function describeOtherTask(
  jobId: string | undefined,
  attempt: RecordedAttempt,
  facts: Facts,
): EarlierJobWords {
  const number = String(attempt.attempt);
  const name = nameAttempt(attempt);
  const [job, started] =
    jobId === undefined
      ? [message`a job that ${name} may have started`, message`may have started a job`]
      : [message`${code(jobId)} (${name})`, message`started agent job ${code(jobId)}`];
  return {
    reason: message`${job} was for a different task`,
    warning: message`Attempt ${number} ${started} with another prompt, project, address, {paths}, or
      {changes-since}. This run starts a new job${atCost(facts)}. If attempt ${number} never
      reached this step, ignore this.`,
  };
}

function describeUnreadable(
  earlierJob: Extract<EarlierJob, { kind: 'unreadable' }>,
): EarlierJobWords {
  const { problem, detail, isFirst } = earlierJob;
  const other = isFirst ? message`Another step of this run` : message`Another attempt or step`;
  const mayExist = mayBeSecondJob(earlierJob);
  return {
    reason: message`the record on GitHub can't be read or written (${detail})`,
    duplicate: mayExist
      ? message`${other} may have started a job, but the record on GitHub can't be read
          (${detail}).`
      : undefined,
    warning: joinSentences(
      message`The record on GitHub can't be read or written (${detail}).`,
      mayExist
        ? message`${other} may have started a job, so this one may be a duplicate.`
        : message`If another step with the same prompt has started one, this one is a duplicate.`,
      askForLaterRuns(problem, detail),
    ),
  };
}

/** Says how later runs get access to the record. Empty if nothing but GitHub can help. */
export function askForLaterRuns(problem: GitHubFailure['kind'], detail: string): Message {
  switch (problem) {
    case 'no-access':
      return message`For later runs, check {github-token}.`;
    case 'refused':
      if (isAboutAddress(detail)) {
        return message`For later runs, add the runner to the IP allow list of the organization.`;
      }
      return isAboutSaml(detail)
        ? message`For later runs, authorize {github-token} for SAML single sign-on.`
        : message`To make later re-runs wait, give the workflow job, or a token of your own,
            {statuses: write}.`;
    case 'unavailable':
      return [];
  }
}

/** GitHub returns 422 for a full commit, and for one that the repository doesn't have. */
export function isAboutCommit(detail: string): boolean {
  return /\bno commit found\b/i.test(detail);
}

/** GitHub has no other sign of a runner whose address isn't allowed. */
export function isAboutAddress(detail: string): boolean {
  return /\bIP allow list\b/i.test(detail);
}

/** GitHub has no other sign of a token that isn't authorized for single sign-on. */
export function isAboutSaml(detail: string): boolean {
  return /\bSAML\b/i.test(detail);
}

/** Names an attempt, with a link if it belongs to another run. */
export function nameAttempt({
  attempt,
  page,
  isOtherRun,
  isSameAttempt,
}: RecordedAttempt): Message {
  if (isSameAttempt) {
    return message`another step of this attempt`;
  }
  const name = message`attempt ${String(attempt)}`;
  return isOtherRun ? message`${name} of another run (${link(page)})` : name;
}
