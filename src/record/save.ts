import { type GitHubError, getGitHubError } from '../github/errors.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import type { RunEnd } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getLinkName } from '../text/link.ts';
import { getLastRequestMs } from '../time/deadline.ts';
import { getBackOff, retry } from '../time/retry.ts';
import type { JobClaim } from './rule.ts';
import type { Statuses } from './statuses.ts';
import { nameAttempt } from './task.ts';
import type { Entry } from './wire-format.ts';

const WRITE_TIMEOUT_MS = 10_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** As for a claim: an open one stops re-runs, and a job without its id can be paid for again. */
const FINISH_TIMEOUT_MS = 120_000;
/** The summary of a canceled run must be written within a second. */
const CANCELED_TIMEOUT_MS = 500;

/** Writes in the background what becomes of a run's claim. Tells the tracker what is on record. */
export class Saver {
  /** The run's claim, while it may be open on record. Undefined if it is known to be void. */
  claim: Entry | undefined;
  readonly #statuses: Statuses;
  readonly #run: Run;
  /** Aborted when the run ends. */
  readonly #finishing = new AbortController();
  /** Aborted when its time for the record is over. */
  readonly #stop = new AbortController();
  /** The entry of the job that this run has started or waits for. */
  #jobEntry: Entry | undefined;
  /** Resolves to whether what became of the claim is on record, or needn't be. */
  #saving: Promise<boolean> = Promise.resolve(true);

  constructor(statuses: Statuses, run: Run) {
    this.#statuses = statuses;
    this.#run = run;
  }

  /** Records which job the run has started. Does nothing without an open claim. */
  saveJob(jobId: string): void {
    if (this.claim !== undefined) {
      const words = `Agent job ${jobId} started by ${nameAttempt(this.claim)}`;
      this.#jobEntry = { ...this.claim, state: 'job', jobId };
      this.#saving = this.#settle(this.#jobEntry, words);
    }
  }

  /** Withdraws the claim of a run that starts no job. `awaited`: the one whose job it waits for. */
  withdraw(awaited?: JobClaim): void {
    if (awaited !== undefined) {
      this.#jobEntry = { ...awaited, state: 'job' };
    }
    if (this.claim !== undefined) {
      const words = `No agent job was started: ${nameAttempt(this.claim)}`;
      this.#saving = this.#settle({ ...this.claim, state: 'released' }, words);
    }
  }

  /**
   * Withdraws the claim of a run that started nothing, finishes writing, then records how the job
   * ended. A run whose request may have had an effect leaves its claim open. Never rejects.
   */
  async finish({ outcome, effect, job, sawEnd }: RunEnd): Promise<void> {
    const { clock, cancel } = this.#run;
    const isCanceled = outcome.result === 'cancelled' || cancel.aborted;
    const timeoutMs = isCanceled
      ? CANCELED_TIMEOUT_MS
      : Math.min(FINISH_TIMEOUT_MS, getLastRequestMs(this.#run));
    this.#finishing.abort();
    cancel.addEventListener('abort', () => this.#stop.abort());
    void clock.sleep(timeoutMs, this.#stop.signal).then(() => this.#stop.abort());
    if (effect === 'none') {
      this.withdraw();
    }
    const isSettled = await this.#saving;
    if (isSettled && sawEnd && !isCanceled) {
      await this.#writeJobEnd(job);
    }
    this.#stop.abort();
  }

  /**
   * Writes what becomes of the claim, and tries again until GitHub accepts it, after longer and
   * longer pauses. The end of the run cuts a pause short, because GitHub may work again. Returns
   * whether it is on record.
   */
  async #settle(entry: Entry, words: string): Promise<boolean> {
    const { clock, tracker } = this.#run;
    this.claim = undefined;
    for (const { signal } of [this.#finishing, this.#stop]) {
      const error = await retry(
        () => this.#tryToWrite(entry, words),
        (failed, retries) => {
          const backOffMs = getBackOff(FIRST_DELAY_MS, LONGEST_DELAY_MS, retries);
          const limitMs = Math.min(failed?.failure.retryAfterMs ?? 0, LONGEST_DELAY_MS);
          return isOver(failed) ? undefined : Math.max(backOffMs, limitMs);
        },
        { clock, signal },
      );
      tracker.update({
        claim:
          error === undefined ? { kind: 'settled' } : { kind: 'unsettled', detail: error.message },
      });
      if (isOver(error)) {
        return error === undefined;
      }
    }
    return false;
  }

  /** Writes for people how the job ended, if it is on record. Failures don't matter. */
  async #writeJobEnd(job: Job | undefined): Promise<void> {
    const { github } = this.#run;
    const entry = this.#jobEntry;
    if (entry !== undefined && job !== undefined && isFinalStatus(job.status)) {
      const { id, status, prLink } = job;
      const pull = prLink === undefined ? '' : `, ${getLinkName(prLink, github.serverUrl)}`;
      await this.#tryToWrite(entry, `Agent job ${id}: ${status}${pull}`, prLink);
    }
  }

  /** Writes an entry. Returns the error if that fails, or if the run ends first. */
  #tryToWrite(entry: Entry, words: string, page?: string): Promise<GitHubError | undefined> {
    const statuses = this.#statuses.open(WRITE_TIMEOUT_MS, this.#stop.signal);
    return statuses.write(entry, words, page).then(() => undefined, getGitHubError);
  }
}

/** True if another write of the same entry is needless, or can't help. */
function isOver(error: GitHubError | undefined): boolean {
  return error === undefined || error.failure.kind === 'full';
}
