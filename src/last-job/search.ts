import type { GitHubApi } from '../github/api.ts';
import { GitHubError } from '../github/errors.ts';
import { readHistory } from '../github/history.ts';
import { foldClaims } from '../record/rule.ts';
import {
  type CommitRecord,
  type Entry,
  type Mark,
  parseEntry,
  readRecord,
} from '../record/wire-format.ts';
import { isFinalStatus, type Job } from '../service/job.ts';

/**
 * The task whose last job is looked for, and the run, whose own records are no start. `paths`
 * divide a series: a job for one package isn't about another.
 */
export interface SeriesTask extends Pick<Mark, 'fingerprint' | 'series' | 'paths' | 'runId'> {
  readonly api: GitHubApi;
  /** Returns undefined if the service no longer finds the job. Rejects if it can't be read. */
  readonly readJob: (jobId: string) => Promise<Job | undefined>;
}

/** Where the last job of a task ended. */
export type LastJob = Readonly<ReturnType<typeof toLastJob>>;

/** A commit, and the entries of the series that its history shows. */
interface Candidate {
  readonly sha: string;
  /** How many commits of the history are newer. */
  readonly place: number;
  readonly seen: readonly (Entry | Mark)[];
  /** All that is on record of it, once that is read. */
  record: Promise<CommitRecord> | undefined;
}
type Concerns = (entry: Pick<Entry, 'fingerprint' | 'paths' | 'runId'>) => boolean;

/** Where changes begin, and how many commits are newer than the record that says so. */
interface SeriesStart {
  readonly sha: string;
  readonly distance: number;
}
type Reading = Awaited<ReturnType<typeof readCandidate>>;
type Found = Awaited<ReturnType<typeof search>>;

/**
 * Finds the newest commit in the history of a commit, itself included, where a job of the task
 * ended without failing, or which a run has marked. Each such job or mark stands for all changes
 * before it, whatever merges, squashes, and clocks do to the order. Without one, the same for any
 * task with the same `paths`, such as one whose prompt was edited; then, where the last of all
 * others is. Rejects with a `GitHubError`, also if there is none, but a job that hasn't ended.
 */
export async function findLastJob(sha: string, task: SeriesTask): Promise<LastJob> {
  const candidates: Candidate[] = [];
  const history = readCandidates(sha, task, candidates);
  const isOwn: Concerns = ({ fingerprint }) => fingerprint === task.fingerprint;
  const own = await search(history, isOwn, task);
  if (own.start !== undefined) {
    return toLastJob(own.start, 'own', own.readings);
  }
  const alike = await search(candidates, ({ paths }) => paths === task.paths, task);
  const readings = [...own.readings, ...alike.readings];
  if (alike.start !== undefined) {
    return toLastJob(alike.start, 'other', readings);
  }
  const names = new Set(candidates.flatMap(({ seen }) => seen.map(({ paths }) => paths)));
  // At once, because each may have to look for a job for a minute.
  const others = await Promise.all(
    [...names].map((one) => search(candidates, ({ paths }) => paths === one, task)),
  );
  const oldest = findOldest(others, candidates);
  const all = [...readings, ...others.flatMap((found) => found.readings)];
  const job = all.flatMap(({ jobs }) => jobs).find(({ state }) => state === 'at-work');
  if (oldest === undefined && job !== undefined) {
    // It may be the start, or fail: a first run would lose changes.
    throw new GitHubError(`job ${job.jobId} is at work, and there is none before it`);
  }
  return toLastJob(oldest, oldest === undefined ? 'none' : 'other', readings);
}

/** Returns the commits with entries of the series, newest first, and adds them to a list. */
async function* readCandidates(head: string, { api, series }: SeriesTask, found: Candidate[]) {
  let place = 0;
  for await (const { sha, links } of readHistory(api, head)) {
    // Only the newest status of each context: it shows that there is a record, but not all of it.
    const entries = links.flatMap((link) => parseEntry(link) ?? []);
    const seen = entries.filter((entry) => entry.series === series);
    if (seen.length > 0) {
      const candidate: Candidate = { sha, place, seen, record: undefined };
      found.push(candidate);
      yield candidate;
    }
    place += 1;
  }
}

/** Returns where the last job of these tasks ended, and what was read for it, newest first. */
async function search(
  candidates: Iterable<Candidate> | AsyncIterable<Candidate>,
  concerns: Concerns,
  task: SeriesTask,
) {
  const readings: Reading[] = [];
  /** The newest mark of a run whose changes are still to be done. A job is a better start. */
  let kept: SeriesStart | undefined;
  for await (const candidate of candidates) {
    if (candidate.seen.some(concerns)) {
      const { sha, place } = candidate;
      const reading = await readCandidate(candidate, concerns, task);
      readings.push(reading);
      const [since] = reading.marks.flatMap((mark) => mark.since ?? []);
      kept ??= since === undefined ? undefined : { sha: since, distance: place };
      const isMarked = reading.marks.some((mark) => mark.since === undefined);
      if (isMarked || reading.jobs.some(({ state }) => state === 'ended')) {
        return { start: { sha, distance: kept?.distance ?? place }, readings };
      }
    }
  }
  return { start: kept, readings };
}

