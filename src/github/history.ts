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
          nodes { oid parents(first: 3) { nodes { oid } } status { contexts { targetUrl } } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }
}`;

// The file must be in the history. If not even its newest commit is, the answer isn't whole.
const AGE_QUERY = `query(
  $owner: String!, $name: String!, $oid: GitObjectID!, $path: String!, $until: GitTimestamp!
) {
  repository(owner: $owner, name: $name) {
    object(oid: $oid) {
      ... on Commit {
        all: history(first: 100, path: $path) { nodes { oid } pageInfo { hasNextPage } }
        old: history(first: 1, path: $path, until: $until) { nodes { oid } }
      }
    }
  }
}`;

const contextSchema = z.object({ targetUrl: z.nullable(z.string()) });
const statusSchema = z.object({ contexts: z.array(contextSchema) });
const refsSchema = z.object({ nodes: z.array(z.object({ oid: z.string() })) });
const commitSchema = z.object({
  oid: z.string(),
  parents: refsSchema,
  status: z.nullable(statusSchema),
});
const pageInfoSchema = z.object({ hasNextPage: z.boolean(), endCursor: z.nullable(z.string()) });
const historySchema = z.object({ nodes: z.array(commitSchema), pageInfo: pageInfoSchema });
const pageSchema = z.object({ history: historySchema });
const dataSchema = z.object({ repository: z.object({ object: z.unknown() }) });
const ageSchema = z.object({
  all: z.extend(refsSchema, { pageInfo: z.object({ hasNextPage: z.boolean() }) }),
  old: refsSchema,
});

/**
 * Returns the commits in the history of a commit, itself included, in the order of `git log`: at
 * most 1,000, each with its parents, and the links of the newest status of each context. Rejects
 * with a `GitHubError`. Needs `statuses: read`.
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
  const page = parseCommit(pageSchema);
  const commits: z.output<typeof commitSchema>[] = [];
  while (!isLast && commits.length < MAX_COMMITS) {
    const { history } = await api.query(QUERY, getVariables, page);
    const { nodes, pageInfo } = history;
    isLast = !pageInfo.hasNextPage;
    commits.push(...nodes);
    const isCut = !isLast && (nodes.length === 0 || pageInfo.endCursor === null);
    if (isCut || !isHistory(commits, sha, isLast)) {
      // It would hide the last job.
      throw new GitHubError('GitHub returned an incomplete history');
    }
    for (const { oid, parents, status } of nodes) {
      const links = (status?.contexts ?? []).flatMap(({ targetUrl }) => targetUrl ?? []);
      yield { sha: oid, parents: parents.nodes.map((one) => one.oid), links };
    }
    after = pageInfo.endCursor ?? undefined;
  }
}

/** False for a page that repeats, and for a last one before the first commit. */
function isHistory(
  commits: readonly z.output<typeof commitSchema>[],
  head: string,
  isWhole: boolean,
): boolean {
  const listed = new Set(commits.map(({ oid }) => oid));
  const parents = commits.flatMap((commit) => commit.parents.nodes);
  const isComplete = !isWhole || parents.every(({ oid }) => listed.has(oid));
  return listed.has(head) && listed.size === commits.length && isComplete;
}

/**
 * Returns whether a file of a commit is newer than an instant in milliseconds since 1970, and no
 * commit has written it but those listed. False also if the history doesn't show the file. Rejects
 * with a `GitHubError`.
 */
export async function isNewFile(
  api: GitHubApi,
  sha: string,
  path: string,
  sinceMs: number,
  listed: ReadonlySet<string>,
): Promise<boolean> {
  const until = new Date(sinceMs).toISOString();
  const getVariables = () => ({ oid: sha, path, until });
  const { all, old } = await api.query(AGE_QUERY, getVariables, parseCommit(ageSchema));
  const isListed = !all.pageInfo.hasNextPage && all.nodes.every(({ oid }) => listed.has(oid));
  return all.nodes.length > 0 && old.nodes.length === 0 && isListed;
}

/** Returns what reads a commit from the data of a query. */
function parseCommit<S extends z.ZodMiniType>(schema: S) {
  return (data: unknown): z.output<S> | GitHubError => {
    const object = z.safeParse(dataSchema, data).data?.repository.object;
    if (object === null) {
      // A new commit isn't known everywhere for some seconds.
      return new GitHubError('GitHub does not know the commit', { kind: 'access' });
    }
    const parsed = z.safeParse(schema, object);
    return parsed.success ? parsed.data : new GitHubError('the response lacks a documented field');
  };
}
