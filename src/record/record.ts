import { randomBytes } from 'node:crypto';
import { type GitHubApi, GitHubError, getGitHubError } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import { isEmulatorKey } from '../inputs/parsers.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { type ApiResult, readJobOnce } from '../service/agent-client.ts';
import { isFinalStatus } from '../service/job.ts';
import { isMissing } from '../service/retry-policy.ts';
import { CANCELLED, getEffect, type Outcome, Stop } from '../state/outcome.ts';
import type { RecordedAttempt, Run } from '../state/run-state.ts';
import { getLinkName } from '../text/link.ts';
import {
  getLastRequestMs,
  getPreparationMs,
  getRemainingMs,
  type Timing,
} from '../time/deadline.ts';
import { getBackOff } from '../time/delays.ts';
import { retry } from '../time/retry.ts';
import { findLastJob, type JobState, type LastJob } from './last-job.ts';
import { type Claim, type Decision, decide, foldClaims, type JobClaim } from './rule.ts';
import {
  type Entry,
  getFingerprint,
  getSeries,
  type Mark,
  type RecordedEntry,
  readRecord,
  writeEntry,
} from './wire-format.ts';

/** For GitHub's temporary failures, and for the job id of another attempt. */
const PATIENCE_MS = 120_000;
const RIVAL_PAUSE_MS = 3_000;
/** GitHub's list may lag behind a write by seconds (dpb587/github-status-resource#3). */
const FIRST_READ_DELAY_MS = 250;
const LONGEST_READ_DELAY_MS = 4_000;
const WRITE_TIMEOUT_MS = 10_000;
const FIRST_SAVE_DELAY_MS = 1_000;
const LONGEST_SAVE_DELAY_MS = 60_000;
/** Longer than a write that gets no answer, so that the id is written once more. */
const CLOSE_TIMEOUT_MS = 15_000;
/** A claim that stays open stops re-runs, so a run that started nothing takes its time. */
const WITHDRAW_TIMEOUT_MS = 60_000;
/** The summary of a canceled run must be written within a second. */
const CANCELED_TIMEOUT_MS = 500;

/** A decision of a run that doesn't have to wait for another attempt. */
type Turn = Exclude<Decision, { readonly kind: 'busy' }>;
type ReadClaims = (timeoutMs: number) => Promise<readonly Claim[]>;

/**
 * The record of a run's job, in the statuses of a commit. Each run writes a claim before the create
 * request, and starts its job only if that claim stands. Tells the tracker what was found and
 * written.
 */
export class JobRecord {
  readonly #inputs: Inputs;
  readonly #run: Run;
  readonly #fingerprint: string;
  readonly #series: ReturnType<typeof getSeries>;
  /** `run 123, attempt 1` */
  readonly #name: string;
  readonly #page: string;
  /** Aborted when the run ends. */
  readonly #closing = new AbortController();
  /** Aborted when its time for the record is over. */
  readonly #stop = new AbortController();
  /** All entries that this run has read, by their ids. A later list may lack some. */
  readonly #seen = new Map<number, RecordedEntry>();
  /** Asks the service only once about each job. */
  readonly #jobs = new Map<string, Promise<ApiResult>>();
  /** This run's claim, while it may be open on record. Undefined if it is known to be void. */
  #claim: Entry | undefined;
  /** The entry of the job that this run has started or waits for. */
  #jobEntry: Entry | undefined;
  #rivalDeadline: number | undefined;
  #saving: Promise<void> = Promise.resolve();
  #sha: string | undefined;

  constructor(inputs: Inputs, run: Run) {
    const { runId = 0, runAttempt } = run.github;
    this.#inputs = inputs;
    this.#run = run;
    this.#fingerprint = getFingerprint(inputs);
    this.#series = getSeries(inputs);
    this.#name = `run ${runId}, attempt ${runAttempt}`;
    this.#page = getAttemptPage(run.github, runId, runAttempt);
  }

  /**
   * Returns the id of an earlier job to wait for, without writing anything. Throws a `Stop` if the
   * run must not start a job, or if the record can't be read.
   */
  async look(): Promise<string | undefined> {
    const turn = await this.#awaitTurn((timeoutMs) => this.#read(timeoutMs));
    return this.#conclude(turn);
  }

  /**
   * Writes the claim. Returns the id of the job to wait for, or undefined if this run starts the
   * job. Throws a `Stop` if it must not.
   */
  async take(): Promise<string | undefined> {
    let after: string | undefined;
    for (;;) {
      const turn = await this.#awaitTurn((timeoutMs) => this.#announce(after, timeoutMs));
      if (turn.kind !== 'claim') {
        return this.#conclude(turn);
      }
      // What made the claim void has ended, so claim again.
      after = turn.failed?.nonce;
    }
  }

