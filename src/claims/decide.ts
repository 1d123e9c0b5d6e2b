import type { GitHubFailure } from '../github/api.ts';
import type { Reuse } from '../inputs/parsers.ts';
import type { EarlierJob, RecordedAttempt } from '../state/run-state.ts';
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
interface Decider {
  readonly runId: number;
  readonly runAttempt: number;
  readonly fingerprint: string;
  /** The nonce of the claim that this run has written. */
  readonly ownNonce: string;
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
  const own = claims.find(({ nonce }) => nonce === decider.ownNonce);
  const rivals = claims.filter((claim) => isRival(claim, own, decider));

  // Row: a job that is active, completed, archived, or temporarily unreadable.
  const ended: EarlierJob[] = [];
  for (const claim of rivals) {
    const { jobId } = claim;
    if (jobId !== undefined) {
      const attempt = describe(claim);
      const answer = await ask(jobId);
      if (answer === 'found') {
        return { kind: 'wait', claim, jobId, attempt };
      }
      ended.push({ kind: answer, jobId, attempt });
    }
  }

  // Rows: open claims.
  const oldestOpen = rivals.findLast(
    (claim) => claim.jobId === undefined && !isReplaced(claim, rivals),
  );
  if (oldestOpen !== undefined) {
    return decideByOpenClaim(oldestOpen, decider);
  }

  // Rows: only jobs that failed or are gone.
  const [newest] = ended;
  if (newest !== undefined) {
    return { kind: 'start', earlierJob: newest };
  }

  // Row: only a job or an open claim with another task. An earlier attempt that has claimed this
  // task has already warned, or had both tasks.
  const hasSameTask = claims.some(
    (claim) => claim.fingerprint === decider.fingerprint && isEarlierAttempt(claim, decider),
  );
  const changed = hasSameTask ? undefined : claims.find((claim) => isChangedTask(claim, decider));
  if (changed !== undefined) {
    const { jobId } = changed;
    const attempt = describe(changed);
    const earlierJob: EarlierJob =
      jobId === undefined ? { kind: 'open', attempt } : { kind: 'other-task', jobId, attempt };
    return { kind: 'start', earlierJob };
  }

  // Row: no jobs, or jobs that never started.
  return { kind: 'start', earlierJob: { kind: 'none' } };
}

/** The rows about open claims: claims without a job id. `claim` is the oldest of them. */
function decideByOpenClaim(claim: Claim, decider: Decider): Decision {
  const attempt = decider.describe(claim);
  // It has ended, and may have started a job.
  if (isEarlierAttempt(claim, decider)) {
    return { kind: 'start', earlierJob: { kind: 'open', attempt } };
  }
  // Another step or run is starting the job, or may have started one.
  return { kind: claim.state === 'starting' ? 'busy' : 'unknown', attempt };
}

/**
 * The last two rows: true if the run may start its job although the claims can't be read or
 * written. `isFirst`: an
 * earlier attempt can't exist. `hasSeenRival`: another step or run was about to start the job.
 */
export function mayStartWithoutRecord(
  problem: GitHubFailure['kind'],
  { reuse, isFirst, hasSeenRival }: { reuse: Reuse; isFirst: boolean; hasSeenRival: boolean },
): boolean {
  if (reuse === 'release' || hasSeenRival) {
    return false;
  }
  // Without the permission, a later attempt could not read the record either.
  return isFirst || problem !== 'unavailable';
}

/** True if another attempt or step may start, or has started, the job that this run asks for. */
function isRival(claim: Claim, own: Claim | undefined, decider: Decider): boolean {
  if (claim === own || claim.state === 'released') {
    return false;
  }
  if (claim.fingerprint !== decider.fingerprint) {
    return false;
  }
  if (own !== undefined && claim.state === 'starting' && claim.order > own.order) {
    // It waits for this run.
    return false;
  }
  return decider.isAnyRun || claim.runId === decider.runId;
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

/** True if an earlier attempt of this run has started a job for something else, or may have. */
function isChangedTask(claim: Claim, decider: Decider): boolean {
  return (
    claim.fingerprint !== decider.fingerprint &&
    claim.state !== 'released' &&
    isEarlierAttempt(claim, decider)
  );
}
