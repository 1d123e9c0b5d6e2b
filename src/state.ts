import type { Clock } from './clock.ts';
import type { Job, JobRequest } from './job/job.ts';
import type { Message } from './text/message.ts';

/** The release that the run is about. */
export interface Release {
  readonly tag: string;
  /** True if an input names the tag, false if the event of the run does. */
  readonly isNamed: boolean;
}

/** The record of a create, left by an earlier attempt or another run. */
export interface JobRecord {
  /** Undefined if the create was sent and its response was lost. */
  readonly jobId: string | undefined;
  /** The attempt that sent the create. */
  readonly runId: number;
  readonly attempt: number;
  /** Link to that attempt. */
  readonly page: string;
  readonly isOtherRun: boolean;
}

/** A record whose job is known. */
export type KnownJobRecord = JobRecord & { readonly jobId: string };

/**
 * Why a search may have missed a job. `impossible`: this run has no host to read from, or no token. `not-permitted`: all
 * failures are 403 or 404. `bad-token`: the host refuses the token. `unreadable-record`: a record is masked or broken.
 * `run-in-progress`: another run for the tag may have started a job, or may start one. `incomplete`: anything else.
 */
export type SearchFailure =
  | 'impossible'
  | 'not-permitted'
  | 'bad-token'
  | 'unreadable-record'
  | 'run-in-progress'
  | 'incomplete';

export interface SearchProblem {
  readonly failure: SearchFailure;
  /** Untrusted. */
  readonly detail: string;
}

/** The result of looking for a job of an earlier attempt or another run. */
export type EarlierJob =
  | { readonly kind: 'found'; readonly record: KnownJobRecord }
  /** `mayBeSecond` if the run starts a job although an earlier one may exist. */
  | { readonly kind: 'none'; readonly reason: Message; readonly mayBeSecond: boolean };

/** The request to send, once it is decided whether to wait for an existing job. */
export interface Plan {
  readonly request: JobRequest;
  /** Later attempts and other runs find the job by it. Undefined unless the inputs ask for a new job. */
  readonly fingerprint: string | undefined;
  /** Undefined unless an existing job was looked for. */
  readonly earlierJob: EarlierJob | undefined;
}

/** Everything that is known so far. */
export interface RunState extends Omit<Plan, 'request'> {
  readonly request: JobRequest | undefined;
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
    fingerprint: undefined,
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

  setRequest(request: JobRequest): void {
    this.#update({ request, jobId: request.kind === 'create' ? undefined : request.jobId });
  }

  setPlan({ request, fingerprint, earlierJob }: Plan): void {
    this.setRequest(request);
    this.#update({ fingerprint, earlierJob });
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

  /** Records the newest record of the job, and the newest 50 changes of its status. */
  setJob(job: Job): void {
    const { statusChanges, job: before } = this.#state;
    const changes = [...statusChanges, { status: job.status, atMs: this.elapsedMs }].slice(-KEPT_CHANGES);
    this.#update({
      job,
      jobId: job.id,
      pollFailure: undefined,
      statusChanges: job.status === before?.status ? statusChanges : changes,
    });
  }

  #update(changes: Partial<RunState>): void {
    this.#state = { ...this.#state, ...changes };
  }
}
