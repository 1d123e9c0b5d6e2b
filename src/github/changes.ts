import * as z from 'zod/mini';
import { InputError } from '../errors.ts';
import { isZeros, LAST_RUN, toRefName } from '../inputs/changes-since.ts';
import { encodePath, shortenCommit } from '../text/link.ts';
import { code, message } from '../text/message.ts';
import { type GitHubApi, GitHubError, type GitHubFailure, getGitHubError } from './api.ts';
import type { GitHubContext } from './context.ts';
import { readLastRunCommit } from './last-run.ts';
import { readTag } from './tags.ts';

// One chunk of the bundle for all that is read about tags.
export { readTagCommit } from './tags.ts';

/** What changed between two commits. Facts that couldn't be read are undefined. */
export interface ChangesReading {
  /** `owner/repo`. */
  readonly repository: string;
  /** Link of the repository. */
  readonly url: string;
  /** The changes end at this tag, or at the commit of the run. */
  readonly tag: string | undefined;
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  readonly start: Start;
  readonly changes: Changes | undefined;
  /** Empty if there are no release notes. */
  readonly notes: string | undefined;
  /** The facts that couldn't be read. */
  readonly missing: readonly string[];
  /** Why they couldn't be read (untrusted). */
  readonly reason: string;
  /** True if the token lacks a permission. */
  readonly isRefused: boolean;
}

/** Where the changes begin. All texts except `cause` are untrusted. */
export type Start =
  /** A tag, a branch, or a commit. */
  | { readonly kind: 'known'; readonly ref: string }
  /** There is nothing to compare with. */
  | { readonly kind: 'none'; readonly reason: string }
  /** No earlier run of the workflow has succeeded for this event and branch. */
  | { readonly kind: 'first-run' }
  | ({ readonly kind: 'unknown' } & UnknownStart);

/**
 * Why it is unknown where the changes begin. `gone`: GitHub no longer knows the commit, or it has
 * no common ancestor with the run.
 */
export interface UnknownStart {
  readonly cause: 'gone' | GitHubFailure['kind'];
  readonly detail: string;
}

/** The commits and files that changed. All texts are untrusted. */
export interface Changes {
  /** Newest first. */
  readonly commits: readonly z.output<typeof commitSchema>[];
  /** The number of commits, including those that are not listed. */
  readonly total: number;
  readonly files: readonly z.output<typeof fileSchema>[];
  /** True if the API may not list all files. */
  readonly isCut: boolean;
  /** True if the start is not an ancestor, so that the files don't show every difference. */
  readonly isDiverged: boolean;
}

/** The most changed files that GitHub lists for a comparison. */
const MAX_FILES = 300;

const count = z.int().check(z.nonnegative());
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

/** The inputs that say which changes to read. */
interface Wanted {
  readonly tag: string | undefined;
  readonly changesSince: string | undefined;
}

/** Two commits to compare. Without `base`, there is nothing to compare. */
interface Range {
  readonly commit: string | undefined;
  readonly start: Start;
  /** A commit, a tag, or a branch. */
  readonly base?: string;
  /** True if the inputs name the start. */
  readonly isNamed?: boolean;
}

interface Failure {
  readonly part: string;
  readonly error: GitHubError;
}

/**
 * Reads as far as it can what changed before a tag, or before the commit of the run. Throws an
 * `InputError` if the inputs name a tag, branch, or commit that does not exist.
 */
export async function readChanges(
  github: GitHubContext,
  wanted: Wanted,
  api: GitHubApi,
): Promise<ChangesReading> {
  const { serverUrl, repository = 'unknown', branch, defaultBranch } = github;
  const { tag } = wanted;
  const failures: Failure[] = [];
  const range = await findRange(github, wanted, api).catch((error: unknown): Range => {
    failures.push({ part: 'start of the changes, commits, files', error: toFailure(error) });
    return { commit: undefined, start: explainUnread(toFailure(error)) };
  });
  const compared = await readComparison(api, range, defaultBranch).then(
    (changes) => ({ changes, start: range.start }),
    async (error: unknown) => {
      failures.push({ part: 'commits, files', error: toFailure(error) });
      const start = await explainUncompared(toFailure(error), range, wanted, api);
      return { changes: undefined, start };
    },
  );
  const notes = await readNotes(api, tag, range).catch((error: unknown) => {
    failures.push({ part: 'release notes', error: toFailure(error) });
    return undefined;
  });
  return {
    repository,
    url: `${serverUrl}/${repository}`,
    tag,
    branch: tag === undefined ? branch : undefined,
    commit: range.commit,
    ...compared,
    notes,
    missing: failures.map(({ part }) => part),
    reason: failures[0]?.error.message ?? '',
    isRefused: failures.some(({ error }) => error.failure.kind === 'access'),
  };
}

/** Returns an error as one of GitHub. Rethrows a problem with the inputs. */
function toFailure(error: unknown): GitHubError {
  if (error instanceof InputError) {
    throw error;
  }
  return getGitHubError(error);
}

