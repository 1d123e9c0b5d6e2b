import type { ApiRequest } from './endpoints.ts';
import { type Answer, toApiError } from './faults.ts';
import type { Repository } from './repository.ts';

const MAX_DESCRIPTION = 140;
const MAX_PAGE = 100;
const DEFAULT_PAGE = 30;
/** As on GitHub, ids don't fit into 32 bits. */
let nextId = 38_000_000_001;

/** Writes a commit status. */
export function createStatus({ repository, body }: ApiRequest, sha = ''): Answer {
  const problem = findProblem(repository, sha, body);
  if (problem !== undefined) {
    return toApiError(422, problem);
  }
  const { state, context = 'default', description = null, target_url = null } = JSON.parse(body);
  const created_at = `${new Date().toISOString().slice(0, 19)}Z`;
  const status = { id: nextId, state, context, description, target_url, created_at };
  nextId += 1;
  repository.statuses[sha] = [...(repository.statuses[sha] ?? []), status];
  return { status: 201, body: status };
}

/** Lists the statuses of a commit, newest first. */
export function listStatuses({ repository, query }: ApiRequest, ref = ''): Answer {
  const sha = repository.branches[ref] ?? ref;
  if (!isKnown(repository, sha)) {
    return toApiError(422, `No commit found for SHA: ${ref}`);
  }
  const size = Math.min(MAX_PAGE, Number(query.get('per_page') ?? DEFAULT_PAGE));
  const end = Number(query.get('page') ?? 1) * size;
  const newestFirst = (repository.statuses[sha] ?? []).toReversed();
  return { status: 200, body: newestFirst.slice(end - size, end) };
}

/** Returns whether a repository has a commit, even if only as that of a tag or a branch. */
export function isKnown({ commits, tags, branches }: Repository, sha: string): boolean {
  const known = [...commits, ...tags].map((item) => item.sha);
  return [...known, ...Object.values(branches)].includes(sha);
}

/** What GitHub refuses and its description does not tell. */
function findProblem(repository: Repository, sha: string, body: string): string | undefined {
  if (!isKnown(repository, sha)) {
    return `No commit found for SHA: ${sha}`;
  }
  const { description, target_url: link } = JSON.parse(body);
  if ([...(description ?? '')].length > MAX_DESCRIPTION) {
    return `description is too long (maximum is ${MAX_DESCRIPTION} characters)`;
  }
  return /^https?:\/\//.test(link ?? 'https://') ? undefined : 'target_url must use http(s) scheme';
}
