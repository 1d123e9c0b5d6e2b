import { randomBytes } from 'node:crypto';
import { getRemainingMs, type RunContext } from '../clock.ts';
import type { RunDependencies } from '../dependencies.ts';
import { type GitHubApi, GitHubError, getGitHubError } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Outcome } from '../outcome.ts';
import { retry } from '../retry.ts';
import { isFinalStatus } from '../service/job.ts';
import { FINAL_POLL_TIMEOUT_MS } from '../service/poll-job.ts';
import { getLinkName } from '../text/link.ts';
import { type Claim, type Entry, getFingerprint, readClaims, writeStatus } from './status.ts';

export type JobRecord = ReturnType<typeof createRecord>;

const WRITE_TIMEOUT_MS = 10_000;
/** GitHub's list may lag behind a write by seconds (dpb587/github-status-resource#3). */
const READ_BACK_MS = 5_000;
const FIRST_READ_DELAY_MS = 250;
const FIRST_SAVE_DELAY_MS = 1_000;
const LONGEST_SAVE_DELAY_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
/** The summary of a canceled run must be written within a second. */
const CANCELED_TIMEOUT_MS = 500;

/** Returns the record of a job in the statuses of a commit. Tells the tracker what was written. */
export function createRecord(
  inputs: Inputs,
  dependencies: RunContext & Pick<RunDependencies, 'github' | 'openGitHub' | 'tracker'>,
) {
  const { github, openGitHub, tracker, clock, cancel } = dependencies;
  const { runId = 0, runAttempt: attempt } = github;
  const fingerprint = getFingerprint(inputs);
  const name = `run ${runId}, attempt ${attempt}`;
  const stop = new AbortController();
  let sha: string | undefined;
  let entry: Entry = { claim: newClaim(), runId, attempt, state: 'released', jobId: undefined };
  let saving: Promise<unknown> = Promise.resolve();

  /** Returns the commit of the run. With `reuse: release` and another tag, returns the commit of that tag. */
  async function findCommit(api: GitHubApi): Promise<string> {
    const { reuse, tag } = inputs;
    const isOwn = reuse !== 'release' || tag === undefined || tag === github.eventTag;
    sha ??= isOwn ? github.sha : await (await import('../github/releases.ts')).readTagCommit(api, tag);
    if (sha === undefined || runId === 0) {
      throw new GitHubError('GITHUB_SHA or GITHUB_RUN_ID is not set', { kind: 'no-access' });
    }
    return sha;
  }

  async function write(api: GitHubApi, words: string, page?: string): Promise<void> {
    const link = page ?? getAttemptPage(github, runId, attempt);
    await writeStatus(api, await findCommit(api), fingerprint, entry, words, link);
  }

  async function tryToWrite(words: string, page?: string): Promise<GitHubError | undefined> {
    try {
      await write(openGitHub({ timeoutMs: WRITE_TIMEOUT_MS, signal: stop.signal }), words, page);
      return undefined;
    } catch (error) {
      return getGitHubError(error);
    }
  }

  /** Waits until the work is done, the time is over, or the step is canceled. */
  async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
    const signal = cancel.aborted ? stop.signal : AbortSignal.any([cancel, stop.signal]);
    await Promise.race([work, clock.sleep(timeoutMs, signal)]);
  }

  /** Returns the claims of the job, newest first. Rejects if they can't be read. */
  async function read(timeoutMs: number): Promise<Claim[]> {
    const api = openGitHub({ timeoutMs, signal: cancel });
    return readClaims(api, await findCommit(api), fingerprint);
  }

  /** Writes a new claim. Returns all claims as soon as GitHub lists the new one. Rejects if it can't be written or read. */
  async function announce(claim: string, timeoutMs: number): Promise<Claim[]> {
    const until = clock.now() + timeoutMs;
    entry = { claim, runId, attempt, state: 'starting', jobId: undefined };
    const api = openGitHub({ timeoutMs, signal: cancel });
    await write(api, `Starting an agent job: ${name}`);
    tracker.update({ record: { kind: 'starting' } });
    const readUntil = Math.min(until, clock.now() + READ_BACK_MS);
    const isListed = (claims: readonly Claim[]): boolean => claims.some((other) => other.claim === claim);
    const claims = await retry(
      async () => readClaims(api, await findCommit(api), fingerprint),
      (found, retries) => {
        const delayMs = FIRST_READ_DELAY_MS * 2 ** retries;
        return isListed(found) || clock.now() + delayMs > readUntil ? undefined : delayMs;
      },
      { clock, signal: cancel },
    );
    if (!isListed(claims)) {
      throw new GitHubError('GitHub does not list the status that was just written');
    }
    return claims;
  }

  /** Records that this run started no job, or may have started one. Never rejects. */
  async function settle(state: 'released' | 'unknown', timeoutMs: number): Promise<void> {
    if (entry.state === 'starting') {
      entry = { ...entry, state };
      const words = state === 'released' ? 'No agent job was started' : 'An agent job may have been started';
      await within(timeoutMs, tryToWrite(`${words}: ${name}`));
    }
  }

  return {
    read,
    announce,
    settle,

    /** Takes over the claim of the job that this run waits for, to record how the job ends. */
    follow(claim: Claim): void {
      entry = claim;
      tracker.update({ record: { kind: 'saved' } });
    },

    /** Writes the id of the job that this run started, in the background, and retries until GitHub accepts it. */
    save(jobId: string): void {
      const { kind: known } = tracker.state.record;
      if (known === 'no-access' || known === 'refused') {
        return;
      }
      entry = { ...entry, state: 'job', jobId };
      saving = retry(
        () => tryToWrite(`Agent job ${jobId} started by ${name}`),
        (error, retries) => {
          if (error === undefined) {
            tracker.update({ record: { kind: 'saved' } });
            return undefined;
          }
          const { kind, httpStatus, retryAfterMs = 0 } = error.failure;
          // 422: the commit already has as many statuses in this context as GitHub allows.
          const isRefused = kind === 'refused' || httpStatus === 422;
          tracker.update({ record: { kind: isRefused ? 'refused' : kind, detail: error.message } });
          const delayMs = Math.max(FIRST_SAVE_DELAY_MS * 2 ** retries, retryAfterMs);
          return isRefused ? undefined : Math.min(LONGEST_SAVE_DELAY_MS, delayMs);
        },
        { clock, signal: stop.signal },
      );
    },

    /** Records how the run ended, in the remaining time. Writes the job id first. Never rejects. */
    async close(outcome: Outcome): Promise<void> {
      const { stage, job } = tracker.state;
      const isCanceled = outcome.outcome === 'cancelled';
      const leftMs = Math.max(0, getRemainingMs(dependencies) + FINAL_POLL_TIMEOUT_MS);
      const timeoutMs = isCanceled ? CANCELED_TIMEOUT_MS : Math.min(CLOSE_TIMEOUT_MS, leftMs);
      async function writeEnd(): Promise<void> {
        await saving;
        const isWritten = entry.state === 'job' && !stop.signal.aborted;
        if (isWritten && !isCanceled && job !== undefined && isFinalStatus(job.status)) {
          const pull = job.prLink === undefined ? '' : `, ${getLinkName(job.prLink, github.serverUrl)}`;
          await tryToWrite(`Agent job ${job.id}: ${job.status}${pull}`, job.prLink);
        }
      }
      if (job === undefined) {
        await settle(stage === 'unconfirmed' ? 'unknown' : 'released', timeoutMs);
      } else {
        await within(timeoutMs, writeEnd());
      }
      stop.abort();
    },
  };
}

/** Returns a new name for a claim. */
export function newClaim(): string {
  return randomBytes(8).toString('hex');
}
