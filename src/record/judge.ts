import { getHalfOfRemainingMs, getRemainingMs, type RunContext } from '../clock.ts';
import type { RunDependencies } from '../dependencies.ts';
import { type GitHubContext, getAttemptPage } from '../github/context.ts';
import { retry } from '../retry.ts';
import { isMissing } from '../service/agent-client.ts';
import type { EarlierJob, RecordedAttempt } from '../state.ts';
import type { Claim } from './status.ts';

/**
 * What the claims mean for a run. `busy`: another attempt may be starting the job. `unknown`: may
 * have started it.
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

/** What the service says about a recorded job. */
type Answer = 'found' | 'failed' | 'gone';
export type AskJob = (jobId: string) => Promise<Answer>;

const ASK_TIMEOUT_MS = 10_000;
const GONE_AFTER_MS = 60_000;
const GONE_PAUSE_MS = 10_000;

/**
 * Judges the claims of other attempts, newest first. The run waits for the newest job that hasn't
 * failed or disappeared. If there is no such job, a claim without a job id takes precedence over
 * the newest claim. Ignores claims that are newer than `ownClaim` and still `starting`: their runs
 * wait for this run. With `isAnyRun`, also judges claims of other runs.
 */
export async function judge(
  claims: readonly Claim[],
  ownClaim: string | undefined,
  { github, isAnyRun, ask }: { github: GitHubContext; isAnyRun: boolean; ask: AskJob },
): Promise<Decision> {
  const { runId, runAttempt } = github;
  const describe = ({ runId: run, attempt }: Claim): RecordedAttempt => {
    return {
      runId: run,
      attempt,
      page: getAttemptPage(github, run, attempt),
      isOtherRun: run !== runId,
    };
  };
  const own = claims.find(({ claim }) => claim === ownClaim);
  const others = claims.filter(
    (other) =>
      other.state !== 'released' &&
      other !== own &&
      (other.runId === runId || isAnyRun) &&
      (other.state !== 'starting' || own === undefined || other.order < own.order),
  );
  for (const claim of others) {
    const { jobId } = claim;
    if (jobId !== undefined && (await ask(jobId)) === 'found') {
      return { kind: 'wait', claim, jobId, attempt: describe(claim) };
    }
  }
  // The claim of a later attempt replaces an open claim of an earlier attempt of the same run.
  const open = others.filter(
    (other) =>
      other.jobId === undefined &&
      !others.some((later) => later.runId === other.runId && later.attempt > other.attempt),
  );
  const isEarlier = (other: Claim): boolean => other.runId === runId && other.attempt < runAttempt;
  const claim = open.find((other) => !isEarlier(other)) ?? open[0] ?? others[0];
  if (claim === undefined) {
    return { kind: 'start', earlierJob: { kind: 'none' } };
  }
  const { jobId, state } = claim;
  const attempt = describe(claim);
  if (jobId !== undefined) {
    return { kind: 'start', earlierJob: { kind: await ask(jobId), jobId, attempt } };
  }
  return isEarlier(claim)
    ? { kind: 'start', earlierJob: { kind: 'open', attempt } }
    : { kind: state === 'unknown' ? 'unknown' : 'busy', attempt };
}

/**
 * Asks the service about a recorded job. Returns `failed` only if the service says so, and `gone`
 * only if the service returns 404 or 410 for a minute. In any other case, returns `found`, because
 * a second job would cost credits.
 */
export async function askService(
  jobId: string,
  run: RunContext & Pick<RunDependencies, 'agent'>,
): Promise<Answer> {
  const { agent, clock, cancel } = run;
  const goneAt = clock.now() + GONE_AFTER_MS;
  const until = Math.min(goneAt, clock.now() + getHalfOfRemainingMs(run));
  const result = await retry(
    () => {
      const timeoutMs = Math.max(1, Math.min(ASK_TIMEOUT_MS, getRemainingMs(run)));
      return agent.getJob(jobId, { timeoutMs, signal: cancel });
    },
    (reply) => {
      const isOver = !isMissing(reply) || clock.now() >= until;
      return isOver ? undefined : Math.min(GONE_PAUSE_MS, until - clock.now());
    },
    { clock, signal: cancel },
  );
  if (isMissing(result)) {
    return clock.now() >= goneAt ? 'gone' : 'found';
  }
  return result.kind === 'response' && result.job?.status === 'failed' ? 'failed' : 'found';
}
