import { type ClientLimits, GitHubError, getGitHubError, isPermissionError } from '../github/client.ts';
import type { GitHubContext } from '../github/context.ts';
import type { OpenRunReader, Page, RunReader, WorkflowJob, WorkflowRun } from '../github/runs.ts';
import type { AttemptId, JobRecord, SearchFailure } from '../state.ts';
import { parseMarker } from './job-marker.ts';

export interface Search {
  readonly openReader: OpenRunReader;
  readonly context: GitHubContext;
  readonly fingerprint: string;
  /** The tag for which other runs of the workflow file are searched, too. */
  readonly tag: string | undefined;
  readonly limits: ClientLimits;
}

/** How a search ended: everything was read, the caller stopped it, or something could not be read. */
export type SearchEnd =
  | { readonly kind: 'complete' | 'stopped' }
  | { readonly kind: 'failed'; readonly failure: SearchFailure; readonly error: GitHubError };

/**
 * Visits the records of earlier attempts, newest first, then those of other runs, until `visit` returns true. A request
 * that fails does not spoil what others find: the search goes on, and tells of the failure at its end. Never throws.
 */
export async function searchJobRecords(
  search: Search,
  visit: (record: JobRecord) => Promise<boolean>,
): Promise<SearchEnd> {
  let records: RecordSearch;
  try {
    records = await RecordSearch.open(search);
  } catch (error) {
    return { kind: 'failed', failure: 'impossible', error: getGitHubError(error) };
  }
  for await (const record of records.findAll()) {
    if (await visit(record)) {
      return { kind: 'stopped' };
    }
  }
  return records.end;
}

const BATCH_SIZE = 6;
const MAX_PAGES = 50;
const MAX_RUNS = 30;
const MAX_AGE_MS = 30 * 24 * 60 * 60_000;
/** How many workflow jobs of an attempt are read if none has a name like that of this one. */
const MAX_STRANGERS = 2 * BATCH_SIZE;

class RecordSearch {
  readonly #search: Search;
  readonly #reader: RunReader;
  readonly #runId: number;
  readonly #read = new Set<number>();
  readonly #errors: GitHubError[] = [];

  private constructor(search: Search, reader: RunReader, runId: number) {
    this.#search = search;
    this.#reader = reader;
    this.#runId = runId;
  }

  static async open(search: Search): Promise<RecordSearch> {
    const { openReader, context, limits, tag } = search;
    if (context.runId === undefined) {
      throw new GitHubError('GITHUB_RUN_ID is not set');
    }
    if (tag !== undefined && context.workflowFile === undefined) {
      throw new GitHubError('GITHUB_WORKFLOW_REF is not set');
    }
    return new RecordSearch(search, await openReader(context, limits), context.runId);
  }

  get end(): SearchEnd {
    const [first] = this.#errors;
    if (first === undefined) {
      return { kind: 'complete' };
    }
    const worst = this.#errors.find((error) => !isPermissionError(error));
    if (worst === undefined) {
      return { kind: 'failed', failure: 'not-permitted', error: first };
    }
    const failure = worst.httpStatus === 401 ? 'bad-token' : 'incomplete';
    return { kind: 'failed', failure, error: worst };
  }

  async *findAll(): AsyncGenerator<JobRecord> {
    const { tag, context } = this.#search;
    const name = await this.#readOwnName();
    yield* this.#findInAttempts(this.#runId, context.runAttempt - 1, name);
    if (tag !== undefined) {
      for (const { id, newestAttempt } of await this.#listOtherRuns(tag)) {
        yield* this.#findInAttempts(id, newestAttempt, name);
      }
    }
  }

