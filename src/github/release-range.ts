import type { Release } from '../state.ts';
import { GitHubError, type Octokit } from './client.ts';
import type { Repository } from './context.ts';
import type { ReleaseFacts } from './releases.ts';
import { findPreviousTag, parseVersionTag } from './version-tag.ts';

/** An input names a tag that the repository does not have. */
export class UnknownTagError extends Error {
  override readonly name = 'UnknownTagError';
}

const MAX_TAG_DEPTH = 5;

/** A release between two tags. */
export interface Range {
  readonly previous: NonNullable<ReleaseFacts['previous']>;
  /** Commit of the previous tag. */
  readonly base: string | undefined;
  /** Commit of the tag. */
  readonly head: string;
}

/**
 * Returns the commit of a tag, and the previous tag with its commit. Throws an `UnknownTagError` if an input names a
 * tag that does not exist, and Octokit's errors if the tags cannot be read.
 */
export async function readRange(
  octokit: Octokit,
  repository: Repository,
  { tag, isNamed }: Release,
): Promise<Range> {
  const version = parseVersionTag(tag);
  const tags = await listTags(octokit, repository, version?.prefix ?? tag);
  const own = tags.get(tag);
  if (own === undefined) {
    const problem = `${repository.owner}/${repository.repo} has no tag of this name`;
    throw isNamed ? new UnknownTagError(problem) : new GitHubError(problem);
  }
  const head = await resolveCommit(octokit, repository, own);
  if (version === undefined) {
    const none = 'The tag does not end in a semantic version, so there is no order to find it by.';
    return { previous: { none }, base: undefined, head };
  }
  const previous = findPreviousTag(version, [...tags.keys()]);
  const target = previous === undefined ? undefined : tags.get(previous);
  if (previous === undefined || target === undefined) {
    const none = `This is the first ${version.version.prerelease.length > 0 ? '' : 'final '}version with this prefix.`;
    return { previous: { none }, base: undefined, head };
  }
  return { previous: { tag: previous }, base: await resolveCommit(octokit, repository, target), head };
}

interface Target {
  readonly type: string;
  readonly sha: string;
}

/** Lists what the tags that begin with `prefix` point at. The API returns all of them at once. */
async function listTags(
  octokit: Octokit,
  repository: Repository,
  prefix: string,
): Promise<Map<string, Target>> {
  const { data } = await octokit.rest.git.listMatchingRefs({ ...repository, ref: `tags/${prefix}` });
  return new Map(data.map(({ ref, object }) => [ref.replace(/^refs\/tags\//, ''), object]));
}

/** Finds the commit behind a tag: annotated tags are objects of their own, and may point at further ones. */
async function resolveCommit(octokit: Octokit, repository: Repository, target: Target): Promise<string> {
  let { type, sha } = target;
  for (let depth = 0; type === 'tag' && depth < MAX_TAG_DEPTH; depth += 1) {
    const { data } = await octokit.rest.git.getTag({ ...repository, tag_sha: sha });
    ({ type, sha } = data.object);
  }
  if (type !== 'commit') {
    throw new GitHubError('the tag does not point at a commit');
  }
  return sha;
}
