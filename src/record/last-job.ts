import type { GitHubApi } from '../github/api.ts';
import { GitHubError } from '../github/api.ts';
import { readHistory } from '../github/history.ts';
import { type Claim, foldClaims } from './rule.ts';
import { type CommitRecord, type Entry, type Mark, parseEntry, readRecord } from './wire-format.ts';

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
  /** The newest job on record, at work or not. A mark only says which one it was. */
  readonly jobId: string | undefined;
  /** The newest claim of another run that may be starting a job. */
  readonly open: Claim | undefined;
}

/** A commit, and the entries of the series that its history shows. */
interface Candidate {
  readonly sha: string;
  readonly seen: readonly (Entry | Mark)[];
}
type Concerns = (entry: Pick<Entry, 'fingerprint' | 'series' | 'runId'>) => boolean;

/**
 * Finds the newest commit in the history of a commit, itself included, where a job of the task ended
 * without failing, or which a run has marked; without one, the same for any task of its series. Each
 * such job or mark stands for all changes before it, whatever merges, squashes, and clocks do to the
 * order. Rejects with a `GitHubError`, also if there is none, but a job that can't be read.
 */
export async function findLastJob(api: GitHubApi, sha: string, task: SeriesTask): Promise<LastJob> {
  const search = new Search(api, task);
  const isOwn: Concerns = ({ fingerprint }) => fingerprint === task.fingerprint;
  const isOfSeries: Concerns = ({ series }) => series === task.series;
  const candidates: Candidate[] = [];
  for await (const commit of readHistory(api, sha)) {
    // Only the newest status of each context: it shows that there is a record, but not all of it.
    const entries = commit.links.flatMap((link) => parseEntry(link) ?? []);
    const candidate = { sha: commit.sha, seen: entries.filter(isOfSeries) };
    if (candidate.seen.length > 0) {
      candidates.push(candidate);
    }
    if (candidate.seen.some(isOwn) && (await search.isStart(candidate, isOwn))) {
      return search.conclude(commit.sha, false);
    }
  }
  if (search.keptStart !== undefined) {
    return search.conclude(search.keptStart, false);
  }
  for (const candidate of candidates) {
    if (await search.isStart(candidate, isOfSeries)) {
      return search.conclude(candidate.sha, true);
    }
  }
  if (search.keptStart === undefined && search.unread !== undefined) {
    // It may be the start: a first run would lose changes.
    throw new GitHubError(`job ${search.unread} can't be read from the service`);
  }
  return search.conclude(search.keptStart, search.keptStart !== undefined);
}

/** What a search has seen on its way. */
class Search {
  readonly #api: GitHubApi;
  readonly #task: SeriesTask;
  readonly #atWork = new Set<string>();
  #jobId: string | undefined;
  #open: Claim | undefined;
  /** The start of the newest run whose changes are still to be done. A job is a better one. */
  keptStart: string | undefined;
  /** A job that the service doesn't show. */
  unread: string | undefined;

  constructor(api: GitHubApi, task: SeriesTask) {
    this.#api = api;
    this.#task = task;
  }

  /** True if a record of a commit that is of interest is a start. */
  async isStart({ sha, seen }: Candidate, concerns: Concerns): Promise<boolean> {
    const { entries, marks } = await readWholeRecord(this.#api, sha, seen);
    const isOfOtherRun: Concerns = (entry) => concerns(entry) && entry.runId !== this.#task.runId;
    const claims = foldClaims(entries).filter(isOfOtherRun);
    this.#open ??= claims.find(({ state }) => state === 'starting');
    for (const { jobId } of claims) {
      if (jobId !== undefined && (await this.#hasEnded(jobId))) {
        return true;
      }
    }
    const counted = marks.filter(isOfOtherRun);
    for (const { jobId, since } of counted) {
      this.#jobId ??= jobId;
      this.keptStart ??= since;
    }
    return counted.some(({ since }) => since === undefined);
  }

  async #hasEnded(jobId: string): Promise<boolean> {
    const state = await this.#task.getState(jobId);
    if (state !== 'failed') {
      this.#jobId ??= jobId;
    }
    if (state === 'at-work' || state === 'unread') {
      this.#atWork.add(jobId);
    }
    this.unread ??= state === 'unread' ? jobId : undefined;
    return state === 'ended';
  }

  conclude(sha: string | undefined, isOfOtherTask: boolean): LastJob {
    const atWork = [...this.#atWork];
    return { sha, isOfOtherTask, atWork, jobId: this.#jobId, open: this.#open };
  }
}

/**
 * Returns all that is on record of a commit. A list that lacks what the history shows is read a
 * second time, and then refused: without its job, a first run would lose changes.
 */
async function readWholeRecord(
  api: GitHubApi,
  sha: string,
  seen: Candidate['seen'],
): Promise<CommitRecord> {
  const lacksSeen = ({ entries, marks }: CommitRecord): boolean =>
    seen.some((shown) => ![...entries, ...marks].some((entry) => isSame(entry, shown)));
  let record = await readRecord(api, sha);
  if (lacksSeen(record)) {
    record = await readRecord(api, sha);
  }
  if (lacksSeen(record)) {
    throw new GitHubError('GitHub does not list a status that it has');
  }
  return record;
}

function isSame(one: Entry | Mark, other: Entry | Mark): boolean {
  const isAlike = one.runId === other.runId && one.fingerprint === other.fingerprint;
  return isAlike && one.state === other.state;
}
