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
  let last: LastJob | undefined;
  const changes = await readChangesIfNeeded(inputs, run, async (api) => {
    last = await record?.findLastJob(api);
    return last?.sha;
  });
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
  const { skip } = tracker.state;
  if (skip !== undefined && needsMark(skip, last) && !inputs.dryRun) {
    await record?.mark();
  }
  const request = { ...original, prompt: composePrompt(original.prompt, changes, inputs, run) };
  tracker.update({ request });
  return request;
}

/**
 * True if later changes must be counted from the commit of a skipped run. A first run would always
 * be the first, a range without a match would grow past what GitHub lists, and a task without a job
 * of its own would be skipped as long as another one is faster.
 */
function needsMark({ reason }: Skip, last: LastJob | undefined): boolean {
  const isRead = reason === 'first-run' || reason === 'no-match';
  return last !== undefined && (isRead || last.isOfOtherTask);
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
