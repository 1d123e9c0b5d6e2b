import { getRemainingMs, type RunContext } from '../clock.ts';
import { type FinalStatus, isFinalStatus, type Job } from './job.ts';
import { createPollSchedule } from './poll-schedule.ts';
import type { PollDecision, ReadFailure } from './retry-policy.ts';

/** An event during the wait. Only some of them are logged. */
export type PollEvent =
  | { readonly kind: 'read'; readonly job: Job }
  | { readonly kind: 'failed'; readonly detail: string; readonly isLast: boolean }
  /** The service asked for a pause; the next poll comes after `delayMs`. */
  | { readonly kind: 'paused'; readonly delayMs: number; readonly detail: string }
  /** Part of a long sleep has passed. */
  | { readonly kind: 'tick' };

export interface PollOptions {
  readonly context: RunContext;
  readonly pollIntervalMs: number;
  /** The job if this run has just created it. Otherwise, polling starts at once. */
  readonly created?: Job | undefined;
  /** If false, the wait ends with the first record that can be read, final or not. */
  readonly untilFinal: boolean;
  /**
   * True if a final record may predate the follow-up. Not called once a poll has shown the job at
   * work.
   */
  readonly isOld?: ((job: Job) => boolean) | undefined;
  readonly onEvent: (event: PollEvent) => void;
}

export type PollResult =
  | { readonly kind: 'final'; readonly status: FinalStatus; readonly job: Job }
  | { readonly kind: 'not-final' | 'timed-out' | 'cancelled' }
  | { readonly kind: 'lost'; readonly reason: ReadFailure; readonly detail: string };

/** Bound on requests after the deadline, in milliseconds: the run ends within two seconds of it. */
export const FINAL_POLL_TIMEOUT_MS = 1_800;
const TICK_MS = 15_000;
/** The service may not find a new job right away. */
const NOT_FOUND_GRACE_MS = 60_000;
/** How many read failures of one kind end the wait, and how long they must have lasted. */
const LIMITS: Record<ReadFailure, { readonly count: number; readonly lastingMs: number }> = {
  'not-found': { count: 3, lastingMs: 0 },
  unreadable: { count: 5, lastingMs: 120_000 },
  refused: { count: 1, lastingMs: 0 },
};

/**
 * Polls the job until it is final, the deadline has passed, the run is canceled, or the job can no
 * longer be read. Never rejects when the service fails, and never sleeps past the deadline. A last
 * poll at the deadline decides. `poll` reads the job once, within a time limit.
 */
export async function pollJob(
  poll: (timeoutMs: number) => Promise<PollDecision>,
  options: PollOptions,
): Promise<PollResult> {
  const { created, onEvent, context } = options;
  const { clock, random, deadline, cancel } = context;
  const getDelay = createPollSchedule(options.pollIntervalMs, random);
  const startedAt = clock.now();
  /**
   * How many failures of each kind there were since the last successful read, and the time of the
   * first one.
   */
  const failures = new Map<ReadFailure, { readonly count: number; readonly sinceMs: number }>();
  let wasAtWork = false;
  // If the first record is already final, poll at once to confirm it.
  let delayMs = created !== undefined && !isFinalStatus(created.status) ? getDelay(0) : 0;

  for (;;) {
    await sleepUntil(Math.min(clock.now() + delayMs, deadline), context, () =>
      onEvent({ kind: 'tick' }),
    );
    if (cancel.aborted) {
      return { kind: 'cancelled' };
    }
    const remainingMs = getRemainingMs(context);
    const isLast = remainingMs <= 0;
    const decision = await poll(isLast ? FINAL_POLL_TIMEOUT_MS : remainingMs);
    const elapsedMs = clock.now() - startedAt;
    if (decision.kind === 'accept') {
      const { job } = decision;
      delayMs = getDelay(elapsedMs);
      failures.clear();
      onEvent({ kind: 'read', job });
      if (!isFinalStatus(job.status)) {
        wasAtWork = true;
      } else if (wasAtWork || options.isOld?.(job) !== true) {
        return { kind: 'final', status: job.status, job };
      }
      if (!options.untilFinal) {
        return { kind: 'not-final' };
      }
    } else {
      if (cancel.aborted) {
        return { kind: 'cancelled' };
      }
      const { detail, reason, pause } = decision;
      delayMs = getDelay(elapsedMs, pause);
      const isNew = created !== undefined && elapsedMs < NOT_FOUND_GRACE_MS;
      if (reason !== undefined && !(reason === 'not-found' && isNew)) {
        const { count, sinceMs } = failures.get(reason) ?? { count: 0, sinceMs: elapsedMs };
        failures.set(reason, { count: count + 1, sinceMs });
        if (count + 1 >= LIMITS[reason].count && elapsedMs - sinceMs >= LIMITS[reason].lastingMs) {
          return { kind: 'lost', reason, detail };
        }
      }
      onEvent(
        pause !== undefined && !isLast
          ? { kind: 'paused', delayMs: Math.min(delayMs, getRemainingMs(context)), detail }
          : { kind: 'failed', detail, isLast },
      );
    }
    if (isLast) {
      return { kind: 'timed-out' };
    }
  }
}

async function sleepUntil(
  until: number,
  { clock, cancel }: RunContext,
  onTick: () => void,
): Promise<void> {
  while (clock.now() < until && !cancel.aborted) {
    await clock.sleep(Math.min(until - clock.now(), TICK_MS), cancel);
    if (clock.now() < until && !cancel.aborted) {
      onTick();
    }
  }
}
