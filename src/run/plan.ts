import { decideByChanges, type PathsDecision, type Skip } from '../changes/decide.ts';
import { renderFacts } from '../changes/prompt-facts.ts';
import { type ChangesReading, readChanges } from '../changes/read-changes.ts';
import { describeStart } from '../last-job/decide-mark.ts';
import { createSuccessor, findStart, type Successor } from '../last-job/find-start.ts';
import { leaveMark } from '../last-job/leave-mark.ts';
import { findOpenJob, type OpenJob } from '../last-job/open-job.ts';
import type { LastJob } from '../last-job/search.ts';
import type { JobRecord } from '../record/record.ts';
import { getScope } from '../record/task.ts';
import type { PromptRequest } from '../service/job.ts';
import { Stop, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getPreparationMs } from '../time/deadline.ts';

/** A new tag is looked for 16 seconds. */
const TIMEOUT_MS = 30_000;
/** Otherwise, a limit of a minute would make a quiet night pay. */
const LAST_JOB_TIMEOUT_MS = 120_000;

/**
 * What a run is about to do. `start`: what its claim says of the changes. `skip`: with the job of a
 * follow-up. `wait`: for this job, because the inputs or the record name it.
 */
export type Plan =
  | {
      readonly kind: 'send';
      readonly request: PromptRequest;
      readonly start?: ReturnType<typeof describeStart> | undefined;
    }
  | { readonly kind: 'skip'; readonly jobId: string | undefined }
  | { readonly kind: 'wait'; readonly jobId: string };

/** Decides what to send, or which job to wait for. Throws a `Stop` if nothing may be sent. */
export async function makePlan(record: JobRecord | undefined, run: Run): Promise<Plan> {
  const { inputs, github, tracker } = run;
  const { request, dryRun } = inputs;
  if (request.kind === 'attach') {
    return { kind: 'wait', jobId: request.jobId };
  }
  if (github.takenBack !== undefined) {
    tracker.update({ skip: { reason: 'taken-back', event: github.takenBack } });
    return { kind: 'skip', jobId: request.jobId };
  }
  // Without a release, a first attempt has no earlier job, and `take` looks, too.
  const isFirst = getScope(inputs) === 'rerun' && github.runAttempt === 1 && !dryRun;
  const earlier = isFirst ? undefined : await record?.look();
  return earlier?.kind === 'found'
    ? { kind: 'wait', jobId: earlier.jobId }
    : preparePrompt(request, earlier?.jobId, record, run);
}

/**
 * Returns the request with facts about the changes in its prompt, if the inputs ask for them, or
 * that the changes skip the run. `failedId`: the job of an earlier attempt that failed. Throws a
 * `Stop` if it is unknown where the changes begin, and an `InputError` if the inputs name a start
 * or tag that does not exist.
 */
export async function preparePrompt(
  original: PromptRequest,
  failedId: string | undefined,
  record: JobRecord | undefined,
  run: Run,
): Promise<Plan> {
  const { inputs, tracker, cancel } = run;
  if (!inputs.includeChanges && inputs.paths === undefined) {
    return { kind: 'send', request: original };
  }
  const successor = record && createSuccessor(record, run);
  const { start: lastJob, last } = (successor && (await findStart(successor))) ?? {};
  const longestMs = successor === undefined ? TIMEOUT_MS : LAST_JOB_TIMEOUT_MS;
  const openApi = () =>
    run.openGitHub({ timeoutMs: getPreparationMs(longestMs, run), signal: cancel });
  const changes = await readChanges({ ...run, openApi, lastJob });
  // What couldn't be read then means nothing.
  stopIfCanceled(cancel);
  // A job that failed is still to be done, unless other jobs have covered its changes.
  const isStillToDo = failedId !== undefined && last === undefined;
  const { skip, paths } = judgeChanges(changes, isStillToDo, run);
  const facts = inputs.includeChanges ? `\n\n---\n${renderFacts(changes, run)}` : '';
  const request = { ...original, prompt: `${original.prompt}${facts}` };
  tracker.update({ request });
  const open = successor && last && (await checkLastJob(last, skip, failedId, successor));
  if (skip !== undefined || open !== undefined) {
    return { kind: 'skip', jobId: original.jobId };
  }
  tellWhatIsSent(changes, paths, run);
  return { kind: 'send', request, start: last && describeStart(last) };
}

/**
 * Returns why the changes skip the run, if they do, or else why `paths` starts the job. Throws a
 * `Stop` if it is unknown where they begin. `isStillToDo`: not even a run without changes is
 * skipped.
 */
function judgeChanges(
  changes: ChangesReading,
  isStillToDo: boolean,
  { inputs, tracker, emit }: Run,
) {
  tracker.update({ changes });
  const decision = decideByChanges(changes, inputs.paths);
  emit({ kind: 'changes' });
  if (decision.kind === 'fail') {
    throw new Stop({ result: 'not-started', code: 'changes-unknown', ...decision.unknown });
  }
  const skip = decision.kind === 'skip' && !isStillToDo ? decision.skip : undefined;
  tracker.update({ skip });
  return { skip, paths: decision.kind === 'go' ? decision.paths : undefined };
}

/** Tells why `paths` starts the job, and warns about facts that couldn't be read. */
function tellWhatIsSent(
  changes: ChangesReading,
  paths: PathsDecision | undefined,
  { inputs, tracker, emit }: Run,
): void {
  if (inputs.includeChanges && changes.missing.length > 0) {
    emit({ kind: 'missing-facts' });
  }
  if (paths !== undefined) {
    tracker.update({ paths });
    emit({ kind: 'paths' });
  }
}

/** Returns the last job if the run waits for it with its changes. Leaves a mark if needed. */
async function checkLastJob(
  last: LastJob,
  skip: Skip | undefined,
  failedId: string | undefined,
  run: Successor,
): Promise<OpenJob | undefined> {
  const { inputs, tracker } = run;
  const isAsked = skip === undefined && inputs.skipWhilePrOpen;
  const open = isAsked ? await findOpenJob(last, failedId, run) : undefined;
  await leaveMark(last, skip, open, run);
  if (open !== undefined) {
    tracker.update({ skip: open.skip });
  }
  if (open?.job !== undefined) {
    tracker.update({ request: { kind: 'attach', jobId: open.job.id } });
    tracker.setJob(open.job);
  }
  return open;
}
