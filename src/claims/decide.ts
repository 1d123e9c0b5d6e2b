import type { GitHubFailure } from '../github/api.ts';
import type { Reuse } from '../inputs/parsers.ts';
import type { EarlierJob, FoundJob, RecordedAttempt } from '../state/run-state.ts';
import { type Claim, type ClaimingRun, concernsRun, isEarlierAttempt } from './fold.ts';

/**
 * What the claims on record mean for a run. `start`: its own claim stands, and nothing is in its
 * way. `claim`: nothing is in its way, but no claim of its own stands. `busy`: another attempt may
 * be starting the job. `unknown`: another attempt may have started it.
 */
export type Decision =
  | { readonly kind: 'start'; readonly earlierJob: EarlierJob }
  | {
      readonly kind: 'claim';
      readonly earlierJob: EarlierJob;
      /** The nonce of the claim of the newest job on record. It has ended. */
      readonly after: string | undefined;
    }
  | {
      readonly kind: 'wait';
      readonly claim: Claim;
      readonly job: FoundJob;
    }
  | { readonly kind: 'busy'; readonly attempt: RecordedAttempt }
  | { readonly kind: 'unknown'; readonly attempt: RecordedAttempt };

/** What the service says about a job on record. `found`: the job exists, or may exist. */
export type EarlierJobStatus = 'found' | 'failed' | 'gone';

/** The run that decides. */
interface DecidingRun extends ClaimingRun {
  /** The nonce of its own claim. */
  readonly nonce: string | undefined;
  readonly ask: (jobId: string) => Promise<EarlierJobStatus>;
  readonly describe: (claim: Claim) => RecordedAttempt;
}

/**
 * Decides what a run does about earlier jobs. The rules are the rows of the table "Re-runs" in
 * docs/changes.md, in its order: the first one that applies decides. `claims` are all claims of
 * the commit, newest first. A run starts a job only on a claim that stands.
 */
export async function decide(claims: readonly Claim[], run: DecidingRun): Promise<Decision> {
  const rivals = claims.filter((claim) => isRival(claim, run));
  const jobs = await askForJobs(rivals, run);
  const decision = decideByLiveJob(jobs, rivals, run) ?? decideByOtherOpenClaim(rivals, run);
  if (decision !== undefined) {
    return decision;
  }
  const earlierJob =
    findOpenAttempt(rivals, jobs, run) ??
    toEndedJob(jobs) ??
    findOtherTask(claims, run) ??
    ({ kind: 'none' } as const);
  const own = claims.find(({ nonce }) => nonce === run.nonce);
  return own?.state === 'starting'
    ? { kind: 'start', earlierJob }
    : { kind: 'claim', earlierJob, after: jobs[0]?.claim.nonce };
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
function decideByLiveJob(
  jobs: readonly RecordedJob[],
  rivals: readonly Claim[],
  run: DecidingRun,
): Decision | undefined {
  const live = jobs.find(({ status }) => status === 'found');
  if (live === undefined) {
    return undefined;
  }
  const { claim, jobId, attempt } = live;
  const other = rivals.find(
    (rival) => !hasJob(rival) && (rival.state === 'unknown' || isEarlierAttempt(rival, run)),
  );
  const job = { kind: 'found', jobId, attempt, other: other && run.describe(other) } as const;
  return { kind: 'wait', claim, job };
}

/**
 * Rows: open claims, which have no job id yet, of another step or run. That attempt is starting the
 * job, or may have started one. The newest decides, because it has the best chance to get a job.
 */
function decideByOtherOpenClaim(rivals: readonly Claim[], run: DecidingRun): Decision | undefined {
  const newest = rivals.find((claim) => !hasJob(claim) && !isEarlierAttempt(claim, run));
  return (
    newest && {
      kind: newest.state === 'starting' ? 'busy' : 'unknown',
      attempt: run.describe(newest),
    }
  );
}

/** Row: open claims only of earlier attempts, which have ended, and may have started a job. */
function findOpenAttempt(
  rivals: readonly Claim[],
  jobs: readonly RecordedJob[],
  run: DecidingRun,
): EarlierJob | undefined {
  const [newest, ...others] = rivals.filter((claim) => !hasJob(claim));
  const hasOthers = others.length > 0 || jobs.some(({ status }) => status !== 'failed');
  return newest && { kind: 'open', attempt: run.describe(newest), hasOthers };
}

/** Rows: only jobs that failed or are gone. The newest decides. */
function toEndedJob([newest]: readonly RecordedJob[]): EarlierJob | undefined {
  return (
    newest && {
      kind: newest.status === 'gone' ? 'gone' : 'failed',
      jobId: newest.jobId,
      attempt: newest.attempt,
    }
  );
}

/**
 * Row: only a job or an open claim with another task. An earlier attempt that has claimed this task
 * has already warned, or had both tasks.
 */
function findOtherTask(claims: readonly Claim[], run: DecidingRun): EarlierJob | undefined {
  const earlier = claims.filter((claim) => isEarlierAttempt(claim, run));
  const hasSameTask = earlier.some(({ fingerprint }) => fingerprint === run.fingerprint);
  const other = earlier.find(mayHaveJob);
  return hasSameTask || other === undefined
    ? undefined
    : { kind: 'other-task', jobId: other.jobId, attempt: run.describe(other) };
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
function isRival(claim: Claim, run: DecidingRun): boolean {
  return claim.nonce !== run.nonce && mayHaveJob(claim) && concernsRun(claim, run);
}

/** False for the claim of a run that has started no job, and doesn't start one on this claim. */
function mayHaveJob({ state }: Claim): boolean {
  return state !== 'released' && state !== 'void';
}

function hasJob({ jobId }: Claim): boolean {
  return jobId !== undefined;
}
