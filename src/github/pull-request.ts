import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parsePullRequest } from '../text/link.ts';
import { type Redact, redactStart } from '../text/redact.ts';
import type { GitHubApi } from './api.ts';

/**
 * Details of a pull request for the summary and the outputs. All texts except the links are
 * untrusted.
 */
export interface PullRequest {
  readonly title: string;
  readonly branch: string;
  readonly state: 'merged' | 'closed' | 'draft' | 'open';
  /** The size is undefined if GitHub's count of files contradicts its list. */
  readonly additions: number | undefined;
  readonly deletions: number | undefined;
  readonly changedFiles: number | undefined;
  /** The first changed files, each with a link to its changes. */
  readonly files: readonly {
    readonly path: string;
    readonly link: string;
    readonly additions: number;
    readonly deletions: number;
  }[];
}

const MAX_SHOWN_FILES = 20;
/** The summary and the outputs cut texts sooner. */
const TEXT_LIMIT = 4_096;

const count = z.int();
const stateSchema = z.object({
  state: z.string(),
  merged: z.nullish(z.boolean()),
  draft: z.nullish(z.boolean()),
});
const pullSchema = z.extend(stateSchema, {
  title: z.string(),
  head: z.object({ ref: z.string() }),
  additions: count,
  deletions: count,
  changed_files: count,
});
const filesSchema = z.array(z.object({ filename: z.string(), additions: count, deletions: count }));

/** A pull request on the host of the run. */
interface Place {
  /** `owner/repo`. */
  readonly project: string;
  readonly number: string;
}

/** Returns which pull request a link leads to. Undefined if it is none on the host of the run. */
export function findPullRequest(serverUrl: string, link = ''): Place | undefined {
  const { project, number } = (link && parsePullRequest(link)) || {};
  const isHere = project !== undefined && new URL(link).origin === serverUrl;
  return isHere && number !== undefined ? { project, number } : undefined;
}

/** Returns the state of a pull request. Rejects with a `GitHubError` if GitHub fails. */
export async function readPullState(
  { number }: Place,
  api: GitHubApi,
): Promise<PullRequest['state']> {
  return getState(await api.read(stateSchema, `/pulls/${number}`));
}

/** Returns details of a pull request. Rejects with a `GitHubError` if GitHub fails. */
export async function readPullRequest(
  serverUrl: string,
  { project, number }: Place,
  api: GitHubApi,
  redact: Redact,
): Promise<PullRequest> {
  const route = `/pulls/${number}`;
  const filesUrl = `${serverUrl}/${project}/pull/${number}/files`;
  const [pull, files] = await Promise.all([
    api.read(pullSchema, route, { isOptional: true }),
    api.read(filesSchema, `${route}/files?per_page=${MAX_SHOWN_FILES}`, { isOptional: true }),
  ]);
  const show = (text: string): string => redactStart(text, TEXT_LIMIT, redact).slice(0, TEXT_LIMIT);
  return {
    title: show(pull.title),
    branch: show(pull.head.ref),
    state: getState(pull),
    ...getSize(pull, files.length),
    files: files.slice(0, MAX_SHOWN_FILES).map(({ filename, additions, deletions }) => ({
      path: show(filename),
      link: `${filesUrl}#diff-${createHash('sha256').update(filename).digest('hex')}`,
      additions,
      deletions,
    })),
  };
}

/** GitHub has counted 0 files beside a list (octokit/octokit.js#1075). */
function getSize(pull: z.output<typeof pullSchema>, listed: number) {
  const { additions, deletions, changed_files: changedFiles } = pull;
  return changedFiles < listed
    ? { additions: undefined, deletions: undefined, changedFiles: undefined }
    : { additions, deletions, changedFiles };
}

function getState({ merged, state, draft }: z.output<typeof stateSchema>): PullRequest['state'] {
  if (merged === true) {
    return 'merged';
  }
  if (state === 'closed') {
    return 'closed';
  }
  return draft === true ? 'draft' : 'open';
}
