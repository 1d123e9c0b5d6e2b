import type { GitHubApiOptions } from './api.ts';
import { findAncestors, getParents } from './compare.ts';
import type { Answer } from './faults.ts';
import type { CommitStatus, Repository } from './repository.ts';
import { isKnown } from './statuses.ts';

/**
 * Of the only queries that the stand-in answers: for the statuses of a commit and its ancestors, and
 * with a path, for the age of a file.
 */
interface Variables {
  readonly owner: string;
  readonly name: string;
  readonly oid: string;
  readonly first: number;
  readonly after?: string | null;
  readonly path?: string;
  readonly until: string;
}

/** Answers a query as GitHub does, if it asks for the fields that the answer has. */
export function answerQuery(
  body: string,
  { repositories, forbidsStatuses = false }: GitHubApiOptions,
): Answer {
  const { owner, name, oid, first, after, path, until }: Variables = JSON.parse(body).variables;
  const repository = repositories[`${owner}/${name}`];
  if (repository === undefined || !isKnown(repository, oid)) {
    return toAnswer(null);
  }
  if (path !== undefined) {
    const { workflowsAddedBy = oid } = repository;
    const nodes = [{ oid }, { oid: workflowsAddedBy }];
    const writtenAt = repository.workflows[path];
    const pageInfo = { hasNextPage: false };
    const all = { nodes: writtenAt === undefined ? [] : nodes, pageInfo };
    return toAnswer({ all, old: { nodes: (writtenAt ?? '') > until ? [] : all.nodes } });
  }
  const history = listHistory(repository, oid);
  const start = Number(after?.split(' ')[1] ?? 0);
  const end = Math.min(start + first, history.length);
  const nodes = history.slice(start, end).map((sha) => ({
    oid: sha,
    parents: { nodes: listParents(repository, sha) },
    status: forbidsStatuses ? null : toStatus(repository.statuses[sha]),
  }));
  const endCursor = nodes.length === 0 ? null : `${oid} ${end}`;
  const pageInfo = { hasNextPage: end < history.length, endCursor };
  const message = 'Resource not accessible by integration';
  const field = ['repository', 'object', 'history', 'nodes'];
  const toPath = (_: unknown, index: number) => [...field, index, 'status'];
  const paths = forbidsStatuses ? nodes.map(toPath) : [];
  const errors = paths.map((one) => ({ type: 'FORBIDDEN', path: one, message }));
  return toAnswer({ history: { nodes, pageInfo } }, errors);
}

function toAnswer(object: object | null, errors: readonly object[] = []): Answer {
  const data = { repository: { object } };
  return { status: 200, body: errors.length === 0 ? { data } : { data, errors } };
}

/** Returns a commit and its ancestors, newest first. Only the commit, if its parents are unknown. */
function listHistory({ commits }: Repository, oid: string): string[] {
  const commit = commits.find(({ sha }) => sha === oid);
  return commit === undefined ? [oid] : [...findAncestors(commits, commit)].map(({ sha }) => sha);
}

/** Returns the first three. */
function listParents({ commits }: Repository, oid: string) {
  const commit = commits.find(({ sha }) => sha === oid);
  return commit === undefined
    ? []
    : getParents(commits, commit)
        .slice(0, 3)
        .map((sha) => ({ oid: sha }));
}

/** Returns the newest status of each context. */
function toStatus(statuses: readonly CommitStatus[] = []) {
  const newest = new Map(statuses.map((status) => [status.context.toLowerCase(), status]));
  const contexts = [...newest.values()].map(({ target_url }) => ({ targetUrl: target_url }));
  return contexts.length === 0 ? null : { contexts };
}
