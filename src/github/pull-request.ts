import { createHash } from 'node:crypto';
import { parsePullRequestNumber, parseUrl } from '../text/sanitize.ts';
import { getJson, openApi } from './client.ts';
import type { GitHubContext } from './context.ts';

/** What the summary tells of a pull request. All texts are untrusted, the link excepted. */
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

const MAX_REQUESTS = 8;
const MAX_FILES = 20;

interface ReadOptions {
  /** Bound on the reading, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Takes the secrets out of what the pull request says. */
  readonly redact: (text: string) => string;
}

/**
 * Details of the pull request behind a cleaned link. Throws where it is on another host or cannot be read in time.
 */
export async function readPullRequest(
  context: GitHubContext,
  link: string,
  { timeoutMs, signal, redact }: ReadOptions,
): Promise<PullRequest> {
  const path = toPath(link, context.serverUrl);
  if (path === undefined) {
    throw new Error('the link is on another host');
  }
  const api = openApi(context, { timeoutMs, maxRequests: MAX_REQUESTS, signal });
  const [pull, files] = await Promise.all([
    getJson(api, path),
    getJson(api, `${path}/files?per_page=${MAX_FILES}`),
  ]);
  if (!isRecord(pull) || !Array.isArray(files)) {
    throw new Error('the answer is no pull request');
  }
  return {
    title: redact(toText(pull['title'])),
    state: toState(pull),
    additions: toCount(pull['additions']),
    deletions: toCount(pull['deletions']),
    changedFiles: toCount(pull['changed_files']),
    files: files
      .filter(isRecord)
      .slice(0, MAX_FILES)
      .map((file) => toFile(file, toPage(link), redact)),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function toState(pull: Fields): PullRequest['state'] {
  if (pull['merged'] === true) {
    return 'merged';
  }
  if (pull['state'] === 'closed') {
    return 'closed';
  }
  return pull['draft'] === true ? 'draft' : 'open';
}

function toFile(file: Fields, page: string, redact: ReadOptions['redact']): PullRequestFile {
  const path = toText(file['filename']);
  return {
    path: redact(path),
    link: `${page}/files#diff-${createHash('sha256').update(path).digest('hex')}`,
    additions: toCount(file['additions']),
    deletions: toCount(file['deletions']),
  };
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function toText(value: unknown): string {
  if (typeof value !== 'string') {
    throw new Error('the answer lacks a text');
  }
  return value;
}

function toCount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new Error('the answer lacks a number');
  }
  return value;
}

/** The path of the pull request in the API of its host; undefined where the link is on another one. */
function toPath(link: string, serverUrl: string): string | undefined {
  const url = parseUrl(link);
  const number = Number(parsePullRequestNumber(link));
  const [, owner, repo] = /^\/([\w.-]{1,100})\/([\w.-]{1,100})\/pull\/\d+/.exec(url?.pathname ?? '') ?? [];
  return url?.origin !== serverUrl || owner === undefined || repo === undefined || !(number > 0)
    ? undefined
    : `/repos/${owner}/${repo}/pulls/${number}`;
}

/** The page of the pull request itself, where the link names one of its tabs. */
function toPage(link: string): string {
  const { origin, pathname } = new URL(link);
  return `${origin}${/^\/[^/]+\/[^/]+\/pull\/\d+/.exec(pathname)?.[0]}`;
}
