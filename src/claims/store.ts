import { randomBytes } from 'node:crypto';
import { getLastRequestMs, type Timing } from '../clock.ts';
import {
  type ApiLimits,
  type GitHubApi,
  GitHubError,
  type GitHubFailure,
  getGitHubError,
} from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { isEmulatorKey } from '../inputs/rehearsal.ts';
import { retry } from '../retry.ts';
import { isFinalStatus } from '../service/job.ts';
import { getEffect, type Outcome } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';
import type { ClaimState } from '../state/run-state.ts';
import { getLinkName } from '../text/link.ts';
import { getFingerprint } from './fingerprint.ts';
import { type Claim, foldClaims } from './fold.ts';
import { type Entry, type RecordedEntry, readEntries, writeStatus } from './status.ts';

const WRITE_TIMEOUT_MS = 10_000;
/** GitHub's list may lag behind a write by seconds (dpb587/github-status-resource#3). */
const FIRST_READ_DELAY_MS = 250;
/** Time for the last of these reads. */
const LAST_READ_MS = 300;
const FIRST_SAVE_DELAY_MS = 1_000;
const LONGEST_SAVE_DELAY_MS = 60_000;
const CLOSE_TIMEOUT_MS = 5_000;
/** The summary of a canceled run must be written within a second. */
const CANCELED_TIMEOUT_MS = 500;

type StoreRun = Timing & Pick<Run, 'github' | 'openGitHub' | 'tracker' | 'emit'>;

/**
 * The claims of the job that the inputs ask for, in the statuses of a commit. Tells the tracker
 * what was written.
 */
export class ClaimStore {
  readonly fingerprint: string;
  readonly #inputs: Inputs;
  readonly #run: StoreRun;
  /** `run 123, attempt 1` */
  readonly #name: string;
  readonly #page: string;
  /** Aborted when the run ends. */
  readonly #closing = new AbortController();
  /** Aborted when its time for the record is over. */
  readonly #stop = new AbortController();
  /**
   * All entries that this run has read, by the ids of their statuses. A later list may lack some.
   */
  readonly #seen = new Map<number, RecordedEntry>();
  /** This run's claim, while it may be open on record. Undefined if it is known to be void. */
  #claim: Entry | undefined;
  /** The entry of the job that this run has started or waits for. */
  #jobEntry: Entry | undefined;
  #saving: Promise<void> = Promise.resolve();
  #sha: string | undefined;

  constructor(inputs: Inputs, run: StoreRun) {
    const { github } = run;
    const { runId = 0, runAttempt: attempt } = github;
    this.fingerprint = getFingerprint(inputs);
    this.#inputs = inputs;
    this.#run = run;
    this.#name = `run ${runId}, attempt ${attempt}`;
    this.#page = getAttemptPage(github, runId, attempt);
  }

  /** The nonce of this run's claim, while it may be open on record. */
  get nonce(): string | undefined {
    return this.#claim?.nonce;
  }