  /** Returns undefined and keeps the error if a read fails. */
  async #try<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#errors.push(getGitHubError(error));
      return undefined;
    }
  }

  /** True if no other read can succeed. */
  #isOver(): boolean {
    return (
      this.#search.limits.signal.aborted || this.#errors.some(({ exhausted }) => exhausted !== undefined)
    );
  }

  /** Returns the items of all pages that can be read. */
  async #readPages<T>(readPage: (page: number) => Promise<Page<T>>): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1, pages = 1; page <= pages && !this.#isOver(); page += 1) {
      const found = await this.#try(() => readPage(page));
      items.push(...(found?.items ?? []));
      pages = Math.min(found?.pages ?? pages, MAX_PAGES);
    }
    return items;
  }

  /**
   * The display name of this workflow job, by which it is found again among hundreds of others. Without it, all of them
   * are read, so failing to read it is no error of the search.
   */
  async #readOwnName(): Promise<string | undefined> {
    const { checkRunId } = this.#search.context;
    try {
      return checkRunId === undefined ? undefined : await this.#reader.readJobName(checkRunId);
    } catch {
      return undefined;
    }
  }

  async *#findInAttempts(runId: number, newest: number, name: string | undefined): AsyncGenerator<JobRecord> {
    const { workflowJob } = this.#search.context;
    for (let attempt = newest; attempt >= 1 && !this.#isOver(); attempt -= 1) {
      const jobs = await this.#readPages((page) => this.#reader.listJobs(runId, attempt, page));
      const unread = selectJobs(jobs, name, workflowJob).filter(({ id }) => !this.#read.has(id));
      for (let index = 0; index < unread.length && !this.#isOver(); index += BATCH_SIZE) {
        const batch = unread.slice(index, index + BATCH_SIZE);
        const notices = await Promise.all(
          batch.map(({ id }) => this.#readPages((page) => this.#reader.listNotices(id, page))),
        );
        for (const [position, job] of batch.entries()) {
          this.#read.add(job.id);
          // An attempt that re-ran only what had failed lists the jobs of earlier attempts, too.
          const leftBy = { runId, attempt: Math.min(job.attempt ?? attempt, attempt) };
          yield* this.#parseRecords(notices[position] ?? [], leftBy);
        }
      }
    }
  }

  *#parseRecords(notices: readonly string[], leftBy: AttemptId): Generator<JobRecord> {
    const { serverUrl, repository } = this.#search.context;
    for (const notice of notices) {
      const marker = parseMarker(notice, this.#search.fingerprint);
      if (marker !== undefined) {
        const { runId = leftBy.runId, attempt } = marker.kind === 'id' ? marker.startedBy : leftBy;
        const page = `${serverUrl}/${repository?.owner}/${repository?.repo}/actions/runs/${runId}/attempts/${attempt}`;
        yield { jobId: marker.kind === 'id' ? marker.jobId : undefined, runId, attempt, page, leftBy };
      }
    }
  }

  /** The newest runs of the same workflow file for the tag. A tag push and a `release` event have it as their branch. */
  async #listOtherRuns(tag: string): Promise<WorkflowRun[]> {
    const { workflowFile = '', refName = tag } = this.#search.context;
    const query = { since: new Date(Date.now() - MAX_AGE_MS), count: MAX_RUNS };
    const branches = [...new Set([tag, refName])];
    const lists = await Promise.all(
      branches.map((branch) => this.#try(() => this.#reader.listRuns(workflowFile, branch, query))),
    );
    return lists
      .flatMap((runs) => runs ?? [])
      .filter(({ id, branch }) => id !== this.#runId && branches.includes(branch ?? ''))
      .sort((a, b) => b.createdAt - a.createdAt)
      .slice(0, MAX_RUNS);
  }
}

/**
 * Returns the jobs that may be this one in another attempt. If its name is known, that is all with the same name, or
 * else all that seem to be of the same key, or else the newest ones, because a name may hold anything. If it is not
 * known, that is all, the likely ones first.
 */
function selectJobs(jobs: readonly WorkflowJob[], name: string | undefined, key: string): WorkflowJob[] {
  const isSameKey = (job: WorkflowJob): boolean =>
    job.name === key || job.name.startsWith(`${key} (`) || job.name.endsWith(` / ${key}`);
  const ran = (selected: readonly WorkflowJob[]): WorkflowJob[] =>
    selected.filter(({ isSkipped }) => !isSkipped).sort((a, b) => b.startedAt - a.startedAt || b.id - a.id);
  const likely = jobs.filter(isSameKey);
  if (name === undefined) {
    return [...ran(likely), ...ran(jobs.filter((job) => !isSameKey(job)))];
  }
  const named = jobs.filter((job) => job.name === name);
  if (named.length > 0) {
    return ran(named);
  }
  return likely.length > 0 ? ran(likely) : ran(jobs).slice(0, MAX_STRANGERS);
}
