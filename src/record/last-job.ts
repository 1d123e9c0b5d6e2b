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
  /** A hash of `paths`, which divide a series: a job for one package isn't about another. */
  readonly paths: string | undefined;
  /** The run itself, whose own records are no start. */
  readonly runId: number;
  readonly getState: (jobId: string) => Promise<JobState>;
}

/** Where the last job of a task ended. */
export interface LastJob {
  /** The commit. Undefined if there is none in the last 1,000 commits. */
  readonly sha: string | undefined;
  /** How many commits are newer than the record that says so. */
  readonly distance: number;
  /** True if it is a record of another task of the same project. */
  readonly isOfOtherTask: boolean;
  /** The newer jobs that haven't ended, so that their changes come again. */
  readonly atWork: readonly string[];
  /** The newest job of a task with the same `paths` that hasn't failed. It may be at work. */
  readonly jobId: string | undefined;
  /** The newest claim of another run that may be starting such a job. */
  readonly open: Claim | undefined;
}

/** A commit, and the entries of the series that its history shows. */
interface Candidate {
  readonly sha: string;
  /** How many commits of the history are newer. */
  readonly place: number;
  readonly seen: readonly (Entry | Mark)[];
}
type Concerns = (entry: Pick<Entry, 'fingerprint' | 'paths' | 'runId'>) => boolean;

/** Where changes begin. */
type Start = Pick<LastJob, 'distance'> & { readonly sha: string };

/**
 * Finds the newest commit in the history of a commit, itself included, where a job of the task ended
 * without failing, or which a run has marked. Each such job or mark stands for all changes before
 * it, whatever merges, squashes, and clocks do to the order. Without one, the same for any task with
 * the same `paths`, such as one whose prompt was edited; then, where the last of all others is.
 * Rejects with a `GitHubError`, also if there is none, but a job that hasn't ended or can't be read.
 */
export async function findLastJob(api: GitHubApi, sha: string, task: SeriesTask): Promise<LastJob> {
  const search = new Search(api, task);
  const candidates: Candidate[] = [];
  const history = readCandidates(api, sha, task, candidates);
  const own = await search.find(history, ({ fingerprint }) => fingerprint === task.fingerprint);
  if (own !== undefined) {
    return search.conclude(own, false);
  }
  const alike = await search.find(candidates, ({ paths }) => paths === task.paths);
  const others = new Search(api, task);
  const oldest = alike ?? (await others.findOldest(candidates));
  const [job] = [...search.atWork, ...others.atWork];
  if (oldest === undefined && job !== undefined) {
    // It may be the start, or fail: a first run would lose changes.
    throw new GitHubError(`job ${job} is at work, or can't be read, and there is none before it`);
  }
  return search.conclude(oldest, oldest !== undefined);
}

/** Returns the commits with entries of the series, newest first, and adds them to a list. */
async function* readCandidates(
  api: GitHubApi,
  head: string,
  { series }: SeriesTask,
  found: Candidate[],
): AsyncGenerator<Candidate> {
  let place = 0;
  for await (const { sha, links } of readHistory(api, head)) {
    // Only the newest status of each context: it shows that there is a record, but not all of it.
    const entries = links.flatMap((link) => parseEntry(link) ?? []);
    const candidate = { sha, place, seen: entries.filter((entry) => entry.series === series) };
    place += 1;
    if (candidate.seen.length > 0) {
      found.push(candidate);
      yield candidate;
    }
  }
}

/** What a search for the starts of some tasks has seen on its way. */
class Search {
  readonly #api: GitHubApi;
  readonly #task: SeriesTask;
  /** The jobs that haven't ended, or can't be read. */
  readonly atWork = new Set<string>();
  #jobId: string | undefined;
  /** A job that only a mark names. */
  #markedId: string | undefined;
  #open: Claim | undefined;
  /** The marks of runs whose changes are still to be done, newest first. A job is a better start. */
  #kept: Start[] = [];

  constructor(api: GitHubApi, task: SeriesTask) {
    this.#api = api;
    this.#task = task;
  }

  /** Returns where the last job of the tasks ended that are of interest. */
  async find(
    candidates: Iterable<Candidate> | AsyncIterable<Candidate>,
    concerns: Concerns,
  ): Promise<Start | undefined> {
    this.#kept = [];
    for await (const candidate of candidates) {
      const { sha, place } = candidate;
      if (candidate.seen.some(concerns) && (await this.#isStart(candidate, concerns))) {
        return { sha, distance: this.#kept[0]?.distance ?? place };
      }
    }
    return this.#kept[0];
  }

  /** Returns the oldest of the starts that all `paths` have got to. */
  async findOldest(candidates: readonly Candidate[]): Promise<Start | undefined> {
    const getAge = (start: Start): number =>
      candidates.find(({ sha }) => sha === start.sha)?.place ?? Number.POSITIVE_INFINITY;
    const starts: Start[] = [];
    for (const one of new Set(candidates.flatMap(({ seen }) => seen.map(({ paths }) => paths)))) {
      const start = await this.find(candidates, ({ paths }) => paths === one);
      starts.push(...(start === undefined ? [] : [start]));
    }
    return starts.sort((one, other) => getAge(other) - getAge(one))[0];
  }

  /** True if a record of a commit that is of interest is a start. */
  async #isStart({ sha, place, seen }: Candidate, concerns: Concerns): Promise<boolean> {
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
      this.#markedId ??= jobId;
      if (since !== undefined) {
        this.#kept.push({ sha: since, distance: place });
      }
    }
    return counted.some(({ since }) => since === undefined);
  }

  async #hasEnded(jobId: string): Promise<boolean> {
    const state = await this.#task.getState(jobId);
    if (state !== 'failed') {
      this.#jobId ??= jobId;
    }
    if (state === 'at-work' || state === 'unread') {
      this.atWork.add(jobId);
    }
    return state === 'ended';
  }

  conclude(start: Start | undefined, isOfOtherTask: boolean): LastJob {
    const { sha, distance = 0 } = start ?? {};
    const atWork = [...this.atWork];
    // A run that left a mark may have missed a newer job, or one that failed later.
    const jobId = this.#jobId ?? this.#markedId;
    return { sha, distance, isOfOtherTask, atWork, jobId, open: this.#open };
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
