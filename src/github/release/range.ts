import type { Repository } from '../context.ts';
import type { Octokit } from '../octokit.ts';
import type { ReleaseFacts } from './prompt-section.ts';
import { findPreviousTag, parseVersionTag } from './tags.ts';

/** The release to describe. */
export interface Release {
  readonly tag: string;
  /** True where an input names the tag, false where the event of the run does. */
  readonly isNamed: boolean;
}

/** A tag that an input names and that the repository surely does not have. */
export class UnknownTagError extends Error {
  override readonly name = 'UnknownTagError';
}

const PAGE = 100;
const MAX_TAG_PAGES = 20;
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
 * The commit of a tag, and the previous tag with its commit. Throws an `UnknownTagError` where an input names
 * a tag that does not exist, and Octokit's errors where the tags cannot be read.
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
    throw isNamed ? new UnknownTagError(problem) : new Error(problem);
  }
  const head = await resolveCommit(octokit, repository, own);
  if (version === undefined) {
    const none = 'The tag does not end in a semantic version, so there is no order to take one from.';
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

/** What the tags that begin with `prefix` point at. The API answers all of them at once, or in pages. */
async function listTags(
  octokit: Octokit,
  repository: Repository,
  prefix: string,
): Promise<Map<string, Target>> {
  const tags = new Map<string, Target>();
  for (let page = 1; page <= MAX_TAG_PAGES; page += 1) {
    const { data, headers } = await octokit.rest.git.listMatchingRefs({
      ...repository,
      ref: `tags/${prefix}`,
      per_page: PAGE,
      page,
    });
    for (const { ref, object } of data) {
      tags.set(ref.replace(/^refs\/tags\//, ''), object);
    }
    if (!/\brel="next"/.test(headers.link ?? '')) {
      return tags;
    }
  }
  throw new Error('the repository has more tags than can be read');
}

/** The commit behind a tag: annotated tags are objects of their own, and may point at further ones. */
async function resolveCommit(octokit: Octokit, repository: Repository, target: Target): Promise<string> {
  let { type, sha } = target;
  for (let depth = 0; type === 'tag' && depth < MAX_TAG_DEPTH; depth += 1) {
    const { data } = await octokit.rest.git.getTag({ ...repository, tag_sha: sha });
    ({ type, sha } = data.object);
  }
  if (type !== 'commit') {
    throw new Error('the tag does not point at a commit');
  }
  return sha;
}
