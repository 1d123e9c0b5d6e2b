import * as z from 'zod/mini';
import type { GitHubApi } from './api.ts';
import { GitHubError } from './errors.ts';

/** No history is read further. */
export const MAX_COMMITS = 1_000;
/** The most that GitHub takes. */
const PAGE_SIZE = 100;
const LEAST_PAGE_SIZE = 10;

// `status`, because `statusCheckRollup` needs further permissions.
const QUERY = `query(
  $owner: String!, $name: String!, $oid: GitObjectID!, $first: Int!, $after: String
) {
  repository(owner: $owner, name: $name) {
    object(oid: $oid) {
      ... on Commit {
        history(first: $first, after: $after) {
          nodes { oid status { contexts { targetUrl } } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }
}`;

const contextSchema = z.object({ targetUrl: z.nullable(z.string()) });
const statusSchema = z.object({ contexts: z.array(contextSchema) });
const commitSchema = z.object({ oid: z.string(), status: z.nullable(statusSchema) });
const pageInfoSchema = z.object({ hasNextPage: z.boolean(), endCursor: z.nullable(z.string()) });
const historySchema = z.object({ nodes: z.array(commitSchema), pageInfo: pageInfoSchema });
const dataSchema = z.object({
  repository: z.object({ object: z.nullable(z.object({ history: historySchema })) }),
});

/**
 * Returns the commits in the history of a commit, itself included, in the order of `git log`: at
 * most 1,000, each with the links of the newest status of each context. Rejects with a
 * `GitHubError`. Needs `statuses: read`.
 */
export async function* readHistory(api: GitHubApi, sha: string) {
  let first = PAGE_SIZE;
  let after: string | undefined;
  let isLast = false;
  const getVariables = (retries: number) => {
    if (retries > 0) {
      // GitHub gives up on a query after ten seconds, or if it needs too much, so ask for less.
      first = Math.max(LEAST_PAGE_SIZE, Math.floor(first / 2));
    }
    return { oid: sha, first, after };
  };
  for (let count = 0; !isLast && count < MAX_COMMITS; ) {
    const { nodes, pageInfo } = await api.query(QUERY, getVariables, parsePage);
    isLast = !pageInfo.hasNextPage;
    const lacksHead = count === 0 && nodes.every(({ oid }) => oid !== sha);
    const isCut = !isLast && (nodes.length === 0 || pageInfo.endCursor === null);
    if (lacksHead || isCut) {
      // It would hide the last job.
      throw new GitHubError('GitHub returned an incomplete history');
    }
    for (const { oid, status } of nodes) {
      const links = (status?.contexts ?? []).flatMap(({ targetUrl }) => targetUrl ?? []);
      yield { sha: oid, links };
    }
    count += nodes.length;
    after = pageInfo.endCursor ?? undefined;
  }
}

function parsePage(data: unknown) {
  const parsed = z.safeParse(dataSchema, data);
  if (!parsed.success) {
    return new GitHubError('the response lacks a documented field');
  }
  const { object } = parsed.data.repository;
  // A new commit isn't known everywhere for some seconds.
  return object?.history ?? new GitHubError('GitHub does not know the commit', { kind: 'access' });
}
