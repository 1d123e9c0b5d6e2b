import { randomBytes } from 'node:crypto';
import type { RunContext } from '../clock.ts';
import {
  type GitHubApi,
  GitHubError,
  getGitHubError,
  isRefusal,
  NoAccessError,
  type OpenGitHub,
} from '../github/api.ts';
import { type GitHubContext, getAttemptPage } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { retry } from '../retry.ts';
import type { Release, RunTracker } from '../state.ts';
import { type Claim, type Entry, getFingerprint, readClaims, writeStatus } from './status.ts';

export interface RecordDependencies {
  readonly github: GitHubContext;
  readonly openGitHub: OpenGitHub;
  readonly tracker: RunTracker;
}

/** The recorded job, and the release whose commit has the record; undefined for the commit of the run. */
interface RecordedJob {
  readonly fingerprint: string;
  readonly release: Release | undefined;
}

const WRITE_TIMEOUT_MS = 10_000;
/** GitHub's list may lag behind a write by seconds (dpb587/github-status-resource#3). */
const READ_BACK_MS = 5_000;
const FIRST_READ_DELAY_MS = 250;
const FIRST_SAVE_DELAY_MS = 1_000;
const LONGEST_SAVE_DELAY_MS = 60_000;

/** Returns the record of the job that the inputs ask for. Undefined if there is nothing to record. */
export function createRecord(
  { request, reuse, baseUrl, projectId, release }: Inputs,
  dependencies: RecordDependencies,
  context: RunContext,
): JobRecord | undefined {
  if (request.kind !== 'create' || reuse === 'never') {
    return undefined;
  }
  const fingerprint = getFingerprint({ baseUrl, projectId, prompt: request.prompt, tag: release?.tag });
  const recorded = { fingerprint, release: reuse === 'release' ? release : undefined };
  return new JobRecord(recorded, dependencies, context);
}

/** The record of a job in the statuses of a commit. Tells the tracker what is written. */
export class JobRecord {
  readonly #job: RecordedJob;
  readonly #dependencies: RecordDependencies;
  readonly #context: RunContext;
  readonly #stop = new AbortController();
  #sha: string | undefined;
  #entry: Entry | undefined;
  #saving: Promise<unknown> = Promise.resolve();

  constructor(job: RecordedJob, dependencies: RecordDependencies, context: RunContext) {
    this.#job = job;
    this.#dependencies = dependencies;
    this.#context = context;
  }

