import * as z from 'zod/mini';
import { InputError } from '../errors.ts';
import type { GitHubApi } from '../github/api.ts';
import type { GitHubContext } from '../github/context.ts';
import { GitHubError, getGitHubError } from '../github/errors.ts';
import { encodePath } from '../text/link.ts';
import { code, message } from '../text/message.ts';
import type { Timing } from '../time/deadline.ts';
import type { Range } from './range.ts';
import { findPreviousVersion, findVersion, getPrefix, listVersions } from './versions.ts';

/** Tags that point to tags are rare, and could form a circle. */
const MAX_HOPS = 5;
/** A tag that was just made is listed up to a minute later (PostHog/posthog-js#4632). */
const MAX_LOOKS = 9;
const PAUSE_MS = 2_000;
/** Annotated tags that may be the version of a tag such as `v1`. Each takes a request. */
const MAX_ANNOTATED = 10;

const targetSchema = z.object({ type: z.string(), sha: z.string() });
const refsSchema = z.array(z.object({ ref: z.string(), object: targetSchema }));
const tagSchema = z.object({ object: targetSchema });
/** Of Gitea, also for an annotated tag. */
const giteaTagSchema = z.object({ commit: z.object({ sha: z.string() }) });

type Target = z.output<typeof targetSchema>;
type Tags = ReadonlyMap<string, Target>;

interface TagsRun extends Pick<Timing, 'clock' | 'cancel'> {
  readonly api: GitHubApi;
  readonly github: Pick<GitHubContext, 'sha' | 'isGitea'>;
}

/**
 * Returns the range from the previous version to a tag, or to the version on its commit for one
 * that moves, such as `v1`. Looks again for about 16 seconds while GitHub doesn't list the tag.
 * Then, throws an `InputError` if the inputs name it, or else a `GitHubError`.
 */
export async function readTag(tag: string, isNamed: boolean, run: TagsRun): Promise<Range> {
  const { api, github } = run;
  const tags = await listTags(getPrefix(tag), tag, isNamed, run);
  // The tag of the event may have moved since. The record is on the commit of the event, too.
  const known = isNamed ? undefined : github.sha;
  const commit = known ?? (await resolveCommit(api, tags.get(tag)));
  const version = (await findVersionOn(commit, tag, tags, api)) ?? tag;
  const found = findPreviousVersion(version, tags.keys());
  const ref = found?.start;
  if (ref === undefined) {
    const reason =
      found === undefined
        ? 'the tag is not a full version, and its commit has none or several'
        : 'no tag is an earlier release of its series';
    return { tag: version, commit, start: { kind: 'none', reason } };
  }
  const tagCommit = await resolveCommit(api, tags.get(ref));
  return { tag: version, commit, start: { kind: 'known', ref, tagCommit } };
}

/** Returns the tag of the version on a commit that a tag such as `v1` stands for, if it does. */
async function findVersionOn(
  commit: string,
  tag: string,
  tags: Tags,
  api: GitHubApi,
): Promise<string | undefined> {
  const versions = listVersions(tag, tags.keys()).map((version) => version.tag);
  const isAnnotated = (name: string): boolean => tags.get(name)?.type === 'tag';
  const tooMany = new Set(versions.filter(isAnnotated).slice(MAX_ANNOTATED));
  const readable = versions.filter((name) => !tooMany.has(name));
  const commits = await Promise.all(readable.map((name) => findCommit(api, tags.get(name))));
  return findVersion(
    tag,
    readable.filter((_, index) => commits[index] === commit),
  );
}

/** Returns the commit of a tag that the inputs name. Waits and throws as `readTag` does. */
export async function readTagCommit(tag: string, run: TagsRun): Promise<string> {
  if (run.github.isGitea) {
    return readGiteaTag(tag, run);
  }
  const tags = await listTags(tag, tag, true, run);
  return resolveCommit(run.api, tags.get(tag));
}

async function readGiteaTag(tag: string, { api }: TagsRun): Promise<string> {
  try {
    return (await api.read(giteaTagSchema, `/tags/${encodePath(tag)}`)).commit.sha;
  } catch (error) {
    return getGitHubError(error).failure.httpStatus === 404
      ? refuseTag(tag)
      : Promise.reject(error);
  }
}

/** Returns the tags that begin with a prefix, one of which is `tag`. */
async function listTags(
  prefix: string,
  tag: string,
  isNamed: boolean,
  { api, clock, cancel }: TagsRun,
): Promise<Tags> {
  let tags: Tags | undefined = await readTags(api, prefix);
  for (let looks = 1; tags?.has(tag) === false && looks < MAX_LOOKS; looks += 1) {
    await clock.sleep(PAUSE_MS, cancel);
    // A look that fails, or that the time limit of the API forbids, is the last one.
    tags = await readTags(api, prefix).catch(() => undefined);
  }
  if (tags?.has(tag)) {
    return tags;
  }
  if (!isNamed || cancel.aborted) {
    // Only a list proves that the tag is gone.
    const kind = tags === undefined || cancel.aborted ? 'unavailable' : 'deleted';
    throw new GitHubError(`the repository has no tag ${tag}`, { kind });
  }
  return refuseTag(tag);
}

function refuseTag(tag: string): never {
  throw new InputError([
    message`${code('release-tag')} names ${code(tag)}, but the repository has no such tag yet. A
      draft release has none.`,
  ]);
}

async function readTags(api: GitHubApi, prefix: string): Promise<Tags> {
  const refs = await api.read(refsSchema, `/git/matching-refs/tags/${encodePath(prefix)}`);
  return new Map(refs.map(({ ref, object }) => [ref.replace(/^refs\/tags\//, ''), object]));
}

async function resolveCommit(api: GitHubApi, tag: Target | undefined): Promise<string> {
  const commit = await findCommit(api, tag);
  if (commit === undefined) {
    throw new GitHubError('the tag does not point to a commit');
  }
  return commit;
}

/** Annotated tags are objects of their own, which may point to other tags. */
async function findCommit(api: GitHubApi, tag: Target | undefined): Promise<string | undefined> {
  let target = tag;
  for (let hops = 0; target?.type === 'tag' && hops < MAX_HOPS; hops += 1) {
    target = (await api.read(tagSchema, `/git/tags/${encodePath(target.sha)}`)).object;
  }
  return target?.type === 'commit' ? target.sha : undefined;
}
