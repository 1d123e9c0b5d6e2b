import { createHash } from 'node:crypto';
import { parsePullRequestNumber, parseUrl } from '../text/link.ts';
import { code, type Message, message } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { createGitHubClient, GitHubError, getGitHubError, isPermissionError } from './client.ts';
import type { GitHubContext } from './context.ts';

/** What the summary says about a pull request. All texts but the links are untrusted. */
export interface PullRequest {
  readonly title: string;
  readonly state: 'open' | 'draft' | 'merged' | 'closed';
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
  /** The first of the changed files. */
  readonly files: readonly PullRequestFile[];
}

export interface PullRequestFile {
  readonly path: string;
  /** Link to its changes. */
  readonly link: string;
  readonly additions: number;
  readonly deletions: number;
}

export interface ReadOptions {
  /** Bound on all requests together, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Takes the secrets out of what the pull request says. */
  readonly redact: Redact;
}

const MAX_REQUESTS = 8;
const MAX_FILES = 20;

/**
 * Returns details of the pull request behind a sanitized link, or undefined if it is not one on the workflow's host.
 * Throws a `GitHubError` if they cannot be read in time.
 */
export async function readPullRequest(
  context: GitHubContext,
  link: string,
  { timeoutMs, signal, redact }: ReadOptions,
): Promise<PullRequest | undefined> {
  const path = getApiPath(link, context.serverUrl);
  if (path === undefined) {
    return undefined;
  }
  const client = createGitHubClient(context, { timeoutMs, maxRequests: MAX_REQUESTS, signal });
  const [pull, files] = await Promise.all([
    client.getJson(path),
    client.getJson(`${path}/files?per_page=${MAX_FILES}`),
  ]);
  if (!isRecord(pull) || !Array.isArray(files)) {
    throw new GitHubError('the response is not a pull request');
  }
  const page = getPage(link);
  return {
    title: redact(expectText(pull['title'])),
    state: getState(pull),
    additions: expectCount(pull['additions']),
    deletions: expectCount(pull['deletions']),
    changedFiles: expectCount(pull['changed_files']),
    files: files
      .filter(isRecord)
      .slice(0, MAX_FILES)
      .map((file) => toFile(file, page, redact)),
  };
}

/** Returns why a pull request could not be read, in parentheses, and what the token lacks. */
export function describeReadFailure(error: unknown, context: GitHubContext, link: string): Message {
  const failure = getGitHubError(error);
  const reason = message`(${failure.message})`;
  if (!isPermissionError(failure)) {
    return reason;
  }
  const { owner, repo } = context.repository ?? {};
  // The default token can only be allowed to read the workflow's own repository.
  return link.startsWith(`${context.serverUrl}/${owner}/${repo}/`)
    ? message`${reason}; this needs ${code('pull-requests: read')}`
    : message`${reason}; this needs a ${code('github-token')} that can read that repository`;
}

type Fields = Readonly<Record<string, unknown>>;

function getState(pull: Fields): PullRequest['state'] {
  if (pull['merged'] === true) {
    return 'merged';
  }
  if (pull['state'] === 'closed') {
    return 'closed';
  }
  return pull['draft'] === true ? 'draft' : 'open';
}

function toFile(file: Fields, page: string, redact: Redact): PullRequestFile {
  const path = expectText(file['filename']);
  return {
    path: redact(path),
    link: `${page}/files#diff-${createHash('sha256').update(path).digest('hex')}`,
    additions: expectCount(file['additions']),
    deletions: expectCount(file['deletions']),
  };
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function expectText(value: unknown): string {
  if (typeof value !== 'string') {
    throw new GitHubError('the response is not a pull request');
  }
  return value;
}

function expectCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new GitHubError('the response is not a pull request');
  }
  return value;
}

/** The path of the pull request in the API of its host, or undefined if the link is to another one. */
function getApiPath(link: string, serverUrl: string): string | undefined {
  const url = parseUrl(link);
  const number = Number(parsePullRequestNumber(link));
  const [, owner, repo] = /^\/([\w.-]{1,100})\/([\w.-]{1,100})\/pull\/\d+/.exec(url?.pathname ?? '') ?? [];
  return url?.origin !== serverUrl || owner === undefined || repo === undefined || !(number > 0)
    ? undefined
    : `/repos/${owner}/${repo}/pulls/${number}`;
}

/** The page of the pull request itself, even if the link is to one of its tabs. */
function getPage(link: string): string {
  const { origin, pathname } = new URL(link);
  return `${origin}${/^\/[^/]+\/[^/]+\/pull\/\d+/.exec(pathname)?.[0]}`;
}
