import type { Skip } from '../changes/decide.ts';
import { nameAttempt } from '../record/task.ts';
import { PATIENCE_MS, stopWithoutRecord } from '../record/turn.ts';
import type { Mark } from '../record/wire-format.ts';
import { getPreparationMs } from '../time/deadline.ts';
import { decideMark, describeMark, isFading } from './decide-mark.ts';
import type { Successor } from './find-start.ts';
import { mayBeStarting, type OpenJob } from './open-job.ts';
import type { LastJob } from './search.ts';

/**
 * Marks the commit of the run if later runs need that. `open`: the job that this run waits for.
 * Throws a `Stop` if the mark can't be written, because the next run would compare with too much or
 * nothing. A dry run writes none.
 */
export async function leaveMark(
  last: LastJob,
  skip: Skip | undefined,
  open: OpenJob | undefined,
  run: Successor,
): Promise<void> {
  const { inputs, task, statuses, cancel, github } = run;
  const { record, distance, undone } = last;
  const mark = decideMark({
    record,
    isHere: distance === 0,
    isFading: isFading(last, github.retentionMs),
    skip: (open?.skip ?? skip)?.reason,
    isOwed: undone.length > 0 || mayBeStarting(last, run),
  });
  if (mark === 'none' || inputs.dryRun) {
    return;
  }
  const { fingerprint, runId, series, paths } = task;
  // A newer job that failed may be the one whose pull request is open.
  const jobId = open?.job?.id ?? last.jobId;
  const start = describeMark(mark, last, github.sha);
  const entry: Mark = { fingerprint, runId, series, paths, state: 'mark', jobId, ...start };
  const where = start.since?.slice(0, 10) ?? 'here';
  const words = `Changes are counted from ${where}: ${nameAttempt(task)}`;
  const { write } = statuses.open(getPreparationMs(PATIENCE_MS, run), cancel);
  await write(entry, words).catch((error) => stopWithoutRecord(error, run));
}
