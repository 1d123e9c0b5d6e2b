import { type GitHubClient, getGitHubError, isRefusal } from '../github/client.ts';
import type { GitHubContext } from '../github/context.ts';
import { GitHubError } from '../github/get.ts';
import {
  type Annotation,
  type Listing,
  listAnnotations,
  listJobs,
  listRuns,
  readJobName,
  type WorkflowJob,
  type WorkflowRun,
} from '../github/runs.ts';
import type { JobRecord, SearchProblem } from '../state.ts';
import { parseAnnotation } from './job-marker.ts';

export interface Search {
  readonly open: () => Promise<GitHubClient>;
  readonly github: GitHubContext;
  readonly fingerprint: string;
  /** The tag for which other runs of the workflow file are searched, too. */
  readonly tag: string | undefined;
}

const BATCH_SIZE = 6;
const MAX_AGE_MS = 30 * 24 * 60 * 60_000;

type ListName = 'runs' | 'jobs' | 'annotations';

interface SearchedRun {
  readonly runId: number;
  readonly newestAttempt: number;
  /** True if a step of the newest attempt may still start a job. */
  readonly mayStartJob: boolean;
}

/**
 * A search for the records of earlier attempts, and of other runs for a tag. If a request fails, the search goes on,
 * and `problem` reports the failure at the end.
 */
export class RecordSearch {
  readonly #search: Search;
  readonly #seen = new Set<number>();
  readonly #answered = new Set<ListName>();
  readonly #errors: { readonly name: ListName; readonly error: GitHubError }[] = [];
  /** A problem that stands even if every request succeeds. */
  #obstacle: SearchProblem | undefined;

  constructor(search: Search) {
    this.#search = search;
  }

  /** Why a record may have been missed so far; undefined if everything was read. */
  get problem(): SearchProblem | undefined {
    const [first] = this.#errors;
    if (this.#obstacle !== undefined || first === undefined) {
      return this.#obstacle;
    }
    // If the same endpoint also answered, a refusal does not mean a missing permission.
    const worst = this.#errors.find(({ name, error }) => !isRefusal(error) || this.#answered.has(name));
    if (worst === undefined) {
      return { failure: 'not-permitted', detail: first.error.message };
    }
    const { httpStatus, message } = worst.error;
    return { failure: httpStatus === 401 ? 'bad-token' : 'incomplete', detail: message };
  }

  /** Finds the records of earlier attempts, newest first, then those of other runs. Never throws. */
  async *findAll(): AsyncGenerator<JobRecord> {
    const { open, github, tag } = this.#search;
    const { runId, runAttempt, workflowFile, checkRunId } = github;
    let client: GitHubClient;
    try {
      if (runId === undefined || (tag !== undefined && workflowFile === undefined)) {
        throw new GitHubError(`${runId === undefined ? 'GITHUB_RUN_ID' : 'GITHUB_WORKFLOW_REF'} is not set`);
      }
      client = await open();
    } catch (error) {
      this.#obstacle = { failure: 'impossible', detail: getGitHubError(error).message };
      return;
    }
    // The name finds this job among hundreds. Without it, the search reads all of them, so this read may fail.
    const name =
      checkRunId === undefined ? undefined : await readJobName(client, checkRunId).catch(() => undefined);
    yield* this.#findInRun(client, name, { runId, newestAttempt: runAttempt - 1, mayStartJob: false });
    if (tag === undefined) {
      return;
    }
    for (const { id, run_attempt: newest, status } of await this.#listOtherRuns(client, tag)) {
      // A run with a higher id is younger than a first attempt, but may have begun before a re-run.
      const mayBeFirst = id < runId || runAttempt > 1;
      yield* this.#findInRun(client, name, {
        runId: id,
        // Hosts that don't count attempts return 0.
        newestAttempt: Math.max(1, newest),
        mayStartJob: status !== 'completed' && mayBeFirst,
      });
    }
  }

  #keep<T>(name: ListName, { items, isAnswered, error }: Listing<T>): readonly T[] {
    if (isAnswered) {
      this.#answered.add(name);
    }
    if (error !== undefined) {
      this.#errors.push({ name, error });
    }
    return items;
  }

  async *#findInRun(
    client: GitHubClient,
    name: string | undefined,
    { runId, newestAttempt, mayStartJob }: SearchedRun,
  ): AsyncGenerator<JobRecord> {
    for (let attempt = newestAttempt; attempt >= 1; attempt -= 1) {
      const jobs = this.#keep('jobs', await listJobs(client, runId, attempt));
      const ran = jobs.filter(({ conclusion }) => conclusion !== 'skipped');
      const named = ran.filter((job) => job.name === name);
      const hasEnded = named.length > 0 && named.every((job) => job.status === 'completed');
      if (mayStartJob && attempt === newestAttempt && !hasEnded) {
        const detail = `run ${runId} of this workflow is in progress`;
        this.#obstacle ??= { failure: 'run-in-progress', detail };
      }
      const unread = (named.length > 0 ? named : ran)
        .filter(({ id }) => !this.#seen.has(id))
        .sort((a, b) => parseTime(b.started_at) - parseTime(a.started_at) || b.id - a.id);
      for (let index = 0; index < unread.length; index += BATCH_SIZE) {
        const batch = unread.slice(index, index + BATCH_SIZE);
        const read = await Promise.all(
          batch.map(async (job) => ({ job, list: await listAnnotations(client, job.id) })),
        );
        for (const { job, list } of read) {
          this.#seen.add(job.id);
          yield* this.#readRecords(this.#keep('annotations', list), runId, attempt, job);
        }
      }
    }
  }

  *#readRecords(
    annotations: readonly Annotation[],
    ownRun: number,
    listedIn: number,
    // An attempt that re-ran only failed jobs also lists the jobs of earlier attempts.
    { run_attempt: ownAttempt = listedIn }: WorkflowJob,
  ): Generator<JobRecord> {
    const { github, fingerprint } = this.#search;
    const { serverUrl, repository } = github;
    for (const annotation of annotations) {
      const marker = parseAnnotation(annotation, fingerprint);
      if (marker === 'unreadable') {
        const detail = `the record of run ${ownRun}, attempt ${ownAttempt}, is masked or broken`;
        this.#obstacle = { failure: 'unreadable-record', detail };
      } else if (marker !== undefined) {
        const own = { jobId: undefined, runId: ownRun, attempt: ownAttempt };
        const { jobId, runId = ownRun, attempt } = marker === 'unknown' ? own : marker;
        const page = `${serverUrl}/${repository?.owner}/${repository?.repo}/actions/runs/${runId}/attempts/${attempt}`;
        const isOtherRun = runId !== github.runId;
        yield { jobId, runId, attempt, page, isOtherRun };
      }
    }
  }

  /**
   * The newest runs of the same workflow file for the tag, newest first. A tag push and a `release` event run on the
   * tag; a dispatch with `release-tag` on a branch.
   */
  async #listOtherRuns(client: GitHubClient, tag: string): Promise<WorkflowRun[]> {
    const { workflowFile = '', refName = tag, runId } = this.#search.github;
    const since = new Date(Date.now() - MAX_AGE_MS);
    const runs = new Map<number, WorkflowRun>();
    for (const branch of new Set([tag, refName])) {
      for (const run of this.#keep('runs', await listRuns(client, workflowFile, branch, since))) {
        if (run.id !== runId && (run.head_branch ?? branch) === branch) {
          runs.set(run.id, run);
        }
      }
    }
    return [...runs.values()].sort((a, b) => b.id - a.id);
  }
}

function parseTime(time: string | null | undefined): number {
  return Date.parse(time ?? '');
}
