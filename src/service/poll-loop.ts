import { DEADLINE_GRACE_MS, getRemainingMs, type Timing } from '../time/deadline.ts';
import { createPollSchedule, type GetDelay } from '../time/retry.ts';
import { type FinalStatus, isFinalStatus, type Job } from './job.ts';
import type { FailedPoll, PollDecision, ReadFailure } from './retry-policy.ts';

/** An event during the wait. Only some of them are logged. */
export type PollEvent =
  | { readonly kind: 'read'; readonly job: Job }
  | { readonly kind: 'failed'; readonly detail: string; readonly isLast: boolean }
  /** The service asked for a pause; the next poll comes after `delayMs`. */
  | { readonly kind: 'paused'; readonly delayMs: number; readonly detail: string }
  /** Part of a long sleep has passed. */
  | { readonly kind: 'tick' };

export interface PollOptions {
  readonly timing: Timing;
  readonly pollIntervalMs: number;
  /** The job if this run has just created it. Otherwise, polling starts at once. */
  readonly created?: Job | undefined;
  /** True if a final reply may predate the follow-up. Not called once the job was at work. */
  readonly isOld?: ((job: Job) => boolean) | undefined;
  readonly onEvent: (event: PollEvent) => void;
}

type PollResult =
  | { readonly kind: 'final'; readonly status: FinalStatus; readonly job: Job }
  | { readonly kind: 'timed-out' | 'cancelled' }
  | (Omit<FailedPoll, 'kind'> & { readonly kind: 'lost'; readonly reason: ReadFailure });

const TICK_MS = 15_000;
/** A status can be final before the link that belongs to it is there (netlify/cli#8283). */
const LINK_GRACE_MS = 10_000;
/** The service may not find a new job right away. */
const NOT_FOUND_GRACE_MS = 60_000;
/** How many read failures of one kind end the wait, and how long they must have lasted. */
const LIMITS: Record<ReadFailure, { readonly count: number; readonly lastingMs: number }> = {
  'not-found': { count: 3, lastingMs: 30_000 },
  unreadable: { count: 5, lastingMs: 120_000 },
  refused: { count: 1, lastingMs: 0 },
};

/**
 * Polls the job until it is final, the deadline has passed, the run is canceled, or the job can no
 * longer be read. A job that is completed without a link is polled once more. Never rejects when
 * the service fails, and never sleeps past the deadline. A last poll at the deadline decides.
 * `poll` reads the job once, within a time limit.
 */
export async function pollJob(
  poll: (timeoutMs: number) => Promise<PollDecision>,
  options: PollOptions,
): Promise<PollResult> {
  const { onEvent, timing } = options;
  const { cancel } = timing;
  const wait = new Wait(options);
  for (;;) {
    await sleep(wait.delayMs, timing, onEvent);
    if (cancel.aborted) {
      return { kind: 'cancelled' };
    }
    const remainingMs = getRemainingMs(timing);
    const isLast = remainingMs <= 0;
    const decision = await poll(isLast ? DEADLINE_GRACE_MS : remainingMs);
    if (decision.kind === 'failed' && cancel.aborted) {
      return { kind: 'cancelled' };
    }
    const result = wait.update(decision, isLast);
    if (result !== undefined) {
      return result;
    }
  }
}

class Wait {
  readonly #options: PollOptions;
  readonly #startedAt: number;
  readonly #getDelay: GetDelay;
  /** The failures of each kind since the last successful read. */
  readonly #failures = new Map<ReadFailure, { readonly count: number; readonly sinceMs: number }>();
  #wasAtWork = false;
  /** The result of the last poll, if it was completed without a link. */
  #withoutLink: PollResult | undefined;
  /** How long to sleep before the next poll, in milliseconds. */
  delayMs: number;

  constructor(options: PollOptions) {
    const { created, timing, pollIntervalMs } = options;
    this.#options = options;
    this.#startedAt = timing.clock.now();
    this.#getDelay = createPollSchedule(pollIntervalMs, timing.random);
    // If the first reply is already final, poll at once to confirm it.
    const isAtWork = created !== undefined && !isFinalStatus(created.status);
    this.delayMs = isAtWork ? this.#getDelay() : 0;
  }

  /** Takes a poll into account, and reports it. Returns the result if this poll ends the wait. */
  update(decision: PollDecision, isLast: boolean): PollResult | undefined {
    const before = this.#withoutLink;
    this.#withoutLink = undefined;
    const result =
      decision.kind === 'accept'
        ? this.#updateJob(decision.job)
        : (before ?? this.#updateFailures(decision, isLast));
    if (isLast) {
      return result ?? { kind: 'timed-out' };
    }
    if (before === undefined && isWithoutLink(result)) {
      this.#withoutLink = result;
      this.delayMs = LINK_GRACE_MS;
      return undefined;
    }
    return result;
  }

  #updateJob(job: Job): PollResult | undefined {
    const { onEvent, isOld } = this.#options;
    const { status } = job;
    this.delayMs = this.#getDelay();
    this.#failures.clear();
    onEvent({ kind: 'read', job });
    if (!isFinalStatus(status)) {
      this.#wasAtWork = true;
    } else if (this.#wasAtWork || isOld?.(job) !== true) {
      return { kind: 'final', status, job };
    }
    return undefined;
  }

  #updateFailures(
    { detail, httpStatus, reason, pause }: FailedPoll,
    isLast: boolean,
  ): PollResult | undefined {
    const { onEvent, timing, created } = this.#options;
    this.delayMs = this.#getDelay(pause);
    const elapsedMs = timing.clock.now() - this.#startedAt;
    const isNew = created !== undefined && elapsedMs < NOT_FOUND_GRACE_MS;
    const isExpected = reason === undefined || (reason === 'not-found' && isNew);
    if (!isExpected && this.#countFailure(reason, elapsedMs)) {
      return { kind: 'lost', reason, httpStatus, detail };
    }
    if (pause === undefined || isLast) {
      onEvent({ kind: 'failed', detail, isLast });
    } else {
      const delayMs = Math.min(this.delayMs, getRemainingMs(timing));
      onEvent({ kind: 'paused', delayMs, detail });
    }
    return undefined;
  }

  /** Counts a failure, and returns true if it ends the wait. */
  #countFailure(reason: ReadFailure, elapsedMs: number): boolean {
    const { count, sinceMs } = this.#failures.get(reason) ?? { count: 0, sinceMs: elapsedMs };
    this.#failures.set(reason, { count: count + 1, sinceMs });
    const limit = LIMITS[reason];
    return count + 1 >= limit.count && elapsedMs - sinceMs >= limit.lastingMs;
  }
}

function isWithoutLink(result: PollResult | undefined): boolean {
  const isCompleted = result?.kind === 'final' && result.status === 'completed';
  return isCompleted && (result.job.prLink ?? result.job.refusedLink) === undefined;
}

/** Just before the deadline, a poll would have no time, so it becomes the last poll. */
async function sleep(
  delayMs: number,
  { clock, deadline, cancel }: Timing,
  onEvent: PollOptions['onEvent'],
): Promise<void> {
  const at = clock.now() + delayMs;
  const isTooLate = delayMs > 0 && at > deadline - DEADLINE_GRACE_MS;
  const until = isTooLate ? deadline : at;
  while (clock.now() < until && !cancel.aborted) {
    await clock.sleep(Math.min(until - clock.now(), TICK_MS), cancel);
    if (clock.now() < until && !cancel.aborted) {
      onEvent({ kind: 'tick' });
    }
  }
}
