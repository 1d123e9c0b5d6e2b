import * as z from '../text/schema.ts';
import { type GitHubClient, getGitHubError, read } from './client.ts';
import { GitHubError } from './get.ts';

const PAGE_SIZE = 100;
const MAX_RUNS = 30;

const count = z.int().check(z.nonnegative());
const text = z.nullish(z.string());

const jobNameSchema = z.object({ name: z.string() });
const jobSchema = z.object({
  id: z.int(),
  name: z.string(),
  run_attempt: z.optional(z.int()),
  status: text,
  conclusion: text,
  started_at: text,
});
const jobsSchema = z.object({ total_count: count, jobs: z.array(jobSchema) });
const annotationsSchema = z.array(z.object({ title: text, message: text }));
const runSchema = z.object({ id: z.int(), run_attempt: z.int(), head_branch: text, status: text });
const runsSchema = z.object({ total_count: count, workflow_runs: z.array(runSchema) });

/** The id is also that of its check run. Later attempts may list the job, too: `run_attempt` is the one that ran it. */
export type WorkflowJob = z.output<typeof jobSchema>;
/** Newer runs have higher ids. */
export type WorkflowRun = z.output<typeof runSchema>;
/** A message that a step left on the page of its run. */
export type Annotation = z.output<typeof annotationsSchema>[number];

/** The part of a list that could be read. */
export interface Listing<T> {
  readonly items: readonly T[];
  /** True if GitHub has returned a page of it. */
  readonly isAnswered: boolean;
  /** Undefined if the list is whole. */
  readonly error: GitHubError | undefined;
}

/** Returns the display name of a workflow job, such as `docs`, `docs (en)`, or `caller / called`. */
export async function readJobName(client: GitHubClient, jobId: number): Promise<string> {
  return (await read(client, jobNameSchema, '/actions/jobs/{job_id}', { job_id: jobId })).name;
}

/** Returns the workflow jobs that an attempt lists. */
export function listJobs(
  client: GitHubClient,
  runId: number,
  attempt: number,
): Promise<Listing<WorkflowJob>> {
  const route = '/actions/runs/{run_id}/attempts/{attempt_number}/jobs';
  return readPages(async (page) => {
    const query = { run_id: runId, attempt_number: attempt, per_page: PAGE_SIZE, page };
    const { total_count: total, jobs } = await read(client, jobsSchema, route, query);
    return { total, entries: jobs.map((job) => [job.id, job]) };
  });
}

/** Returns the annotations of a workflow job. One that is running has none yet. */
export function listAnnotations(client: GitHubClient, jobId: number): Promise<Listing<Annotation>> {
  const route = '/check-runs/{check_run_id}/annotations';
  return readPages(async (page) => {
    const query = { check_run_id: jobId, per_page: PAGE_SIZE, page };
    const annotations = await read(client, annotationsSchema, route, query);
    const before = (page - 1) * PAGE_SIZE;
    // This list has no count. After a full page, there may be another.
    const total = before + annotations.length + (annotations.length < PAGE_SIZE ? 0 : 1);
    return { total, entries: annotations.map((annotation, index) => [before + index, annotation]) };
  });
}

/** Returns the newest 30 runs of a workflow file on a branch or tag, from the day of `since` on. */
export function listRuns(
  client: GitHubClient,
  workflowFile: string,
  branch: string,
  since: Date,
): Promise<Listing<WorkflowRun>> {
  const route = '/actions/workflows/{workflow_id}/runs';
  const created = `>=${since.toISOString().slice(0, 10)}`;
  return readPages(async (page) => {
    const query = { workflow_id: workflowFile, branch, created, per_page: MAX_RUNS, page };
    const { total_count: total, workflow_runs: runs } = await read(client, runsSchema, route, query);
    return { total: Math.min(total, MAX_RUNS), entries: runs.map((run) => [run.id, run]) };
  });
}

/** Reads pages until they have as many different items as GitHub counts, or until a page adds nothing. */
async function readPages<T>(
  readPage: (page: number) => Promise<{ total: number; entries: (readonly [key: number, item: T])[] }>,
): Promise<Listing<T>> {
  const items = new Map<number, T>();
  let error: GitHubError | undefined;
  let total = 0;
  let page = 0;
  let before: number;
  try {
    do {
      before = items.size;
      const found = await readPage(page + 1);
      page += 1;
      total = Math.max(total, found.total);
      for (const [key, item] of found.entries) {
        items.set(key, item);
      }
    } while (items.size < total && items.size > before);
    if (items.size < total) {
      error = new GitHubError(`GitHub lists ${items.size} of ${total} items`);
    }
  } catch (failure) {
    error = getGitHubError(failure);
  }
  return { items: [...items.values()], isAnswered: page > 0, error };
}
