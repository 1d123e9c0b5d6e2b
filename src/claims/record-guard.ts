import { getHalfOfRemainingMs } from '../clock.ts';
import { GitHubError } from '../github/api.ts';
import { getAttemptPage } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { CANCELLED, Stop } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';
import type { EarlierJob, RecordedAttempt, Rival } from '../state/run-state.ts';
import { askService } from './ask-service.ts';
import { type Decision, decide, type EarlierJobStatus, mayStartWithoutRecord } from './decide.ts';
import type { Claim } from './fold.ts';
import { type ClaimStore, getScope } from './store.ts';

const FIRST_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 20_000;

type ReadClaims = (timeoutMs: number) => Promise<readonly Claim[]>;

/** Lets a run go on only as far as the claims on record allow. */
export class RecordGuard {
  /** True if an earlier attempt can't exist, so that the record is not worth a long wait. */
  readonly isFirst: boolean;
  readonly #inputs: Inputs;
  readonly #store: ClaimStore;
  readonly #run: Run;
  /** Asks the service only once about each job. */
  readonly #statuses = new Map<string, Promise<EarlierJobStatus>>();

  constructor(inputs: Inputs, store: ClaimStore, run: Run) {
    this.#inputs = inputs;
    this.#store = store;
    this.#run = run;
    this.isFirst = inputs.reuse === 'rerun' && run.github.runAttempt === 1;
  }

  /**
   * Reads the claims, asks the service about their jobs, and returns what the run does next. Tells
   * the tracker what is in the way of the run. If GitHub fails, throws a `Stop` unless the run may
   * start its job. `hasSeenRival`: another step or run was about to start the job.
   */
  async decideOrStop(readClaims: ReadClaims, hasSeenRival: boolean): Promise<Decision> {
    const { github, tracker } = this.#run;
    const { runId = 0, runAttempt: attempt } = github;
    const limitMs = this.isFirst && !hasSeenRival ? FIRST_TIMEOUT_MS : TIMEOUT_MS;
    const timeoutMs = Math.min(limitMs, getHalfOfRemainingMs(this.#run));
    const claims = await readClaims(timeoutMs).catch(returnGitHubError);
    if (claims instanceof GitHubError) {
      return this.#decideWithoutRecord(claims, hasSeenRival);
    }
    const { fingerprint, nonce } = this.#store;
    const decision = await decide(claims, {
      fingerprint,
      scope: getScope(this.#inputs),
      runId,
      attempt,
      nonce,
      ask: (jobId) => this.#ask(jobId),
      describe: (claim) => this.#describe(claim),
    });
    tracker.update({ rival: getRival(decision) });
    return decision;
  }

  /** Reports the earlier job. A first attempt normally has none, and then nothing is reported. */
  report(earlierJob: EarlierJob): void {
    if (earlierJob.kind !== 'none' || !this.isFirst) {
      this.#run.tracker.update({ earlierJob });
      this.#run.emit({ kind: 'earlier-job' });
    }
  }

  #decideWithoutRecord({ failure, message: detail }: GitHubError, hasSeenRival: boolean): Decision {
    const { cancel, tracker } = this.#run;
    if (cancel.aborted) {
      throw new Stop(CANCELLED);
    }
    const { isFirst } = this;
    const { reuse } = this.#inputs;
    const problem = failure.kind;
    const isClaimed = tracker.state.claim.kind === 'open';
    tracker.update({ claim: { kind: problem, detail, httpStatus: failure.httpStatus } });
    if (!mayStartWithoutRecord(problem, { reuse, isFirst, hasSeenRival })) {
      throw new Stop({ result: 'not-started', code: 'reuse-unknown', detail, failure });
    }
    return {
      kind: 'start',
      earlierJob: { kind: 'unreadable', problem, detail, isFirst, isClaimed },
    };
  }

  #ask(jobId: string): Promise<EarlierJobStatus> {
    const status = this.#statuses.get(jobId) ?? askService(jobId, this.#run);
    this.#statuses.set(jobId, status);
    return status;
  }

  #describe({ runId, attempt }: Claim): RecordedAttempt {
    const { github } = this.#run;
    const isOtherRun = runId !== github.runId;
    const isSameAttempt = !isOtherRun && attempt === github.runAttempt;
    const page = getAttemptPage(github, runId, attempt);
    return { runId, attempt, page, isOtherRun, isSameAttempt };
  }
}

/** Any other error is a bug, which must not look as if GitHub were down. */
function returnGitHubError(error: unknown): GitHubError {
  if (error instanceof GitHubError) {
    return error;
  }
  throw error;
}

/** Returns the attempt that is starting the job, or may have started it. */
function getRival(decision: Decision): Rival | undefined {
  return decision.kind === 'busy' || decision.kind === 'unknown'
    ? { ...decision.attempt, isUnknown: decision.kind === 'unknown' }
    : undefined;
}
