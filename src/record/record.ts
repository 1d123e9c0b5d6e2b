import { GitHubError } from '../github/errors.ts';
import { type ApiResult, readJobOnce } from '../service/agent-client.ts';
import type { Job } from '../service/job.ts';
import { classifyPoll, classifySend, isMissing } from '../service/retry-policy.ts';
import { type RunEnd, Stop, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getPreparationMs, getRemainingMs } from '../time/deadline.ts';
import { retry } from '../time/retry.ts';
import { findLastJob, type LastJob } from './last-job.ts';
import { Saver } from './save.ts';
import { createStatuses } from './statuses.ts';
import { getTask, nameAttempt } from './task.ts';
import { type Contender, look, PATIENCE_MS, stopWithoutRecord, take } from './turn.ts';
import type { Mark } from './wire-format.ts';

/** The last job can be many pages of history and jobs away, and no run can do without it. */
const SEARCH_MS = 600_000;
const RETRY_MS = 60_000;

export type JobRecord = ReturnType<typeof createRecord>;

/**
 * Returns the record of a run's job, in the statuses of a commit. Each run writes a claim before
 * the create request, and starts its job only if that claim stands. Tells the tracker what was
 * found and written.
 */
export function createRecord(run: Run) {
  const task = getTask(run);
  const statuses = createStatuses(run);
  const saver = new Saver(statuses, run);
  const readReply = remember((jobId) => readJobOnce(jobId, getRemainingMs(run), run));
  const readJob = remember((jobId) => readOtherJob(jobId, run));
  const hasFailed = async (jobId: string) => (await readReply(jobId)).job?.status === 'failed';
  const own: Contender = {
    ...{ ...run, task, statuses, saver, hasFailed },
    rivalDeadline: undefined,
    hasWaitedFully: false,
    rival: undefined,
    toldId: undefined,
    after: undefined,
  };
  return {
    look: () => look(own),
    take: () => take(own),
    save: (jobId: string) => saver.saveJob(jobId),
    close: (end: RunEnd) => saver.close(end),
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
    /** Returns the job of another run as `readOtherJob` does, once for each. */
    readJob,
    /** Logs which jobs are to be done again. Rejects with a `GitHubError`, or a `Stop`. */
    async findLastJob(): Promise<LastJob> {
      const timeoutMs = getPreparationMs(SEARCH_MS, run);
      const api = run.openGitHub({ timeoutMs, retryMs: RETRY_MS, signal: run.cancel });
      const sha = await statuses.findCommit(api);
      const { series = '' } = task;
      const last = await findLastJob(sha, { ...task, series, api, readJob });
      for (const job of last.undone) {
        run.emit({ kind: 'undone-job', ...job });
      }
      return last;
    },
  };
}

/** Returns a function that calls another one once for each id. */
function remember<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (id) => {
    const result = known.get(id) ?? read(id);
    known.set(id, result);
    return result;
  };
}

/** The service may not find a new job everywhere yet. A poll doubts a 404 for as long. */
const LOOK_AGAIN_MS = [2_000, 4_000, 8_000, 16_000, 30_000];
/** In a run that has less than a minute for it. */
const LEAST_LOOKS = 3;

/**
 * Returns the job of another run, or undefined if the service never finds it within a minute, or
 * half of the time that is left. Rejects if it can't be read: to guess what became of it would lose
 * changes, or pay twice.
 */
async function readOtherJob(jobId: string, run: Run): Promise<Job | undefined> {
  const { clock, cancel } = run;
  const until = clock.now() + getPreparationMs(PATIENCE_MS, run);
  const replies: ApiResult[] = [];
  const reply = await retry(
    () => readJobOnce(jobId, until - clock.now(), run),
    (latest, retries) => {
      replies.push(latest);
      const poll = classifyPoll(latest);
      if (poll.kind === 'accept' || poll.reason === 'refused') {
        return undefined;
      }
      const delayMs = Math.max(LOOK_AGAIN_MS[retries] ?? Infinity, poll.pause?.retryAfterMs ?? 0);
      return clock.now() + delayMs < until ? delayMs : undefined;
    },
    { clock, signal: cancel },
  );
  stopIfCanceled(cancel);
  const isGone = replies.length >= LEAST_LOOKS && replies.every(isMissing);
  if (reply.job !== undefined || isGone) {
    return reply.job;
  }
  const sent = classifySend(reply);
  const isRefused = sent.kind === 'not-started' && sent.failure.code !== 'not-found';
  throw isRefused && !isMissing(reply)
    ? new Stop({ result: 'not-started', ...sent.failure })
    : new GitHubError(`job ${jobId} can't be read: ${reply.detail}`);
}
