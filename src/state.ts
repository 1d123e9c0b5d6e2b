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
 * The earlier job, or why there is none to wait for. `found`: the run waits for it. `failed` and `gone`: the service says so.
 * `open`: the attempt may have started a job without an id on record. `starting`: the attempt is about to, in a dry run.
 * `unreadable`: the record can't be read or written.
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
 * What is written for later attempts and other runs. `off`: nothing is to be written. `starting`: the claim. `saved`: the
 * id of the job. Otherwise, why it can't be written; the detail is untrusted.
 */
export type RecordState =
  | { readonly kind: 'off' | 'starting' | 'saved' }
  | { readonly kind: GitHubFailure['kind']; readonly detail: string };

/** Everything that is known so far. */
export interface RunState {
  readonly request: JobRequest | undefined;
  readonly record: RecordState;
  /** Undefined unless an earlier job was looked for. */
  readonly earlierJob: EarlierJob | undefined;
  /** The id that the inputs named or that the service returned. */
  readonly jobId: string | undefined;
  readonly job: Job | undefined;
  /** True from the first byte of a create or follow-up until its result is known. */
  readonly mayHaveStarted: boolean;
  readonly polls: number;
  /** Why the newest poll failed (untrusted), and since when polls fail. Undefined if the newest poll succeeded. */
  readonly pollFailure: { readonly detail: string; readonly sinceMs: number } | undefined;
  /** The statuses in turn, each with the time at which it was first seen. */
  readonly statusChanges: readonly { readonly status: string; readonly atMs: number }[];
}

/** The one writer of a run's state. `state` is a snapshot that never changes afterward. Time counts from the start of the action. */
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

  /** Records the newest record of the job, with the last link that was seen. */
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
