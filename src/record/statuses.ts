import type { GitHubApi } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import { GitHubError } from '../github/errors.ts';
import { isEmulatorKey } from '../service/emulator-key.ts';
import type { Run } from '../state/run-state.ts';
import { type Claim, type Claimant, foldClaims } from './rule.ts';
import { createTagPlace } from './tag-place.ts';
import { getFingerprint } from './task.ts';
import {
  type Entry,
  type Mark,
  type RecordedEntry,
  readRecord,
  writeEntry,
} from './wire-format.ts';

export type Statuses = ReturnType<typeof createStatuses>;

/**
 * Returns access to the statuses of the commit of the run, or of another tag than the run's own.
 * Its requests reject with a `GitHubError`.
 */
export function createStatuses(run: Run, hasFailed: Claimant['hasFailed']) {
  const { inputs, github, openGitHub } = run;
  const { apiKey, tag } = inputs;
  const { runId, runAttempt, eventTag, sha: ownSha } = github;
  const attemptPage = getAttemptPage(github, runId ?? 0, runAttempt);
  /** All entries that the run has read, by their ids. A later list may lack some. */
  const seen = new Map<number, RecordedEntry>();
  const isOther = tag !== undefined && tag !== eventTag;
  const place =
    isOther && ownSha !== undefined && runId !== undefined
      ? createTagPlace(
          { tag, fingerprint: getFingerprint(inputs), runId, sha: ownSha, page: attemptPage },
          run,
          hasFailed,
        )
      : undefined;
  let sha = place === undefined ? ownSha : undefined;

  async function findCommit(api: GitHubApi): Promise<string> {
    if (ownSha === undefined || runId === undefined) {
      const name = ownSha === undefined ? 'GITHUB_SHA' : 'GITHUB_RUN_ID';
      throw new GitHubError(`${name} is not set, or is malformed`, { kind: 'setting' });
    }
    sha ??= await place?.find(api);
    return sha ?? ownSha;
  }

  return {
    findCommit,
    /** Writes where the record of another tag is once the run waits for a job there. */
    keepPlace: async (signal: AbortSignal): Promise<void> => place?.keep(signal),
    /** Opens the repository, and tries each request again for as long. */
    open(timeoutMs: number, signal: AbortSignal) {
      const api = openGitHub({ timeoutMs, retryMs: timeoutMs, signal });
      return {
        now: api.now,
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
          const commit = await findCommit(api);
          if (entry.state === 'starting') {
            await place?.announce(api);
          }
          await writeEntry(api, commit, entry, description, page);
        },
      };
    },
  };
}
