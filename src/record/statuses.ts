import { readTagCommit } from '../changes/tags.ts';
import type { GitHubApi } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import { GitHubError } from '../github/errors.ts';
import { isEmulatorKey } from '../service/emulator-key.ts';
import type { Run } from '../state/run-state.ts';
import { type Claim, type Claimant, concernsRun, foldClaims, hasJob, isLive } from './rule.ts';
import { getFingerprint, getScope, hashTag } from './task.ts';
import {
  type Entry,
  type Mark,
  type Pointer,
  type RecordedEntry,
  type RecordedPointer,
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
  const { apiKey, tag, dryRun } = inputs;
  const { runId, runAttempt, eventTag, sha: ownSha } = github;
  const fingerprint = getFingerprint(inputs);
  const attemptPage = getAttemptPage(github, runId ?? 0, runAttempt);
  /** All entries that the run has read, by their ids. A later list may lack some. */
  const seen = new Map<number, RecordedEntry>();
  const otherTag = tag === eventTag ? undefined : tag;
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
   * that has a job there, or may have one, it is still the one. Writes on the commit of the run where
   * its record is.
   */
  async function findTagCommit(api: GitHubApi, name: string, own: string, id: number) {
    const { pointers } = await readRecord(api, own);
    const tagHash = hashTag(name);
    const known = pointers.filter(
      (one) => one.runId === id && one.fingerprint === fingerprint && one.tag === tagHash,
    );
    for (const pointer of known) {
      if (await hasRecord(api, pointer)) {
        return pointer.commit;
      }
    }
    const commit = await readTagCommit(name, { ...run, api });
    if (known[0]?.commit !== commit && !dryRun) {
      const pointer: Pointer = {
        ...{ fingerprint, runId: id, tag: tagHash, commit },
        state: 'elsewhere',
      };
      const words = `The record of ${name} is on ${commit.slice(0, 10)}`;
      await writeEntry(api, own, pointer, words, attemptPage);
    }
    return commit;
  }

  /**
   * True if an earlier attempt has left a claim there, or has waited for that of another run, which
   * is older. The claim is open, or has a job that hasn't failed.
   */
  async function hasRecord(api: GitHubApi, { commit, id, ...owner }: RecordedPointer) {
    const { entries } = await readRecord(api, commit);
    const scope = getScope(inputs);
    const claims = foldClaims(entries).filter((claim) => concernsRun(claim, { ...owner, scope }));
    const isOwn = (claim: Claim): boolean => claim.runId === owner.runId;
    const newest = Math.max(id, ...claims.filter(isOwn).map((claim) => claim.id));
    for (const claim of claims.filter(isLive)) {
      const isKnown = isOwn(claim) || claim.id < newest;
      if (isKnown && !(hasJob(claim) && (await hasFailed(claim.jobId)))) {
        return true;
      }
    }
    return false;
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
