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
import { findOpenJob, mayBeStarting } from './skip-while-pr-open.ts';

const TIMEOUT_MS = 20_000;
/** Otherwise, a limit of a minute would make a quiet night pay. */
const LAST_JOB_TIMEOUT_MS = 120_000;

/**
 * Returns the request with facts about the changes in its prompt, if the inputs ask for them. The
 * tracker then knows the changes, and whether they skip the run. Throws a `Stop` if it is unknown
 * where they begin, and an `InputError` if the inputs name a start or tag that does not exist.
 */
export async function preparePrompt(
  original: PromptRequest,
  record: JobRecord | undefined,
  run: Run,
): Promise<PromptRequest> {
  const { inputs, tracker, emit, cancel } = run;
  if (!inputs.includeChanges && inputs.paths === undefined) {
    return original;
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
  tracker.update({ changes });
  const decision = decideByChanges(changes, inputs.paths);
  emit({ kind: 'changes' });
  if (decision.kind === 'fail') {
    throw new Stop({ result: 'not-started', code: 'changes-unknown', ...decision.unknown });
  }
  // A job that failed is still to be done, unless other jobs have covered its changes.
  const isStillToDo = tracker.state.earlierJob?.kind === 'failed' && last === undefined;
  if (decision.kind === 'skip' && !isStillToDo) {
    tracker.update({ skip: decision.skip });
  }
  if (decision.kind === 'go' && decision.paths !== undefined) {
    tracker.update({ paths: decision.paths });
    emit({ kind: 'paths' });
  }
  const prompt = inputs.includeChanges ? addFacts(original.prompt, changes, run) : original.prompt;
  const request = { ...original, prompt };
  tracker.update({ request });
  if (record !== undefined && last !== undefined) {
    await settle(last, record, run);
  }
  return request;
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

/** Skips the run if the last job is open, and that matters. Marks its commit if others need it. */
async function settle(last: LastJob, record: JobRecord, run: Run): Promise<void> {
  const { inputs, tracker } = run;
  const { skip } = tracker.state;
  const isAsked = skip === undefined && inputs.skipWhilePrOpen;
  const open = isAsked ? await findOpenJob(last, record, run) : undefined;
  if (needsMark(last, skip) && !inputs.dryRun) {
    // What is still to be done, or in a job that may fail, is in the range of the next run, too.
    const isClear = last.undone.length === 0 && !mayBeStarting(last, run);
    const isDone = skip !== undefined && isClear;
    // A newer job that failed may be the one whose pull request is open.
    const jobId = open?.job?.id ?? last.jobId;
    await record.mark({ jobId, since: isDone ? undefined : last.sha });
  }
  if (open !== undefined) {
    tracker.update({ skip: { reason: open.reason } });
  }
  if (open?.job !== undefined) {
    tracker.update({ request: { kind: 'attach', jobId: open.job.id } });
    tracker.setJob(open.job);
  }
}
