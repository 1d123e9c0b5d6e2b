import type { GitHubApi } from '../github/api.ts';
import { GitHubError } from '../github/api.ts';
import { readHistory } from '../github/history.ts';
import { foldClaims, type JobClaim } from './rule.ts';
import { type Entry, type Mark, parseEntry, readRecord } from './wire-format.ts';

/** What the service says about a job. `at-work`: it hasn't ended. `unread`: nothing usable. */
export type JobState = 'ended' | 'failed' | 'at-work' | 'unread';

/** The task whose last job is looked for. */
export interface SeriesTask {
  readonly fingerprint: string;
  readonly series: string;
  /** The run itself, whose own records are no start. */
  readonly runId: number;
  readonly getState: (jobId: string) => Promise<JobState>;
}

/** Where the last job of a task ended. */
export interface LastJob {
  /** The commit. Undefined if there is none in the last 1,000 commits. */
  readonly sha: string | undefined;
  /** True if it is a job of another task of the same project. */
  readonly isOfOtherTask: boolean;
  /** The newer jobs that haven't ended, so that their changes come again. */
  readonly atWork: readonly string[];
}

/**
 * Finds the newest commit in the history of a commit, itself included, where a job of the task ended
 * without failing, or which a run has marked; without one, the same for any task of its series. Each
 * such job or mark stands for all changes before it, whatever merges, squashes, and clocks do to the
 * order. Rejects with a `GitHubError`, also if there is none, but a job that can't be read.
 */
export async function findLastJob(api: GitHubApi, sha: string, task: SeriesTask): Promise<LastJob> {
  const atWork = new Set<string>();
  let unread: string | undefined;

  async function hasEnded({ jobId }: JobClaim): Promise<boolean> {
    const state = await task.getState(jobId);
    if (state === 'at-work' || state === 'unread') {
      atWork.add(jobId);
    }
    unread ??= state === 'unread' ? jobId : undefined;
    return state === 'ended';
  }

  /** True if a record of a commit that is of interest is a start. */
  async function isStart(commit: string, concerns: (entry: Entry | Mark) => boolean) {
    const { entries, marks } = await readRecord(api, commit);
    const isOther = (entry: Entry | Mark): boolean => concerns(entry) && entry.runId !== task.runId;
    if (marks.some(isOther)) {
      return true;
    }
    const jobs = foldClaims(entries.filter(isOther)).filter((claim) => claim.jobId !== undefined);
    for (const job of jobs as JobClaim[]) {
      if (await hasEnded(job)) {
        return true;
      }
    }
    return false;
  }

  const commits: string[] = [];
  for await (const commit of readHistory(api, sha)) {
    // Only the newest status of each context: it shows that there is a record, but not all of it.
    const entries = commit.links.flatMap((link) => parseEntry(link) ?? []);
    const related = entries.filter(({ series }) => series === task.series);
    if (related.length > 0) {
      commits.push(commit.sha);
    }
    const isOwn = ({ fingerprint }: Entry | Mark) => fingerprint === task.fingerprint;
    if (related.some(isOwn) && (await isStart(commit.sha, isOwn))) {
      return { sha: commit.sha, isOfOtherTask: false, atWork: [...atWork] };
    }
  }
  for (const commit of commits) {
    if (await isStart(commit, ({ series }) => series === task.series)) {
      return { sha: commit, isOfOtherTask: true, atWork: [...atWork] };
    }
  }
  if (unread !== undefined) {
    // It may be the start: a first run would lose changes.
    throw new GitHubError(`job ${unread} can't be read from the service`);
  }
  return { sha: undefined, isOfOtherTask: false, atWork: [...atWork] };
}