  /** Returns the claims of the job, newest first. Rejects with a `GitHubError`. */
  async read(timeoutMs: number): Promise<Claim[]> {
    const api = this.#open(timeoutMs, this.#context.cancel);
    return readClaims(api, await this.#findCommit(api), this.#job.fingerprint);
  }

  /** Writes a new claim. Returns all claims as soon as it is among them. Rejects with a `GitHubError`. */
  async announce(claim: string, timeoutMs: number): Promise<Claim[]> {
    const { clock, cancel } = this.#context;
    const until = clock.now() + timeoutMs;
    this.#entry = { ...this.#own, claim, state: 'starting', jobId: undefined };
    const api = this.#open(timeoutMs, cancel);
    await this.#write(api, `Starting an agent job: ${this.#name}`);
    this.#dependencies.tracker.setRecord({ kind: 'starting' });
    const sha = await this.#findCommit(api);
    const readUntil = Math.min(until, clock.now() + READ_BACK_MS);
    return retry(
      () => readClaims(api, sha, this.#job.fingerprint),
      (claims, retries) => {
        const delayMs = FIRST_READ_DELAY_MS * 2 ** retries;
        if (claims.some((other) => other.claim === claim)) {
          return undefined;
        }
        if (cancel.aborted || clock.now() + delayMs > readUntil) {
          throw new GitHubError('GitHub does not list the status that was just written');
        }
        return delayMs;
      },
      (delayMs) => clock.sleep(delayMs, cancel),
    );
  }

  /** Writes the id of the job that this run started, in the background, until GitHub accepts it. */
  save(jobId: string): void {
    const { tracker } = this.#dependencies;
    const { clock } = this.#context;
    const { signal } = this.#stop;
    if (['no-access', 'refused'].includes(tracker.state.record.kind)) {
      return;
    }
    this.#entry = { ...this.#own, claim: newClaim(), ...this.#entry, state: 'job', jobId };
    this.#saving = retry(
      () => this.#tryToWrite(`Agent job ${jobId} started by ${this.#name}`),
      (error, retries) => {
        if (error === undefined) {
          tracker.setRecord({ kind: 'saved' });
          return undefined;
        }
        const isRefused = isRefusal(error) || error.httpStatus === 422;
        tracker.setRecord({ kind: isRefused ? 'refused' : 'unavailable', detail: error.message });
        const delayMs = Math.max(FIRST_SAVE_DELAY_MS * 2 ** retries, error.retryAfterMs ?? 0);
        return isRefused || signal.aborted ? undefined : Math.min(LONGEST_SAVE_DELAY_MS, delayMs);
      },
      (delayMs) => clock.sleep(delayMs, signal),
    );
  }

  /** Takes over the claim of the job that this run waits for, so that its end is written to it. */
  follow(claim: Claim): void {
    this.#entry = claim;
    this.#dependencies.tracker.setRecord({ kind: 'saved' });
  }

  /** Says that the claim of this run started no job, or may have started one. Never rejects. */
  async settle(state: 'released' | 'unknown', timeoutMs: number): Promise<void> {
    if (this.#entry?.state === 'starting') {
      this.#entry = { ...this.#entry, state };
      const words = state === 'released' ? 'No agent job was started' : 'An agent job may have been started';
      await this.#within(timeoutMs, this.#tryToWrite(`${words}: ${this.#name}`));
    }
  }

  /** Writes how the job ended, for people. Gives the id of the job time to be written first. Never rejects. */
  async close(
    end: { readonly words: string; readonly page: string | undefined } | undefined,
    timeoutMs: number,
  ): Promise<void> {
    const write = async (): Promise<void> => {
      await this.#saving;
      if (end !== undefined && this.#entry?.state === 'job' && !this.#stop.signal.aborted) {
        await this.#tryToWrite(end.words, end.page);
      }
    };
    await this.#within(timeoutMs, write());
    this.#stop.abort();
  }

  get #own() {
    const { runId = 0, runAttempt: attempt } = this.#dependencies.github;
    return { runId, attempt };
  }

  get #name(): string {
    return `run ${this.#own.runId}, attempt ${this.#own.attempt}`;
  }

  async #within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
    await Promise.race([work, this.#context.clock.sleep(timeoutMs, this.#stop.signal)]);
  }

  async #tryToWrite(words: string, page?: string | undefined): Promise<GitHubError | undefined> {
    try {
      await this.#write(this.#open(WRITE_TIMEOUT_MS, this.#stop.signal), words, page);
      return undefined;
    } catch (error) {
      return getGitHubError(error);
    }
  }

  async #write(api: GitHubApi, words: string, page?: string | undefined): Promise<void> {
    const { github } = this.#dependencies;
    const { runId, attempt } = this.#own;
    const sha = await this.#findCommit(api);
    if (this.#entry !== undefined) {
      const link = page ?? getAttemptPage(github, runId, attempt);
      await writeStatus(api, sha, this.#job.fingerprint, this.#entry, words, link);
    }
  }

  #open(timeoutMs: number, signal: AbortSignal): GitHubApi {
    return this.#dependencies.openGitHub({ timeoutMs, requestTimeoutMs: timeoutMs, signal });
  }

  /** The commit of the run, which is also that of its tag, or the commit of another tag. */
  async #findCommit(api: GitHubApi): Promise<string> {
    const { release } = this.#job;
    const { sha, runId, eventTag } = this.#dependencies.github;
    const isOwn = release === undefined || release.tag === eventTag;
    this.#sha ??= isOwn ? sha : await (await import('../github/releases.ts')).readTagCommit(api, release.tag);
    if (this.#sha === undefined || runId === undefined) {
      throw new NoAccessError('GITHUB_SHA or GITHUB_RUN_ID is not set');
    }
    return this.#sha;
  }
}

/** Returns a new name for a claim. */
export function newClaim(): string {
  return randomBytes(8).toString('hex');
}
