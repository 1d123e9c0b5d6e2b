import { readTagCommit } from '../changes/tags.ts';
import type { GitHubApi } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import { GitHubError } from '../github/errors.ts';
import { isEmulatorKey } from '../service/emulator-key.ts';
import type { Run } from '../state/run-state.ts';
import { type Claim, foldClaims } from './rule.ts';
import { getScope } from './task.ts';
import {
  type Entry,
  type Mark,
  type RecordedEntry,
  readRecord,
  writeEntry,
} from './wire-format.ts';

export type Statuses = ReturnType<typeof createStatuses>;

/**
 * Returns access to the statuses of the commit of the run, or if its release is that of another tag
 * than the run's own, of the tag's. Its requests reject with a `GitHubError`.
 */
export function createStatuses(run: Run) {
  const { inputs, github, openGitHub } = run;
  const { apiKey, tag } = inputs;
  const { runId, runAttempt, eventTag } = github;
  const attemptPage = getAttemptPage(github, runId ?? 0, runAttempt);
  /** All entries that the run has read, by their ids. A later list may lack some. */
  const seen = new Map<number, RecordedEntry>();
  const isOther = getScope(inputs) === 'release' && tag !== eventTag;
  const otherTag = isOther ? tag : undefined;
  let sha = otherTag === undefined ? github.sha : undefined;

  async function findCommit(api: GitHubApi): Promise<string> {
    if (otherTag !== undefined && sha === undefined) {
      sha = await readTagCommit(otherTag, { ...run, api });
    }
    if (sha === undefined || runId === undefined) {
      throw new GitHubError('GITHUB_SHA or GITHUB_RUN_ID is not set', { kind: 'setting' });
    }
    return sha;
  }

  return {
    findCommit,
    /** Opens the repository, and tries each request again for as long. */
    open(timeoutMs: number, signal: AbortSignal) {
      const api = openGitHub({ timeoutMs, retryMs: timeoutMs, signal });
      return {
        /** Returns all claims that the run has seen, newest first. */
        async readClaims(): Promise<Claim[]> {
          const { entries } = await readRecord(api, await findCommit(api));
          for (const entry of entries) {
            seen.set(entry.id, entry);
          }
          return foldClaims([...seen.values()]);
        },
        /** Writes an entry with words for people. */
        async write(entry: Entry | Mark, words: string, page = attemptPage): Promise<void> {
          const description = isEmulatorKey(apiKey) ? `Rehearsal: ${words}` : words;
          await writeEntry(api, await findCommit(api), entry, description, page);
        },
      };
    },
  };
}
