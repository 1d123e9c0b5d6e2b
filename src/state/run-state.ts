import type { PathsDecision, Skip } from '../changes/decide.ts';
import type { ChangesReading } from '../changes/read-changes.ts';
import type { ApiLimits, GitHubApi } from '../github/api.ts';
import type { GitHubContext } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { AgentApi } from '../service/agent-client.ts';
import type { Job, JobRequest } from '../service/job.ts';
import type { NotStarted } from '../service/retry-policy.ts';
import type { Redact } from '../text/redact.ts';
import type { Clock, Timing } from '../time/deadline.ts';

/** Everything that a run depends on. */
export interface Run extends Timing {
  readonly inputs: Inputs;
  readonly agent: AgentApi;
  readonly github: GitHubContext;
  /** Opens the repository of the workflow. */
  readonly openGitHub: (limits: ApiLimits) => GitHubApi;
  /** Opens the repository of a pull request, such as `acme/docs`, with the token for it. */
  readonly openPullRequests: (limits: ApiLimits, repository: string) => GitHubApi;
  /** Without its state: what a run does follows from what its functions return. */
  readonly tracker: Pick<RunTracker, 'setJob' | 'addPoll' | 'update'>;
  readonly emit: (event: RunEvent) => void;
  readonly redact: Redact;
}

/** What happens during a run. The state says the rest. All texts are untrusted. */
export type RunEvent =
  /** The run reads and writes records on GitHub next, which can take seconds. */
  | { readonly kind: 'looking' }
  /** A job is on record. */
  | { readonly kind: 'earlier-job'; readonly job: EarlierJob }
  /** Another attempt may be starting the job. The run waits for its id, for this long at most. */
  | { readonly kind: 'rival'; readonly rival: RecordedAttempt; readonly waitMs: number }
  /** The claim of this run is on record. */
  | { readonly kind: 'recorded' }
  /** Another run has started a job for the same task, or may be starting one. */
  | { readonly kind: 'other-run'; readonly isNews: boolean }
  /** This job failed, or hasn't ended, so that the changes begin before it. */
  | { readonly kind: 'undone-job'; readonly jobId: string; readonly state: 'failed' | 'at-work' }
  /** There is no record in sight, so the changes begin at the commit before the push. */
  | { readonly kind: 'no-record' }
  /** The pull request of the last job was closed without a merge. */
  | { readonly kind: 'closed-pull-request'; readonly link: string }
  /** What changed has been read. */
  | { readonly kind: 'changes' }
  /** The input `paths` starts the job. */
  | { readonly kind: 'paths' }
  /** The prompt lacks some of the requested facts about the changes. */
  | { readonly kind: 'missing-facts' }
  /** The run sends the request of its state next, or waits for its job. */
  | { readonly kind: 'request' }
  /** The first byte of a create request or follow-up is written next, for each try. */
  | { readonly kind: 'sending' }
  | { readonly kind: 'retry'; readonly failure: NotStarted; readonly delayMs: number }
  /** The id of the job is known. */
  | { readonly kind: 'job' }
  /** One request to read the job has ended. */
  | { readonly kind: 'poll' }
  | { readonly kind: 'wait'; readonly event: PollEvent }
  | { readonly kind: 'unread-pull-request'; readonly reason: string };

/** What happens while the run waits for the job. Only some of it is logged. */
export type PollEvent =
  | { readonly kind: 'read'; readonly job: Job }
  | { readonly kind: 'failed'; readonly detail: string; readonly isLast: boolean }
  /** The service asked for a pause; the next poll comes after `delayMs`. */
  | { readonly kind: 'paused'; readonly delayMs: number; readonly detail: string }
  /** Part of a long sleep has passed. */
  | { readonly kind: 'tick' };

/** An attempt that has started a job, or may have. */
export interface RecordedAttempt {
  readonly runId: number;
  readonly attempt: number;
  /** Link to the page of the attempt. */
  readonly page: string;
  readonly isOtherRun: boolean;
  /** False for an earlier attempt of the run, which has ended. */
  readonly mayRun: boolean;
  /** When it wrote its claim, in milliseconds since 1970. */
  readonly atMs?: number | undefined;
}

