import { getHalfOfRemainingMs } from '../clock.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { CANCELLED, Stop } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';
import type { EarlierJob, RecordedAttempt } from '../state/run-state.ts';
import type { Decision } from './decide.ts';
import { RecordReader } from './record-reader.ts';
import type { ClaimStore } from './store.ts';

const RIVAL_TIMEOUT_MS = 120_000;
const RIVAL_PAUSE_MS = 3_000;

/**
 * Decides whether a run starts its job or waits for the job of an earlier attempt or another run.
 * Each run writes a claim before the create request. The oldest open claim wins: its run starts the
 * job. The other runs withdraw their claims, and wait for that job.
 */
export class Claimant {
  readonly #store: ClaimStore;
  readonly #run: Run;
  readonly #reader: RecordReader;
  /** Instant at which this run gives up waiting for the job of another attempt. */
  #rivalDeadline: number | undefined;

  constructor(inputs: Inputs, store: ClaimStore, run: Run) {
    this.#store = store;
    this.#run = run;
    this.#reader = new RecordReader(inputs, store, run);
  }

  /**
   * Returns the id of an earlier job to wait for, without writing anything. With `reuse: rerun`, a
   * first attempt leaves this to `take`. Throws a `Stop` if the run must not start a job.
   */
  async look(): Promise<string | undefined> {
    return this.#reader.isFirst ? undefined : this.#awaitJob(await this.#read());
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
      const decision = await this.#reader.decide(
        (timeoutMs) => this.#store.announce(timeoutMs),
        this.#rivalDeadline !== undefined,
      );
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

  #read(): Promise<Decision> {
    return this.#reader.decide(
      (timeoutMs) => this.#store.read(timeoutMs),
      this.#rivalDeadline !== undefined,
    );
  }

  /**
   * Returns the id of the job to wait for, as soon as another attempt has started it. Undefined if
   * there is no such job.
   */
  async #awaitJob(first: Decision): Promise<string | undefined> {
    const { clock, cancel } = this.#run;
    let decision = first;
    while (decision.kind === 'busy') {
      const { attempt } = decision;
      this.#rivalDeadline ??= this.#awaitRival(attempt);
      this.#run.tracker.update({ rival: attempt });
      if (clock.now() >= this.#rivalDeadline) {
        throw new Stop({ result: 'start-unknown', code: 'start-unknown', attempt });
      }
      await clock.sleep(RIVAL_PAUSE_MS, cancel);
      decision = await this.#read();
    }
    if (decision.kind !== 'unknown') {
      this.#run.tracker.update({ rival: undefined });
    }
    switch (decision.kind) {
      case 'start':
        // `take` decides again.
        return undefined;
      case 'wait':
        this.#store.follow(decision.claim);
        this.#report({ kind: 'found', jobId: decision.jobId, attempt: decision.attempt });
        return decision.jobId;
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

  #report(earlierJob: EarlierJob): void {
    const { tracker, emit } = this.#run;
    // A first attempt normally has no earlier job, so don't report that.
    if (earlierJob.kind !== 'none' || !this.#reader.isFirst) {
      tracker.update({ earlierJob });
      emit({ kind: 'earlier-job', earlierJob });
    }
  }
}