  /**
   * Returns all claims of the commit that this run has seen, newest first. Reads until GitHub lists
   * the run's own claim, if it has one. Rejects with a `GitHubError`.
   */
  async read(timeoutMs: number): Promise<readonly Claim[]> {
    const { openGitHub, clock, cancel } = this.#run;
    const api = openGitHub({ timeoutMs, signal: cancel });
    const lastReadAt = clock.now() + timeoutMs - LAST_READ_MS;
    const claims = await retry(
      async () => {
        for (const entry of await readEntries(api, await this.#findCommit(api))) {
          this.#seen.set(entry.id, entry);
        }
        return foldClaims([...this.#seen.values()]);
      },
      (found, retries) => {
        const leftMs = lastReadAt - clock.now();
        const isOver = this.#isWhole(found) || leftMs <= 0;
        return isOver ? undefined : Math.min(FIRST_READ_DELAY_MS * 2 ** retries, leftMs);
      },
      { clock, signal: cancel },
    );
    if (!this.#isWhole(claims)) {
      throw new GitHubError('GitHub does not list the status that was just written');
    }
    return claims;
  }

  /**
   * Writes a new claim, then reads until GitHub lists it. `after` names the claim of the newest job
   * on record, if all of them have ended. Rejects with a `GitHubError`.
   */
  async announce(after: string | undefined, timeoutMs: number): Promise<readonly Claim[]> {
    const { clock, tracker } = this.#run;
    const until = clock.now() + timeoutMs;
    const claim = this.#createEntry(after);
    await this.#writeClaim(claim, timeoutMs);
    tracker.update({ claim: { kind: 'open' } });
    const claims = await this.read(until - clock.now());
    if (claims.some(({ nonce, state }) => nonce === claim.nonce && state === 'void')) {
      this.#claim = undefined;
      tracker.update({ claim: { kind: 'closed' } });
    }
    return claims;
  }

  /** Records in the background that this run started no job. */
  withdraw(): void {
    this.#settle({ state: 'released' }, `No agent job was started: ${this.#name}`);
  }

  /** Records in the background which job this run has started. */
  save(jobId: string): void {
    this.#jobEntry = this.#settle(
      { state: 'job', jobId },
      `Agent job ${jobId} started by ${this.#name}`,
    );
  }

  /** Withdraws this run's claim, because it waits for the job of another one. */
  follow(other: Entry): void {
    this.#jobEntry = other;
    this.#run.tracker.update({ claim: { kind: 'saved', leftOpen: undefined } });
    this.withdraw();
  }

  /**
   * Finishes writing, with a try at once if an earlier one failed, then records how the run ended,
   * in the remaining time and at most five seconds. Never rejects.
   */
  async close(outcome: Outcome): Promise<void> {
    const { tracker, clock, cancel, github } = this.#run;
    const { job } = tracker.state;
    this.#closing.abort();
    const isCanceled = outcome.result === 'cancelled' || cancel.aborted;
    const timeoutMs = isCanceled
      ? CANCELED_TIMEOUT_MS
      : Math.min(CLOSE_TIMEOUT_MS, getLastRequestMs(this.#run));
    const stop = this.#stop.signal;
    const signal = cancel.aborted ? stop : AbortSignal.any([cancel, stop]);
    void clock.sleep(timeoutMs, signal).then(() => this.#stop.abort());
    switch (getEffect(tracker.state, outcome)) {
      case 'possible':
        this.#settle({ state: 'unknown' }, `An agent job may have been started: ${this.#name}`);
        break;
      case 'none':
        this.withdraw();
        break;
      case 'certain':
      // `save` has recorded the job.
    }
    await this.#saving;
    const entry = tracker.state.claim.kind === 'saved' ? this.#jobEntry : undefined;
    if (entry !== undefined && job !== undefined && !isCanceled && isFinalStatus(job.status)) {
      const pull = job.prLink === undefined ? '' : `, ${getLinkName(job.prLink, github.serverUrl)}`;
      await this.#tryToWrite(entry, `Agent job ${job.id}: ${job.status}${pull}`, job.prLink);
    }
    this.#stop.abort();
  }

  /** True if the claims include the open claim of this run, if it has one. */
  #isWhole(claims: readonly Claim[]): boolean {
    const own = this.#claim;
    return own === undefined || claims.some(({ nonce }) => nonce === own.nonce);
  }

  #createEntry(after: string | undefined): Entry {
    const { runId = 0, runAttempt: attempt } = this.#run.github;
    const { fingerprint } = this;
    const scope = getScope(this.#inputs);
    const nonce = randomBytes(8).toString('hex');
    return {
      fingerprint,
      nonce,
      runId,
      attempt,
      scope,
      after,
      state: 'starting',
      jobId: undefined,
    };
  }

  /** Writes a claim. If that fails, keeps the claim only if it may be on record nevertheless. */
  async #writeClaim(claim: Entry, timeoutMs: number): Promise<void> {
    const { openGitHub, cancel, tracker } = this.#run;
    this.#claim = claim;
    try {
      const api = openGitHub({ timeoutMs, signal: cancel });
      await this.#write(api, claim, `Starting an agent job: ${this.#name}`);
    } catch (error) {
      const { mayHaveEffect, isUnanswered } = getGitHubError(error).failure;
      if (mayHaveEffect !== true) {
        this.#claim = undefined;
      } else if (isUnanswered === true) {
        // Others may see the claim, but this run can't read what they have claimed.
        tracker.update({ claim: { kind: 'open' } });
      }
      throw error;
    }
  }

  /**
   * Records what became of this run's open claim, in the background, and retries until GitHub
   * accepts it. Returns the entry. Does nothing without an open claim.
   */
  #settle(
    change: Pick<Entry, 'state'> & Partial<Pick<Entry, 'jobId'>>,
    words: string,
  ): Entry | undefined {
    if (this.#claim === undefined) {
      return undefined;
    }
    const entry = { ...this.#claim, ...change };
    this.#claim = undefined;
    this.#saving = this.#record(entry, words);
    return entry;
  }

  /**
   * Writes an entry, and retries until GitHub accepts it, after longer and longer pauses. The end
   * of the run cuts a pause short, because GitHub may work again.
   */
  async #record(entry: Entry, words: string): Promise<void> {
    const [closing, stop] = [this.#closing.signal, this.#stop.signal];
    const isDone = !closing.aborted && (await this.#tryUntil(closing, entry, words));
    if (!isDone) {
      await this.#tryUntil(stop, entry, words);
    }
  }

  /** Returns true if no other try would help. */
  async #tryUntil(end: AbortSignal, entry: Entry, words: string): Promise<boolean> {
    const { tracker, emit, clock } = this.#run;
    let pauseMs = FIRST_SAVE_DELAY_MS;
    do {
      const error = await this.#tryToWrite(entry, words);
      tracker.update({ claim: this.#getClaimState(entry, error) });
      emit({ kind: 'claim' });
      if (error === undefined || !isTemporary(error.failure)) {
        return true;
      }
      const delayMs = Math.max(pauseMs, error.failure.retryAfterMs ?? 0);
      await clock.sleep(Math.min(delayMs, LONGEST_SAVE_DELAY_MS), end);
      pauseMs *= 2;
    } while (!end.aborted);
    return false;
  }

  /** Returns what is on record after an attempt to write an entry of this run's claim. */
  #getClaimState({ state }: Entry, error: GitHubError | undefined): ClaimState {
    if (state === 'job') {
      return error === undefined
        ? { kind: 'saved', leftOpen: undefined }
        : { kind: error.failure.kind, detail: error.message };
    }
    if (this.#jobEntry !== undefined) {
      return { kind: 'saved', leftOpen: error?.message };
    }
    return error === undefined ? { kind: 'closed' } : { kind: 'left-open', detail: error.message };
  }

  /** Writes an entry. Returns the error if that fails, or if the run ends first. */
  #tryToWrite(entry: Entry, words: string, page?: string): Promise<GitHubError | undefined> {
    const limits: ApiLimits = { timeoutMs: WRITE_TIMEOUT_MS, signal: this.#stop.signal };
    const api = this.#run.openGitHub(limits);
    return this.#write(api, entry, words, page).then(() => undefined, getGitHubError);
  }

  async #write(api: GitHubApi, entry: Entry, words: string, page = this.#page): Promise<void> {
    const description = isEmulatorKey(this.#inputs.apiKey) ? `Rehearsal: ${words}` : words;
    await writeStatus(api, await this.#findCommit(api), entry, description, page);
  }

  /** Returns the commit of the run. With `reuse: release` and another tag, that of the tag. */
  async #findCommit(api: GitHubApi): Promise<string> {
    const { github } = this.#run;
    const { reuse, tag } = this.#inputs;
    const isOwn = reuse !== 'release' || tag === undefined || tag === github.eventTag;
    this.#sha ??= isOwn ? github.sha : await readTagCommit(api, tag);
    if (this.#sha === undefined || github.runId === undefined) {
      throw new GitHubError('GITHUB_SHA or GITHUB_RUN_ID is not set', { kind: 'no-access' });
    }
    return this.#sha;
  }
}

/** Returns whether the claims of all runs for the release matter, or only those of the same run. */
export function getScope({ reuse }: Inputs): Entry['scope'] {
  return reuse === 'release' ? 'release' : 'rerun';
}

/** Most runs don't need this part of the bundle, and start sooner without it. */
async function readTagCommit(api: GitHubApi, tag: string): Promise<string> {
  const changes = await import('../github/changes.ts');
  try {
    return await changes.readTagCommit(api, tag);
  } catch (error) {
    throw error instanceof GitHubError
      ? new GitHubError(error.message, { ...error.failure, isAboutTag: true })
      : error;
  }
}

/** GitHub returns 422 once the commit has 1,000 statuses in this context. */
function isTemporary({ kind, httpStatus }: GitHubFailure): boolean {
  return kind === 'unavailable' && httpStatus !== 422;
}