  /**
   * Returns where the last job of the task ended, and logs which jobs are still at work. Rejects
   * with a `GitHubError`.
   */
  async findLastJob(api: GitHubApi): Promise<LastJob> {
    const { github, emit } = this.#run;
    const last = await findLastJob(api, await this.#findCommit(api), {
      fingerprint: this.#fingerprint,
      series: this.#series?.series ?? '',
      paths: this.#series?.paths,
      runId: github.runId ?? 0,
      getState: (jobId) => this.#getJobState(jobId),
    });
    for (const jobId of last.atWork) {
      emit({ kind: 'job-at-work', jobId });
    }
    return last;
  }

  /** Returns the service's reply about a job. It is asked once about each. */
  readJob(jobId: string): Promise<ApiResult> {
    const reading =
      this.#jobs.get(jobId) ?? readJobOnce(jobId, getRemainingMs(this.#run), this.#run);
    this.#jobs.set(jobId, reading);
    return reading;
  }

  /**
   * Marks the commit of the run: the changes of the next one begin there, or at `since`. Throws a
   * `Stop` if that can't be written, because the next run would compare with too much or nothing.
   */
  async mark({ jobId, since }: Pick<Mark, 'jobId' | 'since'>): Promise<void> {
    const { cancel, github } = this.#run;
    if (this.#series === undefined) {
      return;
    }
    const mark: Mark = {
      fingerprint: this.#fingerprint,
      runId: github.runId ?? 0,
      ...this.#series,
      state: 'mark',
      jobId,
      since,
    };
    const where = since === undefined ? 'here' : since.slice(0, 10);
    try {
      const api = this.#open(getPreparationMs(PATIENCE_MS, this.#run), cancel);
      await this.#write(api, mark, `Changes are counted from ${where}: ${this.#name}`);
    } catch (error) {
      throw cancel.aborted ? new Stop(CANCELLED) : toStop(getGitHubError(error));
    }
  }

  /** Records in the background which job this run has started. */
  save(jobId: string): void {
    this.#jobEntry = this.#settle(
      { state: 'job', jobId },
      `Agent job ${jobId} started by ${this.#name}`,
    );
  }

  /**
   * Withdraws the claim of a run that started nothing, finishes writing, then records how the job
   * ended. A run whose request may have had an effect leaves its claim open. Never rejects.
   */
  async close(outcome: Outcome): Promise<void> {
    const { tracker, clock, cancel } = this.#run;
    const isCanceled = outcome.result === 'cancelled' || cancel.aborted;
    const isUnsent = getEffect(tracker.state, outcome) === 'none';
    const longestMs = isUnsent ? WITHDRAW_TIMEOUT_MS : CLOSE_TIMEOUT_MS;
    const timeoutMs = isCanceled
      ? CANCELED_TIMEOUT_MS
      : Math.min(longestMs, getLastRequestMs(this.#run));
    this.#closing.abort();
    if (!cancel.aborted) {
      cancel.addEventListener('abort', () => this.#stop.abort());
    }
    void clock.sleep(timeoutMs, this.#stop.signal).then(() => this.#stop.abort());
    if (isUnsent) {
      this.#withdraw();
    }
    await this.#saving;
    if (!isCanceled && !this.#inputs.dryRun) {
      await this.#writeEnd();
    }
    this.#stop.abort();
  }

  /**
   * Reads the claims, and decides. While another attempt may be starting the job, reads again.
   * Throws a `Stop` if no job id appears in time.
   */
  async #awaitTurn(readFirst: ReadClaims): Promise<Turn> {
    const { clock, cancel, tracker } = this.#run;
    let decision = await this.#decide(readFirst);
    while (decision.kind === 'busy') {
      const rival = this.#describe(decision.claim);
      tracker.update({ rival });
      if (clock.now() >= this.#getRivalDeadline()) {
        throw new Stop({ result: 'start-unknown', code: 'start-unknown', attempt: rival });
      }
      await clock.sleep(RIVAL_PAUSE_MS, cancel);
      decision = await this.#decide((timeoutMs) => this.#read(timeoutMs));
    }
    tracker.update({ rival: undefined });
    return decision;
  }

  /**
   * Throws a `Stop` if the record can't be written or read. While the run waits for another attempt,
   * that one is the reason to stop.
   */
  async #decide(readClaims: ReadClaims): Promise<Decision> {
    const { cancel, github, tracker } = this.#run;
    try {
      const claims = await readClaims(getPreparationMs(PATIENCE_MS, this.#run));
      return await decide(claims, {
        fingerprint: this.#fingerprint,
        scope: this.#scope,
        runId: github.runId ?? 0,
        nonce: this.#claim?.nonce,
        hasFailed: async (jobId) => (await this.#getJobState(jobId)) === 'failed',
      });
    } catch (error) {
      if (cancel.aborted) {
        throw new Stop(CANCELLED);
      }
      // Any other error is a bug, which must not look as if GitHub were down.
      if (!(error instanceof GitHubError)) {
        throw error;
      }
      const { rival: attempt } = tracker.state;
      if (attempt !== undefined) {
        throw new Stop({ result: 'start-unknown', code: 'start-unknown', attempt });
      }
      throw toStop(error);
    }
  }

  /** Returns the instant at which the wait for other attempts ends. */
  #getRivalDeadline(): number {
    const { clock, emit } = this.#run;
    if (this.#rivalDeadline === undefined) {
      const waitMs = getPreparationMs(PATIENCE_MS, this.#run);
      this.#rivalDeadline = clock.now() + waitMs;
      emit({ kind: 'rival', waitMs });
    }
    return this.#rivalDeadline;
  }

  /** Returns the id of the job to wait for, if there is one. Then, withdraws this run's claim. */
  #conclude(turn: Turn): string | undefined {
    const { tracker, emit } = this.#run;
    const claim = turn.kind === 'wait' ? turn.claim : turn.failed;
    if (claim !== undefined) {
      const kind = turn.kind === 'wait' ? 'found' : 'failed';
      const { jobId } = claim;
      tracker.update({ earlierJob: { kind, jobId, attempt: this.#describe(claim) } });
      emit({ kind: 'earlier-job' });
    }
    if (turn.kind !== 'wait') {
      return undefined;
    }
    this.#jobEntry = toEntry(turn.claim);
    this.#withdraw();
    return turn.claim.jobId;
  }

  /** Returns what the service says about a job. One that it no longer finds has ended. */
  async #getJobState(jobId: string): Promise<JobState> {
    const reply = await this.readJob(jobId);
    if (reply.kind === 'response' && reply.job !== undefined) {
      return toJobState(reply.job.status);
    }
    return isMissing(reply) ? 'ended' : 'unread';
  }

  #describe({ runId, attempt, atMs }: Claim): RecordedAttempt {
    const { github } = this.#run;
    const page = getAttemptPage(github, runId, attempt);
    return { runId, attempt, page, isOtherRun: runId !== github.runId, atMs };
  }

  /**
   * Returns all claims of the commit that this run has seen, newest first. Reads until GitHub lists
   * the run's own claim, if it has one. Rejects with a `GitHubError`.
   */
  async #read(timeoutMs: number): Promise<readonly Claim[]> {
    const { clock, cancel } = this.#run;
    const api = this.#open(timeoutMs, cancel);
    const until = clock.now() + timeoutMs;
    const claims = await retry(
      async () => {
        const { entries } = await readRecord(api, await this.#findCommit(api));
        for (const entry of entries) {
          this.#seen.set(entry.id, entry);
        }
        return foldClaims([...this.#seen.values()]);
      },
      (found, retries) => {
        const delayMs = getBackOff(FIRST_READ_DELAY_MS, LONGEST_READ_DELAY_MS, retries);
        return this.#isWhole(found) || clock.now() + delayMs >= until ? undefined : delayMs;
      },
      { clock, signal: cancel },
    );
    if (!this.#isWhole(claims)) {
      throw new GitHubError('GitHub does not list the status that was just written');
    }
    return claims;
  }

  /** True if the claims include the open claim of this run, if it has one. */
  #isWhole(claims: readonly Claim[]): boolean {
    const own = this.#claim;
    return own === undefined || claims.some(({ nonce }) => nonce === own.nonce);
  }

  /**
   * Writes a new claim, then reads until GitHub lists it. `after` names the claim of the newest job
   * on record, if all of them have failed. Rejects with a `GitHubError`.
   */
  async #announce(after: string | undefined, timeoutMs: number): Promise<readonly Claim[]> {
    const { clock, cancel, tracker, emit } = this.#run;
    cancel.throwIfAborted();
    const until = clock.now() + timeoutMs;
    const claim = this.#createClaim(after);
    this.#claim = claim;
    try {
      const api = this.#open(timeoutMs, cancel);
      await this.#write(api, claim, `Starting an agent job: ${this.#name}`);
    } catch (error) {
      // Keep the claim only if it may be on record nevertheless: then, it must be withdrawn.
      if (getGitHubError(error).failure.mayHaveEffect !== true) {
        this.#claim = undefined;
      }
      throw error;
    }
    tracker.update({ claim: { kind: 'open' } });
    const claims = await this.#read(until - clock.now());
    if (claims.some(({ nonce, state }) => nonce === claim.nonce && state === 'void')) {
      this.#claim = undefined;
      tracker.update({ claim: { kind: 'off' } });
    } else {
      emit({ kind: 'recorded' });
    }
    return claims;
  }

  #createClaim(after: string | undefined): Entry {
    const { runId = 0, runAttempt: attempt } = this.#run.github;
    return {
      fingerprint: this.#fingerprint,
      nonce: randomBytes(8).toString('hex'),
      runId,
      attempt,
      scope: this.#scope,
      after,
      series: this.#series?.series,
      paths: this.#series?.paths,
      state: 'starting',
      jobId: undefined,
    };
  }

  /** Whether the claims of all runs for the release matter, or only those of the same run. */
  get #scope(): Entry['scope'] {
    return this.#inputs.reuse === 'release' ? 'release' : 'rerun';
  }

  #withdraw(): void {
    this.#settle({ state: 'released' }, `No agent job was started: ${this.#name}`);
  }

  /**
   * Records what became of this run's open claim, in the background. Returns the entry. Does
   * nothing without an open claim.
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
    this.#saving = this.#persist(entry, words);
    return entry;
  }

  /**
   * Writes an entry, and tries again until GitHub accepts it, after longer and longer pauses. The
   * end of the run cuts a pause short, because GitHub may work again.
   */
  async #persist(entry: Entry, words: string): Promise<void> {
    const { clock, tracker } = this.#run;
    for (const { signal } of [this.#closing, this.#stop]) {
      const error = await retry(
        () => this.#tryToWrite(entry, words),
        (failed, retries) => {
          const backOffMs = getBackOff(FIRST_SAVE_DELAY_MS, LONGEST_SAVE_DELAY_MS, retries);
          const limitMs = Math.min(failed?.failure.retryAfterMs ?? 0, LONGEST_SAVE_DELAY_MS);
          return isOver(failed) ? undefined : Math.max(backOffMs, limitMs);
        },
        { clock, signal },
      );
      tracker.update({
        claim:
          error === undefined ? { kind: 'settled' } : { kind: 'unsettled', detail: error.message },
      });
      if (isOver(error)) {
        return;
      }
    }
  }

  /** Writes for people how the job ended, if it is on record. Failures don't matter. */
  async #writeEnd(): Promise<void> {
    const { tracker, github } = this.#run;
    const { job, claim } = tracker.state;
    const entry = claim.kind === 'unsettled' ? undefined : this.#jobEntry;
    if (entry !== undefined && job !== undefined && isFinalStatus(job.status)) {
      const { id, status, prLink } = job;
      const pull = prLink === undefined ? '' : `, ${getLinkName(prLink, github.serverUrl)}`;
      await this.#tryToWrite(entry, `Agent job ${id}: ${status}${pull}`, prLink);
    }
  }

  /** Writes an entry. Returns the error if that fails, or if the run ends first. */
  #tryToWrite(entry: Entry, words: string, page?: string): Promise<GitHubError | undefined> {
    const api = this.#open(WRITE_TIMEOUT_MS, this.#stop.signal);
    return this.#write(api, entry, words, page).then(() => undefined, getGitHubError);
  }

  async #write(
    api: GitHubApi,
    entry: Entry | Mark,
    words: string,
    page = this.#page,
  ): Promise<void> {
    const description = isEmulatorKey(this.#inputs.apiKey) ? `Rehearsal: ${words}` : words;
    await writeEntry(api, await this.#findCommit(api), entry, description, page);
  }

  #open(timeoutMs: number, signal: AbortSignal): GitHubApi {
    return this.#run.openGitHub({ timeoutMs, retryMs: timeoutMs, signal });
  }

  /** Returns the commit of the run. With `reuse: release` and another tag, that of the tag. */
  async #findCommit(api: GitHubApi): Promise<string> {
    const { github } = this.#run;
    const { reuse, tag } = this.#inputs;
    const isOwn = reuse !== 'release' || tag === undefined || tag === github.eventTag;
    this.#sha ??= isOwn ? github.sha : await readTagCommit(api, tag, this.#run);
    if (this.#sha === undefined || github.runId === undefined) {
      throw new GitHubError('GITHUB_SHA or GITHUB_RUN_ID is not set', { kind: 'setting' });
    }
    return this.#sha;
  }
}

/** Most runs don't need this part of the bundle, and start sooner without it. */
async function readTagCommit(api: GitHubApi, tag: string, timing: Timing): Promise<string> {
  const changes = await import('../changes/read-changes.ts');
  return changes.readTagCommit(api, tag, timing);
}

function toStop({ message: detail, failure }: GitHubError): Stop {
  return new Stop({
    result: 'not-started',
    code: 'record-failed',
    cause: failure.kind,
    detail,
  });
}

function toJobState(status: string): JobState {
  if (status === 'failed') {
    return 'failed';
  }
  return isFinalStatus(status) ? 'ended' : 'at-work';
}

/** True if another write of the same entry is needless, or can't help. */
function isOver(error: GitHubError | undefined): boolean {
  return error === undefined || error.failure.kind === 'full';
}

function toEntry({ order: _, atMs: __, state: ___, ...claim }: JobClaim): Entry {
  return { ...claim, state: 'job' };
}
