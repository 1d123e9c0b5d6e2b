import { type ErrorCode, getErrorText, InputError } from './errors.ts';
import type { FinalStatus, Job } from './service/job.ts';
import type { NotStarted, ReadFailure, StartUnknown } from './service/retry-policy.ts';
import { getJobId, type RecordedAttempt, type RunState } from './state.ts';
import type { Message } from './text/message.ts';

/** How a run ended. Only outcomes that fail the step have an error code. `detail` is untrusted. */
export type Outcome =
  | { readonly outcome: 'pull-request-opened' | 'no-pull-request' | 'archived' | 'started' }
  /**
   * What the key can do, or why it couldn't be checked. `awaited`: the job that a real run would
   * wait for.
   */
  | {
      readonly outcome: 'dry-run';
      readonly keyCheck: 'may-start' | 'may-read';
      readonly awaited?: Job;
    }
  | { readonly outcome: 'dry-run'; readonly keyCheck: 'unchecked'; readonly detail: string }
  /** No file that changed since the previous tag matches `paths`. */
  | { readonly outcome: 'skipped'; readonly previousTag: string; readonly files: number }
  | { readonly outcome: 'failed'; readonly code: 'job-failed' }
  | { readonly outcome: 'timed-out'; readonly code: 'timed-out' }
  /** `excerpt` as in `start-unknown`. */
  | {
      readonly outcome: 'cancelled';
      readonly code: 'cancelled';
      readonly excerpt?: string | undefined;
    }
  | {
      readonly outcome: 'not-started';
      readonly code: 'invalid-input';
      readonly problems: readonly Message[];
    }
  | ({ readonly outcome: 'not-started' } & NotStarted)
  /** An earlier job may exist. The state of the record says why it couldn't be checked. */
  | { readonly outcome: 'not-started'; readonly code: 'reuse-unknown'; readonly detail: string }
  | ({ readonly outcome: 'start-unknown' } & StartUnknown)
  /** Another attempt may have started the job. This run sent nothing. */
  | {
      readonly outcome: 'start-unknown';
      readonly code: 'start-unknown';
      readonly attempt: RecordedAttempt;
    }
  | {
      readonly outcome: 'lost';
      readonly code: 'job-lost';
      readonly reason: ReadFailure;
      readonly detail: string;
    }
  | { readonly outcome: 'lost'; readonly code: 'internal'; readonly detail: string };

export const CANCELLED = { outcome: 'cancelled', code: 'cancelled' } as const;

/** Thrown to end a run early with an outcome. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.outcome);
    this.outcome = outcome;
  }
}

/** Returns the value of the output `error-code`, or undefined if the step passes. */
export function getErrorCode(outcome: Outcome): ErrorCode | undefined {
  return 'code' in outcome ? outcome.code : undefined;
}

/** Returns the outcome of a job that ended with this status. */
export function getFinalOutcome(status: FinalStatus, { prLink }: Job): Outcome {
  switch (status) {
    case 'completed':
      return { outcome: prLink === undefined ? 'no-pull-request' : 'pull-request-opened' };
    case 'archived':
      return { outcome: 'archived' };
    case 'failed':
      return { outcome: 'failed', code: 'job-failed' };
  }
}

/** Returns the outcome of a run that threw an error in this state. */
export function getErrorOutcome(error: unknown, state: RunState): Outcome {
  if (error instanceof Stop) {
    return error.outcome;
  }
  if (error instanceof InputError) {
    return { outcome: 'not-started', code: 'invalid-input', problems: error.problems };
  }
  const detail = getErrorText(error);
  if (state.stage === 'unconfirmed') {
    return { outcome: 'start-unknown', code: 'internal', detail };
  }
  return getJobId(state) === undefined
    ? { outcome: 'not-started', code: 'internal', detail }
    : { outcome: 'lost', code: 'internal', detail };
}
