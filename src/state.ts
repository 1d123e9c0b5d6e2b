import type { Clock } from './clock.ts';
import type { Job, JobRequest } from './service/job.ts';
import type { Message } from './text/message.ts';

/** The release that the run is about. */
export interface Release {
  readonly tag: string;
  /** True if an input names the tag, false if the event of the run does. */
  readonly isNamed: boolean;
}

/** An attempt that has started a job, or may have. */
export interface RecordedAttempt {
  readonly runId: number;
  readonly attempt: number;
  /** Link to the page of the attempt. */
  readonly page: string;
  readonly isOtherRun: boolean;
}

/** The result of looking for an earlier job. */
export type EarlierJob =
  | { readonly kind: 'found'; readonly jobId: string; readonly attempt: RecordedAttempt }
  /** `mayBeSecond` if the run starts a job although an earlier one may exist. */
  | { readonly kind: 'none'; readonly reason: Message; readonly mayBeSecond: boolean };

/**
 * What is written for later attempts and other runs. `off`: nothing is to be written. `starting`: the claim. `saved`: the
 * id of the job. `refused`: the token lacks a permission. `no-access`: there is no token or API. `unavailable`: writing
 * failed. The detail is untrusted.
 */
export type RecordState =
  | { readonly kind: 'off' | 'starting' | 'saved' }
  | { readonly kind: 'refused' | 'no-access' | 'unavailable'; readonly detail: string };

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

const KEPT_CHANGES = 50;

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
    this.#update({ request, jobId: request.kind === 'create' ? undefined : request.jobId });
    return request;
  }

  setRecord(record: RecordState): void {
    this.#update({ record });
  }

  setEarlierJob(earlierJob: EarlierJob): void {
    this.#update({ earlierJob });
  }

  setMayHaveStarted(mayHaveStarted: boolean): void {
    this.#update({ mayHaveStarted });
  }

  countPoll(): void {
    this.#update({ polls: this.#state.polls + 1 });
  }

  setPollFailure(detail: string): void {
    this.#update({ pollFailure: { detail, sinceMs: this.#state.pollFailure?.sinceMs ?? this.elapsedMs } });
  }

  /** Records the newest record of the job, with the last link that was seen, and the newest 50 changes of its status. */
  setJob(job: Job): void {
    const { statusChanges, job: before } = this.#state;
    const changes = [...statusChanges, { status: job.status, atMs: this.elapsedMs }].slice(-KEPT_CHANGES);
    this.#update({
      job: { ...job, prLink: job.prLink ?? before?.prLink },
      jobId: job.id,
      pollFailure: undefined,
      statusChanges: job.status === before?.status ? statusChanges : changes,
    });
  }

  #update(changes: Partial<RunState>): void {
    this.#state = { ...this.#state, ...changes };
  }
}
