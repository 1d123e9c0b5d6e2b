import { ActionError, type ErrorCode, getErrorText, InputError, type NotStartedCode } from './errors.ts';
import type { JobRecord, KnownJobRecord, SearchFailure } from './github/job-records.ts';
import type { FinalStatus, Job, JobRequest } from './job/job.ts';
import type { LostReason } from './job/poll-job.ts';
import type { Message } from './text/message.ts';

/** How a run ended. An error code exists exactly on the outcomes that fail the step; `detail` is untrusted. */
export type Outcome =
  | { readonly outcome: 'pull-request-opened'; readonly prLink: string }
  | { readonly outcome: 'no-pull-request' | 'archived' | 'started' | 'dry-run' }
  /** No file that changed since the previous tag matches `paths`. */
  | { readonly outcome: 'skipped'; readonly previousTag: string; readonly files: number }
  | { readonly outcome: 'failed'; readonly code: 'job-failed' }
  | { readonly outcome: 'timed-out'; readonly code: 'timed-out' }
  | { readonly outcome: 'cancelled'; readonly code: 'cancelled' }
  | { readonly outcome: 'not-started'; readonly code: 'invalid-input'; readonly problems: readonly Message[] }
  | { readonly outcome: 'not-started'; readonly code: NotStartedCode; readonly detail: string }
  /** It is not known whether a job was started before. */
  | {
      readonly outcome: 'not-started';
      readonly code: 'reuse-unknown';
      readonly failure: SearchFailure;
      readonly detail: string;
    }
  | {
      readonly outcome: 'start-unknown';
      readonly code: 'start-unknown' | 'redirected' | 'internal';
      readonly detail: string;
    }
  /** The create of another run may have had an effect. This run sent nothing. */
  | { readonly outcome: 'start-unknown'; readonly code: 'start-unknown'; readonly record: JobRecord }
  | {
      readonly outcome: 'lost';
      readonly code: 'job-lost';
      readonly reason: LostReason;
      readonly detail: string;
    }
  | { readonly outcome: 'lost'; readonly code: 'internal'; readonly detail: string };

export type OutcomeName = Outcome['outcome'];

/** Returns the value of the output `error-code`, or undefined if the step passes. */
export function getErrorCode(outcome: Outcome): ErrorCode | undefined {
  return 'code' in outcome ? outcome.code : undefined;
}

export interface StatusChange {
  readonly status: string;
  /** Milliseconds since the start of the action. */
  readonly atMs: number;
}

/** What became of looking for a job of an earlier attempt or another run. */
export type Reuse =
  | { readonly kind: 'reused'; readonly record: KnownJobRecord; readonly isOtherRun: boolean }
  | { readonly kind: 'new-job'; readonly reason: Message };

/** A request after it was decided whether an existing job is waited for instead. */
export interface ResolvedRequest {
  readonly request: JobRequest;
  /** What later attempts and other runs find the job by; undefined unless the inputs ask for a new job. */
  readonly fingerprint: string | undefined;
  /** Undefined unless an existing job was looked for. */
  readonly reuse: Reuse | undefined;
}

/** Everything that is known so far, so that no ending loses any of it. */
export interface RunState {
  readonly request: JobRequest | undefined;
  readonly fingerprint: string | undefined;
  readonly reuse: Reuse | undefined;
  /** The id that the inputs named or that the service returned. */
  readonly jobId: string | undefined;
  readonly job: Job | undefined;
  /** True from the moment a create or follow-up may have reached the service until the result is known. */
  readonly isCreateInFlight: boolean;
  readonly polls: number;
  readonly statusChanges: readonly StatusChange[];
}

const MAX_STATUS_CHANGES = 50;

/** The one writer of a run's state. `state` is a snapshot that never changes afterward. */
export class RunTracker {
  #state: RunState = {
    request: undefined,
    fingerprint: undefined,
    reuse: undefined,
    jobId: undefined,
    job: undefined,
    isCreateInFlight: false,
    polls: 0,
    statusChanges: [],
  };

  get state(): RunState {
    return this.#state;
  }

  setRequest(request: JobRequest): void {
    this.#update({ request, jobId: request.kind === 'create' ? undefined : request.jobId });
  }

  setResolved({ request, fingerprint, reuse }: ResolvedRequest): void {
    this.setRequest(request);
    this.#update({ fingerprint, reuse });
  }

  setCreateInFlight(isCreateInFlight: boolean): void {
    this.#update({ isCreateInFlight });
  }

  countPoll(): void {
    this.#update({ polls: this.#state.polls + 1 });
  }

  /** Records what the service said about the job, `atMs` after the start of the action. */
  setJob(job: Job, atMs: number): void {
    const { statusChanges, job: before } = this.#state;
    const change = { status: job.status, atMs };
    this.#update({
      job,
      jobId: job.id,
      statusChanges:
        job.status === before?.status
          ? statusChanges
          : [...statusChanges.slice(0, MAX_STATUS_CHANGES - 1), change],
    });
  }

  #update(changes: Partial<RunState>): void {
    this.#state = { ...this.#state, ...changes };
  }
}

/** Returns the outcome of a job that ended with this status. */
export function getFinalOutcome(status: FinalStatus, { prLink }: Job): Outcome {
  switch (status) {
    case 'completed':
      return prLink === undefined
        ? { outcome: 'no-pull-request' }
        : { outcome: 'pull-request-opened', prLink };
    case 'archived':
      return { outcome: 'archived' };
    case 'failed':
      return { outcome: 'failed', code: 'job-failed' };
  }
}

/** Returns what a thrown error means, by what was known when it was thrown. */
export function getErrorOutcome(error: unknown, { isCreateInFlight, jobId }: RunState): Outcome {
  if (error instanceof InputError) {
    return { outcome: 'not-started', code: 'invalid-input', problems: error.problems };
  }
  const detail = getErrorText(error);
  if (error instanceof ActionError) {
    return { outcome: 'not-started', code: error.code, detail };
  }
  if (isCreateInFlight) {
    return { outcome: 'start-unknown', code: 'internal', detail };
  }
  return { outcome: jobId === undefined ? 'not-started' : 'lost', code: 'internal', detail };
}
