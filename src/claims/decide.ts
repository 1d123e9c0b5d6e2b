import type { GitHubFailure } from '../github/api.ts';
import type { Reuse } from '../inputs/read-inputs.ts';
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
interface Decider {
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
  const own = claims.find(({ claim }) => claim === decider.ownClaim);
  const rivals = claims.filter((claim) => isRival(claim, own, decider));

  // A job that is active, completed, archived, or temporarily unreadable.
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

  const oldestOpen = rivals.findLast(
    (claim) => claim.jobId === undefined && !isReplaced(claim, rivals),
  );
  if (oldestOpen !== undefined) {
    return decideByOpenClaim(oldestOpen, decider);
  }

  // Only jobs that failed, or that the service hasn't found for a minute: the newest decides.
  const [newest] = ended;
  if (newest !== undefined) {
    return { kind: 'start', earlierJob: newest };
  }

  // Only a job with another task: other prompt, project, address, or paths. An earlier attempt that
  // has claimed this task has already warned, or had both tasks.
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

/** Decides by a claim whose job id is missing. */
function decideByOpenClaim(claim: Claim, decider: Decider): Decision {
  const attempt = decider.describe(claim);
  // An earlier attempt of this run has ended, and may have started a job.
  if (isEarlierAttempt(claim, decider)) {
    return { kind: 'start', earlierJob: { kind: 'open', attempt } };
  }
  // Another step or run is starting the job, or may have started one.
  return { kind: claim.state === 'starting' ? 'busy' : 'unknown', attempt };
}

/**
 * True if the run may start its job although the claims can't be read or written. `isFirst`: an
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

/** True for a job that an earlier attempt of this run has started for something else. */
function isChangedTask(claim: Claim, decider: Decider): boolean {
  return (
    claim.fingerprint !== decider.fingerprint &&
    claim.state === 'job' &&
    isEarlierAttempt(claim, decider)
  );
}
