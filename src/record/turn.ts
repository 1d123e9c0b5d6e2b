import { randomBytes } from 'node:crypto';
import { expectGitHubError, GitHubError, getGitHubError } from '../github/errors.ts';
import { Stop, stopIfCanceled } from '../state/outcome.ts';
import type { EarlierJob, RecordedAttempt, Run } from '../state/run-state.ts';
import { getPreparationMs, getRemainingMs } from '../time/deadline.ts';
import { getBackOff, retry } from '../time/retry.ts';
import { type Claim, type Claimant, type Decision, decide } from './rule.ts';
import type { Saver } from './save.ts';
import type { Statuses } from './statuses.ts';
import { describeAttempt, nameAttempt, type Task } from './task.ts';
import type { Entry } from './wire-format.ts';

/** For GitHub's temporary failures, and for the job id of another attempt. */
export const PATIENCE_MS = 120_000;
const RIVAL_PAUSE_MS = 3_000;
/** GitHub's list may lag behind a write by seconds (dpb587/github-status-resource#3). */
const FIRST_READ_DELAY_MS = 250;
const LONGEST_READ_DELAY_MS = 4_000;

/** A run that may have to wait for other attempts. */
export interface Contender extends Run, Pick<Claimant, 'hasFailed'> {
  readonly task: Task;
  readonly statuses: Statuses;
  /** Holds the claim of the run. */
  readonly saver: Saver;
  /** The instant at which the wait for other attempts ends, once one has begun. */
  rivalDeadline: number | undefined;
  /** True if that wait is no shorter than the longest one. */
  isLongestWait: boolean;
  /** See `Claimant`. Known once GitHub has answered. */
  startedAtMs: number | undefined;
  /** See `Claimant`. */
  readonly awaited: Set<string>;
  /** The id of the earlier job that the run has told of. */
  toldId: string | undefined;
  /** The nonce of the newest job that failed. See `Entry`. */
  after: string | undefined;
  /** Where the changes begin, since the last job. See `Entry`. */
  start: Pick<Entry, 'since' | 'guess'> | undefined;
}

/** A decision of a run that doesn't have to wait for another attempt. */
type Turn = Exclude<Decision, { readonly kind: 'busy' }>;
type ReadClaims = (timeoutMs: number, run: Contender) => Promise<readonly Claim[]>;

/** Returns the newest job on record. Decides and throws as `take` does, but writes nothing. */
export async function look(run: Contender): Promise<EarlierJob | undefined> {
  const turn = await awaitTurn(readClaims, run);
  if (run.inputs.dryRun) {
    await tellOtherRun(turn, run);
  }
  return tellEarlierJob(turn, run);
}

/**
 * Writes the claim. Returns the id of the job on record to wait for, or undefined if this run
 * starts the job. Throws a `Stop` if it must not, or if the record can't be written and read.
 */
export async function take(run: Contender): Promise<string | undefined> {
  for (;;) {
    const turn = await awaitTurn(announce, run);
    if (turn.kind !== 'claim') {
      await tellEarlierJob(turn, run);
      await tellOtherRun(turn, run);
      return turn.kind === 'wait' ? turn.claim.jobId : undefined;
    }
    // What made the claim void has ended, so claim again.
  }
}

/**
 * Returns the newest job on record, and tells of it once. Withdraws the run's claim if that is a
 * job to wait for.
 */
async function tellEarlierJob(turn: Turn, run: Contender): Promise<EarlierJob | undefined> {
  const { tracker, emit, saver, statuses, cancel } = run;
  const isFound = turn.kind === 'wait';
  const claim = isFound ? turn.claim : turn.failed;
  const job: EarlierJob | undefined = claim && {
    kind: isFound ? 'found' : 'failed',
    jobId: claim.jobId,
    attempt: describeAttempt(claim, run),
  };
  if (job !== undefined && job.jobId !== run.toldId) {
    run.toldId = job.jobId;
    tracker.update({ earlierJob: job });
    emit({ kind: 'earlier-job', job });
  }
  if (isFound) {
    saver.withdraw(turn.claim);
    tracker.update({ request: { kind: 'attach', jobId: turn.claim.jobId } });
    await statuses.keepPlace(cancel);
  }
  return job;
}

const RECENT_MS = 3_600_000;

/** Tells of another run that has started a job for the same task, or may be starting one. */
async function tellOtherRun(turn: Turn, run: Contender): Promise<void> {
  const { claim, ageMs = 0 } = (turn.kind !== 'wait' && turn.other) || {};
  const { tracker, emit, hasFailed, inputs } = run;
  const { jobId } = claim ?? {};
  if (claim === undefined || (jobId !== undefined && (await hasFailed(jobId)))) {
    return;
  }
  tracker.update({ otherRun: { jobId, attempt: describeAttempt(claim, run) } });
  // Whoever sets `rerun` has asked for another job.
  const isNews = inputs.reuse === 'auto' && !inputs.dryRun && ageMs < RECENT_MS;
  emit({ kind: 'other-run', isNews });
}

