import type { ApiRequest } from './endpoints.ts';
import { type Answer, toApiError } from './faults.ts';
import type { CommitStatus, Repository } from './repository.ts';

/** As on GitHub, ids don't fit into 32 bits. */
const FIRST_ID = 38_000_000_001;
const MAX_DESCRIPTION = 140;
const MAX_PAGE = 100;
const DEFAULT_PAGE = 30;

/** Writes and lists the commit statuses of all repositories. */
export interface StatusEndpoints {
  readonly create: (request: ApiRequest, sha: string) => Answer;
  readonly list: (request: ApiRequest, ref: string) => Answer;
}

/**
 * Creates the endpoints. A list shows a status, and all later ones, after this many reads. With
 * `isGitea`, pages, order, and fields follow Gitea.
 */
export function createStatusEndpoints(delay: number, isGitea: boolean): StatusEndpoints {
  let reads = 0;
  /** How many reads come before the first one that shows a status. */
  const readsBefore = new Map<CommitStatus, number>();
  let nextId = FIRST_ID;

  return {
    create({ repository, body }, sha) {
      const problem = findProblem(repository, sha, body);
      if (problem !== undefined) return toApiError(422, problem);
      const {
        state,
        context = 'default',
        description = null,
        target_url = null,
      } = JSON.parse(body);
      const created_at = `${new Date().toISOString().slice(0, 19)}Z`;
      const status = { id: nextId, state, context, description, target_url, created_at };
      nextId += 1;
      readsBefore.set(status, reads + delay);
      const all = [...(repository.statuses[sha] ?? []), status];
      repository.statuses[sha] = all;
      return { status: 201, body: isGitea ? toGitea(status, all) : status };
    },
    list({ repository, query }, ref) {
      const sha = repository.branches[ref] ?? ref;
      if (!isKnown(repository, sha)) return toApiError(422, `No commit found for SHA: ${ref}`);
      const all = repository.statuses[sha] ?? [];
      const shown = all.filter((status) => (readsBefore.get(status) ?? 0) <= reads);
      reads += 1;
      const sorted = isGitea ? sortLikeGitea(shown) : shown.toReversed();
      // Gitea calls the size of a page `limit`.
      const wanted = Number((isGitea ? null : query.get('per_page')) ?? DEFAULT_PAGE);
      const size = Math.min(MAX_PAGE, wanted);
      const end = Number(query.get('page') ?? 1) * size;
      const found = sorted.slice(end - size, end);
      return { status: 200, body: isGitea ? found.map((one) => toGitea(one, all)) : found };
    },
  };
}

function isKnown({ commits, tags, branches }: Repository, sha: string): boolean {
  const known = [...commits, ...tags].map((item) => item.sha);
  return [...known, ...Object.values(branches)].includes(sha);
}

/** What GitHub refuses and its description does not tell. */
function findProblem(repository: Repository, sha: string, body: string): string | undefined {
  if (!isKnown(repository, sha)) return `No commit found for SHA: ${sha}`;
  const { description, target_url: link } = JSON.parse(body);
  if ([...(description ?? '')].length > MAX_DESCRIPTION) {
    return `description is too long (maximum is ${MAX_DESCRIPTION} characters)`;
  }
  return /^https?:\/\//.test(link ?? 'https://') ? undefined : 'target_url must use http(s) scheme';
}

/** Gitea sorts by the second of the creation only. */
function sortLikeGitea(statuses: readonly CommitStatus[]): CommitStatus[] {
  return statuses.toSorted((a, b) => b.created_at.localeCompare(a.created_at));
}

/** Its id is the number of the status among the statuses of its commit. */
function toGitea({ state, ...status }: CommitStatus, all: readonly CommitStatus[]) {
  return { ...status, id: all.findIndex(({ id }) => id === status.id) + 1, status: state };
}
