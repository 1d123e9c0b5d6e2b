import type { GitHubApiOptions } from './api.ts';
import { findAncestors } from './compare.ts';
import type { Answer } from './faults.ts';
import type { CommitStatus, Repository } from './repository.ts';
import { isKnown, type StatusEndpoints } from './statuses.ts';

const MAX_PAGE = 100;

/** Of the only query that the stand-in answers: for the statuses of a commit and its ancestors. */
interface Variables {
  readonly owner: string;
  readonly name: string;
  readonly oid: string;
  readonly first?: number;
  readonly after?: string | null;
}

interface QueryError {
  readonly type?: string;
  readonly path?: readonly (string | number)[];
  readonly message: string;
}

/** Answers a query as GitHub does, if it asks for the fields that the answer has. */
export function answerQuery(
  body: string,
  { repositories, permissions }: GitHubApiOptions,
  statuses: StatusEndpoints,
): Answer {
  const { owner, name, oid, first, after }: Variables = JSON.parse(body).variables;
  if (first === undefined) {
    const message = 'Variable $first of type Int! was provided invalid value';
    return { status: 200, body: { errors: [{ message }] } };
  }
  const repository = repositories[`${owner}/${name}`];
  if (repository === undefined) {
    const message = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
    return toAnswer(null, [{ type: 'NOT_FOUND', path: ['repository'], message }]);
  }
  if (permissions?.includes('contents') === false) {
    return toAnswer({ object: null }, [forbid('repository', 'object')]);
  }
  if (!isKnown(repository, oid)) {
    return toAnswer({ object: null });
  }
  const path = ['repository', 'object', 'history'];
  if (first > MAX_PAGE) {
    const limit = `exceeds the \`first\` limit of ${MAX_PAGE} records`;
    const message = `Requesting ${first} records on the \`history\` connection ${limit}.`;
    return toAnswer({ object: null }, [{ type: 'EXCESSIVE_PAGINATION', path, message }]);
  }
  const history = listHistory(repository, oid);
  const start = Number(after?.split(' ')[1] ?? 0);
  const end = Math.min(start + first, history.length);
  const canRead = permissions?.includes('statuses') ?? true;
  const nodes = history.slice(start, end).map((sha) => ({
    oid: sha,
    status: canRead ? toStatus(statuses.find(repository, sha)) : null,
  }));
  const endCursor = nodes.length === 0 ? null : `${oid} ${end}`;
  const pageInfo = { hasNextPage: end < history.length, endCursor };
  const errors = nodes.map((_, index) => forbid(...path, 'nodes', index, 'status'));
  return toAnswer({ object: { history: { nodes, pageInfo } } }, canRead ? [] : errors);
}

function toAnswer(repository: object | null, errors: readonly QueryError[] = []): Answer {
  const data = { repository };
  return { status: 200, body: errors.length === 0 ? { data } : { data, errors } };
}

function forbid(...path: (string | number)[]): QueryError {
  return { type: 'FORBIDDEN', path, message: 'Resource not accessible by integration' };
}

/** Returns a commit and its ancestors, newest first. Only the commit, if its parents are unknown. */
function listHistory({ commits }: Repository, oid: string): string[] {
  const commit = commits.find(({ sha }) => sha === oid);
  return commit === undefined ? [oid] : [...findAncestors(commits, commit)].map(({ sha }) => sha);
}

/** Returns the newest status of each context. */
function toStatus(statuses: readonly CommitStatus[]) {
  const newest = new Map(statuses.map((status) => [status.context.toLowerCase(), status]));
  const contexts = [...newest.values()].map(({ target_url }) => ({ targetUrl: target_url }));
  return contexts.length === 0 ? null : { contexts };
}
