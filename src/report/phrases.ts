import { isFinalStatus } from '../service/job.ts';
import { getJobId } from '../state.ts';
import { code, joinSentences, link, type Message, message } from '../text/message.ts';
import { isFollowUp, isNamed, isOwnService, type Knowledge } from './facts.ts';
import { askForLaterRuns } from './notes.ts';

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

export const NOTHING_SPENT = message`This run started nothing and spent nothing.`;

const USAGE_PAGE = 'https://app.mintlify.com/settings/organization/usage';
const KEYS_PAGE = 'https://app.mintlify.com/settings/organization/api-keys';

export function step(text: Message, input?: string): Step {
  return input === undefined ? { text } : { text, input };
}

/** Says whether this run cost something. */
export function describeCost(known: Knowledge): Message {
  const { request, job } = known.state;
  if (job === undefined || request === undefined || request.kind === 'attach') {
    return NOTHING_SPENT;
  }
  return request.kind === 'create'
    ? message`This run started the job, which may cost credits.`
    : message`This run sent the follow-up, which may cost credits.`;
}

/** Says what a re-run of the workflow job does. The run knows what it has recorded. */
export function describeRerun(known: Knowledge): Message {
  const { claim } = known.state;
  if (isFollowUp(known)) {
    return message`Don't re-run: that sends the follow-up again, which may cost credits again.`;
  }
  if (isNamed(known)) {
    return message`A re-run waits for this job again.`;
  }
  switch (claim.kind) {
    case 'saved':
      return message`A re-run waits for this job if the prompt hasn't changed. It starts another
        paid job only if this one failed or is gone.`;
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
    case 'unreleased':
      return message`Don't re-run: that may start another paid job, because this one couldn't be
        recorded on GitHub (${claim.detail}).`;
  }
}

/** True if a re-run waits for the job instead of starting another one or sending it a prompt. */
export function isRerunFree(known: Knowledge): boolean {
  return !isFollowUp(known) && (isNamed(known) || known.state.claim.kind === 'saved');
}

/** How to wait for the job, what is free first. */
export function waitForJob(known: Knowledge): readonly Step[] {
  const rerun = describeRerun(known);
  const newRun = message`To wait for the job, start a new run with this ${code('job-id')} and no
    prompt.`;
  if (!canAttach(known)) {
    return [step(rerun)];
  }
  const input = copyJobId(known);
  return isRerunFree(known)
    ? [step(rerun), step(newRun, input)]
    : [step(joinSentences(newRun, rerun), input)];
}

/** After a follow-up, a run that only waits could mistake the old final status for the result. */
function canAttach(known: Knowledge): boolean {
  const { job } = known.state;
  return !isFollowUp(known) || (job !== undefined && !isFinalStatus(job.status));
}

/** Returns the input to copy. Quoted, because YAML reads an id such as `1e5` as a number. */
export function copyJobId({ state }: Knowledge): string {
  return `job-id: "${getJobId(state) ?? ''}"`;
}

/** Where a job leaves traces. No documented page lists the jobs of the API. */
export function lookForJob(known: Knowledge): Step {
  const charges = isOwnService(known)
    ? message`, and for a charge in the activity log at ${link(USAGE_PAGE)}`
    : [];
  return step(message`Look for a new pull request in the documentation repository${charges}.`);
}

/** How to start another job after this one has ended. */
export function startAnotherJob(known: Knowledge): Step {
  if (isNamed(known)) {
    return step(
      message`To start another job, which may cost credits, set ${code('prompt')} without
        ${code('job-id')} in a new run. A re-run only reports this job again.`,
    );
  }
  const how = known.inputs?.reuse === 'release' ? message` with ${code('reuse: never')}` : [];
  const rerun = isRerunFree(known) ? message`A re-run only reports this job again.` : [];
  return step(
    joinSentences(
      message`To start another job, which may cost credits, start a new run${how}.`,
      rerun,
    ),
  );
}

export function nameKeysPage(known: Knowledge): Message {
  const address = isOwnService(known) ? message` (${link(KEYS_PAGE)})` : [];
  return message`the API keys page${address}`;
}

export function describeUsage(known: Knowledge): Message {
  return isOwnService(known) ? message`Charges are listed at ${link(USAGE_PAGE)}.` : [];
}
