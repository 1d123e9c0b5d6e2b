import {
  type ChangesDecision,
  decideByChanges,
  readChangesIfNeeded,
  type Skip,
} from '../changes/decide.ts';
import { composePrompt } from '../changes/prompt-facts.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { LastJob } from '../record/last-job.ts';
import type { JobRecord } from '../record/record.ts';
import type { CreateRequest, FollowUpRequest } from '../service/job.ts';
import { CANCELLED, Stop } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { findOpenJob } from './open-job.ts';

/**
 * Returns the request with facts about the changes in its prompt, if the inputs ask for them. The
 * tracker then knows the request, the changes, and whether they skip the run. Throws a `Stop` if it
 * is unknown where the changes begin, and an `InputError` if the inputs name a tag, branch, or
 * commit that does not exist.
 */
export async function preparePrompt<R extends CreateRequest | FollowUpRequest>(
  original: R,
  inputs: Inputs,
  record: JobRecord | undefined,
  run: Run,
): Promise<R> {
  const { tracker, emit, cancel } = run;
  const { changes, last } = await readSinceLastJob(inputs, record, run);
  if (changes === undefined) {
    return original;
  }
  if (cancel.aborted) {
    // What couldn't be read then means nothing.
    throw new Stop(CANCELLED);
  }
  tracker.update({ changes });
  const decision = decideByChanges(changes, inputs.paths);
  emit({ kind: 'changes' });
  follow(decision, run);
  if (record !== undefined && last !== undefined) {
    await settleSkip(last, inputs, record, run);
  }
  const request = { ...original, prompt: composePrompt(original.prompt, changes, inputs, run) };
  tracker.update({ request });
  return request;
}

/** Reads the changes. With `skip-while-pr-open`, again if another run is starting a job. */
async function readSinceLastJob(inputs: Inputs, record: JobRecord | undefined, run: Run) {
  for (;;) {
    let last: LastJob | undefined;
    const changes = await readChangesIfNeeded(inputs, run, async (api) => {
      last = await record?.findLastJob(api);
      return last?.sha;
    });
    const hasWaited = inputs.skipWhilePrOpen && (await record?.awaitOpenClaim(last));
    if (hasWaited !== true) {
      return { changes, last };
    }
  }
}

/**
 * Skips the run if the last job is still open, and that matters. Marks the commit of a skipped run
 * if the next one needs that.
 */
async function settleSkip(
  last: LastJob,
  inputs: Inputs,
  record: JobRecord,
  run: Run,
): Promise<void> {
  const { tracker } = run;
  const mark = { jobId: last.jobId, since: undefined };
  const { skip } = tracker.state;
  if (skip !== undefined) {
    if (needsMark(skip, last) && !inputs.dryRun) {
      await record.mark(mark);
    }
    return;
  }
  if (!inputs.skipWhilePrOpen || last.jobId === undefined) {
    return;
  }
  const open = await findOpenJob(last.jobId, record, run);
  if (open === undefined) {
    return;
  }
  if (!inputs.dryRun) {
    // The next run can't find the start by itself once it is 1,000 commits away.
    await record.mark({ ...mark, since: last.sha });
  }
  const { job, reason } = open;
  tracker.update({ skip: { reason }, request: { kind: 'attach', jobId: job.id } });
  tracker.setJob(job);
}

/**
 * True if later changes must be counted from the commit of a skipped run. A first run would always
 * be the first, a range without a match would grow past what GitHub lists, and a task without a job
 * of its own would be skipped as long as another one is faster.
 */
function needsMark({ reason }: Skip, last: LastJob): boolean {
  return reason === 'first-run' || reason === 'no-match' || last.isOfOtherTask;
}

function follow(decision: ChangesDecision, { tracker, emit }: Run): void {
  switch (decision.kind) {
    case 'skip':
      // A job that failed is still to be done, wherever the changes begin by now.
      if (tracker.state.earlierJob?.kind !== 'failed') {
        tracker.update({ skip: decision.skip });
      }
      break;
    case 'fail':
      throw new Stop({ result: 'not-started', code: 'changes-unknown', ...decision.unknown });
    case 'go':
      if (decision.paths !== undefined) {
        tracker.update({ paths: decision.paths });
        emit({ kind: 'paths' });
      }
  }
}
