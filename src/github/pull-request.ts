import { createHash } from 'node:crypto';
import { parsePullRequestNumber, parseUrl } from '../text.ts';
import type { GitHubContext } from './context.ts';
import { loadOctokit } from './octokit.ts';

/** What the summary tells of a pull request. All texts are foreign, the link excepted. */
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

const LIMITS = { limitMs: 3_000, maxRequests: 8 };
const MAX_FILES = 20;

interface ReadOptions {
  readonly signal: AbortSignal;
  /** Takes the secrets out of what the pull request says. */
  readonly redact: (text: string) => string;
}

/**
 * Details of the pull request behind a cleaned link, within three seconds. Throws where it is on another host
 * or cannot be read.
 */
export async function readPullRequest(
  context: GitHubContext,
  link: string,
  { signal, redact }: ReadOptions,
): Promise<PullRequest> {
  const address = parseAddress(link, context.serverUrl);
  if (address === undefined) {
    throw new Error('the link is on another host');
  }
  const octokit = await loadOctokit(context, { ...LIMITS, signal });
  const [{ data: pull }, { data: files }] = await Promise.all([
    octokit.rest.pulls.get(address),
    octokit.rest.pulls.listFiles({ ...address, per_page: MAX_FILES }),
  ]);
  return {
    title: redact(pull.title),
    state: pull.merged
      ? 'merged'
      : pull.state === 'closed'
        ? 'closed'
        : pull.draft === true
          ? 'draft'
          : 'open',
    additions: Number(pull.additions),
    deletions: Number(pull.deletions),
    changedFiles: Number(pull.changed_files),
    files: files.slice(0, MAX_FILES).map(({ filename, additions, deletions }) => ({
      path: redact(filename),
      link: `${toPage(link)}/files#diff-${createHash('sha256').update(filename).digest('hex')}`,
      additions: Number(additions),
      deletions: Number(deletions),
    })),
  };
}

function parseAddress(link: string, serverUrl: string) {
  const url = parseUrl(link);
  const number = Number(parsePullRequestNumber(link));
  const [, owner, repo] = /^\/([\w.-]{1,100})\/([\w.-]{1,100})\/pull\/\d+/.exec(url?.pathname ?? '') ?? [];
  return url?.origin !== serverUrl || owner === undefined || repo === undefined || !(number > 0)
    ? undefined
    : { owner, repo, pull_number: number };
}

/** The page of the pull request itself, where the link names one of its tabs. */
function toPage(link: string): string {
  const { origin, pathname } = new URL(link);
  return `${origin}${/^\/[^/]+\/[^/]+\/pull\/\d+/.exec(pathname)?.[0]}`;
}