/** Returns what is on record of a commit about these tasks, newest first. */
async function readCandidate(
  candidate: Candidate,
  concerns: Concerns,
  { api, runId, readJob }: SeriesTask,
) {
  candidate.record ??= readWholeRecord(candidate, api);
  const { entries, marks } = await candidate.record;
  const isOfOtherRun: Concerns = (entry) => concerns(entry) && entry.runId !== runId;
  // Without the start that an earlier attempt kept, a re-run of its job would begin later.
  const isStart = (mark: Mark): boolean => isOfOtherRun(mark) || mark.since !== undefined;
  const claims = foldClaims(entries).filter(isOfOtherRun);
  // Up to the first one that has ended.
  const jobs: { readonly jobId: string; readonly state: ReturnType<typeof getJobState> }[] = [];
  for (const { jobId } of claims) {
    if (jobId !== undefined && jobs.at(-1)?.state !== 'ended') {
      jobs.push({ jobId, state: getJobState(await readJob(jobId)) });
    }
  }
  const open = claims.find(({ state }) => state === 'starting');
  const nowMs = api.now();
  return {
    jobs,
    marks: marks.filter(concerns).filter(isStart),
    // Without its time, it may be new.
    openForMs: open === undefined ? Number.POSITIVE_INFINITY : nowMs - (open.atMs ?? nowMs),
  };
}

/** A job that the service no longer finds has ended. */
function getJobState(job: Job | undefined): 'ended' | 'failed' | 'at-work' {
  if (job?.status === 'failed') {
    return 'failed';
  }
  return job === undefined || isFinalStatus(job.status) ? 'ended' : 'at-work';
}

/**
 * Returns the oldest of the starts that all `paths` have got to. Throws a `GitHubError` if that
 * can't be told, because several of them are out of sight: with a newer one, changes would be lost.
 */
function findOldest(
  others: readonly Found[],
  candidates: readonly Candidate[],
): SeriesStart | undefined {
  const getAge = (start: SeriesStart): number =>
    candidates.find(({ sha }) => sha === start.sha)?.place ?? Number.POSITIVE_INFINITY;
  const starts = others.flatMap(({ start }) => start ?? []);
  const hidden = starts.filter((start) => getAge(start) === Number.POSITIVE_INFINITY);
  if (new Set(hidden.map(({ sha }) => sha)).size > 1) {
    throw new GitHubError('several tasks have waited for over 1,000 commits', { kind: 'setting' });
  }
  return starts.sort((one, other) => getAge(other) - getAge(one))[0];
}

function toLastJob(
  start: SeriesStart | undefined,
  record: 'own' | 'other' | 'none',
  readings: readonly Reading[],
) {
  const jobs = readings.flatMap((reading) => reading.jobs);
  const [markedId] = readings.flatMap(({ marks }) => marks.flatMap((mark) => mark.jobId ?? []));
  return {
    /** The commit. Undefined if there is none in the last 1,000 commits. */
    sha: start?.sha,
    distance: start?.distance ?? 0,
    /** Whose record it is: of the own task, or of another one of the same project. */
    record,
    /** The newer jobs that failed or haven't ended, so that their changes come again. */
    undone: [...new Map(jobs.map((one) => [one.jobId, one])).values()].flatMap(
      ({ jobId, state }) => (state === 'ended' ? [] : { jobId, state }),
    ),
    /**
     * The newest job of a task with the same `paths` that hasn't failed. It may be at work. A run
     * that left a mark may have missed a newer job, or one that failed later.
     */
    jobId: jobs.find(({ state }) => state !== 'failed')?.jobId ?? markedId,
    /** The age of the newest claim of another run that may be starting such a job. */
    openForMs: Math.min(...readings.map(({ openForMs }) => openForMs)),
  };
}

/**
 * Returns all that is on record of a commit. A list that lacks what the history shows is read a
 * second time, and then refused: without its job, a first run would lose changes.
 */
async function readWholeRecord({ sha, seen }: Candidate, api: GitHubApi): Promise<CommitRecord> {
  const name = ({ runId, fingerprint, state }: Entry | Mark) => `${runId} ${fingerprint} ${state}`;
  const read = async (): Promise<CommitRecord | undefined> => {
    const record = await readRecord(api, sha);
    const listed = new Set([...record.entries, ...record.marks].map(name));
    return seen.every((entry) => listed.has(name(entry))) ? record : undefined;
  };
  const record = (await read()) ?? (await read());
  if (record === undefined) {
    throw new GitHubError('GitHub does not list a status that it has');
  }
  return record;
}