/** The newest job on record. `found`: the run waits for it. `failed`: it starts another one. */
export interface EarlierJob {
  readonly kind: 'found' | 'failed';
  readonly jobId: string;
  readonly attempt: RecordedAttempt;
}

/**
 * What is on record of this run. `off`: nothing that counts. `open`: its claim. `settled`: the id
 * of its job, or that it started none. `unsettled`: its claim may be open on record, because that
 * couldn't be written (untrusted detail).
 */
type ClaimState =
  | { readonly kind: 'off' | 'open' | 'settled' }
  | { readonly kind: 'unsettled'; readonly detail: string };

/** Everything that the run knows so far. Words about cost and re-runs are made from it alone. */
export interface RunState {
  readonly request?: JobRequest | undefined;
  /** True while a create request or follow-up was sent, and its result is unknown. */
  readonly isUnconfirmed: boolean;
  readonly job?: Job | undefined;
  readonly claim: ClaimState;
  /** Undefined if there is no job on record, or if the run hasn't looked. */
  readonly earlierJob?: EarlierJob | undefined;
  /** Another attempt that may be starting the job. Stays set if the run stops waiting for it. */
  readonly rival?: RecordedAttempt | undefined;
  /** Another run with a job for the same task. The job is unknown while it may be starting one. */
  readonly otherRun?: Pick<EarlierJob, 'attempt'> & { readonly jobId: string | undefined };
  /** Undefined until the changes have been read, and if no input needs them. */
  readonly changes?: ChangesReading | undefined;
  /** Undefined unless `paths` has started the job. */
  readonly paths?: PathsDecision | undefined;
  /** Why a real run is skipped. Undefined if it isn't. */
  readonly skip?: Skip | undefined;
  /** When the last create request or follow-up was sent, in milliseconds since 1970. */
  readonly sentAt?: number | undefined;
  readonly polls: number;
  /** Why the last poll failed (untrusted). Undefined if it succeeded. */
  readonly pollFailure?: string | undefined;
  /** When a response last had the record of the job. */
  readonly seenMs?: number | undefined;
  /** The statuses in order, each with the time at which it was first seen. */
  readonly statusChanges: readonly { readonly status: string; readonly atMs: number }[];
}

/** True if the inputs or the record name a job to wait for, or the request has started one. */
export function isWaiting({ job, request }: RunState): boolean {
  return job !== undefined || request?.kind === 'attach';
}

/** Returns the id that the service returned or that the request names. */
export function getJobId({ job, request }: RunState): string | undefined {
  return job?.id ?? request?.jobId;
}

/** Holds the state of a run, an immutable snapshot. Times count from the start of the action. */
export class RunTracker {
  /** Instant of the clock at which the action started. */
  readonly startedAt: number;
  readonly #clock: Clock;
  #state: RunState = {
    isUnconfirmed: false,
    claim: { kind: 'off' },
    polls: 0,
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

  /**
   * Stores the latest record of the job, and forgets a failed poll. Returns the record with the
   * last link seen.
   */
  setJob(latest: Job): Job {
    const { job: before, statusChanges } = this.#state;
    const { status, prLink = before?.prLink } = latest;
    const job = { ...latest, prLink };
    const isNew = status !== before?.status;
    const atMs = this.elapsedMs;
    this.#state = {
      ...this.#state,
      isUnconfirmed: false,
      job,
      pollFailure: undefined,
      seenMs: atMs,
      statusChanges: isNew ? [...statusChanges, { status, atMs }] : statusChanges,
    };
    return job;
  }

  /** Counts a poll. `failure`: why it failed (untrusted). */
  addPoll(failure: string | undefined): void {
    this.update({ polls: this.#state.polls + 1, pollFailure: failure });
  }

  update(changes: Partial<Omit<RunState, 'job'>>): void {
    this.#state = { ...this.#state, ...changes };
  }
}
