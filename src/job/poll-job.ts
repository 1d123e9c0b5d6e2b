import { getRemainingMs, type RunContext } from '../clock.ts';
import { type FinalStatus, isFinalStatus, type Job } from './job.ts';
import { createPollSchedule } from './poll-schedule.ts';
import type { PollDecision, ReadFailure } from './retry-policy.ts';

/** Reads the job once, within `timeoutMs`, and classifies the result. */
export type Poll = (timeoutMs: number) => Promise<PollDecision>;

/** An event of the wait. All are reported; the log shows few of them. */
export type PollEvent =
  | { readonly kind: 'read'; readonly job: Job }
  | { readonly kind: 'failed'; readonly detail: string; readonly isLast: boolean }
  /** The service asked for a pause; the next poll comes after `delayMs`. */
  | { readonly kind: 'paused'; readonly delayMs: number; readonly detail: string }
  /** Time passes. */
  | { readonly kind: 'tick' };

export interface PollOptions {
  readonly context: RunContext;
  readonly pollIntervalMs: number;
  /** The job as the create or follow-up returned it; undefined if the first poll comes at once. */
  readonly created: Job | undefined;
  /** False: end with the first record that can be read, final or not. */
  readonly untilFinal: boolean;
  /** Instant until which a job that is not found may just be too new. */
  readonly notFoundGraceUntil: number;
  /** Instant until which a final status may date from before the follow-up, unless the job was seen active since. */
  readonly staleStatusUntil: number;
  readonly onEvent: (event: PollEvent) => void;
}

export type PollResult =
  | { readonly kind: 'final'; readonly status: FinalStatus; readonly job: Job }
  | { readonly kind: 'not-final' }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'lost'; readonly reason: ReadFailure; readonly detail: string };

/** How long requests may go on after the deadline, in milliseconds: the run ends within two seconds of it. */
export const FINAL_POLL_TIMEOUT_MS = 1_800;
const TICK_MS = 15_000;
/** How many read failures end the wait, of one kind and in all. */
const MAX_ALIKE: Record<ReadFailure, number> = { 'not-found': 3, blocked: 3, unreadable: 5, refused: 1 };
const MAX_READ_FAILURES = 5;

/**
 * Polls the job until it is final, the deadline has passed, the run is canceled, or the job can no longer be read;
 * never throws when the service fails. No sleep passes the deadline, and one last poll at the deadline decides.
 */
export async function pollJob(poll: Poll, options: PollOptions): Promise<PollResult> {
  const { created, onEvent, context } = options;
  const { clock, random, deadline, cancel } = context;
  const schedule = createPollSchedule(options.pollIntervalMs, random);
  /** Since the last record that could be read. Transient failures neither count nor reset it. */
  let readFailures: ReadFailure[] = [];
  const startedAt = clock.now();
  // If the first record is final already, a poll confirms it.
  const isCreatedActive = created !== undefined && !isFinalStatus(created.status);
  let isStatusCurrent = isCreatedActive;
  let delayMs = isCreatedActive ? schedule.next(0) : 0;

  for (;;) {
    await sleepUntil(Math.min(clock.now() + delayMs, deadline), context, () => onEvent({ kind: 'tick' }));
    if (cancel.aborted) {
      return { kind: 'cancelled' };
    }
    const remainingMs = getRemainingMs(context);
    const isLast = remainingMs <= 0;
    const decision = await poll(isLast ? FINAL_POLL_TIMEOUT_MS : remainingMs);
    if (cancel.aborted && decision.kind !== 'accept') {
      return { kind: 'cancelled' };
    }
    const elapsedMs = clock.now() - startedAt;
    delayMs = schedule.next(elapsedMs);
    switch (decision.kind) {
      case 'accept': {
        const { job } = decision;
        readFailures = [];
        schedule.onSuccess(elapsedMs);
        onEvent({ kind: 'read', job });
        isStatusCurrent ||= !isFinalStatus(job.status) || clock.now() >= options.staleStatusUntil;
        if (isFinalStatus(job.status) && isStatusCurrent) {
          return { kind: 'final', status: job.status, job };
        }
        if (!options.untilFinal) {
          return { kind: 'not-final' };
        }
        break;
      }
      case 'retry': {
        const { retryAfterMs, isRateLimit, detail } = decision;
        const isPause = isRateLimit || retryAfterMs !== undefined;
        if (isPause) {
          delayMs = schedule.pause(elapsedMs, retryAfterMs, isRateLimit);
        }
        onEvent(
          isPause && !isLast
            ? { kind: 'paused', delayMs: Math.min(delayMs, getRemainingMs(context)), detail }
            : { kind: 'failed', detail, isLast },
        );
        break;
      }
      case 'read-failure': {
        const { failure: reason, detail } = decision;
        const isTooNew = reason === 'not-found' && clock.now() < options.notFoundGraceUntil;
        if (!isTooNew) {
          readFailures.push(reason);
        }
        const alike = readFailures.filter((failure) => failure === reason).length;
        if (alike >= MAX_ALIKE[reason] || readFailures.length >= MAX_READ_FAILURES) {
          return { kind: 'lost', reason, detail };
        }
        onEvent({ kind: 'failed', detail, isLast });
        break;
      }
    }
    if (isLast) {
      return { kind: 'timed-out' };
    }
  }
}

async function sleepUntil(until: number, { clock, cancel }: RunContext, onTick: () => void): Promise<void> {
  while (clock.now() < until && !cancel.aborted) {
    await clock.sleep(Math.min(until - clock.now(), TICK_MS), cancel);
    if (clock.now() < until && !cancel.aborted) {
      onTick();
    }
  }
}
