import { type ClientLimits, createGitHubClient, GitHubError, type Octokit } from './client.ts';
import type { GitHubContext, Repository } from './context.ts';
import { parseMarker } from './job-annotation.ts';

/** An agent job that an earlier attempt of this workflow run recorded. */
export interface PreviousJob {
  readonly jobId: string;
  readonly attempt: number;
  /** Link to that attempt. */
  readonly page: string;
}

const PAGE_SIZE = 100;
const MAX_ATTEMPTS = 10;
const BATCH_SIZE = 6;

/** Yields the jobs that earlier attempts recorded with this fingerprint, newest attempt first. Throws if they cannot be read. */
export async function* listPreviousJobs(
  context: GitHubContext,
  fingerprint: string,
  limits: ClientLimits,
): AsyncGenerator<PreviousJob> {
  const { repository, runId, runAttempt, workflowJob, serverUrl } = context;
  if (repository === undefined || runId === undefined) {
    throw new GitHubError('GITHUB_REPOSITORY or GITHUB_RUN_ID is not set');
  }
  const octokit = await createGitHubClient(context, limits).loadOctokit();
  const runPage = `${serverUrl}/${repository.owner}/${repository.repo}/actions/runs/${runId}`;
  const read = new Set<number>();
  for (let attempt = runAttempt - 1; attempt >= 1 && attempt >= runAttempt - MAX_ATTEMPTS; attempt -= 1) {
    const listed = await listCheckRuns(octokit, repository, runId, attempt, workflowJob);
    const checkRuns = listed.filter(({ id }) => !read.has(id));
    for (let index = 0; index < checkRuns.length; index += BATCH_SIZE) {
      const batch = checkRuns.slice(index, index + BATCH_SIZE);
      const jobIds = await Promise.all(
        batch.map(({ id }) => readJobIds(octokit, repository, id, fingerprint)),
      );
      for (const [position, checkRun] of batch.entries()) {
        read.add(checkRun.id);
        for (const jobId of jobIds[position] ?? []) {
          yield { jobId, attempt: checkRun.attempt, page: `${runPage}/attempts/${checkRun.attempt}` };
        }
      }
    }
  }
}

interface CheckRun {
  readonly id: number;
  /** The attempt that it ran in: an attempt that re-ran only what had failed lists the others, too. */
  readonly attempt: number;
}

type WorkflowJob = Awaited<
  ReturnType<Octokit['rest']['actions']['listJobsForWorkflowRunAttempt']>
>['data']['jobs'][number];

/** Lists the check runs of one attempt: those that seem to be of this workflow job first, then the newest. */
async function listCheckRuns(
  octokit: Octokit,
  repository: Repository,
  runId: number,
  attempt: number,
  workflowJob: string,
): Promise<CheckRun[]> {
  const query = { ...repository, run_id: runId, attempt_number: attempt, per_page: PAGE_SIZE };
  const jobs: WorkflowJob[] = [];
  for (let page = 1; page === 1 || jobs.length === (page - 1) * PAGE_SIZE; page += 1) {
    const { data } = await octokit.rest.actions.listJobsForWorkflowRunAttempt({ ...query, page });
    jobs.push(...data.jobs);
  }
  const rank = ({ name }: WorkflowJob): number =>
    name === workflowJob || name.startsWith(`${workflowJob} (`) || name.endsWith(` / ${workflowJob}`) ? 0 : 1;
  return jobs
    .filter(({ conclusion }) => conclusion !== 'skipped')
    .sort((a, b) => rank(a) - rank(b) || Date.parse(b.started_at) - Date.parse(a.started_at))
    .map(({ check_run_url: url, run_attempt: own = attempt }) => ({
      id: Number(/\/check-runs\/(\d{1,15})$/.exec(url)?.[1]),
      attempt: Math.min(own, attempt),
    }))
    .filter(({ id }) => id > 0);
}

async function readJobIds(
  octokit: Octokit,
  repository: Repository,
  checkRunId: number,
  fingerprint: string,
): Promise<string[]> {
  const query = { ...repository, check_run_id: checkRunId, per_page: PAGE_SIZE };
  const { data } = await octokit.rest.checks.listAnnotations(query);
  return data
    .filter(({ annotation_level: level }) => level === 'notice')
    .map(({ message }) => parseMarker(message, fingerprint))
    .filter((jobId) => jobId !== undefined);
}
