import { type ClientLimits, createGitHubClient, GitHubError } from './client.ts';
import type { GitHubContext } from './context.ts';

/** One page of a list, and the number of pages as far as this one tells. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly pages: number;
}

export interface WorkflowRun {
  readonly id: number;
  readonly newestAttempt: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Branch or tag. */
  readonly branch: string | undefined;
}

export interface WorkflowJob {
  /** Also the id of its check run. */
  readonly id: number;
  /** As displayed, such as `docs`, `docs (en)`, or `caller / called`. */
  readonly name: string;
  /** The attempt that ran it, if the host says so: later attempts may list it, too. */
  readonly attempt: number | undefined;
  readonly isSkipped: boolean;
  /** Milliseconds since the epoch; NaN if it has not started. */
  readonly startedAt: number;
}

/** What a search for job records reads of the workflow's host. Each method throws if it can't. */
export interface RunReader {
  readJobName(jobId: number): Promise<string>;
  listJobs(runId: number, attempt: number, page: number): Promise<Page<WorkflowJob>>;
  /** The messages of the notices that a workflow job left. A running one has none yet. */
  listNotices(jobId: number, page: number): Promise<Page<string>>;
  /** The newest runs of a workflow file on a branch or tag. */
  listRuns(workflowFile: string, branch: string, query: RunQuery): Promise<readonly WorkflowRun[]>;
}

export interface RunQuery {
  readonly since: Date;
  /** At most 100. */
  readonly count: number;
}

export type OpenRunReader = (context: GitHubContext, limits: ClientLimits) => Promise<RunReader>;

const PAGE_SIZE = 100;

/** Returns a reader within limits. Throws a `GitHubError` if there is nothing to read from, or no token to read with. */
export const openRunReader: OpenRunReader = async (context, limits) => {
  const { repository } = context;
  if (repository === undefined) {
    throw new GitHubError('GITHUB_REPOSITORY is not set');
  }
  const { rest } = await createGitHubClient(context, limits).loadOctokit();
  return {
    async readJobName(jobId) {
      return (await rest.actions.getJobForWorkflowRun({ ...repository, job_id: jobId })).data.name;
    },

    async listJobs(runId, attempt, page) {
      const { data } = await rest.actions.listJobsForWorkflowRunAttempt({
        ...repository,
        run_id: runId,
        attempt_number: attempt,
        per_page: PAGE_SIZE,
        page,
      });
      const items = expectList(data?.jobs).map((job) => ({
        id: job.id,
        name: String(job.name),
        attempt: job.run_attempt,
        isSkipped: job.conclusion === 'skipped',
        startedAt: Date.parse(job.started_at),
      }));
      return { items, pages: Math.ceil(data.total_count / PAGE_SIZE) };
    },

    async listNotices(jobId, page) {
      const query = { ...repository, check_run_id: jobId, per_page: PAGE_SIZE, page };
      const { data } = await rest.checks.listAnnotations(query);
      const items = expectList(data).flatMap(({ annotation_level: level, message }) =>
        level === 'notice' && message !== null ? [message] : [],
      );
      return { items, pages: data.length < PAGE_SIZE ? page : page + 1 };
    },

    async listRuns(workflowFile, branch, { since, count }) {
      const { data } = await rest.actions.listWorkflowRuns({
        ...repository,
        workflow_id: workflowFile,
        branch,
        created: `>=${since.toISOString().slice(0, 10)}`,
        per_page: count,
      });
      return expectList(data?.workflow_runs).map((run) => ({
        id: run.id,
        newestAttempt: run.run_attempt ?? 1,
        createdAt: Date.parse(run.created_at),
        branch: run.head_branch ?? undefined,
      }));
    },
  };
};

/** What a server answers may be anything, whatever its type says. */
function expectList<T>(list: readonly T[] | undefined): readonly T[] {
  if (!Array.isArray(list)) {
    throw new GitHubError('the response is not as the API describes it');
  }
  return list;
}
