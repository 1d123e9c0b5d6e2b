import type { Clock } from '../clock.ts';
import type { GitHubFailure } from '../github/api.ts';
import type { ChangesReading } from '../github/changes.ts';
import type { Job, JobRequest } from '../service/job.ts';

/** An attempt that has started a job, or may have. */
export interface RecordedAttempt {
  readonly runId: number;
  readonly attempt: number;
  /** Link to the page of the attempt. */
  readonly page: string;
  readonly isOtherRun: boolean;
  /** True for another step of the same attempt. */
  readonly isSameAttempt: boolean;
}

/** Another attempt that stands in the way of this run. */
export interface Rival extends RecordedAttempt {
  /** True if it has recorded that its result is unknown, so that waiting is of no use. */
  readonly isUnknown: boolean;
}

/** The earlier job, or why the run doesn't wait for one. */
export type EarlierJob =
  | FoundJob
  | EndedJob
  | OpenAttempt
  | StartingAttempt
  | OtherTask
  | UnreadableRecord
  | { readonly kind: 'none' };

/** The run waits for this job. */
export interface FoundJob {
  readonly kind: 'found';
  readonly jobId: string;
  readonly attempt: RecordedAttempt;
  /** An attempt that may have started another job. */
  readonly other?: RecordedAttempt | undefined;
}

/** A job that failed or is gone, according to the service. */
interface EndedJob {
  readonly kind: 'failed' | 'gone';
  readonly jobId: string;
  readonly attempt: RecordedAttempt;
}

/** The attempt may have started a job, but its id is not on record. */
interface OpenAttempt {
  readonly kind: 'open';
  readonly attempt: RecordedAttempt;
  /** True if there may be jobs of other attempts, too. */
  readonly hasOthers?: boolean;
}

/** The attempt may be starting a job. Only in a dry run: a real run waits for the id. */
interface StartingAttempt {
  readonly kind: 'starting';
  readonly attempt: RecordedAttempt;
}

/**
 * An earlier attempt has started a job for another prompt, project, address, paths, or start of the
 * changes, or may have.
 */
interface OtherTask {
  readonly kind: 'other-task';
  /** Undefined if it is not on record. */
  readonly jobId: string | undefined;
  readonly attempt: RecordedAttempt;
}

/** The record can't be read or written. */
interface UnreadableRecord {
  readonly kind: 'unreadable';
  readonly problem: GitHubFailure['kind'];
  readonly detail: string;
  /** True if there can be no earlier attempt. */
  readonly isFirst: boolean;
  /** True if the claim was written, but couldn't be read. */
  readonly isClaimed: boolean;
}

/**
 * What is on record for later attempts and other runs. `off`: nothing. `open`: this run may be
 * starting a job. `saved`: the job id. `closed`: this run started no job, or its result is unknown.
 * `left-open`: the same, but it couldn't be recorded. Otherwise, why it can't be written, with an
 * untrusted detail.
 */
export type ClaimState =
  | { readonly kind: 'off' | 'open' | 'closed' }
  | {
      readonly kind: 'saved';
      /**
       * Set if the run waits for the job of another attempt, and couldn't withdraw its own claim:
       * once the job fails, that claim is in the way of other runs. Untrusted.
       */
      readonly leftOpen?: string | undefined;
    }
  | { readonly kind: 'left-open'; readonly detail: string }
  | {
      readonly kind: GitHubFailure['kind'];
      readonly detail: string;
      readonly httpStatus?: number | undefined;
    };

/** Why `paths` starts the job: a file matches, or the files can't be compared or read. */
export type PathsDecision =
  | { readonly kind: 'match'; readonly since: string; readonly file: string }
  | { readonly kind: 'ignore'; readonly reason: string }
  | { readonly kind: 'unread'; readonly reason: string; readonly isRefused: boolean };

/**
 * Why a run starts no job. `first-run`: no earlier run of the workflow has succeeded for this event
 * and branch, so that there is nothing to compare with. `no-match`: no changed file matches
 * `paths`.
 */
export type Skip =
  | { readonly reason: 'first-run' }
  | { readonly reason: 'no-commits'; readonly since: string }
  | { readonly reason: 'no-match'; readonly since: string; readonly files: number };

