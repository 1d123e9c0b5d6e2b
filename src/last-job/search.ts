import type { GitHubApi } from '../github/api.ts';
import { GitHubError } from '../github/errors.ts';
import { readHistory } from '../github/history.ts';
import { type Claim, foldClaims, hasJob } from '../record/rule.ts';
import {
  type CommitRecord,
  type Entry,
  type Mark,
  parseEntry,
  readRecord,
} from '../record/wire-format.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import { findFirst, findUnproved, type History, sortByAge, toStart } from './starts.ts';

/**
 * The task whose last job is looked for, and the run, whose own records are no start. `paths`
 * divide a series: a job for one package isn't about another.
 */
export interface SeriesTask extends Pick<Mark, 'fingerprint' | 'series' | 'paths' | 'runId'> {
  readonly api: GitHubApi;
  /** Returns undefined if the service no longer finds the job. Rejects if it can't be read. */
  readonly readJob: (jobId: string) => Promise<Job | undefined>;
  /** The start of a run for whose `paths` there is no record, unless other tasks are behind it. */
  readonly guess?: string | undefined;
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

type Reading = Awaited<ReturnType<typeof readCandidate>>;

/**
 * Finds the newest commit in the history of a commit, itself included, where a job of the task
 * ended without failing, or which a run has marked. Each such job or mark stands for all changes
 * before it, whatever merges, squashes, and clocks do to the order. Without one, the start that the
 * last run had. Without that, the same for any task with the same `paths`, such as one whose prompt
 * was edited; then, where the last of all others is. What was written without a record in sight
 * counts only if there is nothing older. Rejects with a `GitHubError`, also if there is none, but a
 * job that hasn't ended.
 */
export async function findLastJob(sha: string, task: SeriesTask): Promise<LastJob> {
  const candidates: Candidate[] = [];
  const seen = new Map<string, { readonly parents: readonly string[] }>();
  const find = (concerns: Concerns) => search(candidates, concerns, task, seen);
  const history = readCandidates(sha, task, candidates, seen);
  const isOwn: Concerns = ({ fingerprint }) => fingerprint === task.fingerprint;
  const own = await search(history, isOwn, task, seen);
  if (own.start?.isGuess === false) {
    return toLastJob(own.start, 'own', own.readings, seen, task.api.now());
  }
  const alike = await find(({ paths }) => paths === task.paths);
  const names = new Set(candidates.flatMap((one) => one.seen.map(({ paths }) => paths)));
  // At once, because each may have to look for a job for a minute.
  const others =
    alike.start?.isGuess === false
      ? []
      : await Promise.all([...names].map((one) => find(({ paths }) => paths === one)));
  const ofOthers = sortByAge(
    others.flatMap(({ start }) => start ?? []),
    seen,
  );
  const ofPaths = [own.start ?? [], alike.start ?? []].flat();
  const nowMs = task.api.now();
  const guess = ofPaths.length > 0 ? undefined : task.guess;
  const guesses = guess ? [{ sha: guess, isGuess: true, distance: 0, atMs: nowMs }] : [];
  // First, because other `paths` may have got further on another branch.
  const starts = [
    ...guesses.map((start) => ({ sha: start.sha, start })),
    // What jobs have done since a guess is done, unless others are behind that.
    ...ofPaths.map((start) => ({ sha: start.origin, start })),
    ...ofOthers.map((start) => ({ sha: start.sha, start })),
  ];
  const oldest = findFirst(starts, seen)?.start;
  const readings = [...own.readings, ...alike.readings];
  if (oldest === undefined) {
    refuseAtWork([...readings, ...others.flatMap((found) => found.readings)]);
  }
  const whose = ofPaths.length > 0 ? 'other' : 'elsewhere';
  const ofTask = oldest !== undefined && oldest === own.start ? 'own' : whose;
  const isNone = ofPaths.length + ofOthers.length === 0;
  return toLastJob(oldest, isNone ? 'none' : ofTask, readings, seen, nowMs);
}

/** Throws for a job at work: it may be the start, or fail, and a first run would lose changes. */
function refuseAtWork(readings: readonly Reading[]): void {
  const job = readings.flatMap(({ jobs }) => jobs).find(({ state }) => state === 'at-work');
  if (job !== undefined) {
    throw new GitHubError(`job ${job.jobId} is at work, and there is none before it`);
  }
}

/** Returns the commits with entries of the series, newest first, and adds them to a list. */
async function* readCandidates(
  head: string,
  { api, series }: SeriesTask,
  found: Candidate[],
  history: Map<string, { readonly parents: readonly string[] }>,
) {
  for await (const { sha, parents, links } of readHistory(api, head)) {
    const place = history.size;
    history.set(sha, { parents });
    // Only the newest status of each context: it shows that there is a record, but not all of it.
    const entries = links.flatMap((link) => parseEntry(link) ?? []);
    const seen = entries.filter((entry) => entry.series === series);
    if (seen.length > 0) {
      const candidate: Candidate = { sha, place, seen, record: undefined };
      found.push(candidate);
      yield candidate;
    }
  }
}

/** Returns where the last job of these tasks ended, and what was read for it, newest first. */
async function search(
  candidates: Iterable<Candidate> | AsyncIterable<Candidate>,
  concerns: Concerns,
  task: SeriesTask,
  history: History,
) {
  const readings: Reading[] = [];
  for await (const candidate of candidates) {
    if (candidate.seen.some(concerns)) {
      const reading = await readCandidate(candidate, concerns, task);
      readings.push(reading);
      if (reading.starts.some(({ kind }) => kind === 'done')) {
        break;
      }
    }
  }
  const starts = readings.flatMap((reading) => reading.starts);
  const done = starts.find(({ kind }) => kind === 'done');
  const start = done === undefined ? findUnproved(starts, history) : { ...done, origin: done.sha };
  // A later run finds the newest record that says the same.
  const same = starts.filter(({ sha }) => sha === start?.sha);
  return {
    start: start && {
      sha: start.sha,
      origin: start.origin,
      isGuess: start.kind === 'guess' || start.kind === 'step',
      distance: Math.min(...same.map(({ place }) => place)),
      atMs: Math.max(...same.map(({ atMs }) => atMs)),
    },
    readings,
  };
}

/** Returns what is on record of a commit about these tasks, newest first. */
async function readCandidate(candidate: Candidate, concerns: Concerns, task: SeriesTask) {
  const { api, runId } = task;
  candidate.record ??= readWholeRecord(candidate, api);
  const { entries, marks: allMarks } = await candidate.record;
  const nowMs = api.now();
  // Without the start that an earlier attempt kept, a re-run of its job would begin later.
  const isKnown = (one: Entry | Mark) => one.runId !== runId || one.since !== undefined;
  const marks = allMarks.filter(concerns).filter(isKnown);
  const all = foldClaims(entries).filter(concerns);
  const claims = all.filter((claim) => claim.runId !== runId);
  const getTime = ({ nonce }: Claim): number =>
    Math.max(...entries.flatMap((one) => (one.nonce === nonce ? (one.atMs ?? nowMs) : [])));
  const said = [...marks, ...all.map((claim) => ({ ...claim, atMs: getTime(claim) }))];
  const starts = said.flatMap((one) => toStart(one, candidate, nowMs) ?? []);
  // Up to the first one after which all is done.
  const jobs: { readonly jobId: string; readonly state: ReturnType<typeof getJobState> }[] = [];
  for (const claim of claims.filter(hasJob)) {
    const { jobId, guess, since: from } = claim;
    const state = getJobState(await task.readJob(jobId));
    jobs.push({ jobId, state });
    if (state === 'ended') {
      const kind = guess === undefined ? 'done' : 'step';
      starts.push({ kind, sha: candidate.sha, place: candidate.place, atMs: getTime(claim), from });
      if (kind === 'done') {
        break;
      }
    }
  }
  const open = claims.find(({ state }) => state === 'starting');
  return {
    jobs,
    starts,
    marks,
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

function toLastJob(
  start: Omit<NonNullable<Awaited<ReturnType<typeof search>>['start']>, 'origin'> | undefined,
  record: 'own' | 'other' | 'elsewhere' | 'none',
  readings: readonly Reading[],
  history: History,
  nowMs: number,
) {
  const jobs = readings.flatMap((reading) => reading.jobs);
  const [markedId] = readings.flatMap(({ marks }) => marks.flatMap((mark) => mark.jobId ?? []));
  return {
    /** The commit. Undefined if there is none in the last 1,000 commits. */
    sha: start?.sha,
    /** The commits whose record was looked for. */
    listed: new Set(history.keys()),
    /** How many commits are newer than the record that says so. */
    distance: start?.distance ?? 0,
    /** How old that record is, in milliseconds. */
    ageMs: nowMs - (start?.atMs ?? nowMs),
    /** True if a run wrote it that found no record. */
    isGuess: start?.isGuess === true,
    /**
     * Whose record it is: of the own task, of an`other` one with the same `paths`, or only of tasks
     * with other `paths`.
     */
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
