import { type Start, toUnknownStart } from '../changes/range.ts';
import { expectGitHubError, GitHubError } from '../github/errors.ts';
import { type JobRecord, remember } from '../record/record.ts';
import { PATIENCE_MS } from '../record/turn.ts';
import { type ApiResult, readJobOnce } from '../service/agent-client.ts';
import type { Job } from '../service/job.ts';
import { classifyPoll, classifySend, isMissing } from '../service/retry-policy.ts';
import { Stop, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getPreparationMs } from '../time/deadline.ts';
import { retry } from '../time/retry.ts';
import { findRecord } from './first-run.ts';
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
    const pause = () => clock.sleep(Math.min(DOUBT_MS, timeoutMs / 2), cancel);
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
