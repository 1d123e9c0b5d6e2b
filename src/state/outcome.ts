import type { UnknownStart } from '../changes/range.ts';
import { getErrorText, InputError, type InputErrorKind } from '../errors.ts';
import type { GitHubFailure } from '../github/errors.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import type { FailedPoll, NotStarted, StartUnknown } from '../service/retry-policy.ts';
import { mayBePullRequest } from '../text/link.ts';
import type { Message } from '../text/message.ts';
import { isWaiting, type RecordedAttempt, type RunState } from './run-state.ts';

/** How a run ended. Only results that fail the step have an error code. `detail` is untrusted. */
export type Outcome =
  /** What the service says about the job. `started`: the run doesn't wait for it. */
  | {
      readonly result: 'pull-request-opened' | 'no-pull-request' | 'archived' | 'started';
      readonly code?: undefined;
    }
  | { readonly result: 'failed'; readonly code: 'job-failed' }
  /** `unchecked`: why it is unknown whether the service takes the key. */
  | { readonly result: 'dry-run'; readonly code?: undefined; readonly unchecked?: string }
  /** The state says why. */
  | { readonly result: 'skipped'; readonly code?: undefined }
  | { readonly result: 'timed-out'; readonly code: 'timed-out' }
  | { readonly result: 'cancelled'; readonly code: 'cancelled' }
  | NotStartedOutcome
  /** The request of this run may have started a job. */
  | (StartUnknown & { readonly result: 'start-unknown'; readonly attempt?: undefined })
  /** Another attempt may have started the job. This run sent nothing. */
  | {
      readonly result: 'start-unknown';
      readonly code: 'start-unknown';
      readonly attempt: RecordedAttempt;
      /** True if its claim was open for the longest wait: it will stop later attempts, too. */
      readonly isLongestWait: boolean;
    }
  | LostOutcome;

export type NotStartedOutcome = { readonly result: 'not-started' } & (
  | {
      readonly code: 'invalid-input';
      readonly kind: InputErrorKind;
      readonly problems: readonly Message[];
    }
  /**
   * GitHub doesn't say what the run must know before it sends anything. `record-failed`: that its
   * claim is on record. `pr-unknown`: whether the last job, or its pull request, is still open.
   */
  | {
      readonly code: 'record-failed' | 'pr-unknown';
      readonly cause: GitHubFailure['kind'];
      readonly detail: string;
    }
  /** A job would have to guess where the changes begin. */
  | (UnknownStart & { readonly code: 'changes-unknown' })
  /** The request was not sent, or it was refused. */
  | NotStarted
);

/** Without a reason after an error in this action. */
export interface LostOutcome extends Omit<FailedPoll, 'kind' | 'pause'> {
  readonly result: 'lost';
  readonly code: 'job-lost' | 'internal';
}

/** Thrown to end a run early with an outcome. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.result);
    this.outcome = outcome;
  }
}

/** Throws a `Stop` if the step has been canceled. */
export function stopIfCanceled(cancel: AbortSignal): void {
  if (cancel.aborted) {
    throw new Stop({ result: 'cancelled', code: 'cancelled' });
  }
}

type Effect = 'none' | 'possible' | 'certain';

/** How a run has ended, and its job then, as far as it is known. */
export type RunEnd = Readonly<ReturnType<typeof getRunEnd>>;

/**
 * Returns whether a run in this state, or with this outcome, has started a job or sent a follow-up.
 * All that is said and recorded about money follows from this.
 */
export function getEffect({ request, isUnconfirmed, job }: RunState, outcome?: Outcome): Effect {
  const isUnknown = outcome?.result === 'start-unknown' && outcome.attempt === undefined;
  if (isUnconfirmed || isUnknown) {
    return 'possible';
  }
  const hasSent = job !== undefined && request !== undefined && request.kind !== 'attach';
  return hasSent ? 'certain' : 'none';
}

/** Returns what records a run that ended in this state. */
export function getRunEnd(outcome: Outcome, state: RunState) {
  const effect = getEffect(state, outcome);
  // A job that had ended before the run found it has its end on record.
  const sawEnd = effect !== 'none' || state.statusChanges.length > 1;
  return { outcome, effect, job: state.job, sawEnd };
}

/** Returns the outcome of a job, in a run on this server. Undefined if the job hasn't ended. */
export function getFinalOutcome({ status, prLink }: Job, serverUrl: string): Outcome | undefined {
  if (!isFinalStatus(status)) {
    return undefined;
  }
  switch (status) {
    case 'completed': {
      const isOpened = mayBePullRequest(prLink, serverUrl);
      return { result: isOpened ? 'pull-request-opened' : 'no-pull-request' };
    }
    case 'archived':
      return { result: 'archived' };
    case 'failed':
      return { result: 'failed', code: 'job-failed' };
  }
}

/** Returns the outcome of a run that threw an error in this state. */
export function getErrorOutcome(error: unknown, state: RunState): Outcome {
  if (error instanceof Stop) {
    return error.outcome;
  }
  if (error instanceof InputError) {
    const { kind, problems } = error;
    return { result: 'not-started', code: 'invalid-input', kind, problems };
  }
  const detail = getErrorText(error);
  if (getEffect(state) === 'possible') {
    return { result: 'start-unknown', code: 'internal', detail: `internal error: ${detail}` };
  }
  return { result: isWaiting(state) ? 'lost' : 'not-started', code: 'internal', detail };
}
