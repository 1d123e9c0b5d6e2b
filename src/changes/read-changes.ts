import * as z from 'zod/mini';
import { InputError } from '../errors.ts';
import type { GitHubApi } from '../github/api.ts';
import type { GitHubContext } from '../github/context.ts';
import { expectGitHubError, GitHubError, type GitHubFailure } from '../github/errors.ts';
import { encodePath, shortenCommit } from '../text/link.ts';
import { code, message } from '../text/message.ts';
import { isZeros, toRefName } from '../text/ref.ts';
import type { Timing } from '../time/deadline.ts';
import { LAST_JOB, type Range, type Start, toUnknownStart } from './range.ts';
import { readTag } from './tags.ts';

/** What changed between two commits. Facts that couldn't be read are undefined. */
export type ChangesReading = Readonly<Awaited<ReturnType<typeof readChanges>>>;

/** The commits, newest first, and files that changed. All texts are untrusted. */
export interface Changes extends Readonly<Pick<Comparison, 'status' | 'commits' | 'files'>> {
  /** The number of commits, including those that are not listed. */
  readonly total: number;
  /** True if the API may not list all files. */
  readonly isCut: boolean;
}

/** The most changed files that GitHub lists for a comparison. */
const MAX_FILES = 300;
const COMMIT = /^[0-9a-f]{40}$/;

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
/** No system takes a longer path. To match one could take minutes. */
const filename = z.string().check(z.maxLength(4_096));
const fileSchema = z.object({
  filename,
  previous_filename: z.optional(filename),
  status: z.string(),
  additions: count,
  deletions: count,
});
type Comparison = z.output<typeof comparisonSchema>;
const comparisonSchema = z.object({
  /**
   * Where the end is from the start. `diverged`: the start is not an ancestor, so that the files
   * don't show every difference. `behind` and `identical`: there are no commits.
   */
  status: z.enum(['ahead', 'diverged', 'behind', 'identical']),
  total_commits: count,
  behind_by: count,
  commits: z.array(commitSchema),
  files: z.array(fileSchema),
});
const releaseSchema = z.object({ body: z.nullable(z.string()) });

interface ChangesContext extends Pick<Timing, 'clock' | 'cancel'> {
  readonly inputs: { readonly tag: string | undefined; readonly changesSince: string | undefined };
  readonly github: GitHubContext;
  /** Opens the repository for some seconds. */
  readonly openApi: () => GitHubApi;
  /** Where the last job ended. Undefined unless the inputs ask for it. */
  readonly lastJob: Start | undefined;
}

type OpenContext = ChangesContext & { readonly api: GitHubApi };

/**
 * Reads as far as it can what changed before a tag, or before the commit of the run. Throws an
 * `InputError` if the inputs name a tag, branch, or commit that does not exist.
 */
export async function readChanges(run: ChangesContext) {
  const failures = new Map<string, GitHubError>();
  const failFor = (part: string) => (thrown: unknown) => {
    const error = expectGitHubError(thrown);
    failures.set(part, error);
    return error;
  };
  const found = await findRange(run).catch(failFor('start of the changes, commits, files'));
  const range: Range = found instanceof GitHubError ? { start: toUnknownStart(found) } : found;
  const tag = range.tag ?? run.inputs.tag;
  // Only now, because a new tag may be waited for.
  const open: OpenContext = { ...run, api: run.openApi() };
  const compared = await readComparison(range, open).catch(failFor('commits, files'));
  const isUnread = compared instanceof GitHubError;
  const start = isUnread ? await explain(compared, range, open) : range.start;
  const notes = await readNotes(range, tag, open).catch(failFor('release notes'));
  const errors = [...failures.values()];
  return {
    /** The changes end at this tag, or at the commit of the run. */
    tag,
    commit: range.commit,
    start,
    changes: isUnread ? undefined : compared,
    /** Empty if there are no release notes. */
    notes: notes instanceof GitHubError ? undefined : notes,
    /** The facts that couldn't be read. */
    missing: [...failures.keys()],
    /** Why they couldn't be read (untrusted). */
    reason: errors[0]?.message ?? '',
    /** True if the token lacks a permission. */
    isRefused: errors.some(({ failure }) => failure.kind === 'access' && !isAbsent(failure, run)),
  };
}

/** For a branch, the changes end at the commit of the run, so that ranges of runs don't overlap. */
async function findRange(run: ChangesContext): Promise<Range> {
  const { github, lastJob } = run;
  const { tag, changesSince } = run.inputs;
  const isNamed = tag !== github.eventTag;
  const { start, ...end }: Partial<Range> =
    tag === undefined
      ? { commit: github.sha }
      : await readTag(tag, isNamed, { ...run, api: run.openApi() });
  if (end.commit === undefined) {
    throw new GitHubError('GITHUB_SHA is not set', { kind: 'setting' });
  }
  if (lastJob !== undefined) {
    return { ...end, start: lastJob };
  }
  if (changesSince !== undefined) {
    return { ...end, start: { kind: 'known', ref: toRefName(changesSince) } };
  }
  return { ...end, start: start ?? findPushStart(github) };
}

