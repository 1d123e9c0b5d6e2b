import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { parsePullRequest } from '../text/link.ts';
import { code, type Message, message, redactMessage, toPlainText } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { type ApiLimits, createGitHubApi, getGitHubError, isRefusal } from './api.ts';
import type { GitHubContext } from './context.ts';

/** Details of a pull request for the summary. All texts but the links are untrusted. */
export interface PullRequest {
  readonly title: string;
  readonly state: 'open' | 'draft' | 'merged' | 'closed';
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
  /** The first of the changed files, with a link to the changes of each. */
  readonly files: readonly { path: string; link: string; additions: number; deletions: number }[];
}

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
 * Returns details of the pull request behind a sanitized link, or undefined if it is not one on the workflow's host.
 * Throws an error that says why they can't be read in time, and which permission the token lacks.
 */
export async function readPullRequest(
  context: GitHubContext,
  link: string,
  limits: ApiLimits,
  redact: Redact,
): Promise<PullRequest | undefined> {
  const { project, number } = parsePullRequest(link) ?? {};
  const pullNumber = Number(number);
  if (new URL(link).origin !== context.serverUrl || project === undefined || pullNumber === 0) {
    return undefined;
  }
  const [owner = '', repo = ''] = project.split('/');
  const route = `/pulls/${pullNumber}`;
  try {
    const api = createGitHubApi(context, { owner, repo }, limits);
    const [pull, files] = await Promise.all([
      api.read(pullSchema, route),
      api.read(filesSchema, `${route}/files?per_page=${MAX_SHOWN_FILES}`),
    ]);
    return {
      title: redact(pull.title),
      state: getState(pull),
      additions: pull.additions,
      deletions: pull.deletions,
      changedFiles: pull.changed_files,
      files: files.slice(0, MAX_SHOWN_FILES).map(({ filename, additions, deletions }) => ({
        path: redact(filename),
        link: `${context.serverUrl}/${project}/pull/${pullNumber}/files#diff-${createHash('sha256').update(filename).digest('hex')}`,
        additions,
        deletions,
      })),
    };
  } catch (error) {
    throw new Error(toPlainText(redactMessage(describeReadFailure(error, context, link), redact)));
  }
}

/** The reason, and the permission that the token lacks. */
function describeReadFailure(error: unknown, context: GitHubContext, link: string): Message {
  const failure = getGitHubError(error);
  const reason = message`${failure.message}`;
  if (!isRefusal(failure)) {
    return reason;
  }
  const { owner, repo } = context.repository ?? {};
  // The default token can only be allowed to read the workflow's own repository.
  return link.startsWith(`${context.serverUrl}/${owner}/${repo}/`)
    ? message`${reason}; this needs ${code('pull-requests: read')}`
    : message`${reason}; this needs a ${code('github-token')} that can read that repository`;
}

function getState({ merged, state, draft }: z.output<typeof pullSchema>): PullRequest['state'] {
  if (merged === true) {
    return 'merged';
  }
  if (state === 'closed') {
    return 'closed';
  }
  return draft === true ? 'draft' : 'open';
}
