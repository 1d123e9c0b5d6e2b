import type { GitHubContext, Repository } from './context.ts';
import { type ApiLimits, describeApiError, isNotFound, loadOctokit, type Octokit } from './octokit.ts';
import type { ChangedFile, Commit, ReleaseFacts } from './release-facts.ts';
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

/** The facts that could be read, what is missing of them, and why the first of it could not be read. */
export interface ReleaseReading {
  readonly facts: ReleaseFacts;
  readonly missing: readonly string[];
  /** Text of the API, so it is neutralised before it is shown. */
  readonly reason: string;
}

const PAGE = 100;
const MAX_TAG_PAGES = 20;
const MAX_COMMIT_PAGES = 3;
const MAX_FILES = 300;
const MAX_TAG_DEPTH = 5;
const LIMITS = { limitMs: 20_000, maxRequests: 40 };

/**
 * Reads what the REST API says about the release of a tag, without a checkout and within 20 seconds. What
 * cannot be read is left out. Throws an `UnknownTagError` where an input names a tag that does not exist; a tag
 * of the event may only be too new to be listed.
 */
export async function readRelease(
  context: GitHubContext,
  { tag, isNamed }: Release,
  limits: Omit<ApiLimits, 'maxRequests'>,
): Promise<ReleaseReading> {
  const missing: string[] = [];
  let reason = '';
  async function attempt<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof UnknownTagError) {
        throw error;
      }
      missing.push(what);
      reason ||= describeApiError(error);
      return undefined;
    }
  }

  const { repository } = context;
  const name = repository === undefined ? 'unknown' : `${repository.owner}/${repository.repo}`;
  const bare: ReleaseFacts = {
    repository: name,
    url: `${context.serverUrl}/${name}`,
    tag,
    commit: undefined,
    previous: undefined,
    commits: undefined,
    files: undefined,
    notes: undefined,
  };
  const octokit = await attempt('everything but its name', () => {
    if (repository === undefined) {
      throw new Error('GITHUB_REPOSITORY is not set');
    }
    const limitMs = Math.min(LIMITS.limitMs, limits.limitMs);
    return loadOctokit(context, { ...LIMITS, ...limits, limitMs });
  });
  if (octokit === undefined || repository === undefined) {
    return { facts: bare, missing, reason };
  }

  const [range, notes] = await Promise.all([
    attempt('previous tag', () => readRange(octokit, repository, tag, isNamed)),
    attempt('release notes', () => readNotes(octokit, repository, tag)),
  ]);
  if (range === undefined) {
    // Without permission the API answers as if there were no release, so "none" is not proven either.
    const unproven = notes === '' ? ['release notes'] : [];
    missing.push('commits and changed files', ...unproven);
    return { facts: { ...bare, notes: notes || undefined }, missing, reason };
  }
  const { previous, base, head } = range;
  const comparison =
    base === undefined
      ? undefined
      : await attempt('commits and changed files', () => readComparison(octokit, repository, base, head));
  return { facts: { ...bare, commit: head, previous, notes, ...comparison }, missing, reason };
}

interface Range {
  readonly previous: NonNullable<ReleaseFacts['previous']>;
  /** Commit of the previous tag. */
  readonly base: string | undefined;
  /** Commit of the tag. */
  readonly head: string;
}

async function readRange(
  octokit: Octokit,
  repository: Repository,
  tag: string,
  isNamed: boolean,
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

/**
 * Commits and files between two commits. The API pages the commits oldest first, so the last pages are read;
 * it lists the files, 300 at most, on the first page only.
 */
async function readComparison(
  octokit: Octokit,
  repository: Repository,
  base: string,
  head: string,
): Promise<Pick<ReleaseFacts, 'commits' | 'files'>> {
  const getPage = async (page: number) => {
    const basehead = `${base}...${head}`;
    const query = { ...repository, basehead, per_page: PAGE, page };
    return (await octokit.rest.repos.compareCommitsWithBasehead(query)).data;
  };
  const first = await getPage(1);
  const last = Math.ceil(first.total_commits / PAGE);
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

/** The notes of a published release; empty where the tag has none. */
async function readNotes(octokit: Octokit, repository: Repository, tag: string): Promise<string> {
  try {
    return (await octokit.rest.repos.getReleaseByTag({ ...repository, tag })).data.body ?? '';
  } catch (error) {
    if (isNotFound(error)) {
      return '';
    }
    throw error;
  }
}
