import type { Release } from '../state.ts';
import { createGitHubClient, GitHubError, getGitHubError, type Octokit } from './client.ts';
import type { GitHubContext, Repository } from './context.ts';
import { readRange, UnknownTagError } from './release-range.ts';

export { UnknownTagError } from './release-range.ts';

export interface Commit {
  readonly sha: string;
  readonly subject: string;
  readonly author: string;
}

export interface ChangedFile {
  readonly path: string;
  readonly previousPath: string | undefined;
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
}

/** What could be read about a release; a part that could not is undefined. All texts are untrusted. */
export interface ReleaseFacts {
  /** `owner/repo`. */
  readonly repository: string;
  /** Link of the repository. */
  readonly url: string;
  readonly tag: string;
  readonly commit: string | undefined;
  /** The previous tag, or a sentence that says why there is none. */
  readonly previous: { readonly tag: string } | { readonly none: string } | undefined;
  /** Newest first. `total` also counts those that are not listed. */
  readonly commits: { readonly list: readonly Commit[]; readonly total: number } | undefined;
  /** `isCut` if the API does not list all of them. */
  readonly files: { readonly list: readonly ChangedFile[]; readonly isCut: boolean } | undefined;
  /** Empty if the release has none. */
  readonly notes: string | undefined;
}

/** What could be read, the parts that could not, and why the first of them could not. The reason is untrusted. */
export interface ReleaseReading {
  readonly release: ReleaseFacts;
  /** True if the previous tag is no ancestor of the tag, so that the files don't show everything in which they differ. */
  readonly isDiverged: boolean;
  readonly missing: readonly string[];
  readonly reason: string;
}

/** In the order in which they are reported. */
const PARTS = [
  'everything but its name',
  'previous tag',
  'commits and changed files',
  'release notes',
] as const;
type Part = (typeof PARTS)[number];

const PAGE_SIZE = 100;
const MAX_COMMIT_PAGES = 3;
const MAX_FILES = 300;
const MAX_REQUESTS = 40;

/**
 * Reads what the REST API says about the release of a tag, without a checkout. What cannot be read is left out.
 * Throws an `UnknownTagError` if an input names a tag that does not exist; the tag of an event may only be too new
 * to be listed.
 */
export async function readRelease(
  context: GitHubContext,
  release: Release,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<ReleaseReading> {
  const failures = new Map<Part, unknown>();
  async function attempt<T>(part: Part, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof UnknownTagError) {
        throw error;
      }
      failures.set(part, error);
      return undefined;
    }
  }
  function createReading(known: ReleaseFacts, isDiverged = false): ReleaseReading {
    const missing = PARTS.filter((part) => failures.has(part));
    const [first] = missing;
    return {
      release: known,
      isDiverged,
      missing,
      reason: first === undefined ? '' : getGitHubError(failures.get(first)).message,
    };
  }
  const { repository } = context;
  const name = repository === undefined ? 'unknown' : `${repository.owner}/${repository.repo}`;
  const bare: ReleaseFacts = {
    repository: name,
    url: `${context.serverUrl}/${name}`,
    tag: release.tag,
    commit: undefined,
    previous: undefined,
    commits: undefined,
    files: undefined,
    notes: undefined,
  };
  const octokit = await attempt('everything but its name', () => {
    if (repository === undefined) {
      throw new GitHubError('GITHUB_REPOSITORY is not set');
    }
    return createGitHubClient(context, { timeoutMs, maxRequests: MAX_REQUESTS, signal }).loadOctokit();
  });
  if (octokit === undefined || repository === undefined) {
    return createReading(bare);
  }

  const [range, notes] = await Promise.all([
    attempt('previous tag', () => readRange(octokit, repository, release)),
    attempt('release notes', () => readNotes(octokit, repository, release.tag)),
  ]);
  if (range === undefined) {
    // Without a permission the API answers as if there were no release, so "none" is not proven either.
    const reason = failures.get('previous tag');
    failures.set('commits and changed files', reason);
    if (notes === '') {
      failures.set('release notes', reason);
    }
    return createReading({ ...bare, notes: notes || undefined });
  }
  const { previous, base, head } = range;
  const comparison =
    base === undefined
      ? undefined
      : await attempt('commits and changed files', () => readComparison(octokit, repository, base, head));
  const { commits, files, isDiverged } = comparison ?? {};
  return createReading({ ...bare, commit: head, previous, notes, commits, files }, isDiverged);
}

/**
 * Commits and files between two commits. The API pages the commits oldest first, so the last pages are read;
 * it lists the files, 300 at most, on the first page only.
 */
async function readComparison(
  octokit: Octokit,
  repository: Repository,
  base: string,
  head: string,
): Promise<Pick<ReleaseFacts, 'commits' | 'files'> & { readonly isDiverged: boolean }> {
  const getPage = async (page: number) => {
    const basehead = `${base}...${head}`;
    const query = { ...repository, basehead, per_page: PAGE_SIZE, page };
    return (await octokit.rest.repos.compareCommitsWithBasehead(query)).data;
  };
  const first = await getPage(1);
  const last = Math.ceil(first.total_commits / PAGE_SIZE);
  const pages: (typeof first)[] = [];
  for (let page = last; page >= 2 && page > last - MAX_COMMIT_PAGES; page -= 1) {
    pages.unshift(await getPage(page));
  }
  const isWhole = last <= MAX_COMMIT_PAGES;
  const commits = [...(isWhole ? first.commits : []), ...pages.flatMap(({ commits }) => commits)];
  const files = first.files ?? [];
  return {
    commits: { list: commits.reverse().map(toCommit), total: Number(first.total_commits) },
    files: { list: files.map(toChangedFile), isCut: files.length >= MAX_FILES },
    isDiverged: first.behind_by > 0,
  };
}

type Comparison = Awaited<ReturnType<Octokit['rest']['repos']['compareCommitsWithBasehead']>>['data'];

function toCommit({ sha, author, commit }: Comparison['commits'][number]): Commit {
  const subject = commit.message.split(/[\r\n]/, 1)[0] ?? '';
  const login = author !== null && 'login' in author ? author.login : undefined;
  return { sha, subject, author: login === undefined ? (commit.author?.name ?? 'unknown') : `@${login}` };
}

function toChangedFile(file: NonNullable<Comparison['files']>[number]): ChangedFile {
  const { filename: path, previous_filename: previousPath, status } = file;
  return { path, previousPath, status, additions: Number(file.additions), deletions: Number(file.deletions) };
}

/** The notes of a published release, or an empty text if the tag has none. */
async function readNotes(octokit: Octokit, repository: Repository, tag: string): Promise<string> {
  try {
    return (await octokit.rest.repos.getReleaseByTag({ ...repository, tag })).data.body ?? '';
  } catch (error) {
    if (getGitHubError(error).httpStatus === 404) {
      return '';
    }
    throw error;
  }
}
