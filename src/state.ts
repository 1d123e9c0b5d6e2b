import type { Clock } from './clock.ts';
import type { GitHubFailure } from './github/api.ts';
import type { Job, JobRequest } from './service/job.ts';

/** An attempt that has started a job, or may have. */
export interface RecordedAttempt {
  readonly runId: number;
  readonly attempt: number;
  /** Link to the page of the attempt. */
  readonly page: string;
  readonly isOtherRun: boolean;
}

/**
 * The earlier job, or why the run doesn't wait for one. `found`: the run waits for it. `failed`, `gone`: according to the
 * service. `open`: the attempt may have started a job, but its id is not on record. `starting`: the attempt may be starting
 * a job (only in a dry run). `unreadable`: the record can't be read or written.
 */
export type EarlierJob =
  | { readonly kind: 'found' | 'failed' | 'gone'; readonly jobId: string; readonly attempt: RecordedAttempt }
  | { readonly kind: 'open' | 'starting'; readonly attempt: RecordedAttempt }
  | {
      readonly kind: 'unreadable';
      readonly problem: GitHubFailure['kind'];
      readonly detail: string;
      readonly isFirst: boolean;
    }
  | { readonly kind: 'none' };

/**
 * What is on record for later attempts and other runs. `off`: nothing. `starting`: the claim. `saved`: the job id.
 * Otherwise, why it can't be written, with an untrusted detail.
 */
export type RecordState =
  | { readonly kind: 'off' | 'starting' | 'saved' }
  | { readonly kind: GitHubFailure['kind']; readonly detail: string };

/** Everything that the run knows so far. */
export interface RunState {
  readonly request: JobRequest | undefined;
  readonly record: RecordState;
  /** Undefined if the run hasn't looked for an earlier job. */
  readonly earlierJob: EarlierJob | undefined;
  /** The id that the inputs named or that the service returned. */
  readonly jobId: string | undefined;
  readonly job: Job | undefined;
  /** True from the first byte of a create request or follow-up until its result is known. */
  readonly mayHaveStarted: boolean;
  readonly polls: number;
  /** Why the last poll failed (untrusted), and since when polls have failed. Undefined if the last poll succeeded. */
  readonly pollFailure: { readonly detail: string; readonly sinceMs: number } | undefined;
  /** The statuses in order, each with the time at which it was first seen. */
  readonly statusChanges: readonly { readonly status: string; readonly atMs: number }[];
}

/** Holds the state of a run. `state` is an immutable snapshot. Times count from the start of the action. */
export class RunTracker {
  /** Instant of the clock at which the action started. */
  readonly startedAt: number;
  readonly #clock: Clock;
  #state: RunState = {
    request: undefined,
    record: { kind: 'off' },
    earlierJob: undefined,
    jobId: undefined,
    job: undefined,
    mayHaveStarted: false,
    polls: 0,
    pollFailure: undefined,
    statusChanges: [],
  };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.startedAt = clock.now();
  }

  get elapsedMs(): number {
    return this.#clock.now() - this.startedAt;
  }

  get state(): RunState {
    return this.#state;
  }

  setRequest(request: JobRequest): JobRequest {
    this.update({ request, jobId: request.kind === 'create' ? undefined : request.jobId });
    return request;
  }

  setPollFailure(detail: string): void {
    this.update({ pollFailure: { detail, sinceMs: this.#state.pollFailure?.sinceMs ?? this.elapsedMs } });
  }

  /** Stores the latest record of the job. If it has no link, keeps the last one seen. */
  setJob(job: Job): void {
    const { statusChanges, job: before } = this.#state;
    this.update({
      job: { ...job, prLink: job.prLink ?? before?.prLink },
      jobId: job.id,
      pollFailure: undefined,
      statusChanges:
        job.status === before?.status
          ? statusChanges
          : [...statusChanges, { status: job.status, atMs: this.elapsedMs }],
    });
  }

  update(changes: Partial<RunState>): void {
    this.#state = { ...this.#state, ...changes };
  }
}
