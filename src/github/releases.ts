import type { Release } from '../state.ts';
import {
  array,
  int,
  nonnegative,
  nullable,
  nullish,
  object,
  optional,
  type output,
  refine,
  string,
  type ZodMiniType,
} from '../text/schema.ts';
import { type GitHubClient, getGitHubError, read } from './client.ts';
import type { GitHubContext } from './context.ts';
import { GitHubError } from './get.ts';
import { findPreviousTag, parseVersionTag } from './version-tag.ts';

/** An input names a tag that the repository does not have. */
export class UnknownTagError extends Error {
  override readonly name = 'UnknownTagError';
}

export interface Commit {
  readonly sha: string;
  readonly subject: string;
  readonly author: string;
}

export interface ChangedFile {
  readonly path: string;
  readonly previousPath: string | undefined;
  readonly status: string;
  readonly additions: number | undefined;
  readonly deletions: number | undefined;
}

/** What could be read about a release; a part that could not is undefined. All texts are untrusted. */
export interface ReleaseFacts {
  /** `owner/repo`. */
  readonly repository: string;
  /** Link of the repository. */
  readonly url: string;
  readonly tag: string;
  readonly commit: string | undefined;
  /** The previous tag, or why there is none. */
  readonly previous: { readonly tag: string } | { readonly none: string } | undefined;
  /** Newest first. `total` also counts those that are not listed. */
  readonly commits: { readonly list: readonly Commit[]; readonly total: number } | undefined;
  /** `isCut` if the API does not list all of them. */
  readonly files: { readonly list: readonly ChangedFile[]; readonly isCut: boolean } | undefined;
  /** Empty if the release has none. */
  readonly notes: string | undefined;
}

/** What could be read, the parts that could not, and why not. The reason is untrusted. */
export interface ReleaseReading {
  readonly release: ReleaseFacts;
  /** True if the previous tag is no ancestor of the tag, so that the files don't show everything in which they differ. */
  readonly isDiverged: boolean;
  readonly missing: readonly string[];
  readonly reason: string;
}

const PAGE_SIZE = 100;
const MAX_COMMIT_PAGES = 3;
const MAX_FILES = 300;
const MAX_TAG_DEPTH = 5;

const count = int().check(nonnegative());
const targetSchema = object({ type: string(), sha: string() });
const refsSchema = array(object({ ref: string(), object: targetSchema }));
const tagSchema = object({ object: targetSchema });
const notesSchema = object({ body: nullable(string()) });
const commits = array(
  object({
    sha: string(),
    commit: object({ message: string(), author: nullish(object({ name: optional(string()) })) }),
    author: nullish(object({ login: optional(string()) })),
  }),
);
const commitsSchema = object({ commits });
const fileSchema = object({
  filename: string(),
  previous_filename: optional(string()),
  status: string(),
  additions: optional(count),
  deletions: optional(count),
}).check(refine((file) => file.status !== 'renamed' || file.previous_filename !== undefined));
/** Without one of these fields, nothing can be said about what changed. */
const comparisonSchema = object({
  total_commits: count,
  behind_by: count,
  commits,
  files: array(fileSchema),
});

/**
 * Reads what the REST API says about the release of a tag, without a checkout. What cannot be read is left out.
 * Throws an `UnknownTagError` if an input names a tag that does not exist; the tag of an event may only be too new
 * to be listed.
 */
export async function readRelease(
  { serverUrl, repository }: GitHubContext,
  release: Release,
  open: () => Promise<GitHubClient>,
): Promise<ReleaseReading> {
  const { owner = '', repo = '' } = repository ?? {};
  const name = repository === undefined ? 'unknown' : `${owner}/${repo}`;
  const missing: string[] = [];
  let reason = '';
  async function attempt<T>(part: string, reading: () => Promise<T>): Promise<T | undefined> {
    try {
      return await reading();
    } catch (error) {
      if (error instanceof UnknownTagError) {
        throw error;
      }
      missing.push(part);
      reason ||= getGitHubError(error).message;
      return undefined;
    }
  }
  const client = await attempt('everything but its name', open);
  const range = client && (await attempt('previous tag', () => readRange(client, name, release)));
  const { previous, base, head } = range ?? {};
  const comparison =
    client && base !== undefined && head !== undefined
      ? await attempt('commits and changed files', () => readComparison(client, base, head))
      : undefined;
  if (client !== undefined && range === undefined) {
    missing.push('commits and changed files');
  }
  // Without a permission, GitHub answers as if there were no release, so "none" isn't proven then.
  const isProven = range !== undefined;
  const notes = client && (await attempt('release notes', () => readNotes(client, release.tag, isProven)));
  const { commits, files, isDiverged = false } = comparison ?? {};
  const url = `${serverUrl}/${name}`;
  const known = { repository: name, url, tag: release.tag, commit: head, previous, commits, files, notes };
  return { release: known, isDiverged, missing, reason };
}

