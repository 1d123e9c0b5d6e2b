import type { Clock } from '../clock.ts';
import { type FinalStatus, isFinalStatus, isKnownStatus, type Job } from './job.ts';
import { createPollSchedule } from './poll-schedule.ts';

/** An answer that says the job may be out of reach for good: not there, kept from us, or not a job record. */
export type Strike = 'missing' | 'blocked' | 'unreadable';

/** What one check of the job said, whatever it was asked over. */
export type Check =
  | { readonly kind: 'job'; readonly job: Job }
  /** Worth another try; `slowDown` where the service asked for fewer checks. */
  | {
      readonly kind: 'transient';
      readonly detail: string;
      readonly retryAfterMs: number | undefined;
      readonly slowDown: boolean;
    }
  /** The service may no longer know the job; a few in a row end the wait. */
  | { readonly kind: 'strike'; readonly strike: Strike; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string };

/** Something that a person who watches the log should see. */
export type PollEvent =
  | { readonly kind: 'status'; readonly status: string; readonly isKnown: boolean }
  | { readonly kind: 'trouble'; readonly detail: string; readonly isLast: boolean }
  | { readonly kind: 'recovered'; readonly failures: number }
  | { readonly kind: 'pause'; readonly ms: number; readonly detail: string }
  | { readonly kind: 'heartbeat'; readonly status: string; readonly remainingMs: number };

export interface PollOptions {
  readonly check: (timeoutMs: number) => Promise<Check>;
  readonly clock: Clock;
  /** In [0, 1); spreads the checks of many waits. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: PollEvent) => void;
  /** The record that the create or follow-up answered; undefined when the first check comes first. */
  readonly created: Job | undefined;
  /** Any readable record ends the wait, final or not. */
  readonly pollOnce: boolean;
  readonly pollIntervalMs: number;
  /** Instant of the clock at which the wait gives up. */
  readonly deadline: number;
  /** Until then a job that cannot be found is taken for one that is not yet visible. */
  readonly notFoundGraceUntil: number;
  /** Until then a final status is taken for the one before the follow-up, unless the job was seen at work since. */
  readonly staleStatusUntil: number;
}

/** How the wait ended; it never throws for what the service says. */
export type PollResult =
  | { readonly kind: 'final'; readonly status: FinalStatus; readonly job: Job }
  | { readonly kind: 'open' }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'lost'; readonly detail: string };

const HEARTBEAT_MS = 60_000;
/** For how long requests may go on after the deadline, in milliseconds: the run is over two seconds after it. */
export const FINAL_POLL_TIMEOUT_MS = 1_800;
const MAX_TROUBLE_LINES = 9;
const STRIKE_LIMITS: Record<Strike, number> = { missing: 3, blocked: 3, unreadable: 5 };
const STRIKES_IN_ALL = 5;

/**
 * Checks the job until it is final, the deadline has passed, the signal is aborted or the job can no longer
 * be read. No sleep passes the deadline, and a check that began at or after it always has the last word.
 */