/** Finds where the changes begin and end. */
async function findRange(
  github: GitHubContext,
  { tag, changesSince }: Wanted,
  api: GitHubApi,
): Promise<Range> {
  if (tag === undefined) {
    return findBranchRange(github, changesSince, api);
  }
  const { commit, previous } = await readTag(api, tag, tag !== github.eventTag);
  if (changesSince !== undefined) {
    return { commit, ...startAt(toRefName(changesSince)), isNamed: true };
  }
  return previous.kind === 'none'
    ? { commit, start: previous }
    : { commit, ...startAt(previous.tag), base: previous.commit };
}

/** The range of a branch ends at the commit of the run, so that ranges of runs don't overlap. */
async function findBranchRange(
  github: GitHubContext,
  changesSince: string | undefined,
  api: GitHubApi,
): Promise<Range> {
  const { sha: commit, branch, before, defaultBranch } = github;
  if (commit === undefined) {
    throw new GitHubError('GITHUB_SHA is not set', { kind: 'setting' });
  }
  if (changesSince === LAST_RUN) {
    const base = await readLastRunCommit(api, github);
    return base === undefined
      ? { commit, start: { kind: 'first-run' } }
      : { commit, ...startAt(base) };
  }
  if (changesSince !== undefined) {
    return { commit, ...startAt(toRefName(changesSince)), isNamed: true };
  }
  if (before !== undefined && !isZeros(before)) {
    return { commit, ...startAt(before) };
  }
  return defaultBranch === undefined || defaultBranch === branch
    ? { commit, start: { kind: 'none', reason: 'the push created the branch' } }
    : { commit, ...startAt(defaultBranch) };
}

function startAt(ref: string) {
  return { start: { kind: 'known', ref }, base: ref } as const;
}

/**
 * Returns the changes of a range. Without paging, the API lists the newest 250 commits and 300
 * files.
 */
async function readComparison(
  api: GitHubApi,
  { base, commit }: Range,
  defaultBranch: string | undefined,
): Promise<Changes | undefined> {
  if (base === undefined || commit === undefined) {
    return undefined;
  }
  const comparison = await api.read(
    comparisonSchema,
    `/compare/${encodePath(base)}...${encodePath(commit)}`,
  );
  const { total_commits: total, behind_by: behind, commits, files } = comparison;
  return {
    commits: commits.reverse(),
    total,
    files,
    isCut: files.length >= MAX_FILES,
    // A branch that left the default branch is compared with the point where it left.
    isDiverged: behind > 0 && base !== defaultBranch,
  };
}

/** Says why it is unknown where the changes begin. */
function explainUnread({ message: detail, failure }: GitHubError): Start {
  return { kind: 'unknown', cause: failure.kind, detail };
}

/**
 * Returns the start of a range that couldn't be compared. It stays known if the inputs don't name
 * it, and GitHub is only unavailable. Throws an `InputError` if the inputs name a start that does
 * not exist. GitHub returns the same 404 for that and for a missing permission, so the commit of
 * the run must confirm that the token can read the repository.
 */
async function explainUncompared(
  error: GitHubError,
  { commit = '', start, base = '', isNamed = false }: Range,
  { tag, changesSince = '' }: Wanted,
  api: GitHubApi,
): Promise<Start> {
  if (tag !== undefined && !isNamed) {
    return start;
  }
  const { httpStatus } = error.failure;
  const isUnrelated = httpStatus === 404 && /no common ancestor/i.test(error.message);
  const isReadable = httpStatus === 404 && (await canRead(api, commit));
  if (isReadable && isNamed && !isUnrelated) {
    throw new InputError([
      message`{changes-since} is wrong: ${code(changesSince)} is no tag, branch, or commit of the
        repository.`,
    ]);
  }
  const unread = explainUnread(error);
  const isUnavailable = unread.kind === 'unknown' && unread.cause === 'unavailable';
  if (tag !== undefined || (isUnavailable && !isNamed)) {
    return start;
  }
  if (!isReadable) {
    return unread;
  }
  const name = shortenCommit(base);
  const detail = isUnrelated
    ? `${name} and the run share no commit`
    : `the repository no longer has ${name}`;
  return { kind: 'unknown', cause: 'gone', detail };
}

async function canRead(api: GitHubApi, commit: string): Promise<boolean> {
  try {
    await api.read(z.object({ sha: z.string() }), `/commits/${encodePath(commit)}`);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the notes of a published release, empty if there is no release. GitHub returns the same
 * 404 if the token lacks a permission, so the commit of the tag must confirm that the token can
 * read the repository.
 */
async function readNotes(
  api: GitHubApi,
  tag: string | undefined,
  { commit }: Range,
): Promise<string | undefined> {
  if (tag === undefined) {
    return undefined;
  }
  try {
    const schema = z.object({ body: z.nullable(z.string()) });
    return (await api.read(schema, `/releases/tags/${encodePath(tag)}`)).body ?? '';
  } catch (error) {
    if (commit !== undefined && getGitHubError(error).failure.httpStatus === 404) {
      return '';
    }
    throw error;
  }
}
