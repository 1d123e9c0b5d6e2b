import type { Start } from '../changes/range.ts';
import type { GitHubContext } from '../github/context.ts';
import { GitHubError } from '../github/errors.ts';
import { isNewFile } from '../github/history.ts';
import { isZeros } from '../text/ref.ts';
import { findLastJob, type LastJob, type SeriesTask } from './search.ts';

type RunFacts = Pick<GitHubContext, 'retentionMs' | 'workflowPath' | 'before' | 'runAttempt'>;

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Returns the last job, and where the changes begin. A run without a record for its `paths` is the
 * first one only if GitHub can't have deleted any, or if a person says so by a re-run. `pause`:
 * before the record is looked for again. Rejects with a `GitHubError`.
 */
export async function findRecord(
  sha: string,
  task: SeriesTask,
  run: RunFacts,
  pause: () => Promise<void>,
): Promise<{ readonly last: LastJob; readonly start: Start }> {
  const first = await findLastJob(sha, task);
  if (isFound(first) || !(await mayBeDeleted(sha, task, run))) {
    return { last: first, start: toStart(first) };
  }
  await pause();
  // The changes before a push were those of the push before it. So are those of its re-run, or that
  // of a push that had no time for its claim would be skipped as the first run.
  const guess = run.before === undefined || isZeros(run.before) ? undefined : run.before;
  const last = await findLastJob(sha, { ...task, guess });
  if (first.record !== 'none' && last.record === 'none') {
    throw new GitHubError('GitHub does not show a status that it has');
  }
  const isPerson = run.runAttempt > 1;
  const isSure = isFound(last) || guess !== undefined || isPerson;
  return { last, start: isSure ? toStart(last) : toNoRecord(run) };
}

function isFound({ record }: LastJob): boolean {
  return record === 'own' || record === 'other';
}

function toStart({ sha: ref }: LastJob): Start {
  return ref === undefined ? { kind: 'first-run' } : { kind: 'known', ref };
}

/** Nothing is, while the workflow is younger than what its runs renew. */
async function mayBeDeleted(
  sha: string,
  { api }: SeriesTask,
  { retentionMs, workflowPath }: RunFacts,
): Promise<boolean> {
  if (retentionMs === undefined) {
    return false;
  }
  const isNew =
    workflowPath !== undefined &&
    (await isNewFile(api, sha, workflowPath, api.now() - retentionMs / 2));
  return !isNew;
}

function toNoRecord({ retentionMs = 0 }: RunFacts): Start {
  const days = retentionMs / DAY_MS;
  const detail = `GitHub deletes the record of a job after ${days} day${days === 1 ? '' : 's'}`;
  return { kind: 'unknown', cause: 'no-record', detail };
}
