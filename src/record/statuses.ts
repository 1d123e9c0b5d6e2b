import { type GitHubApi, GitHubError } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import { isEmulatorKey } from '../inputs/parsers.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Run } from '../state/run-state.ts';
import type { Timing } from '../time/deadline.ts';
import { type Entry, type Mark, writeEntry } from './wire-format.ts';

export type Statuses = ReturnType<typeof createStatuses>;

/**
 * Returns access to the statuses of the commit of the run, or with `reuse: release` and another tag
 * than the run's own, of the tag's.
 */
export function createStatuses({ apiKey, reuse, tag }: Inputs, run: Run) {
  const { github, openGitHub } = run;
  const { runId, runAttempt, eventTag } = github;
  const attemptPage = getAttemptPage(github, runId ?? 0, runAttempt);
  let sha: string | undefined;

  /** Returns the commit. Rejects with a `GitHubError`. */
  async function findCommit(api: GitHubApi): Promise<string> {
    const isOwn = reuse !== 'release' || tag === undefined || tag === eventTag;
    sha ??= isOwn ? github.sha : await readTagCommit(api, tag, run);
    if (sha === undefined || runId === undefined) {
      throw new GitHubError('GITHUB_SHA or GITHUB_RUN_ID is not set', { kind: 'setting' });
    }
    return sha;
  }

  return {
    /** Opens the repository, and tries each request again for as long. */
    open: (timeoutMs: number, signal: AbortSignal): GitHubApi =>
      openGitHub({ timeoutMs, retryMs: timeoutMs, signal }),
    findCommit,
    /** Writes an entry with words for people. Rejects with a `GitHubError`. */
    async write(api: GitHubApi, entry: Entry | Mark, words: string, page = attemptPage) {
      const description = isEmulatorKey(apiKey) ? `Rehearsal: ${words}` : words;
      await writeEntry(api, await findCommit(api), entry, description, page);
    },
  };
}

/** Most runs don't need this part of the bundle, and start sooner without it. */
async function readTagCommit(api: GitHubApi, tag: string, timing: Timing): Promise<string> {
  const changes = await import('../changes/read-changes.ts');
  return changes.readTagCommit(api, tag, timing);
}