/**
 * The job, by stage. `unconfirmed`: a create request or follow-up was sent, and its result is
 * unknown.
 */
type JobState =
  | { readonly stage: 'unsent' | 'unconfirmed'; readonly job: undefined }
  | { readonly stage: 'known'; readonly job: Job };

/** Everything that the run knows so far. Words about cost and re-runs are made from it alone. */
export type RunState = JobState & {
  readonly request: JobRequest | undefined;
  readonly claim: ClaimState;
  /**
   * Undefined if the run hasn't looked for an earlier job, or if the first attempt found no record.
   */
  readonly earlierJob: EarlierJob | undefined;
  /**
   * Another attempt that was starting the job, or may have started it, when the record was last
   * read. Stays set if the run gave up waiting for it, or was canceled.
   */
  readonly rival: Rival | undefined;
  /** Undefined until the changes have been read, and if no input needs them. */
  readonly changes: Pick<ChangesReading, 'start' | 'changes'> | undefined;
  /** Undefined unless `paths` has started the job. */
  readonly paths: PathsDecision | undefined;
  /** Why a real run is skipped. Undefined if it isn't. */
  readonly skip: Skip | undefined;
  /** When the last create request or follow-up was sent, in milliseconds since 1970. */
  readonly sentAt: number | undefined;
  readonly polls: number;
  /** Why the last poll failed (untrusted). Undefined if it succeeded. */
  readonly pollFailure: string | undefined;
  /** When a response last had the record of the job. */
  readonly seenMs: number | undefined;
  /** The statuses in order, each with the time at which it was first seen. */
  readonly statusChanges: readonly { readonly status: string; readonly atMs: number }[];
};

/** True if a job may exist beside the one that a run starts after it has found this. */
export function mayBeSecondJob(earlierJob: EarlierJob | undefined): boolean {
  switch (earlierJob?.kind) {
    case 'gone':
    case 'open':
      return true;
    case 'unreadable':
      return !earlierJob.isFirst || earlierJob.isClaimed;
    default:
      return false;
  }
}

/**
 * True if there is a job to wait for: the inputs or the record name it, or the request started
 * it.
 */
export function isWaiting({ job, request }: RunState): boolean {
  return job !== undefined || request?.kind === 'attach';
}

/** Returns the id that the service returned or that the request names. */
export function getJobId({ job, request }: RunState): string | undefined {
  return job?.id ?? request?.jobId;
}

/**
 * Holds the state of a run. `state` is an immutable snapshot. Times count from the start of the
 * action.
 */
export class RunTracker {
  /** Instant of the clock at which the action started. */
  readonly startedAt: number;
  readonly #clock: Clock;
  #state: RunState = {
    stage: 'unsent',
    job: undefined,
    request: undefined,
    claim: { kind: 'off' },
    earlierJob: undefined,
    rival: undefined,
    changes: undefined,
    paths: undefined,
    skip: undefined,
    sentAt: undefined,
    polls: 0,
    pollFailure: undefined,
    seenMs: undefined,
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

  /** Notes that a create request or follow-up is being sent. */
  setSent(): void {
    this.#state = { ...this.#state, stage: 'unconfirmed', job: undefined, sentAt: Date.now() };
  }

  /** Notes that the last create request or follow-up had no effect. */
  setUnsent(): void {
    this.#state = { ...this.#state, stage: 'unsent', job: undefined };
  }

  /** Stores the latest record of the job. If it has no link, keeps the last one seen. */
  setJob(job: Job): void {
    const { job: before, statusChanges } = this.#state;
    const { status, prLink = before?.prLink } = job;
    const isNew = status !== before?.status;
    const atMs = this.elapsedMs;
    this.#state = {
      ...this.#state,
      stage: 'known',
      job: { ...job, prLink },
      pollFailure: undefined,
      seenMs: atMs,
      statusChanges: isNew ? [...statusChanges, { status, atMs }] : statusChanges,
    };
  }

  update(changes: Partial<Omit<RunState, keyof JobState>>): void {
    this.#state = { ...this.#state, ...changes };
  }
}
