import { type Start, toUnknownStart } from '../changes/range.ts';
import { expectGitHubError } from '../github/errors.ts';
import { type JobRecord, remember } from '../record/record.ts';
import type { Job } from '../service/job.ts';
import type { Run } from '../state/run-state.ts';
import { getPreparationMs } from '../time/deadline.ts';
import { findRecord } from './first-run.ts';
import { readOtherJob } from './other-job.ts';
import type { LastJob, SeriesTask } from './search.ts';

/** The last job can be many pages of history and jobs away, and no run can do without it. */
const SEARCH_MS = 600_000;
const RETRY_MS = 60_000;
/** Before a record that is missing is looked for again. */
const DOUBT_MS = 10_000;

/** A run whose changes begin where the last job of its series ended. */
export interface Successor extends Run, Pick<JobRecord, 'statuses'> {
  readonly task: JobRecord['task'] & Pick<SeriesTask, 'series'>;
  /** Returns the job of another run as `readOtherJob` does, once for each. */
  readonly readJob: (jobId: string) => Promise<Job | undefined>;
}

/** Returns undefined for a run whose changes begin elsewhere. */
export function createSuccessor(record: JobRecord, run: Run): Successor | undefined {
  const { task, statuses } = record;
  const { series } = task;
  const readJob = remember((jobId) => readOtherJob(jobId, run));
  return series === undefined
    ? undefined
    : { ...run, task: { ...task, series }, statuses, readJob };
}

/**
 * Returns where the changes begin, and the last job unless that start is unknown. Logs which jobs
 * are to be done again, and warns of a guess. Throws a `Stop` if the service refuses to show a job.
 */
export async function findStart(run: Successor): Promise<{ start: Start; last?: LastJob }> {
  const { task, statuses, readJob, github, clock, cancel, emit } = run;
  const timeoutMs = getPreparationMs(SEARCH_MS, run);
  const api = run.openGitHub({ timeoutMs, retryMs: RETRY_MS, signal: cancel });
  try {
    const sha = await statuses.findCommit(api);
    const series = { ...task, api, readJob };
    const pause = () => clock.sleep(DOUBT_MS, cancel);
    const { start, last, isGuess } = await findRecord(sha, series, github, pause);
    for (const job of last.undone) {
      emit({ kind: 'undone-job', ...job });
    }
    if (isGuess) {
      emit({ kind: 'no-record' });
    }
    return { start, last };
  } catch (error) {
    return { start: toUnknownStart(expectGitHubError(error)) };
  }
}
