import { readTagCommit } from '../changes/tags.ts';
import type { GitHubApi } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import { GitHubError } from '../github/errors.ts';
import { isEmulatorKey } from '../service/emulator-key.ts';
import type { Run } from '../state/run-state.ts';
import { type Claim, concernsRun, foldClaims, isLive } from './rule.ts';
import { getFingerprint, getScope, hashTag } from './task.ts';
import {
  type Entry,
  type Mark,
  type Pointer,
  type RecordedEntry,
  readRecord,
  writeEntry,
} from './wire-format.ts';

export type Statuses = ReturnType<typeof createStatuses>;

/**
 * Returns access to the statuses of the commit of the run, or of another tag than the run's own.
 * Its requests reject with a `GitHubError`.
 */
export function createStatuses(run: Run) {
  const { inputs, github, openGitHub } = run;
  const { apiKey, tag, dryRun } = inputs;
  const { runId, runAttempt, eventTag, sha: ownSha } = github;
  const fingerprint = getFingerprint(inputs);
  const attemptPage = getAttemptPage(github, runId ?? 0, runAttempt);
  /** All entries that the run has read, by their ids. A later list may lack some. */
  const seen = new Map<number, RecordedEntry>();
  // Gitea's API does not say where a tag is.
  const otherTag = tag === eventTag || github.isGitea ? undefined : tag;
  let sha = otherTag === undefined ? ownSha : undefined;

  async function findCommit(api: GitHubApi): Promise<string> {
    if (ownSha === undefined || runId === undefined) {
      const name = ownSha === undefined ? 'GITHUB_SHA' : 'GITHUB_RUN_ID';
      throw new GitHubError(`${name} is not set, or is malformed`, { kind: 'setting' });
    }
    if (otherTag !== undefined) {
      sha ??= await findTagCommit(api, otherTag, ownSha, runId);
    }
    return sha ?? ownSha;
  }

  /**
   * Returns the commit of the tag. The tag may have moved since an earlier attempt looked for it: if
   * the record there has a job that counts for this run, or may get one, it is still the one. Writes
   * on the commit of the run where its record is.
   */
  async function findTagCommit(api: GitHubApi, name: string, own: string, id: number) {
    const { pointers } = await readRecord(api, own);
    const tagHash = hashTag(name);
    const isOwn = (one: Pointer): boolean =>
      one.runId === id && one.fingerprint === fingerprint && one.tag === tagHash;
    const known = new Set(pointers.filter(isOwn).map((one) => one.commit));
    for (const commit of known) {
      if (await hasRecord(api, commit, id)) {
        return commit;
      }
    }
    const commit = await readTagCommit(name, { ...run, api });
    if (!known.has(commit) && !dryRun) {
      const pointer: Pointer = {
        ...{ fingerprint, runId: id, tag: tagHash, commit },
        state: 'elsewhere',
      };
      const words = `The record of ${name} is on ${commit.slice(0, 10)}`;
      await writeEntry(api, own, pointer, words, attemptPage);
    }
    return commit;
  }

  /** True if a commit has a claim that counts for this run, and that is open or has a job. */
  async function hasRecord(api: GitHubApi, commit: string, id: number): Promise<boolean> {
    const { entries } = await readRecord(api, commit);
    const owner = { fingerprint, scope: getScope(inputs), runId: id };
    return foldClaims(entries).some((claim) => concernsRun(claim, owner) && isLive(claim));
  }

  return {
    findCommit,
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
          await writeEntry(api, await findCommit(api), entry, description, page);
        },
      };
    },
  };
}
