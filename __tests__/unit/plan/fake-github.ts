import type { OpenGitHub } from '../../../src/github/client.ts';
import { type GitHubContext, readGitHubContext } from '../../../src/github/context.ts';
import { type ClientLimits, GitHubError } from '../../../src/github/get.ts';
import { formatMarker, JOB_ANNOTATION_TITLE, type JobMarker } from '../../../src/plan/job-marker.ts';
import { TOKEN } from '../fixtures.ts';

export const FINGERPRINT = '0123456789abcdef0123456789abcdef';

export interface FakeNotice {
  readonly title: string;
  readonly message: string;
}

export interface FakeJob {
  readonly id: number;
  readonly name?: string;
  readonly attempt?: number;
  readonly state?: 'running' | 'finished' | 'killed' | 'skipped';
  readonly startedAt?: number;
  readonly notices?: readonly FakeNotice[];
}

export interface FakeRun {
  readonly id: number;
  readonly branch?: string | null;
  /** The jobs by attempt. */
  readonly attempts: readonly (readonly FakeJob[])[];
}

/** Changes the answer to a call such as `jobs 7/1`, `annotations 5`, or `runs v1`. May throw. */
export type Change = (call: string, answer: unknown) => unknown;

/** The data of GitHub, and changes to its answers. */
export interface FakeGitHub {
  readonly runs: readonly FakeRun[];
  readonly pageSize?: number;
  readonly change?: Change;
}

/** Returns the notice of an attempt with this marker. */
export function noticeOf(marker: JobMarker, fingerprint = FINGERPRINT): FakeNotice {
  return { title: JOB_ANNOTATION_TITLE, message: `Started. ${formatMarker(marker, fingerprint)}` };
}

/** Returns the marker of an attempt that started or found a job. */
export function startedJob(jobId: string, attempt: number, runId?: number): JobMarker {
  return { jobId, runId, attempt };
}

/** The parts of GitHub's REST API that the search for records reads, in memory. Records the calls. */
export function createFakeGitHub({ runs, pageSize = 100, change = (_, answer) => answer }: FakeGitHub) {
  const calls: string[] = [];
  const opened: ClientLimits[] = [];
  const findJob = (id: unknown): FakeJob | undefined =>
    runs.flatMap(({ attempts }) => attempts.flat()).find((job) => job.id === id);
  const routes: Readonly<Record<string, (parameters: Record<string, unknown>) => [string, unknown]>> = {
    '/actions/jobs/{job_id}': ({ job_id: id }) => [`name ${id}`, { name: findJob(id)?.name ?? 'docs' }],
    '/actions/runs/{run_id}/attempts/{attempt_number}/jobs': ({ run_id, attempt_number, page }) => {
      const jobs = runs.find(({ id }) => id === run_id)?.attempts[Number(attempt_number) - 1] ?? [];
      const first = (Number(page) - 1) * pageSize;
      const listed = jobs.slice(first, first + pageSize).map(toJob);
      return [`jobs ${run_id}/${attempt_number}`, { total_count: jobs.length, jobs: listed }];
    },
    '/check-runs/{check_run_id}/annotations': ({ check_run_id: id, page }) => {
      const { state = 'finished', notices = [] } = findJob(id) ?? {};
      const shown = state === 'finished' && page === 1 ? notices : [];
      return [`annotations ${id}`, shown.map((notice) => ({ annotation_level: 'notice', ...notice }))];
    },
    '/actions/workflows/{workflow_id}/runs': ({ branch, per_page, page }) => {
      const found = runs.filter((run) => (run.branch ?? branch) === branch).sort((a, b) => b.id - a.id);
      const first = (Number(page) - 1) * Number(per_page);
      const listed = found.slice(first, first + Number(per_page)).map(toRun);
      return [`runs ${branch}`, { total_count: found.length, workflow_runs: listed }];
    },
  };
  const openGitHub: OpenGitHub = async (limits) => {
    opened.push(limits);
    return {
      get: async (route, parameters = {}) => {
        if (calls.length >= 300) throw new GitHubError('it takes too many requests');
        const [call, answer] = routes[route]?.(parameters) ?? [route, undefined];
        calls.push(Number(parameters['page'] ?? 1) === 1 ? call : `${call} page ${parameters['page']}`);
        return change(calls.at(-1) ?? '', answer);
      },
    };
  };
  return { openGitHub, calls, opened };
}

function toJob({ id, name = 'docs', attempt, state = 'finished', startedAt = 0 }: FakeJob) {
  return {
    id,
    name,
    ...(attempt === undefined ? {} : { run_attempt: attempt }),
    status: state === 'running' ? 'in_progress' : 'completed',
    conclusion: state === 'skipped' ? 'skipped' : null,
    started_at: new Date(startedAt).toISOString(),
  };
}

function toRun({ id, attempts, branch = null }: FakeRun) {
  const isRunning = attempts.at(-1)?.some(({ state }) => state === 'running') ?? false;
  const status = isRunning ? 'in_progress' : 'completed';
  return { id, run_attempt: Math.max(1, attempts.length), head_branch: branch, status };
}

/** Returns the context of an attempt of run 7. */
export function createContext(runAttempt: number, env: Readonly<Record<string, string>> = {}): GitHubContext {
  const variables = {
    GITHUB_REPOSITORY: 'acme/app',
    GITHUB_RUN_ID: '7',
    GITHUB_RUN_ATTEMPT: String(runAttempt),
    GITHUB_WORKFLOW_REF: 'acme/app/.github/workflows/docs.yml@refs/tags/v1',
    GITHUB_REF_NAME: 'v1',
    ...env,
  };
  return readGitHubContext(variables, TOKEN, env['CHECK_RUN_ID']);
}
