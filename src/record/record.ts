import type { GitHubApi } from '../github/api.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { type ApiResult, readJobOnce } from '../service/agent-client.ts';
import { isFinalStatus } from '../service/job.ts';
import { isMissing } from '../service/retry-policy.ts';
import type { Outcome } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getPreparationMs, getRemainingMs } from '../time/deadline.ts';
import { findLastJob, type JobState, type LastJob } from './last-job.ts';
import { Saver } from './save.ts';
import { createStatuses } from './statuses.ts';
import { getTask, nameAttempt } from './task.ts';
import { type Contender, look, PATIENCE_MS, stopWithoutRecord, take } from './turn.ts';
import type { Mark } from './wire-format.ts';

export type JobRecord = ReturnType<typeof createRecord>;

/**
 * Returns the record of a run's job, in the statuses of a commit. Each run writes a claim before
 * the create request, and starts its job only if that claim stands. Tells the tracker what was
 * found and written.
 */
export function createRecord(inputs: Inputs, run: Run) {
  const task = getTask(inputs, run.github);
  const statuses = createStatuses(inputs, run);
  const saver = new Saver(statuses, run);
  const replies = new Map<string, Promise<ApiResult>>();
  const readJob = (jobId: string): Promise<ApiResult> => {
    const reply = replies.get(jobId) ?? readJobOnce(jobId, getRemainingMs(run), run);
    replies.set(jobId, reply);
    return reply;
  };
  const getState = async (jobId: string, claimedAtMs?: number) =>
    toJobState(await readJob(jobId), claimedAtMs);
  const hasFailed = async (jobId: string) => (await getState(jobId)) === 'failed';
  const own: Contender = { ...run, task, statuses, saver, hasFailed, rivalDeadline: undefined };
  return {
    look: () => look(own),
    take: () => take(own),
    save: (jobId: string) => saver.saveJob(jobId),
    close: (outcome: Outcome) => saver.close(outcome),
    /**
     * Marks the commit of the run: the changes of the next one begin there, or at `since`. Throws a
     * `Stop` if that can't be written, because the next run would compare with too much or nothing.
     */
    async mark({ jobId, since }: Pick<Mark, 'jobId' | 'since'>): Promise<void> {
      const { fingerprint, runId, series, paths } = task;
      if (series !== undefined) {
        const entry: Mark = { fingerprint, runId, series, paths, state: 'mark', jobId, since };
        const where = since === undefined ? 'here' : since.slice(0, 10);
        const words = `Changes are counted from ${where}: ${nameAttempt(task)}`;
        const { write } = statuses.open(getPreparationMs(PATIENCE_MS, run), run.cancel);
        await write(entry, words).catch((error) => stopWithoutRecord(error, run));
      }
    },
    /** Returns the service's reply about a job. It is asked once about each. */
    readJob,
    /** Logs which jobs are still at work. Rejects with a `GitHubError`. */
    async findLastJob(api: GitHubApi): Promise<LastJob> {
      const sha = await statuses.findCommit(api);
      const last = await findLastJob(api, sha, { ...task, series: task.series ?? '', getState });
      for (const jobId of last.atWork) {
        run.emit({ kind: 'job-at-work', jobId });
      }
      return last;
    },
  };
}

/** The service may not find a new job everywhere yet. A poll doubts that for as long. */
const NEW_JOB_MS = 60_000;

/** A job that the service no longer finds has ended, unless it is new. */
function toJobState(reply: ApiResult, claimedAtMs = 0): JobState {
  const status = reply.job?.status;
  if (status === 'failed') {
    return 'failed';
  }
  const isGone = isMissing(reply) && Date.now() - claimedAtMs > NEW_JOB_MS;
  return isGone || (status !== undefined && isFinalStatus(status)) ? 'ended' : 'at-work';
}
