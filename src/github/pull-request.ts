import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parsePullRequest } from '../text/link.ts';
import type { Redact } from '../text/redact.ts';
import { type ApiLimits, createGitHubApi } from './api.ts';
import type { GitHubContext } from './context.ts';

/** Details of a pull request for the summary. All texts except the links are untrusted. */
export type PullRequest = Readonly<NonNullable<Awaited<ReturnType<typeof readPullRequest>>>>;

const MAX_SHOWN_FILES = 20;

const count = z.int();
const pullSchema = z.object({
  title: z.string(),
  state: z.string(),
  merged: z.nullish(z.boolean()),
  draft: z.nullish(z.boolean()),
  additions: count,
  deletions: count,
  changed_files: count,
});
const filesSchema = z.array(z.object({ filename: z.string(), additions: count, deletions: count }));

/**
 * Returns details of the pull request behind a link to this host. Rejects with a `GitHubError` if
 * it can't.
 */
export async function readPullRequest(
  context: GitHubContext,
  link: string,
  limits: ApiLimits,
  redact: Redact,
) {
  const { project, number } = parsePullRequest(link) ?? {};
  if (new URL(link).origin !== context.serverUrl || project === undefined) {
    return undefined;
  }
  const route = `/pulls/${number}`;
  const pullUrl = `${context.serverUrl}/${project}/pull/${number}`;
  const api = createGitHubApi(context, project, limits);
  const [pull, files] = await Promise.all([
    api.read(pullSchema, route),
    api.read(filesSchema, `${route}/files?per_page=${MAX_SHOWN_FILES}`),
  ]);
  const states = { merged: pull.merged, closed: pull.state === 'closed', draft: pull.draft };
  const [state = 'open'] = Object.entries(states).find(([, applies]) => applies) ?? [];
  return {
    title: redact(pull.title),
    state,
    additions: pull.additions,
    deletions: pull.deletions,
    changedFiles: pull.changed_files,
    /** The first changed files, each with a link to its changes. */
    files: files.slice(0, MAX_SHOWN_FILES).map(({ filename, ...size }) => ({
      path: redact(filename),
      link: `${pullUrl}/files#diff-${createHash('sha256').update(filename).digest('hex')}`,
      ...size,
    })),
  };
}
