import { decideByChanges, type Skip } from '../changes/decide.ts';
import { renderFacts } from '../changes/prompt-facts.ts';
import { LAST_JOB } from '../changes/range.ts';
import { type ChangesReading, readChanges } from '../changes/read-changes.ts';
import type { LastJob } from '../record/last-job.ts';
import type { JobRecord } from '../record/record.ts';
import type { PromptRequest } from '../service/job.ts';
import { Stop, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getPreparationMs } from '../time/deadline.ts';
import { findOpenJob, mayBeStarting, type OpenJob } from './skip-while-pr-open.ts';

const TIMEOUT_MS = 20_000;
/** Otherwise, a limit of a minute would make a quiet night pay. */
const LAST_JOB_TIMEOUT_MS = 120_000;

/** What a run does without an earlier job to wait for. `jobId`: that of a follow-up. */
export type PromptPlan =
  | { readonly kind: 'send'; readonly request: PromptRequest }
  | { readonly kind: 'skip'; readonly jobId: string | undefined };

/**
 * Returns the request with facts about the changes in its prompt, if the inputs ask for them, or
 * that the changes skip the run. `failedId`: the job of an earlier attempt that failed. Throws a
 * `Stop` if it is unknown where the changes begin, and an `InputError` if the inputs name a start or
 * tag that does not exist.
 */
export async function preparePrompt(
  original: PromptRequest,
  failedId: string | undefined,
  record: JobRecord | undefined,
  run: Run,
): Promise<PromptPlan> {
  const { inputs, tracker, cancel } = run;
  if (!inputs.includeChanges && inputs.paths === undefined) {
    return { kind: 'send', request: original };
  }
  const longestMs = inputs.changesSince === LAST_JOB ? LAST_JOB_TIMEOUT_MS : TIMEOUT_MS;
  const openApi = () =>
    run.openGitHub({ timeoutMs: getPreparationMs(longestMs, run), signal: cancel });
  let last: LastJob | undefined;
  const findLastJob = async (): Promise<string | undefined> => {
    last = await record?.findLastJob();
    return last?.sha;
  };
  const changes = await readChanges({ ...run, openApi, findLastJob });
  // What couldn't be read then means nothing.
  stopIfCanceled(cancel);
  // A job that failed is still to be done, unless other jobs have covered its changes.
  const isStillToDo = failedId !== undefined && last === undefined;
  const skip = judgeChanges(changes, isStillToDo, run);
  const prompt = inputs.includeChanges ? addFacts(original.prompt, changes, run) : original.prompt;
  const request = { ...original, prompt };
  tracker.update({ request });
  const open = record && last && (await settle(last, skip, failedId, record, run));
  if (open !== undefined) {
    trackOpenJob(open, run);
  }
  const isSkipped = skip !== undefined || open !== undefined;
  return isSkipped ? { kind: 'skip', jobId: original.jobId } : { kind: 'send', request };
}

/**
 * Returns why the changes skip the run, if they do. Throws a `Stop` if it is unknown where they
 * begin. `isStillToDo`: not even a run without changes is skipped.
 */
function judgeChanges(
  changes: ChangesReading,
  isStillToDo: boolean,
  { inputs, tracker, emit }: Run,
): Skip | undefined {
  tracker.update({ changes });
  const decision = decideByChanges(changes, inputs.paths);
  emit({ kind: 'changes' });
  if (decision.kind === 'fail') {
    throw new Stop({ result: 'not-started', code: 'changes-unknown', ...decision.unknown });
  }
  const skip = decision.kind === 'skip' && !isStillToDo ? decision.skip : undefined;
  tracker.update({ skip });
  if (decision.kind === 'go' && decision.paths !== undefined) {
    tracker.update({ paths: decision.paths });
    emit({ kind: 'paths' });
  }
  return skip;
}

/** Tells the tracker which job the run waits with its changes for. */
function trackOpenJob({ reason, job }: OpenJob, { tracker }: Run): void {
  tracker.update({ skip: { reason } });
  if (job !== undefined) {
    tracker.update({ request: { kind: 'attach', jobId: job.id } });
    tracker.setJob(job);
  }
}

/** Warns about facts that couldn't be read. */
function addFacts(prompt: string, changes: ChangesReading, run: Run): string {
  if (changes.missing.length > 0) {
    run.emit({ kind: 'missing-facts' });
  }
  return `${prompt}\n\n---\n${renderFacts(changes, run)}`;
}

/** Commits after which a run marks the start again, so that 1,000 commits never hide it. */
const FAR = 100;
/** A first run would always be the first, and a range without a match outgrow what GitHub lists. */
const MARKED: readonly Skip['reason'][] = ['first-run', 'no-match'];

function needsMark({ sha, distance, isOfOtherTask }: LastJob, skip: Skip | undefined): boolean {
  if (skip === undefined || isOfOtherTask) {
    return distance >= FAR || isOfOtherTask;
  }
  // A second mark would say the same. A commit takes a limited number of statuses.
  const isMarked = sha !== undefined && distance === 0;
  return MARKED.includes(skip.reason) && !isMarked;
}

/** Returns the last job if it is open, and that matters. Marks the commit if others need it. */
async function settle(
  last: LastJob,
  skip: Skip | undefined,
  failedId: string | undefined,
  record: JobRecord,
  run: Run,
): Promise<OpenJob | undefined> {
  const { inputs } = run;
  const isAsked = skip === undefined && inputs.skipWhilePrOpen;
  const open = isAsked ? await findOpenJob(last, failedId, record, run) : undefined;
  if (needsMark(last, skip) && !inputs.dryRun) {
    // What is still to be done, or in a job that may fail, is in the range of the next run, too.
    const isClear = last.undone.length === 0 && !mayBeStarting(last, run);
    const isDone = skip !== undefined && isClear;
    // A newer job that failed may be the one whose pull request is open.
    const jobId = open?.job?.id ?? last.jobId;
    await record.mark({ jobId, since: isDone ? undefined : last.sha });
  }
  return open;
}