export async function pollJob(options: PollOptions): Promise<PollResult> {
  const { clock, signal, deadline } = options;
  const report = createReporter(options);
  const strikes = createStrikes();
  const pace = createPollSchedule(options.pollIntervalMs, options.random);
  const startedAt = clock.now();
  const toElapsed = (): number => clock.now() - startedAt;
  const isBegunFinal = options.created !== undefined && isFinalStatus(options.created.status);
  let isSettled = options.created !== undefined && !isBegunFinal;
  report.begin(options.created?.status);
  let sleepMs = options.created === undefined || isBegunFinal ? 0 : pace.next(toElapsed());

  for (;;) {
    await report.sleepUntil(Math.min(clock.now() + sleepMs, deadline));
    if (signal.aborted) {
      return { kind: 'cancelled' };
    }
    const isLast = clock.now() >= deadline;
    const check = await options.check(isLast ? FINAL_POLL_TIMEOUT_MS : deadline - clock.now());
    if (signal.aborted && check.kind !== 'job') {
      return { kind: 'cancelled' };
    }
    const elapsedMs = toElapsed();
    sleepMs = pace.next(elapsedMs);
    switch (check.kind) {
      case 'job': {
        const { job } = check;
        strikes.clear();
        pace.recover(elapsedMs);
        report.readable(job.status);
        isSettled ||= !isFinalStatus(job.status) || clock.now() >= options.staleStatusUntil || isLast;
        if (isFinalStatus(job.status) && isSettled) {
          return { kind: 'final', status: job.status, job };
        }
        if (options.pollOnce) {
          return { kind: 'open' };
        }
        break;
      }
      case 'transient':
        if (check.slowDown) {
          pace.slowDown(elapsedMs);
        }
        if (check.slowDown || check.retryAfterMs !== undefined) {
          sleepMs = pace.pause(elapsedMs, check.retryAfterMs);
          if (!isLast) {
            report.pause(Math.min(sleepMs, deadline - clock.now()), check.detail);
            break;
          }
        }
        report.trouble(check.detail, isLast);
        break;
      case 'strike': {
        const isExcused = check.strike === 'missing' && clock.now() < options.notFoundGraceUntil;
        if (!isExcused && strikes.add(check.strike)) {
          return { kind: 'lost', detail: check.detail };
        }
        report.trouble(check.detail, isLast);
        break;
      }
      case 'refused':
        return { kind: 'lost', detail: check.detail };
    }
    if (isLast) {
      return { kind: 'timed-out' };
    }
  }
}

/** Counts strikes until a readable record clears them; failures of another kind neither count nor clear. */
function createStrikes() {
  const counts = new Map<Strike, number>();
  let total = 0;
  return {
    /** True when there have been too many of this kind, or of all kinds together. */
    add(strike: Strike): boolean {
      const count = (counts.get(strike) ?? 0) + 1;
      counts.set(strike, count);
      total += 1;
      return count >= STRIKE_LIMITS[strike] || total >= STRIKES_IN_ALL;
    },
    clear(): void {
      counts.clear();
      total = 0;
    },
  };
}

/** Turns what happens into few events: each change once, troubles up to a bound, a heartbeat a minute. */
function createReporter({ clock, signal, deadline, onEvent }: PollOptions) {
  let status = '';
  let failures = 0;
  let troubleLines = 0;
  let quietSince = clock.now();

  function emit(event: PollEvent): void {
    quietSince = clock.now();
    onEvent(event);
  }

  function countFailure(): boolean {
    failures += 1;
    troubleLines += 1;
    return troubleLines <= MAX_TROUBLE_LINES;
  }

  return {
    /** The status of a new job is worth a line only where it is not the usual one. */
    begin(first: string | undefined): void {
      if (first === 'active') {
        status = first;
      } else if (first !== undefined) {
        this.status(first);
      }
    },
    status(next: string): void {
      if (next !== status) {
        status = next;
        emit({ kind: 'status', status, isKnown: isKnownStatus(status) });
      }
    },
    readable(next: string): void {
      if (failures > 0 && troubleLines <= MAX_TROUBLE_LINES) {
        emit({ kind: 'recovered', failures });
      }
      failures = 0;
      this.status(next);
    },
    trouble(detail: string, isLast: boolean): void {
      if (countFailure()) {
        emit({ kind: 'trouble', detail, isLast });
      }
    },
    pause(ms: number, detail: string): void {
      if (countFailure()) {
        emit({ kind: 'pause', ms, detail });
      }
    },
    async sleepUntil(until: number): Promise<void> {
      while (clock.now() < until && !signal.aborted) {
        const beatAt = quietSince + HEARTBEAT_MS;
        await clock.sleep(Math.min(until, beatAt) - clock.now(), signal);
        if (clock.now() >= beatAt && clock.now() < until && !signal.aborted) {
          emit({ kind: 'heartbeat', status, remainingMs: deadline - clock.now() });
        }
      }
    },
  };
}
