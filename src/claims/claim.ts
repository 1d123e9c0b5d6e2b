import { getHalfOfRemainingMs } from '../clock.ts';
import { InputError } from '../errors.ts';
import { getGitHubError } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { CANCELLED, Stop } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';
import type { EarlierJob, RecordedAttempt } from '../state/run-state.ts';
import { askService } from './ask-service.ts';
import { type Answer, type Decision, decide, mayStartWithoutRecord } from './decide.ts';
import type { Claim } from './status.ts';
import type { ClaimStore } from './store.ts';

const FIRST_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 20_000;
const RIVAL_TIMEOUT_MS = 120_000;
const RIVAL_PAUSE_MS = 3_000;

type ReadClaims = (timeoutMs: number) => Promise<readonly Claim[]>;

/**
 * Decides whether a run starts its job or waits for the job of an earlier attempt or another run.
 * Each run writes a claim before the create request. The oldest open claim wins: its run starts the
 * job. The other runs withdraw their claims, and wait for that job.
 */
export class Claimant {
  readonly #inputs: Inputs;
  readonly #store: ClaimStore;
  readonly #run: Run;
  /** Asks the service only once about each job. */
  readonly #answers = new Map<string, Promise<Answer>>();
  /** True if an earlier attempt can't exist, so that the record is not worth a long wait. */
  readonly #isFirst: boolean;
  /** Instant at which this run gives up waiting for the job of another attempt. */
  #rivalDeadline: number | undefined;

  constructor(inputs: Inputs, store: ClaimStore, run: Run) {
    this.#inputs = inputs;
    this.#store = store;
    this.#run = run;
    this.#isFirst = inputs.reuse === 'rerun' && run.github.runAttempt === 1;
  }

  /**
   * Returns the id of an earlier job to wait for, without writing anything. With `reuse: rerun`, a
   * first attempt leaves this to `take`. Throws a `Stop` if the run must not start a job.
   */
  async look(): Promise<string | undefined> {
    if (this.#isFirst && !this.#inputs.dryRun) {
      return undefined;
    }
    return this.#awaitJob(await this.#decide((timeoutMs) => this.#store.read(timeoutMs)));
  }

  /**
   * Writes the claim. Returns the id of the job to wait for, or undefined if this run starts the
   * job. Throws a `Stop` if it must not.
   */
  async take(): Promise<string | undefined> {
    for (;;) {
      if (this.#run.cancel.aborted) {
        throw new Stop(CANCELLED);
      }
      const decision = await this.#decide((timeoutMs) => this.#store.announce(timeoutMs));
      if (decision.kind === 'start') {
        this.#report(decision.earlierJob);
        return undefined;
      }
      this.#store.withdraw();
      const jobId = await this.#awaitJob(decision);
      if (jobId !== undefined) {
        return jobId;
      }
      // The other attempt has started no job, so claim again.
    }
  }

  /**
   * Returns the id of the job to wait for, as soon as another attempt has started it. Undefined if
   * there is no such job.
   */
  async #awaitJob(first: Decision): Promise<string | undefined> {
    const { clock, cancel } = this.#run;
    const { dryRun } = this.#inputs;
    let decision = first;
    while (decision.kind === 'busy' && !dryRun) {
      const { attempt } = decision;
      this.#rivalDeadline ??= this.#awaitRival(attempt);
      this.#run.tracker.update({ rival: attempt });
      if (clock.now() >= this.#rivalDeadline) {
        throw new Stop({ result: 'start-unknown', code: 'start-unknown', attempt });
      }
      await clock.sleep(RIVAL_PAUSE_MS, cancel);
      decision = await this.#decide((timeoutMs) => this.#store.read(timeoutMs));
    }
    if (decision.kind !== 'unknown') {
      this.#run.tracker.update({ rival: undefined });
    }
    switch (decision.kind) {
      case 'start':
        // In a real run, `take` decides again.
        if (dryRun) {
          this.#report(decision.earlierJob);
        }
        return undefined;
      case 'wait':
        this.#store.adopt(decision.claim);
        this.#report({ kind: 'found', jobId: decision.jobId, attempt: decision.attempt });
        return decision.jobId;
      case 'busy':
        this.#report({ kind: 'starting', attempt: decision.attempt });
        return undefined;
      case 'unknown': {
        const { attempt } = decision;
        this.#run.tracker.update({ rival: attempt });
        throw new Stop({ result: 'start-unknown', code: 'start-unknown', attempt });
      }
    }
  }

  /** Returns the instant at which the wait for another attempt ends. */
  #awaitRival(attempt: RecordedAttempt): number {
    const { clock, emit } = this.#run;
    const waitMs = Math.min(RIVAL_TIMEOUT_MS, getHalfOfRemainingMs(this.#run));
    emit({ kind: 'rival', attempt, waitMs });
    return clock.now() + waitMs;
  }

  /** Reads and decides. If GitHub fails, throws a `Stop` unless the run may start its job. */
  async #decide(readClaims: ReadClaims): Promise<Decision> {
    const { github, cancel, tracker } = this.#run;
    const { runId = 0, runAttempt } = github;
    const limitMs = this.#isFirst ? FIRST_TIMEOUT_MS : TIMEOUT_MS;
    try {
      const claims = await readClaims(Math.min(limitMs, getHalfOfRemainingMs(this.#run)));
      return await decide(claims, {
        runId,
        runAttempt,
        fingerprint: this.#store.fingerprint,
        ownNonce: this.#store.nonce,
        isAnyRun: this.#inputs.reuse === 'release',
        ask: (jobId) => this.#ask(jobId),
        describe: (claim) => this.#describe(claim),
      });
    } catch (error) {
      if (error instanceof InputError) {
        throw error;
      }
      if (cancel.aborted) {
        throw new Stop(CANCELLED);
      }
      const { failure, message: detail } = getGitHubError(error);
      const isClaimed = tracker.state.claim.kind === 'open';
      tracker.update({ claim: { kind: failure.kind, detail, httpStatus: failure.httpStatus } });
      const problem = failure.kind;
      const isFirst = this.#isFirst;
      const hasSeenRival = this.#rivalDeadline !== undefined;
      const { reuse } = this.#inputs;
      if (!mayStartWithoutRecord(problem, { reuse, isFirst, hasSeenRival })) {
        throw new Stop({ result: 'not-started', code: 'reuse-unknown', detail, failure });
      }
      return {
        kind: 'start',
        earlierJob: { kind: 'unreadable', problem, detail, isFirst, isClaimed },
      };
    }
  }

  #ask(jobId: string): Promise<Answer> {
    const answer = this.#answers.get(jobId) ?? askService(jobId, this.#run);
    this.#answers.set(jobId, answer);
    return answer;
  }

  #describe({ runId, attempt }: Claim): RecordedAttempt {
    const { github } = this.#run;
    const isOtherRun = runId !== github.runId;
    const isSameAttempt = !isOtherRun && attempt === github.runAttempt;
    const page = getAttemptPage(github, runId, attempt);
    return { runId, attempt, page, isOtherRun, isSameAttempt };
  }

  #report(earlierJob: EarlierJob): void {
    const { tracker, emit } = this.#run;
    // A first attempt normally has no earlier job, so don't report that.
    if (earlierJob.kind !== 'none' || !this.#isFirst) {
      tracker.update({ earlierJob });
      emit({ kind: 'earlier-job', earlierJob });
    }
  }
}
