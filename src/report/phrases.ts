import { isFinalStatus } from '../service/job.ts';
import { getJobId } from '../state/run-state.ts';
import { code, joinSentences, link, type Message, message } from '../text/message.ts';
import { truncate } from '../text/sanitize.ts';
import { askForLaterRuns } from './notes.ts';
import { isFollowUp, isNamed, isOwnService, type RunInfo } from './run-info.ts';

/** Something for the reader to do. */
export interface Step {
  readonly text: Message;
  /** An input to copy into a workflow. */
  readonly input?: string;
}

/** A result in words. */
export interface Words {
  readonly level: 'notice' | 'warning' | 'error' | 'none';
  readonly title: string;
  readonly happened: Message;
  /** Problems, each as a sentence. */
  readonly problems?: readonly Message[];
  /** Whether the run cost something, or may have. Not needed if nothing is left to decide. */
  readonly cost?: Message;
  /** What to do. The first step is the most important one. */
  readonly steps: readonly Step[];
}

export const NOTHING_SPENT = message`This step started nothing and spent nothing.`;

export const USAGE_PAGE = 'https://app.mintlify.com/settings/organization/usage';
const KEYS_PAGE = 'https://app.mintlify.com/settings/organization/api-keys';

export function step(text: Message, input?: string): Step {
  return input === undefined ? { text } : { text, input };
}

/** Says whether this step cost something. */
export function describeCost(run: RunInfo): Message {
  const { request, job } = run.state;
  if (job === undefined || request === undefined || request.kind === 'attach') {
    return NOTHING_SPENT;
  }
  return request.kind === 'create'
    ? message`This step started the job, which may cost credits.`
    : message`This step sent the follow-up, which may cost credits.`;
}

/** Says what a re-run of the workflow job does. The run knows what it has recorded. */
export function describeRerun(run: RunInfo): Message {
  const { claim } = run.state;
  if (isFollowUp(run)) {
    return message`Don't re-run: that sends the follow-up again, which may cost credits again.`;
  }
  if (isNamed(run)) {
    return message`A re-run waits for this job again.`;
  }
  switch (claim.kind) {
    case 'saved':
      return message`With the same prompt, a re-run waits for this job, or starts another paid job
        if this one failed or is gone.`;
    case 'off':
      return message`Don't re-run: that starts another paid job, because ${code('reuse')} is
        ${code('never')}.`;
    case 'open':
    case 'closed':
      return message`Don't re-run: that may start another paid job, because the id of this one isn't
        on record.`;
    case 'refused':
    case 'no-access':
      return joinSentences(
        message`Don't re-run: that starts another paid job, because this one couldn't be recorded on
          GitHub (${claim.detail}).`,
        askForLaterRuns(claim.kind, claim.detail),
      );
    case 'unavailable':
    case 'left-open':
      return message`Don't re-run: that may start another paid job, or stop without starting one,
        because this one couldn't be recorded on GitHub (${claim.detail}).`;
  }
}

/** True if a re-run waits for the job instead of starting another one or sending it a prompt. */
export function isRerunFree(run: RunInfo): boolean {
  return !isFollowUp(run) && (isNamed(run) || run.state.claim.kind === 'saved');
}

/** How to wait for the job, free options first. */
export function getWaitSteps(run: RunInfo): readonly Step[] {
  const rerun = describeRerun(run);
  const newRun = message`To wait for the job, start a new run with this ${code('job-id')} and no
    prompt.`;
  if (!canAttach(run)) {
    return [step(rerun)];
  }
  const input = copyJobId(run);
  return isRerunFree(run)
    ? [step(rerun), step(newRun, input)]
    : [step(joinSentences(newRun, rerun), input)];
}

/** After a follow-up, a run that only waits could mistake the old final status for the result. */
export function canAttach(run: RunInfo): boolean {
  const { job } = run.state;
  return !isFollowUp(run) || (job !== undefined && !isFinalStatus(job.status));
}

/** Returns the input to copy. Quoted, because YAML reads an id such as `1e5` as a number. */
export function copyJobId({ state }: RunInfo): string {
  return `job-id: "${getJobId(state) ?? ''}"`;
}

/** Where a job leaves traces. No documented page lists the jobs of the API. */
export function lookForJob(run: RunInfo): Step {
  const charges = isOwnService(run)
    ? message`, and for a charge in the activity log at ${link(USAGE_PAGE)}`
    : [];
  return step(message`Look for a new pull request in the documentation repository${charges}.`);
}

/** How to start another job after this one has ended. */
export function startAnotherJob(run: RunInfo): Step {
  if (isFollowUp(run)) {
    return step(
      joinSentences(
        message`To start another job, which may cost credits, set ${code('prompt')} without
          ${code('job-id')} in a new run.`,
        describeRerun(run),
      ),
    );
  }
  if (isNamed(run)) {
    return step(
      message`To start another job, which may cost credits, set ${code('prompt')} without
        ${code('job-id')} in a new run. A re-run only reports this job again.`,
    );
  }
  return step(
    joinSentences(
      message`To start another job, which may cost credits, start a new run${withoutReuse(run)}.`,
      isRerunFree(run)
        ? message`A re-run only reports this job again.`
        : message`A re-run may start another job, too.`,
    ),
  );
}

/** Without this input, another run for the release could wait for an earlier job, or stop. */
export function withoutReuse({ inputs }: RunInfo): Message {
  return inputs?.reuse === 'release' ? message` with ${code('reuse: never')}` : [];
}

export const STOPPED_RERUN = message`While GitHub's API fails, a re-run stops without starting a
  job. Start a new run instead.`;

/**
 * True if a re-run can start a job. Once GitHub has refused to take or list the claims of a run, a
 * re-run may stop instead, also if the claim couldn't be released.
 */
export function canRerunStart({ state: { claim, earlierJob } }: RunInfo): boolean {
  const isUnread = earlierJob?.kind === 'unreadable' && earlierJob.problem === 'unavailable';
  return !isUnread && claim.kind !== 'unavailable' && claim.kind !== 'left-open';
}

/** Longest quote of a web page, which is usually a form letter. */
const PAGE_LIMIT = 80;

/** Quotes the start of a response that is neither a usable record nor an error in words. */
export function quoteExcerpt(excerpt: string | undefined): Message {
  if (excerpt === undefined) {
    return [];
  }
  const shown = excerpt.startsWith('<') ? truncate(excerpt, PAGE_LIMIT) : excerpt;
  return message` The response starts with ${code(shown)}.`;
}

export function nameKeysPage(run: RunInfo): Message {
  const address = isOwnService(run) ? message` (${link(KEYS_PAGE)})` : [];
  return message`the API keys page${address}`;
}

export function describeUsage(run: RunInfo): Message {
  return isOwnService(run) ? message`Charges are listed at ${link(USAGE_PAGE)}.` : [];
}
