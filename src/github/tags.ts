import * as z from 'zod/mini';
import { InputError } from '../errors.ts';
import { encodePath } from '../text/link.ts';
import { code, message } from '../text/message.ts';
import { type GitHubApi, GitHubError } from './api.ts';
import { findPreviousTag, parseVersionTag } from './version-tag.ts';

/** The commit of a tag, and the previous tag or why there is none. */
export interface TagReading {
  readonly commit: string;
  readonly previous: PreviousTag;
}

type PreviousTag =
  | { readonly kind: 'tag'; readonly tag: string; readonly commit: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Tags that point to tags are rare, and could form a circle. */
const MAX_HOPS = 5;

const targetSchema = z.object({ type: z.string(), sha: z.string() });
const refsSchema = z.array(z.object({ ref: z.string(), object: targetSchema }));
const tagSchema = z.object({ object: targetSchema });

/**
 * Returns the commit of a tag, and the previous tag with its commit. Throws an `InputError` if a
 * tag that the inputs name does not exist.
 */
export async function readTag(api: GitHubApi, tag: string, isNamed: boolean): Promise<TagReading> {
  const version = parseVersionTag(tag);
  const tags = await readTags(api, version?.prefix ?? tag);
  const commit = await resolveCommit(api, tags, tag, isNamed);
  if (version === undefined) {
    const reason = 'the tag does not end in a semantic version';
    return { commit, previous: { kind: 'none', reason } };
  }
  const previous = findPreviousTag(version, tags.keys());
  if (previous === undefined) {
    return { commit, previous: { kind: 'none', reason: 'no earlier release has this prefix' } };
  }
  const previousCommit = await resolveCommit(api, tags, previous, false);
  return { commit, previous: { kind: 'tag', tag: previous, commit: previousCommit } };
}

/** Returns the commit of a tag. Throws an `InputError` if there is no such tag. */
export async function readTagCommit(api: GitHubApi, tag: string): Promise<string> {
  return resolveCommit(api, await readTags(api, tag), tag, true);
}

type Tags = ReadonlyMap<string, z.output<typeof targetSchema>>;

/** Returns the tags that begin with a prefix, and what they point to. */
async function readTags(api: GitHubApi, prefix: string): Promise<Tags> {
  const refs = await api.read(refsSchema, `/git/matching-refs/tags/${encodePath(prefix)}`);
  return new Map(refs.map(({ ref, object }) => [ref.replace(/^refs\/tags\//, ''), object]));
}

/**
 * Finds the commit of a tag. Annotated tags are objects of their own, which may point to other
 * tags.
 */
async function resolveCommit(
  api: GitHubApi,
  tags: Tags,
  tag: string,
  isNamed: boolean,
): Promise<string> {
  let target = tags.get(tag);
  if (target === undefined && isNamed) {
    throw new InputError([
      message`${code('release-tag')} is wrong: the repository has no tag ${code(tag)}.`,
    ]);
  }
  if (target === undefined) {
    // The tag of an event may be too new to be listed.
    throw new GitHubError('the repository has no tag with this name');
  }
  for (let hops = 0; target.type === 'tag' && hops < MAX_HOPS; hops += 1) {
    target = (await api.read(tagSchema, `/git/tags/${encodePath(target.sha)}`)).object;
  }
  if (target.type !== 'commit') {
    throw new GitHubError('the tag does not point to a commit');
  }
  return target.sha;
}
