import { getHalfOfRemainingMs } from '../clock.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { RIVAL_TIMEOUT_MS } from '../state/limits.ts';
import { CANCELLED, Stop } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';
import type { Decision } from './decide.ts';
import type { Claim } from './fold.ts';
import { RecordGuard } from './record-guard.ts';
import type { ClaimStore } from './store.ts';

const RIVAL_PAUSE_MS = 3_000;

/** A decision of a run that doesn't have to wait for another attempt. */
type Turn = Extract<Decision, { readonly kind: 'start' | 'claim' | 'wait' }>;

/**
 * Decides whether a run starts its job or waits for the job of an earlier attempt or another run.
 * Each run writes a claim before the create request. A run starts its job only if its claim stands,
 * as `foldClaims` defines it. The others write nothing more, and wait for that job.
 */
export class Claimant {
  readonly #store: ClaimStore;
  readonly #run: Run;
  readonly #guard: RecordGuard;
  /** The claim of the newest job on record, if all of them have ended. */
  #after: string | undefined;
  /** True if another attempt was about to start the job. */
  #hasSeenRival = false;
  /** Instant at which this run gives up waiting for the job of another attempt. */
  #rivalDeadline: number | undefined;

  constructor(inputs: Inputs, store: ClaimStore, run: Run) {
    this.#store = store;
    this.#run = run;
    this.#guard = new RecordGuard(inputs, store, run);
  }

  /**
   * Returns the id of an earlier job to wait for, without writing anything. With `reuse: rerun`, a
   * first attempt leaves this to `take`. Throws a `Stop` if the run must not start a job.
   */
  async look(): Promise<string | undefined> {
    if (this.#guard.isFirst) {
      return undefined;
    }
    const turn = await this.#awaitTurn((timeoutMs) => this.#store.read(timeoutMs));
    return turn.kind === 'wait' ? this.#follow(turn) : undefined;
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
      const turn = await this.#awaitTurn((timeoutMs) =>
        this.#store.announce(this.#after, timeoutMs),
      );
      switch (turn.kind) {
        case 'wait':
          return this.#follow(turn);
        case 'start':
          this.#guard.report(turn.earlierJob);
          return undefined;
        case 'claim':
          // What made the claim void has ended, so claim again.
          this.#hasSeenRival = true;
      }
    }
  }

  /**
   * Reads the claims, and decides. While another attempt may be starting the job, reads again.
   * Throws a `Stop` if no job id appears in time.
   */
  async #awaitTurn(readFirst: (timeoutMs: number) => Promise<readonly Claim[]>): Promise<Turn> {
    const { clock, cancel } = this.#run;
    let decision = await this.#guard.decideOrStop(readFirst, this.#hasSeenRival);
    while (decision.kind === 'busy' || decision.kind === 'unknown') {
      const { attempt } = decision;
      this.#hasSeenRival = true;
      const isOver = decision.kind === 'unknown' || clock.now() >= this.#getRivalDeadline();
      if (isOver) {
        throw new Stop({ result: 'start-unknown', code: 'start-unknown', attempt });
      }
      await clock.sleep(RIVAL_PAUSE_MS, cancel);
      decision = await this.#guard.decideOrStop(
        (timeoutMs) => this.#store.read(timeoutMs),
        this.#hasSeenRival,
      );
    }
    if (decision.kind === 'claim') {
      this.#after = decision.after;
    }
    return decision;
  }

  /** Returns the instant at which the wait for other attempts ends. */
  #getRivalDeadline(): number {
    const { clock, emit } = this.#run;
    if (this.#rivalDeadline === undefined) {
      const waitMs = Math.min(RIVAL_TIMEOUT_MS, getHalfOfRemainingMs(this.#run));
      this.#rivalDeadline = clock.now() + waitMs;
      emit({ kind: 'rival', waitMs });
    }
    return this.#rivalDeadline;
  }

  #follow({ claim, job }: Extract<Turn, { readonly kind: 'wait' }>): string {
    const { jobId } = job;
    this.#store.follow({ ...claim, state: 'job', jobId });
    this.#guard.report(job);
    return jobId;
  }
}