/**
 * Throws a `Stop` for an error of GitHub's, because the run can't do without the record. While it
 * waits for another attempt, that one is the reason.
 */
export function stopWithoutRecord(error: unknown, run: Run, attempt?: RecordedAttempt): never {
  stopIfCanceled(run.cancel);
  const { message: detail, failure } = expectGitHubError(error);
  if (attempt !== undefined) {
    stopBehind(attempt, false);
  }
  throw new Stop({ result: 'not-started', code: 'record-failed', cause: failure.kind, detail });
}

function stopBehind(attempt: RecordedAttempt, isLongestWait: boolean): never {
  throw new Stop({ result: 'start-unknown', code: 'start-unknown', attempt, isLongestWait });
}

/** Decides. While another attempt may be starting the job, reads again, until the time is over. */
async function awaitTurn(readFirst: ReadClaims, run: Contender): Promise<Turn> {
  const { clock, cancel, tracker, emit, task, saver, awaited, hasFailed } = run;
  let rival: RecordedAttempt | undefined;
  for (let read = readFirst; ; read = readClaims) {
    const timeoutMs = getPreparationMs(PATIENCE_MS, run);
    const claims = await read(timeoutMs, run).catch((error) =>
      stopWithoutRecord(error, run, rival),
    );
    const nonce = saver.claim?.nonce;
    const { startedAtMs } = run;
    const decision = await decide(claims, { ...task, nonce, startedAtMs, awaited, hasFailed });
    if (decision.kind !== 'busy') {
      tracker.update({ rival: undefined });
      run.after = decision.kind === 'wait' ? undefined : decision.failed?.nonce;
      return decision;
    }
    awaited.add(decision.claim.nonce);
    rival = describeAttempt(decision.claim, run);
    tracker.update({ rival });
    if (run.rivalDeadline === undefined) {
      const waitMs = getPreparationMs(PATIENCE_MS, run);
      run.rivalDeadline = clock.now() + waitMs;
      run.isLongestWait = waitMs === PATIENCE_MS;
      emit({ kind: 'rival', rival, waitMs });
    }
    if (clock.now() >= run.rivalDeadline) {
      stopBehind(rival, run.isLongestWait);
    }
    await clock.sleep(Math.min(RIVAL_PAUSE_MS, run.rivalDeadline - clock.now()), cancel);
  }
}

/** Reads until GitHub lists the run's own claim, if it has one. Rejects with a `GitHubError`. */
async function readClaims(timeoutMs: number, run: Contender): Promise<readonly Claim[]> {
  const { clock, cancel, inputs, statuses, saver } = run;
  const until = clock.now() + timeoutMs;
  const own = saver.claim?.nonce;
  const isWhole = (claims: readonly Claim[]): boolean =>
    own === undefined || claims.some(({ nonce }) => nonce === own);
  const open = statuses.open(timeoutMs, cancel);
  const claims = await retry(
    open.readClaims,
    (found, retries) => {
      const delayMs = getBackOff(FIRST_READ_DELAY_MS, LONGEST_READ_DELAY_MS, retries);
      return isWhole(found) || clock.now() + delayMs >= until ? undefined : delayMs;
    },
    { clock, signal: cancel },
  );
  run.startedAtMs ??= open.now() - (inputs.timeoutMs - getRemainingMs(run));
  if (!isWhole(claims)) {
    throw new GitHubError('GitHub does not list the status that was just written');
  }
  return claims;
}

/** Writes a new claim, then reads until GitHub lists it. */
async function announce(timeoutMs: number, run: Contender): Promise<readonly Claim[]> {
  const { clock, cancel, tracker, emit, task, statuses, saver, after, start } = run;
  cancel.throwIfAborted();
  const until = clock.now() + timeoutMs;
  const nonce = randomBytes(8).toString('hex');
  const claim: Entry = { ...task, ...start, nonce, after, state: 'starting' };
  saver.claim = claim;
  try {
    const words = `Starting an agent job: ${nameAttempt(task)}`;
    await statuses.open(timeoutMs, cancel).write(claim, words);
  } catch (error) {
    // Keep the claim only if it may be on record nevertheless: then, it must be withdrawn.
    if (getGitHubError(error).failure.mayHaveEffect !== true) {
      saver.claim = undefined;
    }
    throw error;
  }
  tracker.update({ claim: { kind: 'open' } });
  const claims = await readClaims(until - clock.now(), run);
  if (claims.some((found) => found.nonce === nonce && found.state === 'void')) {
    saver.claim = undefined;
    tracker.update({ claim: { kind: 'off' } });
  } else {
    emit({ kind: 'recorded' });
  }
  return claims;
}
