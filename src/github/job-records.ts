import {
  type ClientLimits,
  createGitHubClient,
  GitHubError,
  getGitHubError,
  isPermissionError,
  type Octokit,
} from './client.ts';
import type { GitHubContext, Repository } from './context.ts';
import { parseMarker } from './job-annotation.ts';

/** What an earlier attempt, or another run, recorded about its create. */
export interface JobRecord {
  /** Undefined if the create was sent and its response was lost. */
  readonly jobId: string | undefined;
  readonly runId: number;
  readonly attempt: number;
  /** Link to that attempt. */
  readonly page: string;
}

/** A record whose job is known. */
export interface KnownJobRecord extends JobRecord {
  readonly jobId: string;
}

export interface Search {
  readonly context: GitHubContext;
  readonly fingerprint: string;
  /** The tag for which other runs of the workflow file are searched, too. */
  readonly tag: string | undefined;
  readonly limits: ClientLimits;
}

/** How a search ended: everything was read, the caller stopped it, or something could not be read. */
export type SearchEnd =
  | { readonly kind: 'complete' | 'stopped' }
  /** `isRefused` if records can't be read at all, because of a permission or because the host has none. */
  | { readonly kind: 'failed'; readonly isRefused: boolean; readonly error: GitHubError };

/**
 * Visits the records of earlier attempts, newest first, then those of other runs, until `visit` returns true. A request
 * that fails does not spoil what others find: the search goes on, and returns the first failure at its end. Never throws.
 */
export async function searchJobRecords(
  search: Search,
  visit: (record: JobRecord) => Promise<boolean>,
): Promise<SearchEnd> {
  try {
    const reader = await RecordReader.open(search);
    for await (const record of reader.readAll()) {
      if (await visit(record)) {
        return { kind: 'stopped' };
      }
    }
    return reader.end;
  } catch (error) {
    return { kind: 'failed', isRefused: true, error: getGitHubError(error) };
  }
}

const PAGE_SIZE = 100;
const BATCH_SIZE = 6;
const MAX_RUNS = 30;
const MAX_AGE_MS = 30 * 24 * 60 * 60_000;

type WorkflowJob = Awaited<
  ReturnType<Octokit['rest']['actions']['listJobsForWorkflowRunAttempt']>
>['data']['jobs'][number];

class RecordReader {
  readonly #search: Search;
  readonly #octokit: Octokit;
  readonly #repository: Repository;
  readonly #runId: number;
  readonly #read = new Set<number>();
  #firstError: GitHubError | undefined;
  #canReadAnnotations = false;

  private constructor(search: Search, octokit: Octokit, repository: Repository, runId: number) {
    this.#search = search;
    this.#octokit = octokit;
    this.#repository = repository;
    this.#runId = runId;
  }

  static async open(search: Search): Promise<RecordReader> {
    const { repository, runId } = search.context;
    if (repository === undefined || runId === undefined) {
      throw new GitHubError('GITHUB_REPOSITORY or GITHUB_RUN_ID is not set');
    }
    const octokit = await createGitHubClient(search.context, search.limits).loadOctokit();
    return new RecordReader(search, octokit, repository, runId);
  }

  get end(): SearchEnd {
    const error = this.#firstError;
    return error === undefined
      ? { kind: 'complete' }
      : { kind: 'failed', isRefused: isPermissionError(error) && !this.#canReadAnnotations, error };
  }

  async *readAll(): AsyncGenerator<JobRecord> {
    const { tag, context } = this.#search;
    const name = await this.#readOwnName();
    yield* this.#readAttempts(this.#runId, context.runAttempt - 1, name);
    if (tag !== undefined) {
      const runs = (await this.#try(() => this.#listOtherRuns(tag))) ?? [];
      for (const { id, run_attempt: newest = 1 } of runs) {
        yield* this.#readAttempts(id, newest, name);
      }
    }
  }

  /** Returns undefined and remembers the first error if a read fails. */
  async #try<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#firstError ??= getGitHubError(error);
      return undefined;
    }
  }

