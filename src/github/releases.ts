import * as z from 'zod/mini';
import { InputError } from '../errors.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { encodePath } from '../text/link.ts';
import { code, message } from '../text/message.ts';
import { type GitHubApi, GitHubError, getGitHubError } from './api.ts';
import type { GitHubContext } from './context.ts';
import { findPreviousTag, parseVersionTag } from './version-tag.ts';

const PAGE_SIZE = 100;
const MAX_COMMIT_PAGES = 3;
const MAX_TAG_DEPTH = 5;
const NO_TAG = message`${code('release-tag')} is wrong: the repository has no tag with this name.`;

const count = z.int().check(z.nonnegative());
const targetSchema = z.object({ type: z.string(), sha: z.string() });
const refsSchema = z.array(z.object({ ref: z.string(), object: targetSchema }));
const tagSchema = z.object({ object: targetSchema });
const firstLine = z.transform((text: string) => text.split(/[\r\n]/, 1)[0] ?? '');
const subject = z.pipe(z.string(), firstLine);
const commitSchema = z.object({
  sha: z.string(),
  commit: z.object({ message: subject, author: z.nullish(z.object({ name: z.optional(z.string()) })) }),
  author: z.nullish(z.object({ login: z.optional(z.string()) })),
});
const fileSchema = z
  .object({
    filename: z.string(),
    previous_filename: z.optional(z.string()),
    status: z.string(),
    additions: z.optional(count),
    deletions: z.optional(count),
  })
  .check(z.refine((file) => file.status !== 'renamed' || file.previous_filename !== undefined));
const commitsSchema = z.object({ commits: z.array(commitSchema) });
const comparisonSchema = z.object({
  total_commits: count,
  behind_by: count,
  commits: z.array(commitSchema),
  files: z.array(fileSchema),
});

/** Commits, newest first. `total` includes commits that are not listed. */
export interface CommitFacts {
  readonly list: readonly z.output<typeof commitSchema>[];
  readonly total: number;
}

/** Changed files. `isCut` if the API doesn't list all of them, `isSelected` if only files that match `paths` are listed. */
export interface FileFacts {
  readonly list: readonly z.output<typeof fileSchema>[];
  readonly isCut: boolean;
  readonly isSelected?: boolean;
}

/** Facts about a release. Facts that couldn't be read are undefined. All texts are untrusted. */
export interface ReleaseFacts {
  /** `owner/repo`. */
  readonly repository: string;
  /** Link of the repository. */
  readonly url: string;
  readonly tag: string;
  readonly commit: string | undefined;
  /** The previous tag, or why there is none. */
  readonly previous: { readonly tag: string } | { readonly none: string } | undefined;
  readonly commits: CommitFacts | undefined;
  readonly files: FileFacts | undefined;
  /** Empty if the release has none. */
  readonly notes: string | undefined;
}

/** The facts that could be read, which parts are missing, and why (untrusted). */
export interface ReleaseReading {
  readonly release: ReleaseFacts;
  /** True if the previous tag is not an ancestor of the tag, so that the files don't show every difference. */
  readonly isDiverged: boolean;
  readonly missing: readonly string[];
  readonly reason: string;
  /** True if the token lacks a permission. */
  readonly isRefused: boolean;
}

/**
 * Reads a release from the REST API, without a checkout. Leaves out parts that can't be read. Throws an `InputError` if the
 * inputs name a tag that does not exist.
 */
export async function readRelease(
  { serverUrl, repository }: GitHubContext,
  { tag, isNamed }: NonNullable<Inputs['release']>,
  api: GitHubApi,
): Promise<ReleaseReading> {
  const name = repository === undefined ? 'unknown' : `${repository.owner}/${repository.repo}`;
  const missing: string[] = [];
  let reason = '';
  let isRefused = false;
  async function readPart<T>(part: string, reading: Promise<T>): Promise<T | undefined> {
    try {
      return await reading;
    } catch (error) {
      if (error instanceof InputError) {
        throw error;
      }
      missing.push(part);
      const { message: why, failure } = getGitHubError(error);
      reason ||= why;
      isRefused ||= failure.kind === 'refused';
      return undefined;
    }
  }
  const range = await readPart('previous tag, commits, files', readRange(api, tag, isNamed));
  const { head, base, previous } = range ?? {};
  const comparison = head && base && (await readPart('commits, files', readComparison(api, base, head)));
  const notes = await readPart('release notes', readNotes(api, tag, head !== undefined));
  const { commits, files, isDiverged = false } = comparison || {};
  const url = `${serverUrl}/${name}`;
  const release = { repository: name, url, tag, commit: head, previous, commits, files, notes };
  return { release, isDiverged, missing, reason, isRefused };
}

