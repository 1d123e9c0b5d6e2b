import type { EarlierJob, RecordedAttempt } from '../state.ts';
import type { Claim } from './status.ts';

/**
 * What the claims on record mean for a run. `busy`: another attempt may be starting the job.
 * `unknown`: another attempt may have started it.
 */
export type Decision =
  | { readonly kind: 'start'; readonly earlierJob: EarlierJob }
  | {
      readonly kind: 'wait';
      readonly claim: Claim;
      readonly jobId: string;
      readonly attempt: RecordedAttempt;
    }
  | { readonly kind: 'busy' | 'unknown'; readonly attempt: RecordedAttempt };

/** What the service says about a job. Asked only for jobs on record. */
export type Answer = 'found' | 'failed' | 'gone';

/** A run that decides. */
export interface Decider {
  readonly runId: number;
  readonly runAttempt: number;
  readonly fingerprint: string;
  /** The claim that this run has written. */
  readonly ownClaim: string | undefined;
  /** True if claims of other runs count, too. */
  readonly isAnyRun: boolean;
  readonly ask: (jobId: string) => Promise<Answer>;
  readonly describe: (claim: Claim) => RecordedAttempt;
}

/**
 * Decides what a run does about earlier jobs, by the rules of the table "Re-runs" in
 * docs/releases.md, in its order. `claims` are all claims of the commit, newest first.
 */
export async function decide(claims: readonly Claim[], decider: Decider): Promise<Decision> {
  const { ask, describe } = decider;
  const others = claims.filter((claim) => mayPrecede(claim, claims, decider));

  // A job that is active, completed, archived, or temporarily unreadable.
  for (const claim of others) {
    const { jobId } = claim;
    if (jobId !== undefined && (await ask(jobId)) === 'found') {
      return { kind: 'wait', claim, jobId, attempt: describe(claim) };
    }
  }

  // Of the open claims, the oldest decides.
  const open = others.filter((claim) => claim.jobId === undefined && !isReplaced(claim, others));
  const oldest = open.at(-1);
  if (oldest !== undefined && !isEarlierAttempt(oldest, decider)) {
    // Another step or run is starting the job, or may have started one, but the id is missing.
    const kind = oldest.state === 'starting' ? 'busy' : 'unknown';
    return { kind, attempt: describe(oldest) };
  }
  if (oldest !== undefined) {
    // An earlier attempt of this run may have started a job, but the id is missing.
    return { kind: 'start', earlierJob: { kind: 'open', attempt: describe(oldest) } };
  }

  // Only jobs that failed, or that the service hasn't found for a minute: the newest decides.
  const newest = others.find(({ jobId }) => jobId !== undefined);
  if (newest?.jobId !== undefined) {
    const { jobId } = newest;
    const kind = await ask(jobId);
    return { kind: 'start', earlierJob: { kind, jobId, attempt: describe(newest) } };
  }

  // Only a job with another task: other prompt, project, address, or paths.
  const hasSameTask = claims.some(
    (claim) => claim.fingerprint === decider.fingerprint && isEarlierAttempt(claim, decider),
  );
  const changed = hasSameTask ? undefined : claims.find((claim) => isChangedTask(claim, decider));
  if (changed?.jobId !== undefined) {
    const { jobId } = changed;
    const attempt = describe(changed);
    return { kind: 'start', earlierJob: { kind: 'other-task', jobId, attempt } };
  }

  // No jobs, or jobs that never started.
  return { kind: 'start', earlierJob: { kind: 'none' } };
}

/**
 * True if a claim of another attempt or step for the same job counts. A claim that is younger than
 * the run's own and still `starting` doesn't: its run waits for this run.
 */
function mayPrecede(
  claim: Claim,
  claims: readonly Claim[],
  { fingerprint, ownClaim, runId, isAnyRun }: Decider,
): boolean {
  const own = claims.find((other) => other.claim === ownClaim);
  const isSameJob = claim.fingerprint === fingerprint;
  const isInScope = isAnyRun || claim.runId === runId;
  const isOver = claim.state === 'released' || claim === own;
  const waitsForThisRun =
    own !== undefined && claim.state === 'starting' && claim.order > own.order;
  return isSameJob && isInScope && !isOver && !waitsForThisRun;
}

/** True if a later attempt of the same run has claimed since then, so that its claim counts. */
function isReplaced({ runId, attempt, order }: Claim, claims: readonly Claim[]): boolean {
  return claims.some(
    (later) => later.runId === runId && later.attempt > attempt && later.order > order,
  );
}

function isEarlierAttempt({ runId, attempt }: Claim, decider: Decider): boolean {
  return runId === decider.runId && attempt < decider.runAttempt;
}

/** True for a job that an earlier attempt of this run has started for something else. */
function isChangedTask(claim: Claim, decider: Decider): boolean {
  return (
    claim.fingerprint !== decider.fingerprint &&
    claim.state === 'job' &&
    isEarlierAttempt(claim, decider)
  );
}
