import type { GitHubApi } from '../github/api.ts';
import { GitHubError } from '../github/api.ts';
import { readHistory } from '../github/history.ts';
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

/** A commit, and the entries of the series that its history shows. */
interface Candidate {
  readonly sha: string;
  readonly seen: readonly (Entry | Mark)[];
}
type Concerns = (entry: Entry | Mark) => boolean;

/**
 * Finds the newest commit in the history of a commit, itself included, where a job of the task ended
 * without failing, or which a run has marked; without one, the same for any task of its series. Each
 * such job or mark stands for all changes before it, whatever merges, squashes, and clocks do to the
 * order. Rejects with a `GitHubError`, also if there is none, but a job that can't be read.
 */
export async function findLastJob(api: GitHubApi, sha: string, task: SeriesTask): Promise<LastJob> {
  const atWork = new Set<string>();
  let unread: string | undefined;

  async function hasEnded(jobId: string): Promise<boolean> {
    const state = await task.getState(jobId);
    if (state === 'at-work' || state === 'unread') {
      atWork.add(jobId);
    }
    unread ??= state === 'unread' ? jobId : undefined;
    return state === 'ended';
  }

  /** True if a record of a commit that is of interest is a start. */
  async function isStart({ sha: commit, seen }: Candidate, concerns: Concerns): Promise<boolean> {
    const all = await readWholeRecord(api, commit, seen);
    const records = all.filter((entry) => concerns(entry) && entry.runId !== task.runId);
    if (records.some(({ state }) => state === 'mark')) {
      return true;
    }
    const jobIds = records.flatMap((entry) => (entry.state === 'mark' ? [] : (entry.jobId ?? [])));
    for (const jobId of new Set(jobIds)) {
      if (await hasEnded(jobId)) {
        return true;
      }
    }
    return false;
  }

  const candidates: Candidate[] = [];
  for await (const commit of readHistory(api, sha)) {
    // Only the newest status of each context: it shows that there is a record, but not all of it.
    const entries = commit.links.flatMap((link) => parseEntry(link) ?? []);
    const seen = entries.filter(({ series }) => series === task.series);
    const candidate = { sha: commit.sha, seen };
    if (seen.length > 0) {
      candidates.push(candidate);
    }
    const isOwn: Concerns = ({ fingerprint }) => fingerprint === task.fingerprint;
    if (seen.some(isOwn) && (await isStart(candidate, isOwn))) {
      return { sha: commit.sha, isOfOtherTask: false, atWork: [...atWork] };
    }
  }
  for (const candidate of candidates) {
    if (await isStart(candidate, ({ series }) => series === task.series)) {
      return { sha: candidate.sha, isOfOtherTask: true, atWork: [...atWork] };
    }
  }
  if (unread !== undefined) {
    // It may be the start: a first run would lose changes.
    throw new GitHubError(`job ${unread} can't be read from the service`);
  }
  return { sha: undefined, isOfOtherTask: false, atWork: [...atWork] };
}

/**
 * Returns all entries of a commit. A list that lacks what the history shows is read a second time,
 * and then refused: without its job, a first run would lose changes.
 */
async function readWholeRecord(
  api: GitHubApi,
  sha: string,
  seen: Candidate['seen'],
): Promise<readonly (Entry | Mark)[]> {
  const read = async (): Promise<readonly (Entry | Mark)[]> => {
    const { entries, marks } = await readRecord(api, sha);
    return [...marks, ...entries];
  };
  const lacksSeen = (entries: readonly (Entry | Mark)[]): boolean =>
    seen.some((shown) => !entries.some((entry) => isSame(entry, shown)));
  let entries = await read();
  if (lacksSeen(entries)) {
    entries = await read();
  }
  if (lacksSeen(entries)) {
    throw new GitHubError('GitHub does not list a status that it has');
  }
  return entries;
}

function isSame(one: Entry | Mark, other: Entry | Mark): boolean {
  const isAlike = one.runId === other.runId && one.fingerprint === other.fingerprint;
  return isAlike && one.state === other.state;
}