/** Returns the commit of a tag, and the previous tag with its commit. */
async function readRange(api: GitHubApi, tag: string, isNamed: boolean) {
  const version = parseVersionTag(tag);
  const tags = await readTags(api, version?.prefix ?? tag);
  const own = tags.get(tag);
  if (own === undefined) {
    // The tag of an event may be too new to be listed.
    throw isNamed ? new InputError([NO_TAG]) : new GitHubError('the repository has no tag with this name');
  }
  const head = await resolveCommit(api, own);
  if (version === undefined) {
    return { head, previous: { none: 'the tag does not end in a semantic version' } };
  }
  const previous = findPreviousTag(version, [...tags.keys()]);
  const target = previous === undefined ? undefined : tags.get(previous);
  if (previous === undefined || target === undefined) {
    const kind = version.version.prerelease.length > 0 ? 'version' : 'final version';
    return { head, previous: { none: `this is the first ${kind} with this prefix` } };
  }
  return { head, previous: { tag: previous }, base: await resolveCommit(api, target) };
}

/** Returns the commit of a tag. Throws an `InputError` if there is no such tag. */
export async function readTagCommit(api: GitHubApi, tag: string): Promise<string> {
  const target = (await readTags(api, tag)).get(tag);
  if (target === undefined) {
    throw new InputError([NO_TAG]);
  }
  return resolveCommit(api, target);
}

/** Returns the tags that begin with a prefix, and what they point to. */
async function readTags(api: GitHubApi, prefix: string) {
  const refs = await api.read(refsSchema, `/git/matching-refs/tags/${encodePath(prefix)}`);
  return new Map(refs.map(({ ref, object }) => [ref.replace(/^refs\/tags\//, ''), object]));
}

/** Finds the commit of a tag. Annotated tags are objects of their own, which may point to other tags. */
async function resolveCommit(api: GitHubApi, target: z.output<typeof targetSchema>): Promise<string> {
  let { type, sha } = target;
  for (let depth = 0; type === 'tag' && depth < MAX_TAG_DEPTH; depth += 1) {
    ({ type, sha } = (await api.read(tagSchema, `/git/tags/${encodePath(sha)}`)).object);
  }
  if (type !== 'commit') {
    throw new GitHubError('the tag does not point to a commit');
  }
  return sha;
}

/**
 * Returns the commits and files between two commits. The API lists commits oldest first, so this reads the last pages. It
 * lists files, at most 300, only on the first page.
 */
async function readComparison(api: GitHubApi, base: string, head: string) {
  const path = `/compare/${encodePath(base)}...${encodePath(head)}?per_page=${PAGE_SIZE}`;
  const first = await api.read(comparisonSchema, `${path}&page=1`);
  const { total_commits: total, behind_by: behind, files } = first;
  const last = Math.ceil(total / PAGE_SIZE);
  const commits = last <= MAX_COMMIT_PAGES ? [...first.commits] : [];
  for (let page = Math.max(2, last - MAX_COMMIT_PAGES + 1); page <= last; page += 1) {
    commits.push(...(await api.read(commitsSchema, `${path}&page=${page}`)).commits);
  }
  return {
    commits: { list: commits.reverse(), total },
    files: { list: files, isCut: files.length >= 300 },
    isDiverged: behind > 0,
  };
}

/** The notes of a published release. Without a permission, GitHub also returns 404, so only a tag that was read has none. */
async function readNotes(api: GitHubApi, tag: string, isTagRead: boolean): Promise<string> {
  try {
    const schema = z.object({ body: z.nullable(z.string()) });
    return (await api.read(schema, `/releases/tags/${encodePath(tag)}`)).body ?? '';
  } catch (error) {
    if (isTagRead && getGitHubError(error).failure.httpStatus === 404) {
      return '';
    }
    throw error;
  }
}
