import { systemClock } from '../clock.ts';
import type { AgentApi, ApiResult } from '../job/agent-client.ts';
import type { Rerun } from '../outcome.ts';
import type { ApiLimits } from './client.ts';
import type { GitHubContext, Repository } from './context.ts';
import { parseJobAnnotation } from './job-annotation.ts';
import { describeApiError, loadOctokit, type Octokit } from './octokit.ts';

export interface RerunOptions {
  readonly context: GitHubContext;
  readonly fingerprint: string;
  readonly api: AgentApi;
  readonly limits: Omit<ApiLimits, 'maxRequests'>;
}

const LIMITS = { timeoutMs: 20_000, maxRequests: 120 };
const GET_LIMIT_MS = 10_000;
const PAGE = 100;
const MAX_ATTEMPTS = 10;
const MAX_CANDIDATES = 20;
const BATCH = 6;

/**
 * Looks for a job that an earlier attempt of this workflow run started with the same fingerprint, and asks the
 * service about it: the newest that is neither failed nor gone is to be waited for. One that the service can
 * say nothing about just now is taken, too, rather than paid for twice. Never throws.
 */
export async function findReusableJob({ context, fingerprint, api, limits }: RerunOptions): Promise<Rerun> {
  const timeoutMs = Math.min(LIMITS.timeoutMs, limits.timeoutMs);
  const deadline = systemClock.now() + timeoutMs;
  let refusal: string | undefined;
  let unclear: Candidate | undefined;
  const seen = new Set<string>();
  try {
    for await (const candidate of findCandidates(context, fingerprint, { ...LIMITS, ...limits, timeoutMs })) {
      if (seen.has(candidate.jobId)) {
        continue;
      }
      seen.add(candidate.jobId);
      const remainingMs = Math.max(1, deadline - systemClock.now());
      const look = await api.getJob(candidate.jobId, {
        timeoutMs: Math.min(GET_LIMIT_MS, remainingMs),
        signal: limits.signal,
      });
      const state = judge(look);
      if (state === 'usable') {
        return toReused(context, candidate);
      }
      if (state === 'unclear') {
        unclear ??= candidate;
      }
      refusal ??= `the job of attempt ${candidate.attempt} ${state === 'failed' ? 'failed' : 'is gone'}`;
      if (seen.size === MAX_CANDIDATES) {
        break;
      }
    }
  } catch (error) {
    refusal ??= `earlier attempts could not be searched (${describeApiError(error)}); this needs the permissions actions: read and checks: read`;
  }
  return unclear === undefined
    ? { kind: 'created', reason: refusal ?? 'no earlier attempt started it' }
    : toReused(context, unclear);
}

function toReused({ serverUrl, repository, runId }: GitHubContext, { jobId, attempt }: Candidate): Rerun {
  const page = `${serverUrl}/${repository?.owner}/${repository?.repo}/actions/runs/${runId}/attempts/${attempt}`;
  return { kind: 'reused', jobId, attempt, page };
}

/** What one look at a job says of it; an answer that blames the request is as good as "no such job". */
function judge({ evidence, job }: ApiResult): 'usable' | 'failed' | 'gone' | 'unclear' {
  if (job !== undefined) {
    return job.status === 'failed' ? 'failed' : 'usable';
  }
  const status = evidence.kind === 'response' ? evidence.httpStatus : 0;
  const isRefusal = status >= 400 && status < 500 && ![401, 403, 408, 425, 429].includes(status);
  return isRefusal ? 'gone' : 'unclear';
}

interface Candidate {
  readonly jobId: string;
  readonly attempt: number;
}

/** The jobs in the notices of earlier attempts, newest attempt first. Throws where they cannot be read. */
async function* findCandidates(
  context: GitHubContext,
  fingerprint: string,
  limits: ApiLimits,
): AsyncGenerator<Candidate> {
  const { repository, runId, runAttempt, workflowJob } = context;
  if (repository === undefined || runId === undefined) {
    throw new Error('GITHUB_REPOSITORY or GITHUB_RUN_ID is not set');
  }
  const octokit = await loadOctokit(context, limits);
  const read = new Set<number>();
  for (let attempt = runAttempt - 1; attempt >= 1 && attempt >= runAttempt - MAX_ATTEMPTS; attempt -= 1) {
    const listed = await listCheckRuns(octokit, repository, runId, attempt, workflowJob);
    const checkRuns = listed.filter(({ id }) => !read.has(id));
    for (let index = 0; index < checkRuns.length; index += BATCH) {
      const batch = checkRuns.slice(index, index + BATCH);
      const found = await Promise.all(batch.map((run) => readNotices(octokit, repository, run, fingerprint)));
      yield* found.flat();
      for (const { id } of batch) {
        read.add(id);
      }
    }
  }
}

interface CheckRun {
  readonly id: number;
  /** The attempt that it ran in: one that re-ran only what had failed lists the others, too. */
  readonly attempt: number;
}

/** Check runs of the workflow jobs of one attempt: those that seem to be of this workflow job first, then the newest. */
async function listCheckRuns(
  octokit: Octokit,
  repository: Repository,
  runId: number,
  attempt: number,
  workflowJob: string,
): Promise<CheckRun[]> {
  const query = { ...repository, run_id: runId, attempt_number: attempt, per_page: PAGE };
  const jobs: WorkflowJob[] = [];
  for (let page = 1; page === 1 || jobs.length === (page - 1) * PAGE; page += 1) {
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

type WorkflowJob = Awaited<
  ReturnType<Octokit['rest']['actions']['listJobsForWorkflowRunAttempt']>
>['data']['jobs'][number];

async function readNotices(
  octokit: Octokit,
  repository: Repository,
  { id, attempt }: CheckRun,
  fingerprint: string,
): Promise<Candidate[]> {
  const query = { ...repository, check_run_id: id, per_page: PAGE };
  const { data } = await octokit.rest.checks.listAnnotations(query);
  return data
    .filter(({ annotation_level: level }) => level === 'notice')
    .map(({ title, message }) => parseJobAnnotation(title, message, fingerprint))
    .filter((jobId) => jobId !== undefined)
    .map((jobId) => ({ jobId, attempt }));
}