interface Range {
  readonly previous: NonNullable<ReleaseFacts['previous']>;
  /** Commit of the previous tag. */
  readonly base: string | undefined;
  /** Commit of the tag. */
  readonly head: string;
}

async function readRange(
  client: GitHubClient,
  repository: string,
  { tag, isNamed }: Release,
): Promise<Range> {
  const version = parseVersionTag(tag);
  const refs = await read(client, refsSchema, '/git/matching-refs/{ref}', {
    ref: `tags/${version?.prefix ?? tag}`,
  });
  const tags = new Map(refs.map(({ ref, object: target }) => [ref.replace(/^refs\/tags\//, ''), target]));
  const own = tags.get(tag);
  if (own === undefined) {
    const problem = `${repository} has no tag of this name`;
    throw isNamed ? new UnknownTagError(problem) : new GitHubError(problem);
  }
  const head = await resolveCommit(client, own);
  if (version === undefined) {
    return { previous: { none: 'the tag does not end in a semantic version' }, base: undefined, head };
  }
  const previous = findPreviousTag(version, [...tags.keys()]);
  const target = previous === undefined ? undefined : tags.get(previous);
  if (previous === undefined || target === undefined) {
    const kind = version.version.prerelease.length > 0 ? 'version' : 'final version';
    return { previous: { none: `this is the first ${kind} with this prefix` }, base: undefined, head };
  }
  return { previous: { tag: previous }, base: await resolveCommit(client, target), head };
}

/** Finds the commit behind a tag: annotated tags are objects of their own, and may point at further ones. */
async function resolveCommit(client: GitHubClient, target: output<typeof targetSchema>): Promise<string> {
  let { type, sha } = target;
  for (let depth = 0; type === 'tag' && depth < MAX_TAG_DEPTH; depth += 1) {
    ({ type, sha } = (await read(client, tagSchema, '/git/tags/{tag_sha}', { tag_sha: sha })).object);
  }
  if (type !== 'commit') {
    throw new GitHubError('the tag does not point at a commit');
  }
  return sha;
}

/**
 * Commits and files between two commits. The API pages the commits oldest first, so the last pages are read;
 * it lists the files, 300 at most, on the first page only.
 */
async function readComparison(
  client: GitHubClient,
  base: string,
  head: string,
): Promise<Pick<ReleaseFacts, 'commits' | 'files'> & { readonly isDiverged: boolean }> {
  const readPage = <S extends ZodMiniType>(schema: S, page: number): Promise<output<S>> => {
    const query = { basehead: `${base}...${head}`, per_page: PAGE_SIZE, page };
    return read(client, schema, '/compare/{basehead}', query);
  };
  const first = await readPage(comparisonSchema, 1);
  const { total_commits: total, behind_by: behind, files } = first;
  const last = Math.ceil(total / PAGE_SIZE);
  const commits = last <= MAX_COMMIT_PAGES ? [...first.commits] : [];
  for (let page = Math.max(2, last - MAX_COMMIT_PAGES + 1); page <= last; page += 1) {
    commits.push(...(await readPage(commitsSchema, page)).commits);
  }
  return {
    commits: { list: commits.reverse().map(toCommit), total },
    files: { list: files.map(toChangedFile), isCut: files.length >= MAX_FILES },
    isDiverged: behind > 0,
  };
}

function toCommit({ sha, author, commit }: output<typeof commitsSchema>['commits'][number]): Commit {
  const subject = commit.message.split(/[\r\n]/, 1)[0] ?? '';
  const login = author?.login;
  return { sha, subject, author: login === undefined ? (commit.author?.name ?? 'unknown') : `@${login}` };
}

function toChangedFile({ filename, previous_filename, ...file }: output<typeof fileSchema>): ChangedFile {
  const { status, additions, deletions } = file;
  return { path: filename, previousPath: previous_filename, status, additions, deletions };
}

/** The notes of a published release, or an empty text if it is proven that the tag has none. */
async function readNotes(client: GitHubClient, tag: string, isProven: boolean): Promise<string> {
  try {
    return (await read(client, notesSchema, '/releases/tags/{tag}', { tag })).body ?? '';
  } catch (error) {
    if (isProven && getGitHubError(error).failure === 'not-found') {
      return '';
    }
    throw error;
  }
}
