import { GitHubError } from '../../../src/github/client.ts';
import { type GitHubContext, readGitHubContext } from '../../../src/github/context.ts';
import type { OpenRunReader, RunReader, WorkflowJob, WorkflowRun } from '../../../src/github/runs.ts';
import { formatMarker, type JobMarker } from '../../../src/plan/job-marker.ts';
import { TOKEN } from '../fixtures.ts';

export const FINGERPRINT = '0123456789abcdef0123456789abcdef';

/** A workflow job, and the markers in its notices. */
export interface FakeJob extends Partial<WorkflowJob> {
  readonly id: number;
  readonly markers?: readonly JobMarker[];
}

/** What GitHub knows: the workflow jobs by run and attempt, and the other runs. */
export interface FakeRuns {
  readonly attempts?: Readonly<Record<string, readonly FakeJob[]>>;
  readonly runs?: readonly WorkflowRun[];
  readonly ownName?: string | undefined;
  readonly pageSize?: number;
  /** An error for a call such as `jobs 7/1`, `notices 5`, or `runs v1`. */
  readonly fail?: (call: string) => GitHubError | undefined;
}

/** The marker of an attempt that started a job itself. */
export function startedJob(jobId: string, attempt: number, runId?: number): JobMarker {
  return { kind: 'id', jobId, startedBy: { runId, attempt } };
}

/** A reader of runs that remembers what it was asked for. */
export function createFakeReader({ attempts = {}, runs = [], ownName, pageSize = 100, fail }: FakeRuns) {
  const calls: string[] = [];
  const check = (call: string): void => {
    calls.push(call);
    const error = fail?.(call);
    if (error !== undefined) throw error;
  };
  const getPage = <T>(items: readonly T[], page: number) => ({
    items: items.slice((page - 1) * pageSize, page * pageSize),
    pages: Math.ceil(items.length / pageSize),
  });
  const reader: RunReader = {
    readJobName: async (id) => {
      check(`name ${id}`);
      if (ownName === undefined) throw new GitHubError('HTTP 404', 404);
      return ownName;
    },
    listJobs: async (runId, attempt, page) => {
      check(`jobs ${runId}/${attempt}${page === 1 ? '' : ` page ${page}`}`);
      const jobs = (attempts[`${runId}/${attempt}`] ?? []).map((job) => ({
        name: 'docs',
        attempt: undefined,
        isSkipped: false,
        startedAt: 0,
        ...job,
      }));
      return getPage(jobs, page);
    },
    listNotices: async (jobId, page) => {
      check(`notices ${jobId}${page === 1 ? '' : ` page ${page}`}`);
      const jobs = Object.values(attempts).flat();
      const { markers = [] } = jobs.find(({ id }) => id === jobId) ?? {};
      const notices = markers.map((marker) => formatMarker(marker, FINGERPRINT));
      return getPage(['a notice', ...notices], page);
    },
    listRuns: async (workflowFile, branch, { since, count }) => {
      const days = Math.round((Date.now() - since.getTime()) / 86_400_000);
      check(`runs ${workflowFile} ${branch} ${count} of ${days} days`);
      return runs.filter((run) => run.branch === branch || run.branch === 'stray');
    },
  };
  const openReader: OpenRunReader = async () => reader;
  return { openReader, calls };
}

/** The context of attempt `runAttempt` of run 7. */
export function createContext(runAttempt: number, env: Readonly<Record<string, string>> = {}): GitHubContext {
  const variables = {
    GITHUB_REPOSITORY: 'acme/app',
    GITHUB_RUN_ID: '7',
    GITHUB_RUN_ATTEMPT: String(runAttempt),
    GITHUB_JOB: 'docs',
    GITHUB_WORKFLOW_REF: 'acme/app/.github/workflows/docs.yml@refs/tags/v1',
    GITHUB_REF_NAME: 'v1',
    ...env,
  };
  return readGitHubContext(variables, TOKEN, env['CHECK_RUN_ID']);
}