function findPushStart({ branch, before, defaultBranch }: GitHubContext): Start {
  if (before !== undefined && !isZeros(before)) {
    return { kind: 'known', ref: before };
  }
  return defaultBranch === undefined || defaultBranch === branch
    ? { kind: 'none', reason: 'the push created the branch' }
    : { kind: 'known', ref: defaultBranch };
}

/**
 * Without paging, the API lists the newest 250 commits and 300 files. A comparison that contradicts
 * itself is unreadable: nothing may be skipped because of it.
 */
async function readComparison(
  { start, commit }: Range,
  { api, github }: OpenContext,
): Promise<Changes | undefined> {
  if (start.kind !== 'known' || commit === undefined) {
    return undefined;
  }
  const { ref, tagCommit: base = ref } = start;
  if (base === commit) {
    return { commits: [], total: 0, files: [], isCut: false, status: 'identical' };
  }
  const path = `/compare/${encodePath(base)}...${encodePath(commit)}`;
  let comparison = await api.read(comparisonSchema, path);
  if (comparison.total_commits > 0 && comparison.files.length === 0) {
    // No file is a reason to skip, so look twice.
    comparison = await api.read(comparisonSchema, path);
  }
  const areCommits = COMMIT.test(base) && COMMIT.test(commit);
  // No commit is identical with another one.
  if (!isConsistent(comparison) || (areCommits && comparison.status === 'identical')) {
    throw new GitHubError('the comparison contradicts itself');
  }
  const { status, total_commits: total, commits, files } = comparison;
  return {
    commits: commits.reverse(),
    total,
    files,
    isCut: files.length >= MAX_FILES,
    // A branch that left the default branch is compared with the point where it left.
    status: status === 'diverged' && base === github.defaultBranch ? 'ahead' : status,
  };
}

/** GitHub has answered with 0 beside a list (octokit/octokit.js#1075). */
function isConsistent(comparison: Comparison): boolean {
  const { status, total_commits: total, behind_by: behind, commits, files } = comparison;
  if (total === 0) {
    const isEmpty = commits.length === 0 && files.length === 0;
    return isEmpty && status === (behind > 0 ? 'behind' : 'identical');
  }
  const isListed = commits.length > 0 && commits.length <= total;
  return isListed && status === (behind > 0 ? 'diverged' : 'ahead');
}

/**
 * Returns the start of a range that couldn't be compared. It stays known for a tag, and while
 * GitHub is unavailable, unless only the inputs name it. GitHub returns the same 404 for a start
 * that does not exist and for a missing permission, so the commit of the run must confirm that the
 * token can read the repository.
 */
async function explain(
  error: GitHubError,
  { commit = '', start }: Range,
  { api, inputs: { tag, changesSince } }: OpenContext,
): Promise<Start> {
  const named = changesSince === LAST_JOB ? undefined : changesSince;
  const isMissing = error.failure.httpStatus === 404 && (await canRead(api, commit));
  if (isMissing && named !== undefined && !/no common ancestor/i.test(error.message)) {
    throw new InputError([
      message`{changes-since} is wrong: ${code(named)} is no tag, branch, or commit of the
        repository.`,
    ]);
  }
  const { kind, httpStatus } = error.failure;
  // GitHub knows the start of a comparison that takes it too long.
  const isKnown = named === undefined || httpStatus === 422;
  if (tag !== undefined || (kind === 'unavailable' && isKnown)) {
    return start;
  }
  return isMissing && start.kind === 'known'
    ? { kind: 'unknown', cause: 'gone', detail: `${error.message} (${shortenCommit(start.ref)})` }
    : toUnknownStart(error);
}

/** On Gitea, a 404 is no missing permission: it lacks the endpoint, or what was asked for. */
function isAbsent({ httpStatus }: GitHubFailure, { github }: Pick<OpenContext, 'github'>): boolean {
  return github.isGitea && httpStatus === 404;
}

async function canRead(api: GitHubApi, commit: string): Promise<boolean> {
  const reading = api.read(z.object({ sha: z.string() }), `/commits/${encodePath(commit)}`);
  return reading.then(() => true).catch(() => false);
}

/** Empty if there is no release. For a missing permission, GitHub returns the same 404. */
async function readNotes(
  { commit }: Range,
  tag: string | undefined,
  { api, github }: OpenContext,
): Promise<string | undefined> {
  if (tag === undefined) {
    return undefined;
  }
  try {
    const path = `/releases/tags/${encodePath(tag)}`;
    return (await api.read(releaseSchema, path, { isOptional: true })).body ?? '';
  } catch (error) {
    // Whoever can read the commit of the tag can read its release, too.
    const { failure } = expectGitHubError(error);
    if (isAbsent(failure, { github }) || (commit !== undefined && failure.httpStatus === 404)) {
      return '';
    }
    throw error;
  }
}
