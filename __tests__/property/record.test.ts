import { expect } from 'vitest';
import { getJobId } from '../../src/state/run-state.ts';
import { forAll } from './for-all.ts';
import { type Event, type Step, World, worldPlan } from './record-model.ts';

/** A run that can't use GitHub starts its job without a record, and says so. */
const isUnwritten = (record = ''): boolean => record === 'refused' || record === 'unavailable';

/** Returns the problems that exist. */
const select = (problems: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(problems).filter((problem) => problems[problem]);

/** Returns what is wrong with the create request of a step. */
function checkCreate({ steps, statuses }: World, own: Step): string[] {
  const { sent, run, attempt, startedAtMs } = own;
  if (sent === undefined) {
    return [];
  }
  // Runs with two values of `reuse` read different records, so the failed job of one may hide an
  // open claim of the other.
  const isMixed = steps.some((other) => own.counts(other) && other.run.reuse !== run.reuse);
  const isSecond = (other: Step): boolean => {
    const sentAtMs = other.sent?.atMs ?? Number.POSITIVE_INFINITY;
    const isAlive = !['failed', 'gone'].includes(other.getJobStatus(sent.atMs));
    const isRecorded = statuses.some(
      ({ atMs, target_url: link }) => atMs < startedAtMs && link.includes(`id=${other.jobId}`),
    );
    const isClaimed = !isUnwritten(other.sent?.record) && !isMixed;
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
    'starts a second job': !isUnwritten(sent.record) && steps.some(isSecond),
    'starts late without GitHub':
      isFirst && isUnwritten(sent.record) && sent.atMs > startedAtMs + 5_001,
    'starts though another step may be starting': own.hasSeenRival && isUnwritten(sent.record),
    'starts without a record': run.reuse === 'release' && isUnwritten(sent.record),
  });
}

/** Whether the job of a step may exist although its id is not recorded, or be gone. */
function isUnsettled({ state, plan, hadTrouble, cancelledAtMs }: Step): boolean {
  const isInterrupted = state === 'killed' || cancelledAtMs !== undefined;
  return isInterrupted || hadTrouble || plan.create.startsWith('lost') || plan.fate === 'gone';
}

/** Whether a step sends a request although an earlier attempt promised to wait for its job. */
function breaksPromise({ steps }: World, own: Step): boolean {
  const { sent, run, attempt } = own;
  if (sent === undefined || isUnwritten(sent.record)) {
    return false;
  }
  return steps.some((other) => {
    const jobId = getJobId(other.tracker.state);
    const status = steps.find((third) => third.jobId === jobId)?.getJobStatus(sent.atMs) ?? '';
    const isEarlier = other.run === run && other.attempt < attempt && own.counts(other);
    const isPromised = other.state === 'ended' && other.tracker.state.claim.kind === 'saved';
    return isEarlier && isPromised && !['failed', 'gone'].includes(status);
  });
}

/**
 * A step that waits for another one may look a last time just before its time is over: a pause, a
 * read of the record, and a minute of questions about a job that the service no longer has.
 */
const LAST_LOOK_MS = 3_000 + 20_000 + 60_000;

/** Returns what is wrong with the time that a step took. */
function checkTime(own: Step): string[] {
  const { startedAtMs, endedAtMs, cancelledAtMs, decidedAtMs, plan } = own;
  const { rivalWaitMs, rivalUntilMs } = own;
  const isCanceledBefore = cancelledAtMs !== undefined && decidedAtMs > endedAtMs;
  const waitedUntilMs = Math.min(decidedAtMs, endedAtMs);
  return select({
    'ends late': endedAtMs > startedAtMs + plan.timeoutMs + 2_000,
    'ends late after cancel': isCanceledBefore && endedAtMs > cancelledAtMs + 1_100,
    'wants to wait too long for another step': rivalWaitMs > Math.min(120_000, plan.timeoutMs / 2),
    'waits too long for another step': waitedUntilMs > rivalUntilMs + LAST_LOOK_MS,
  });
}

