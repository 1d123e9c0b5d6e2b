import { readTagCommit } from '../changes/tags.ts';
import type { GitHubApi } from '../github/api.ts';
import type { Run } from '../state/run-state.ts';
import { type Claim, type Claimant, concernsRun, foldClaims, hasJob, isLive } from './rule.ts';
import { getScope, hashTag } from './task.ts';
import { type Pointer, type RecordedPointer, readRecord, writeEntry } from './wire-format.ts';

const KEEP_TIMEOUT_MS = 10_000;

/** A tag that isn't the run's own, and the run, whose commit says where that record is. */
interface Place {
  readonly tag: string;
  readonly fingerprint: string;
  readonly runId: number;
  readonly sha: string;
  /** The page of the attempt. */
  readonly page: string;
}

/**
 * Returns access to the place of a tag's record: the commit of the tag. The tag may have moved
 * since an earlier attempt looked for it: if that has a job there, or may have one, it is still
 * the one.
 */
export function createTagPlace(place: Place, run: Run, hasFailed: Claimant['hasFailed']) {
  const { tag, fingerprint, runId, sha, page } = place;
  const { inputs, openGitHub } = run;
  const tagHash = hashTag(tag);
  const isOwn = (one: Pick<Claim, 'runId'>): boolean => one.runId === runId;
  /** What is to be written. Undefined if an earlier attempt has a record there. */
  let pointer: Pointer | undefined;
  /** True if that is the newest one on record. */
  let isWritten = false;

  async function write(api: GitHubApi): Promise<void> {
    if (pointer !== undefined) {
      const words = `The record of ${tag} is on ${pointer.commit.slice(0, 10)}`;
      await writeEntry(api, sha, pointer, words, page);
      isWritten = true;
    }
  }

  /**
   * True if an earlier attempt has left a claim there, or has waited for that of another run, which
   * is older. The claim is open, or has a job that hasn't failed.
   */
  async function hasRecord(api: GitHubApi, { commit, id }: RecordedPointer): Promise<boolean> {
    const { entries } = await readRecord(api, commit);
    const owner = { fingerprint, runId, scope: getScope(inputs) };
    const claims = foldClaims(entries).filter((claim) => concernsRun(claim, owner));
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
    /** Returns the commit. Rejects with a `GitHubError`. */
    async find(api: GitHubApi): Promise<string> {
      const { pointers } = await readRecord(api, sha);
      const known = pointers.filter(
        (one) => isOwn(one) && one.fingerprint === fingerprint && one.tag === tagHash,
      );
      for (const one of known) {
        if (await hasRecord(api, one)) {
          return one.commit;
        }
      }
      const commit = await readTagCommit(tag, { ...run, api });
      pointer = { fingerprint, runId, tag: tagHash, commit, state: 'elsewhere' };
      isWritten = known[0]?.commit === commit;
      return commit;
    },
    /** Writes the place, before the claim of the run. Rejects with a `GitHubError`. */
    async announce(api: GitHubApi): Promise<void> {
      if (!isWritten) {
        await write(api);
      }
    },
    /**
     * Writes the place, because the run waits for a job there: one that is newer than that isn't
     * what it has waited for. Never rejects: at worst, a re-run looks for the tag again.
     */
    async keep(signal: AbortSignal): Promise<void> {
      const limits = { timeoutMs: KEEP_TIMEOUT_MS, retryMs: KEEP_TIMEOUT_MS, signal };
      if (!inputs.dryRun) {
        await write(openGitHub(limits)).catch(() => {});
      }
    },
  };
}
