import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parsePullRequest } from '../text/link.ts';
import { type Redact, redactStart } from '../text/redact.ts';
import type { GitHubApi } from './api.ts';

/** Details of a pull request. All texts except the links are untrusted. */
export type PullRequest = Awaited<ReturnType<typeof readPullRequest>>;

const MAX_SHOWN_FILES = 20;
/** The summary and the outputs cut texts sooner. */
const TEXT_LIMIT = 4_096;

const count = z.int();
const stateSchema = z.object({
  state: z.string(),
  merged: z.nullish(z.boolean()),
  draft: z.nullish(z.boolean()),
  created_at: z.catch(z.optional(z.iso.datetime({ offset: true })), undefined),
});
const pullSchema = z.extend(stateSchema, {
  title: z.string(),
  head: z.object({ ref: z.string() }),
  additions: count,
  deletions: count,
  changed_files: count,
});
const filesSchema = z.array(z.object({ filename: z.string(), additions: count, deletions: count }));

/** Returns where a pull request is, on the host of the run. Undefined for any other link. */
export function findPullRequest(serverUrl: string, link: string) {
  const { project, number } = parsePullRequest(link);
  const isHere = project !== undefined && new URL(link).origin === serverUrl;
  const filesUrl = `${serverUrl}/${project}/pull/${number}/files`;
  return isHere && number !== undefined ? { project, number, filesUrl } : undefined;
}

type Place = NonNullable<ReturnType<typeof findPullRequest>>;

/**
 * Returns the state of a pull request, and its age in milliseconds by GitHub's clock, undefined
 * without a readable date. Rejects with a `GitHubError` if GitHub fails.
 */
export async function readPullState({ number }: Place, api: GitHubApi) {
  const pull = await api.read(stateSchema, `/pulls/${number}`);
  const { created_at: created } = pull;
  const ageMs = created === undefined ? undefined : api.now() - Date.parse(created);
  return { state: getPullState(pull), ageMs };
}

/** Returns details of a pull request. Rejects with a `GitHubError` if GitHub fails. */
export async function readPullRequest({ number, filesUrl }: Place, api: GitHubApi, redact: Redact) {
  const route = `/pulls/${number}`;
  const [pull, files] = await Promise.all([
    api.read(pullSchema, route, { isOptional: true }),
    api.read(filesSchema, `${route}/files?per_page=${MAX_SHOWN_FILES}`, { isOptional: true }),
  ]);
  // GitHub has counted 0 files beside a list (octokit/octokit.js#1075).
  const isSized = pull.changed_files >= files.length;
  const show = (text: string): string => redactStart(text, TEXT_LIMIT, redact).slice(0, TEXT_LIMIT);
  return {
    title: show(pull.title),
    branch: show(pull.head.ref),
    state: getPullState(pull),
    additions: isSized ? pull.additions : undefined,
    deletions: isSized ? pull.deletions : undefined,
    changedFiles: isSized ? pull.changed_files : undefined,
    /** The first changed files, each with a link to its changes. */
    files: files.slice(0, MAX_SHOWN_FILES).map(({ filename, additions, deletions }) => ({
      path: show(filename),
      link: `${filesUrl}#diff-${createHash('sha256').update(filename).digest('hex')}`,
      additions,
      deletions,
    })),
  };
}

function getPullState({ merged, state, draft }: z.output<typeof stateSchema>) {
  if (state === 'closed') {
    return merged === true ? 'merged' : 'closed';
  }
  return draft === true ? 'draft' : 'open';
}
