import { type ErrorCode, getErrorText, InputError } from './errors.ts';
import type { FinalStatus, Job } from './job/job.ts';
import type { ReadFailure } from './job/retry-policy.ts';
import type { NotStarted } from './job/send-prompt.ts';
import type { JobRecord, RunState, SearchProblem } from './state.ts';
import type { Message } from './text/message.ts';

/** How a run ended. An error code exists exactly on the outcomes that fail the step; `detail` is untrusted. */
export type Outcome =
  | { readonly outcome: 'pull-request-opened' | 'no-pull-request' | 'archived' | 'started' }
  /** No problem was found. `unchecked` says why the key couldn't be checked. */
  | { readonly outcome: 'dry-run'; readonly keyCheck: 'accepted' | { readonly unchecked: string } }
  /** No file that changed since the previous tag matches `paths`. */
  | { readonly outcome: 'skipped'; readonly previousTag: string; readonly files: number }
  | { readonly outcome: 'failed'; readonly code: 'job-failed' }
  | { readonly outcome: 'timed-out'; readonly code: 'timed-out' }
  /** `namedIds` as in `start-unknown`. */
  | { readonly outcome: 'cancelled'; readonly code: 'cancelled'; readonly namedIds?: string | undefined }
  | { readonly outcome: 'not-started'; readonly code: 'invalid-input'; readonly problems: readonly Message[] }
  | ({ readonly outcome: 'not-started' } & NotStarted)
  /** An earlier job may exist. */
  | ({ readonly outcome: 'not-started'; readonly code: 'reuse-unknown' } & SearchProblem)
  | {
      readonly outcome: 'start-unknown';
      readonly code: 'start-unknown' | 'redirected' | 'internal';
      readonly detail: string;
      /** The ids in a response without a usable record, with commas between them. Untrusted. */
      readonly namedIds: string | undefined;
    }
  /** The create of another run may have had an effect. This run sent nothing. */
  | { readonly outcome: 'start-unknown'; readonly code: 'start-unknown'; readonly record: JobRecord }
  | {
      readonly outcome: 'lost';
      readonly code: 'job-lost';
      readonly reason: ReadFailure;
      readonly detail: string;
    }
  | { readonly outcome: 'lost'; readonly code: 'internal'; readonly detail: string };

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

/** Returns the outcome of a run that threw an error, by its state at that time. */
export function getErrorOutcome(error: unknown, { mayHaveStarted, jobId }: RunState): Outcome {
  if (error instanceof InputError) {
    return { outcome: 'not-started', code: 'invalid-input', problems: error.problems };
  }
  const detail = getErrorText(error);
  if (mayHaveStarted) {
    return { outcome: 'start-unknown', code: 'internal', detail, namedIds: undefined };
  }
  return jobId === undefined
    ? { outcome: 'not-started', code: 'internal', httpStatus: undefined, detail }
    : { outcome: 'lost', code: 'internal', detail };
}
