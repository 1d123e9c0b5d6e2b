import { randomBytes } from 'node:crypto';
import { DEADLINE_GRACE_MS, getRemainingMs, type RunContext } from '../clock.ts';
import type { RunDependencies } from '../dependencies.ts';
import { type ApiLimits, type GitHubApi, GitHubError, getGitHubError } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Outcome } from '../outcome.ts';
import { retry } from '../retry.ts';
import { isFinalStatus } from '../service/job.ts';
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
  const ownPage = getAttemptPage(github, runId, attempt);
  const stop = new AbortController();
  let sha: string | undefined;
  /** Earlier claims of this run. GitHub may still list them as open. */
  const spent = new Set<string>();
  let entry: Entry = { claim: '', runId, attempt, state: 'released', jobId: undefined };
  let saving: Promise<unknown> = Promise.resolve();

  /**
   * Returns the commit of the run. With `reuse: release` and another tag, returns the commit of
   * that tag.
   */
  async function findCommit(api: GitHubApi): Promise<string> {
    const { reuse, tag } = inputs;
    const isOwn = reuse !== 'release' || tag === undefined || tag === github.eventTag;
    sha ??= isOwn
      ? github.sha
      : await (await import('../github/releases.ts')).readTagCommit(api, tag);
    if (sha === undefined || runId === 0) {
      throw new GitHubError('GITHUB_SHA or GITHUB_RUN_ID is not set', { kind: 'no-access' });
    }
    return sha;
  }

  async function write(words: string, limits: ApiLimits, page = ownPage): Promise<void> {
    const api = openGitHub(limits);
    const written = entry;
    await writeStatus(api, await findCommit(api), fingerprint, written, words, page);
  }

  /** Writes the entry. Returns the error if that fails, or if the run ends first. */
  function tryToWrite(words: string, page?: string): Promise<GitHubError | undefined> {
    const limits = { timeoutMs: WRITE_TIMEOUT_MS, signal: stop.signal };
    return write(words, limits, page).then(() => undefined, getGitHubError);
  }

  /**
   * Returns the claims, newest first. If this run has an open claim, waits until GitHub lists it.
   * Rejects if GitHub fails.
   */
  async function read(timeoutMs: number): Promise<Claim[]> {
    const api = openGitHub({ timeoutMs, signal: cancel });
    const until = clock.now() + Math.min(timeoutMs, READ_BACK_MS);
    const isWhole = (claims: readonly Claim[]): boolean =>
      entry.state !== 'starting' || claims.some(({ claim }) => claim === entry.claim);
    const claims = await retry(
      async () => readClaims(api, await findCommit(api), fingerprint),
      (found, retries) => {
        const delayMs = FIRST_READ_DELAY_MS * 2 ** retries;
        return isWhole(found) || clock.now() + delayMs > until ? undefined : delayMs;
      },
      { clock, signal: cancel },
    );
    if (!isWhole(claims)) {
      throw new GitHubError('GitHub does not list the status that was just written');
    }
    return claims.filter(({ claim }) => !spent.has(claim));
  }

  /** Writes a new claim, then returns the claims. Rejects if GitHub fails. */
  async function announce(timeoutMs: number): Promise<Claim[]> {
    const until = clock.now() + timeoutMs;
    spent.add(entry.claim);
    entry = { ...entry, claim: randomBytes(8).toString('hex'), state: 'starting' };
    await write(`Starting an agent job: ${name}`, { timeoutMs, signal: cancel });
    tracker.update({ record: { kind: 'starting' } });
    return read(until - clock.now());
  }

  /** Closes this run's open claim: no job was started, or the result is unknown. Never rejects. */
  async function settle(state: 'released' | 'unknown'): Promise<void> {
    if (entry.state === 'starting') {
      entry = { ...entry, state };
      const words =
        state === 'released' ? 'No agent job was started' : 'An agent job may have been started';
      await tryToWrite(`${words}: ${name}`);
    }
  }

  return {
    getClaim: () => entry.claim,
    read,
    announce,

    /**
     * Releases the claim of this run in the background, because another attempt is starting the
     * job.
     */
    release(): void {
      saving = settle('released');
    },

    /** Adopts the claim of the job that this run waits for, to record how the job ends. */
    follow(other: Claim): void {
      tracker.update({ record: { kind: 'saved' } });
      entry = other;
    },

    /**
     * Writes the id of the job that this run started, in the background, and retries until GitHub
     * accepts it.
     */
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
          const { httpStatus, retryAfterMs = 0 } = error.failure;
          // GitHub returns 422 once the commit has 1,000 statuses in this context.
          const kind = httpStatus === 422 ? 'refused' : error.failure.kind;
          tracker.update({ record: { kind, detail: error.message } });
          const delayMs = Math.max(FIRST_SAVE_DELAY_MS * 2 ** retries, retryAfterMs);
          return kind === 'unavailable' ? Math.min(LONGEST_SAVE_DELAY_MS, delayMs) : undefined;
        },
        { clock, signal: stop.signal },
      );
    },

    /**
     * Finishes saving the job id, then records how the run ended, in the remaining time. Never
     * rejects.
     */
    async close(outcome: Outcome): Promise<void> {
      const { stage, job } = tracker.state;
      const isCanceled = outcome.outcome === 'cancelled';
      const leftMs = Math.max(0, getRemainingMs(dependencies) + DEADLINE_GRACE_MS);
      const timeoutMs = isCanceled ? CANCELED_TIMEOUT_MS : Math.min(CLOSE_TIMEOUT_MS, leftMs);
      const signal = cancel.aborted ? stop.signal : AbortSignal.any([cancel, stop.signal]);
      void clock.sleep(timeoutMs, signal).then(() => stop.abort());
      await saving;
      if (job === undefined) {
        await settle(stage === 'unconfirmed' ? 'unknown' : 'released');
      } else if (
        tracker.state.record.kind === 'saved' &&
        !isCanceled &&
        isFinalStatus(job.status)
      ) {
        const pull =
          job.prLink === undefined ? '' : `, ${getLinkName(job.prLink, github.serverUrl)}`;
        await tryToWrite(`Agent job ${job.id}: ${job.status}${pull}`, job.prLink);
      }
      stop.abort();
    },
  };
}
