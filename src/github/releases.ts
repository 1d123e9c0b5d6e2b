import * as z from 'zod/mini';
import { InputError } from '../errors.ts';
import { encodePath } from '../text/link.ts';
import { code, message } from '../text/message.ts';
import { type GitHubApi, GitHubError, getGitHubError } from './api.ts';
import type { GitHubContext } from './context.ts';
import { findPreviousTag, parseVersionTag } from './version-tag.ts';

/** Facts about a release. Facts that couldn't be read are undefined. All texts are untrusted. */
export interface ReleaseReading {
  /** `owner/repo`. */
  readonly repository: string;
  /** Link of the repository. */
  readonly url: string;
  readonly tag: string;
  readonly commit: string | undefined;
  /** The previous tag, or why there is none. */
  readonly previous: PreviousTag | undefined;
  readonly changes: Changes | undefined;
  /** Empty if there are no release notes. */
  readonly notes: string | undefined;
  /** The facts that couldn't be read. */
  readonly missing: readonly string[];
  /** Why they couldn't be read. */
  readonly reason: string;
  /** True if the token lacks a permission. */
  readonly isRefused: boolean;
}

type PreviousTag =
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'none'; readonly reason: string };

/** The commits and files that changed since the previous tag. */
export interface Changes {
  /** Newest first. */
  readonly commits: readonly z.output<typeof commitSchema>[];
  /** The number of commits, including those that are not listed. */
  readonly total: number;
  readonly files: readonly z.output<typeof fileSchema>[];
  /** True if the API may not list all files. */
  readonly isCut: boolean;
  /**
   * True if the previous tag is not an ancestor of the tag, so that the files don't show every
   * difference.
   */
  readonly isDiverged: boolean;
}

/** The commits of a tag and of the previous tag. */
interface Range {
  readonly head: string;
  readonly previous: PreviousTag;
  readonly base?: string;
}

/** The most changed files that GitHub lists for a comparison. */
const MAX_FILES = 300;

const count = z.int().check(z.nonnegative());
const targetSchema = z.object({ type: z.string(), sha: z.string() });
const refsSchema = z.array(z.object({ ref: z.string(), object: targetSchema }));
const tagSchema = z.object({ object: targetSchema });
const firstLine = z.transform((text: string) => text.split(/[\r\n]/, 1)[0] ?? '');
const subject = z.pipe(z.string(), firstLine);
const commitSchema = z.object({
  sha: z.string(),
  commit: z.object({
    message: subject,
    author: z.nullish(z.object({ name: z.optional(z.string()) })),
  }),
  author: z.nullish(z.object({ login: z.optional(z.string()) })),
});
const fileSchema = z.object({
  filename: z.string(),
  previous_filename: z.optional(z.string()),
  status: z.string(),
  additions: count,
  deletions: count,
});
const comparisonSchema = z.object({
  total_commits: count,
  behind_by: count,
  commits: z.array(commitSchema),
  files: z.array(fileSchema),
});

/**
 * Reads a release as far as it can. Throws an `InputError` if the inputs name a tag that does not
 * exist.
 */
export async function readRelease(
  { serverUrl, repository = 'unknown', eventTag }: GitHubContext,
  tag: string,
  api: GitHubApi,
): Promise<ReleaseReading> {
  const failures: { part: string; error: GitHubError }[] = [];
  async function readPart<T>(part: string, reading: Promise<T>): Promise<T | undefined> {
    try {
      return await reading;
    } catch (error) {
      if (error instanceof InputError) {
        throw error;
      }
      failures.push({ part, error: getGitHubError(error) });
      return undefined;
    }
  }
  const range = await readPart(
    'previous tag, commits, files',
    readRange(api, tag, tag !== eventTag),
  );
  const reading = range?.base === undefined ? undefined : readChanges(api, range.base, range.head);
  const changes = reading && (await readPart('commits, files', reading));
  const notes = await readPart('release notes', readNotes(api, tag, range !== undefined));
  return {
    repository,
    url: `${serverUrl}/${repository}`,
    tag,
    commit: range?.head,
    previous: range?.previous,
    changes,
    notes,
    missing: failures.map(({ part }) => part),
    reason: failures[0]?.error.message ?? '',
    isRefused: failures.some(({ error }) => error.failure.kind === 'refused'),
  };
}

/** Returns the commit of a tag, and the previous tag with its commit. */
async function readRange(api: GitHubApi, tag: string, isNamed: boolean): Promise<Range> {
  const version = parseVersionTag(tag);
  const tags = await readTags(api, version?.prefix ?? tag);
  const head = await resolveCommit(api, tags, tag, isNamed);
  if (version === undefined) {
    return {
      head,
      previous: { kind: 'none', reason: 'the tag does not end in a semantic version' },
    };
  }
  const previous = findPreviousTag(version, tags.keys());
  if (previous === undefined) {
    return { head, previous: { kind: 'none', reason: 'no earlier release has this prefix' } };
  }
  return {
    head,
    previous: { kind: 'tag', tag: previous },
    base: await resolveCommit(api, tags, previous, false),
  };
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
  while (target.type === 'tag') {
    target = (await api.read(tagSchema, `/git/tags/${encodePath(target.sha)}`)).object;
  }
  if (target.type !== 'commit') {
    throw new GitHubError('the tag does not point to a commit');
  }
  return target.sha;
}

/**
 * Returns the changes between two commits. Without paging, the API lists the newest 250 commits and
 * 300 files.
 */
async function readChanges(api: GitHubApi, base: string, head: string): Promise<Changes> {
  const comparison = await api.read(
    comparisonSchema,
    `/compare/${encodePath(base)}...${encodePath(head)}`,
  );
  const { total_commits: total, behind_by: behind, commits, files } = comparison;
  return {
    commits: commits.reverse(),
    total,
    files,
    isCut: files.length >= MAX_FILES,
    isDiverged: behind > 0,
  };
}

/**
 * Returns the notes of a published release, empty if there is no release. GitHub returns the same
 * 404 if the token lacks a permission, so `isTagRead` must confirm that the token can read the
 * repository.
 */
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
