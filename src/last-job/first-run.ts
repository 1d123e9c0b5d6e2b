import type { Start } from '../changes/range.ts';
import type { GitHubContext } from '../github/context.ts';
import { GitHubError } from '../github/errors.ts';
import { isNewFile, MAX_COMMITS } from '../github/history.ts';
import { isZeros } from '../text/ref.ts';
import { findLastJob, type LastJob, type SeriesTask } from './search.ts';

type RunFacts = Pick<GitHubContext, 'retentionMs' | 'workflowPath' | 'before' | 'runAttempt'>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** `isGuess`: without a record in sight, the changes begin where those of the push do. */
interface Found {
  readonly last: LastJob;
  readonly start: Start;
  readonly isGuess?: boolean;
}

/**
 * Returns the last job, and where the changes begin. A run without a record for its `paths` looks
 * for it again after a `pause`. It is the first one only if there can't have been any, or if a
 * person says so by a re-run. Rejects with a `GitHubError`.
 */
export async function findRecord(
  sha: string,
  task: SeriesTask,
  run: RunFacts,
  pause: () => Promise<void>,
): Promise<Found> {
  const first = await findLastJob(sha, task);
  if (isFound(first)) {
    return { last: first, start: toStart(first) };
  }
  const isFirst = !(await mayBeMissing(sha, task, run, first));
  await pause();
  // The changes before a push were those of the push before it. So are those of its re-run, or that
  // of a push that had no time for its claim would be skipped as the first run.
  const guess = isFirst || run.before === undefined || isZeros(run.before) ? undefined : run.before;
  const last = await findLastJob(sha, { ...task, guess });
  if (first.record !== 'none' && last.record === 'none') {
    throw new GitHubError('GitHub does not show a status that it has');
  }
  const isPerson = run.runAttempt > 1;
  const isSure = isFirst || isFound(last) || guess !== undefined || isPerson;
  // Other tasks may be behind it.
  const isGuess = !isFound(last) && guess !== undefined && last.sha === guess;
  return { last, isGuess, start: isSure ? toStart(last) : toNoRecord(run, last) };
}

function isFound({ record }: LastJob): boolean {
  return record === 'own' || record === 'other';
}

function toStart({ sha: ref }: LastJob): Start {
  return ref === undefined ? { kind: 'first-run' } : { kind: 'known', ref };
}

/**
 * A record may be deleted, or be further back than the history was read. Neither is possible while
 * the workflow is younger than what its runs renew, and than the oldest commit that was read.
 */
async function mayBeMissing(
  sha: string,
  { api }: SeriesTask,
  { retentionMs, workflowPath }: RunFacts,
  { listed }: LastJob,
): Promise<boolean> {
  if (retentionMs === undefined && listed.size < MAX_COMMITS) {
    return false;
  }
  const sinceMs = retentionMs === undefined ? 0 : api.now() - retentionMs / 2;
  const isNew =
    workflowPath !== undefined && (await isNewFile(api, sha, workflowPath, sinceMs, listed));
  return !isNew;
}

function toNoRecord({ retentionMs }: RunFacts, { listed }: LastJob): Start {
  const days = (retentionMs ?? 0) / DAY_MS;
  const detail =
    listed.size < MAX_COMMITS
      ? `GitHub deletes the record of a job after ${days} day${days === 1 ? '' : 's'}`
      : `there is none in the last ${listed.size} commits`;
  return { kind: 'unknown', cause: 'no-record', detail };
}
