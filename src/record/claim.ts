import { getHalfOfRemainingMs } from '../clock.ts';
import type { RunDependencies } from '../dependencies.ts';
import { InputError } from '../errors.ts';
import { getGitHubError } from '../github/api.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { CANCELLED, Stop } from '../outcome.ts';
import type { EarlierJob } from '../state.ts';
import { type AskJob, askService, type Decision, judge } from './judge.ts';
import type { JobRecord } from './record.ts';

const FIRST_TIMEOUT_MS = 5_000;
const TIMEOUT_MS = 20_000;
const RIVAL_TIMEOUT_MS = 120_000;
const RIVAL_PAUSE_MS = 3_000;

export interface Claimant {
  /**
   * Returns the id of an earlier job to wait for. With `reuse: rerun`, a first attempt leaves this
   * to `take`.
   */
  look(): Promise<string | undefined>;
  /**
   * Writes the claim. Returns the id of the job to wait for, or undefined if this run starts the
   * job.
   */
  take(): Promise<string | undefined>;
}

/**
 * Decides whether a run starts its job or waits for the job of an earlier attempt or another run.
 * Each run writes a claim before the create request. The oldest open claim wins: its run starts the
 * job. The other runs release their claims, and wait for that job.
 */
export function createClaim(
  { reuse, dryRun }: Inputs,
  record: JobRecord,
  dependencies: RunDependencies,
): Claimant {
  const { github, tracker, emit, clock, cancel } = dependencies;
  const isFirst = reuse === 'rerun' && github.runAttempt === 1;
  const answers = new Map<string, ReturnType<AskJob>>();
  /** Instant at which this run gives up waiting for the job of another attempt. */
  let rivalDeadline: number | undefined;

  /** Asks the service only once about each job. */
  const ask: AskJob = (jobId) => {
    const answer = answers.get(jobId) ?? askService(jobId, dependencies);
    answers.set(jobId, answer);
    return answer;
  };

  function report(earlierJob: EarlierJob): void {
    // A first attempt normally has no earlier job, so don't report that.
    if (earlierJob.kind !== 'none' || !isFirst) {
      tracker.update({ earlierJob });
      emit({ kind: 'earlier-job', earlierJob });
    }
  }

  /**
   * Judges the claims. If GitHub fails, throws a `Stop` unless the run may start its job anyway.
   */
  async function decide(readClaims: JobRecord['read']): Promise<Decision> {
    try {
      const timeoutMs = isFirst ? FIRST_TIMEOUT_MS : TIMEOUT_MS;
      const claims = await readClaims(Math.min(timeoutMs, getHalfOfRemainingMs(dependencies)));
      return await judge(claims, record.getClaim(), { github, isAnyRun: reuse === 'release', ask });
    } catch (error) {
      if (error instanceof InputError) {
        throw error;
      }
      if (cancel.aborted) {
        throw new Stop(CANCELLED);
      }
      const { failure, message: detail } = getGitHubError(error);
      const { kind } = failure;
      tracker.update({ record: { kind, detail } });
      const mayStart = rivalDeadline === undefined && (isFirst || kind !== 'unavailable');
      if (reuse !== 'rerun' || !mayStart) {
        throw new Stop({ outcome: 'not-started', code: 'reuse-unknown', detail });
      }
      return { kind: 'start', earlierJob: { kind: 'unreadable', problem: kind, detail, isFirst } };
    }
  }

  /**
   * Returns the id of the job to wait for, or undefined if the run may start its own job. Judges
   * the claims again while another attempt is starting the job. Throws a `Stop` if that takes too
   * long.
   */
  async function find(mayClaim: boolean): Promise<string | undefined> {
    for (let isClaiming = mayClaim; ; ) {
      const decision = await decide(isClaiming ? record.announce : record.read);
      if (decision.kind === 'start') {
        if (mayClaim && !isClaiming) {
          // The other attempt has started no job.
          isClaiming = true;
          continue;
        }
        // In a real run, `take` judges again.
        if (dryRun || mayClaim) {
          report(decision.earlierJob);
        }
        return undefined;
      }
      record.release();
      isClaiming = false;
      const { attempt } = decision;
      if (decision.kind === 'wait') {
        record.follow(decision.claim);
        report({ kind: 'found', jobId: decision.jobId, attempt });
        return decision.jobId;
      }
      if (decision.kind === 'busy' && dryRun) {
        report({ kind: 'starting', attempt });
        return undefined;
      }
      if (decision.kind === 'busy' && rivalDeadline === undefined) {
        const waitMs = Math.min(RIVAL_TIMEOUT_MS, getHalfOfRemainingMs(dependencies));
        rivalDeadline = clock.now() + waitMs;
        emit({ kind: 'rival', attempt, waitMs });
      }
      if (decision.kind === 'unknown' || clock.now() >= (rivalDeadline ?? 0)) {
        throw new Stop({ outcome: 'start-unknown', code: 'start-unknown', attempt });
      }
      await clock.sleep(RIVAL_PAUSE_MS, cancel);
    }
  }

  return {
    look: async () => (isFirst && !dryRun ? undefined : find(false)),
    take: () => find(true),
  };
}
