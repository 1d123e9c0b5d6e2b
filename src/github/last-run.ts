import * as z from 'zod/mini';
import { type GitHubApi, GitHubError } from './api.ts';
import type { GitHubContext } from './context.ts';

const PAGE_SIZE = 100;
/** GitHub lists at most 1,000 runs for a search. */
const MAX_PAGES = 10;

const runsSchema = z.object({
  workflow_runs: z.array(
    z.object({
      id: z.int(),
      head_sha: z.string(),
      head_branch: z.nullish(z.string()),
      event: z.string(),
      conclusion: z.nullish(z.string()),
    }),
  ),
});

/**
 * Returns the commit of the newest successful run of this workflow for the same event and branch.
 * Runs with higher ids don't count, because a re-run would find its successors. Undefined if there
 * is none. Rejects with a `GitHubError`. Needs `actions: read`.
 */
export async function readLastRunCommit(
  api: GitHubApi,
  { workflow, runId, eventName, branch = '' }: GitHubContext,
): Promise<string | undefined> {
  if (workflow === undefined) {
    const reason = 'GITHUB_WORKFLOW_REF names no workflow file of this repository';
    throw new GitHubError(reason, { kind: 'setting' });
  }
  if (runId === undefined) {
    throw new GitHubError('GITHUB_RUN_ID is not set', { kind: 'setting' });
  }
  const filter = new URLSearchParams({
    event: eventName,
    branch,
    status: 'success',
    exclude_pull_requests: 'true',
    per_page: String(PAGE_SIZE),
  });
  const path = `/actions/workflows/${encodeURIComponent(workflow)}/runs?`;
  const read = async (query: string) => {
    const { workflow_runs: runs } = await api.read(runsSchema, `${path}${query}`);
    // Other hosts may ignore the filters.
    const earlier = runs.filter(
      (run) =>
        run.id < runId &&
        run.conclusion === 'success' &&
        run.event === eventName &&
        run.head_branch === branch,
    );
    const [newest] = earlier.sort((a, b) => b.id - a.id);
    return { newest, isLast: runs.length < PAGE_SIZE };
  };
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { newest, isLast } = await read(`${filter}&page=${page}`);
    if (newest !== undefined) {
      return newest.head_sha;
    }
    if (isLast) {
      break;
    }
  }
  // The filtered list is a search index that may be empty or old (nrwl/nx-set-shas#219).
  const { newest } = await read(`per_page=${PAGE_SIZE}`);
  return newest?.head_sha;
}