/** Returns the steps that a step may know when it ends. */
const getKnown = ({ steps }: World, own: Step): Step[] =>
  steps.filter((other) => own.counts(other) && other.startedAtMs <= own.endedAtMs);

/** Returns what is wrong with the choice of the job that a step waits for. */
function checkJob(world: World, own: Step): string[] {
  const { startedAtMs, cancelledAtMs } = own;
  const { earlierJob } = own.tracker.state;
  if (earlierJob?.kind !== 'found') {
    return [];
  }
  const found = getKnown(world, own).find(({ jobId }) => jobId === earlierJob.jobId);
  const hasFailed = found?.getJobStatus(startedAtMs) === 'failed' && found.endedAtMs < startedAtMs;
  return select({
    'waits for a job that is not its own': found === undefined,
    'waits for a job that had failed': cancelledAtMs === undefined && hasFailed,
  });
}

/** Returns what is wrong with whether a step starts a job, and with what it says. */
function checkEnd(world: World, own: Step): string[] {
  const { sent, outcome, warnings, tracker, plan } = own;
  const { claim, earlierJob } = tracker.state;
  const code = outcome?.code;
  const isUncertain = getKnown(world, own).some(isUnsettled);
  const isHealthy = !own.hadTrouble;
  const mustAct = isHealthy && !plan.isDryRun && own.cancelledAtMs === undefined;
  const mayStop = code === 'start-unknown' && (isUncertain || own.endedAtMs >= own.rivalUntilMs);
  return select({
    'sends a request, but says that it did not':
      sent &&
      (code === 'reuse-unknown' || (outcome?.result === 'start-unknown' && outcome.attempt)),
    'starts no job': mustAct && !sent && earlierJob?.kind !== 'found' && !mayStop,
    'starts or writes something in a dry run': plan.isDryRun && (sent || own.writes > 0),
    'does not wait, as an earlier attempt promised': breaksPromise(world, own),
    'claims in a loop': own.claims.size > 4,
    'warns twice': warnings > 1,
    'warns without a reason': warnings > 0 && isHealthy && !isUncertain,
    'blames GitHub': isHealthy && isUnwritten(claim.kind),
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
          ? [...checkTime(own), ...checkJob(world, own), ...checkEnd(world, own)]
          : select({ 'never ends': own.state === 'running' });
      return [...checkCreate(world, own), ...atEnd].map((problem) => `${own.name}: ${problem}`);
    });
    expect(problems, world.history.join('\n')).toEqual([]);
  },
  4,
);

/** Whether a step says that its claim may be in the way of others, or was killed. */
function isInTheWay({ state, tracker }: Step): boolean {
  const { claim, job, stage } = tracker.state;
  const isLeftOpen = claim.kind === 'saved' ? claim.leftOpen !== undefined : job !== undefined;
  return state === 'killed' || isLeftOpen || claim.kind === 'left-open' || stage === 'unconfirmed';
}

/** A run for the release, when everything is over and GitHub works. */
const LAST: Event = {
  kind: 'start',
  afterMs: 10_000_000,
  run: 0,
  reuse: 'release',
  isNamed: false,
  prompt: 'Write it',
  step: {
    create: 'accepted',
    fate: 'completed',
    fateAfterMs: 0,
    wait: false,
    timeoutMs: 1_800_000,
    isDryRun: false,
    stop: undefined,
    fault: undefined,
  },
};

forAll(
  'a release is blocked only by a run that was killed, or that said so',
  [worldPlan],
  async (plan) => {
    const world = new World({ ...plan, events: [...plan.events, LAST] });
    await world.play();
    const last = world.steps.at(-1);
    const outcome = last?.outcome;
    const rival = outcome?.result === 'start-unknown' ? outcome.attempt : undefined;
    if (rival === undefined) {
      return;
    }
    const steps = world.steps.filter(
      ({ run, attempt }) => run.id === rival.runId && attempt === rival.attempt,
    );
    expect(steps.some(isInTheWay), world.history.join('\n')).toBe(true);
  },
  4,
);