  /** The display name of this workflow job, by which it is found again among hundreds of others. */
  async #readOwnName(): Promise<string | undefined> {
    const { checkRunId } = this.#search.context;
    if (checkRunId === undefined) {
      return undefined;
    }
    const job = await this.#try(() =>
      this.#octokit.rest.actions.getJobForWorkflowRun({ ...this.#repository, job_id: checkRunId }),
    );
    return job?.data.name;
  }

  async *#readAttempts(runId: number, newest: number, name: string | undefined): AsyncGenerator<JobRecord> {
    const { serverUrl, workflowJob } = this.#search.context;
    const { owner, repo } = this.#repository;
    for (let attempt = newest; attempt >= 1; attempt -= 1) {
      const jobs = (await this.#try(() => this.#listJobs(runId, attempt))) ?? [];
      const unread = selectJobs(jobs, name, workflowJob).filter(({ id }) => !this.#read.has(id));
      for (let index = 0; index < unread.length; index += BATCH_SIZE) {
        const batch = unread.slice(index, index + BATCH_SIZE);
        const markers = await Promise.all(batch.map(({ id }) => this.#try(() => this.#readMarkers(id))));
        for (const [position, job] of batch.entries()) {
          this.#read.add(job.id);
          // An attempt that re-ran only what had failed lists the jobs of earlier attempts, too.
          const ran = Math.min(job.run_attempt ?? attempt, attempt);
          const page = `${serverUrl}/${owner}/${repo}/actions/runs/${runId}/attempts/${ran}`;
          for (const { jobId } of markers[position] ?? []) {
            yield { jobId, runId, attempt: ran, page };
          }
        }
      }
    }
  }

  async #listJobs(runId: number, attempt: number): Promise<WorkflowJob[]> {
    const query = { ...this.#repository, run_id: runId, attempt_number: attempt, per_page: PAGE_SIZE };
    const jobs: WorkflowJob[] = [];
    for (let page = 1; page === 1 || jobs.length === (page - 1) * PAGE_SIZE; page += 1) {
      const { data } = await this.#octokit.rest.actions.listJobsForWorkflowRunAttempt({ ...query, page });
      jobs.push(...data.jobs);
    }
    return jobs;
  }

  async #readMarkers(checkRunId: number) {
    const query = { ...this.#repository, check_run_id: checkRunId, per_page: PAGE_SIZE };
    const { data } = await this.#octokit.rest.checks.listAnnotations(query);
    this.#canReadAnnotations = true;
    return data
      .filter(({ annotation_level: level }) => level === 'notice')
      .map(({ message }) => parseMarker(message, this.#search.fingerprint))
      .filter((marker) => marker !== undefined);
  }

  /** The newest runs of the same workflow file for the tag. A tag push and a `release` event have it as their branch. */
  async #listOtherRuns(tag: string) {
    const { workflowFile, refName = tag } = this.#search.context;
    if (workflowFile === undefined) {
      throw new GitHubError('GITHUB_WORKFLOW_REF is not set');
    }
    const query = {
      ...this.#repository,
      workflow_id: workflowFile,
      created: `>=${new Date(Date.now() - MAX_AGE_MS).toISOString().slice(0, 10)}`,
      per_page: MAX_RUNS,
    };
    const branches = [...new Set([tag, refName])];
    const lists = await Promise.all(
      branches.map((branch) => this.#octokit.rest.actions.listWorkflowRuns({ ...query, branch })),
    );
    return lists
      .flatMap(({ data }) => data.workflow_runs)
      .filter(({ id, head_branch: branch }) => id !== this.#runId && branches.includes(branch ?? ''));
  }
}

/** Jobs of the given name; without any, all that ran: first those that seem to be of the same key, then the newest. */
function selectJobs(jobs: readonly WorkflowJob[], name: string | undefined, key: string): WorkflowJob[] {
  const named = jobs.filter((job) => job.name === name);
  if (named.length > 0) {
    return named;
  }
  const rank = (job: WorkflowJob): number =>
    job.name === key || job.name.startsWith(`${key} (`) || job.name.endsWith(` / ${key}`) ? 0 : 1;
  return jobs
    .filter(({ conclusion }) => conclusion !== 'skipped')
    .sort((a, b) => rank(a) - rank(b) || Date.parse(b.started_at) - Date.parse(a.started_at));
}
