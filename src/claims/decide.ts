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

/** What the service says about a job on record. `found`: the job exists, or may exist. */
export type EarlierJobStatus = 'found' | 'failed' | 'gone';

/** The run that decides. */
interface DecidingRun {
  readonly runId: number;
  readonly runAttempt: number;
  readonly fingerprint: string;
  /** The nonce of the claim that this run has written last. */
  readonly ownNonce: string | undefined;
  /** True if claims of other runs count, too. */
  readonly isAnyRun: boolean;
  readonly ask: (jobId: string) => Promise<EarlierJobStatus>;
  readonly describe: (claim: Claim) => RecordedAttempt;
}

/**
 * Decides what a run does about earlier jobs. The rules are the rows of the table "Re-runs" in
 * docs/releases.md, in its order: the first one that applies decides. `claims` are all claims of
 * the commit, newest first.
 */
export async function decide(claims: readonly Claim[], run: DecidingRun): Promise<Decision> {
  const own = claims.find(({ nonce }) => nonce === run.ownNonce);
  const rivals = claims.filter((claim) => isRival(claim, own, run));
  const jobs = await askForJobs(rivals, run);
  return (
    decideByLiveJob(jobs) ??
    decideByOpenClaim(rivals, run) ??
    decideByEndedJob(jobs) ??
    decideByOtherTask(claims, run) ?? { kind: 'start', earlierJob: { kind: 'none' } }
  );
}

/** A job on record, and what the service says about it. */
interface RecordedJob {
  readonly claim: Claim;
  readonly jobId: string;
  readonly attempt: RecordedAttempt;
  readonly status: EarlierJobStatus;
}

/** Asks the service about the jobs of the claims, newest first, up to the first one it finds. */
async function askForJobs(
  claims: readonly Claim[],
  { ask, describe }: DecidingRun,
): Promise<RecordedJob[]> {
  const jobs: RecordedJob[] = [];
  for (const claim of claims) {
    const { jobId } = claim;
    if (jobId !== undefined) {
      const status = await ask(jobId);
      jobs.push({ claim, jobId, attempt: describe(claim), status });
      if (status === 'found') {
        break;
      }
    }
  }
  return jobs;
}

/** Row: a job that is active, completed, archived, or temporarily unreadable. */
function decideByLiveJob(jobs: readonly RecordedJob[]): Decision | undefined {
  const live = jobs.find(({ status }) => status === 'found');
  return live && { kind: 'wait', claim: live.claim, jobId: live.jobId, attempt: live.attempt };
}

/** Rows: open claims, which have no job id yet. The oldest decides. */
function decideByOpenClaim(rivals: readonly Claim[], run: DecidingRun): Decision | undefined {
  const oldest = rivals.findLast(
    (claim) => claim.jobId === undefined && !isReplaced(claim, rivals),
  );
  if (oldest === undefined) {
    return undefined;
  }
  const attempt = run.describe(oldest);
  // An earlier attempt of this run has ended, and may have started a job.
  if (isEarlierAttempt(oldest, run)) {
    return { kind: 'start', earlierJob: { kind: 'open', attempt } };
  }
  // Another step or run is starting the job, or may have started one.
  return { kind: oldest.state === 'starting' ? 'busy' : 'unknown', attempt };
}

/** Rows: only jobs that failed or are gone. The newest decides. */
function decideByEndedJob([newest]: readonly RecordedJob[]): Decision | undefined {
  if (newest === undefined) {
    return undefined;
  }
  const { status: kind, jobId, attempt } = newest;
  return { kind: 'start', earlierJob: { kind, jobId, attempt } };
}

/**
 * Row: only a job or an open claim with another task. An earlier attempt that has claimed this task
 * has already warned, or had both tasks.
 */
function decideByOtherTask(claims: readonly Claim[], run: DecidingRun): Decision | undefined {
  const earlier = claims.filter((claim) => isEarlierAttempt(claim, run));
  const hasSameTask = earlier.some(({ fingerprint }) => fingerprint === run.fingerprint);
  const other = earlier.find(({ state }) => state !== 'released');
  if (hasSameTask || other === undefined) {
    return undefined;
  }
  const { jobId } = other;
  const attempt = run.describe(other);
  return { kind: 'start', earlierJob: { kind: 'other-task', jobId, attempt } };
}

/**
 * The last two rows: true if the run may start its job although the claims can't be read or
 * written. `isFirst`: an earlier attempt can't exist. `hasSeenRival`: another step or run was about
 * to start the job.
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
function isRival(claim: Claim, own: Claim | undefined, run: DecidingRun): boolean {
  if (claim === own || claim.state === 'released') {
    return false;
  }
  if (claim.fingerprint !== run.fingerprint) {
    return false;
  }
  if (own !== undefined && claim.state === 'starting' && claim.order > own.order) {
    // It waits for this run.
    return false;
  }
  return run.isAnyRun || claim.runId === run.runId;
}

/** True if a later attempt of the same run has claimed since then, so that its claim counts. */
function isReplaced({ runId, attempt, order }: Claim, claims: readonly Claim[]): boolean {
  return claims.some(
    (later) => later.runId === runId && later.attempt > attempt && later.order > order,
  );
}

function isEarlierAttempt({ runId, attempt }: Claim, run: DecidingRun): boolean {
  return runId === run.runId && attempt < run.runAttempt;
}
