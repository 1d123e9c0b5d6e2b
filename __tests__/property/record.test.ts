import { expect } from 'vitest';
import { getJobId } from '../../src/state.ts';
import { forAll } from './for-all.ts';
import { type Step, World, worldPlan } from './record-model.ts';

/** A run that can't use GitHub starts its job without a record, and says so. */
const isUnwritten = (record = ''): boolean => record === 'refused' || record === 'unavailable';

/** Returns the problems that exist. */
const select = (problems: Readonly<Record<string, boolean | undefined>>): string[] =>
  Object.keys(problems).filter((problem) => problems[problem]);

/**
 * Returns what is wrong with the create request of a step. Assumes that a list which shows a status
 * also shows all earlier statuses, which GitHub doesn't document: a step that saw a gap in a list
 * may start a second job.
 */
function checkCreate({ steps, statuses }: World, own: Step): string[] {
  const { sent, run, attempt, startedAtMs } = own;
  if (sent === undefined) return [];
  const isBlind = (step: Step): boolean => isUnwritten(step.sent?.record) || step.sawGap;
  // Runs with two values of `reuse` read different records, so the failed job of one may hide an
  // open claim of the other.
  const isMixed = steps.some((other) => own.counts(other) && other.run.reuse !== run.reuse);
  const isSecond = (other: Step): boolean => {
    const sentAtMs = other.sent?.atMs ?? Number.POSITIVE_INFINITY;
    const isAlive = !['failed', 'gone'].includes(other.getJobStatus(sent.atMs));
    const isRecorded = statuses.some(
      ({ atMs, target_url: link }) => atMs < startedAtMs && link.includes(`id=${other.jobId}`),
    );
    const isClaimed = !isBlind(other) && !isMixed;
    const isTold = steps.some(
      (third) =>
        (third === own || own.counts(third)) &&
        third.warnings > 0 &&
        third.startedAtMs >= other.startedAtMs,
    );
    return (
      own.counts(other) && sentAtMs <= sent.atMs && isAlive && (isRecorded || isClaimed) && !isTold
    );
  };
  const isFirst = run.reuse === 'rerun' && attempt === 1;
  return select({
    'starts a second job': !isBlind(own) && steps.some((other) => other !== own && isSecond(other)),
    'starts late without GitHub':
      isFirst && isUnwritten(sent.record) && sent.atMs > startedAtMs + 5_001,
    'starts though another step may be starting':
      own.released.size > 0 && isUnwritten(sent.record) && own.warnings === 0,
    'starts without a record': run.reuse === 'release' && isUnwritten(sent.record),
  });
}

/** Returns what is wrong with a step that has ended. */
function checkEnd({ steps }: World, own: Step): string[] {
  const { sent, outcome, run, startedAtMs, endedAtMs, cancelledAtMs, tracker, plan } = own;
  const code = outcome && 'code' in outcome ? outcome.code : undefined;
  const isHealthy = !own.hadTrouble && !own.sawGap;
  const decidedAtMs = Math.min(own.decidedAtMs, endedAtMs);
  const rivalUntilMs = own.rivalUntilMs ?? Number.POSITIVE_INFINITY;
  const known = steps.filter((other) => own.counts(other) && other.startedAtMs <= endedAtMs);
  const { earlierJob } = tracker.state;
  const isFound = earlierJob?.kind === 'found';
  const found = isFound ? known.find(({ jobId }) => jobId === earlierJob.jobId) : undefined;
  /** Whether the job of another step may exist although its id is not recorded, or be gone. */
  const isUnsettled = ({
    state,
    plan,
    hadTrouble,
    sawGap,
    cancelledAtMs: cancelled,
  }: Step): boolean =>
    state === 'killed' ||
    hadTrouble ||
    sawGap ||
    cancelled !== undefined ||
    plan.create.startsWith('lost') ||
    plan.fate === 'gone';
  const mayStop =
    code === 'start-unknown' && (known.some(isUnsettled) || endedAtMs >= rivalUntilMs);
  const isBroken = (other: Step): boolean => {
    const { claim } = other.tracker.state;
    const jobId = getJobId(other.tracker.state);
    const job = steps.find((third) => third.jobId === jobId);
    const isOver = ['failed', 'gone'].includes(job?.getJobStatus(sent?.atMs ?? 0) ?? '');
    return (
      other.run === run &&
      other.attempt < own.attempt &&
      other.state === 'ended' &&
      claim.kind === 'saved' &&
      !other.sawGap &&
      !isOver
    );
  };
  return select({
    'sends a request, but says that it did not':
      sent && (code === 'reuse-unknown' || (outcome && 'attempt' in outcome)),
    'ends late': endedAtMs > startedAtMs + own.plan.timeoutMs + 7_000,
    'ends late after cancel':
      cancelledAtMs !== undefined &&
      own.decidedAtMs > endedAtMs &&
      endedAtMs > cancelledAtMs + 1_100,
    'waits too long for another step': decidedAtMs > rivalUntilMs + 95_000,
    'releases claims in a loop': own.released.size > 4 && !own.sawGap,
    'warns twice': own.warnings > 1,
    'warns without a reason': own.warnings > 0 && isHealthy && !known.some(isUnsettled),
    'blames GitHub': isHealthy && isUnwritten(tracker.state.claim.kind),
    'starts or writes something in a dry run':
      plan.isDryRun && (sent !== undefined || own.writes > 0),
    'starts no job':
      isHealthy && !plan.isDryRun && cancelledAtMs === undefined && !sent && !found && !mayStop,
    'waits for a job that is not its own': isFound && found === undefined,
    'waits for a job that had failed':
      cancelledAtMs === undefined &&
      found?.getJobStatus(startedAtMs) === 'failed' &&
      found.endedAtMs < startedAtMs,
    'does not wait, as an earlier attempt promised':
      sent && !isUnwritten(sent.record) && !own.sawGap && known.some(isBroken),
  });
}

forAll(
  'runs, attempts, and steps start at most one job for the same request',
  [worldPlan],
  async (plan) => {
    const world = new World(plan);
    await world.play();
    const problems = world.steps.flatMap((own) => {
      const atEnd =
        own.state === 'ended'
          ? checkEnd(world, own)
          : select({ 'never ends': own.state === 'running' });
      return [...checkCreate(world, own), ...atEnd].map((problem) => `${own.name}: ${problem}`);
    });
    expect(problems, world.history.join('\n')).toEqual([]);
  },
  4,
);
