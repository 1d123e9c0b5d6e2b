import { getJobId } from '../../src/state/run-state.ts';
import { forAll } from './for-all.ts';
import { checkWorld, type Event, STEP, type Step, type World, worldPlan } from './record-model.ts';

const select = (problems: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(problems).filter((problem) => problems[problem]);

function checkCreate({ steps, statuses }: World, own: Step): string[] {
  const { sent, run } = own;
  if (sent === undefined) {
    return [];
  }
  // Runs with two values of `reuse` read different records.
  const isMixed = steps.some((other) => own.counts(other) && other.run.reuse !== run.reuse);
  const isSecond = (other: Step): boolean => {
    const isEarlier = (other.sent?.atMs ?? Number.POSITIVE_INFINITY) <= sent.atMs;
    // A job that is gone is alive.
    const isAlive = other.jobId !== undefined && other.getJobStatus(sent.atMs) !== 'failed';
    return own.counts(other) && isEarlier && isAlive;
  };
  const isClaimed = statuses.some(({ sha, atMs, target_url: link }) => {
    const isOwn = own.claims.has(/nonce=(\w+)/.exec(link)?.[1] ?? '');
    return sha === own.commit && atMs <= sent.atMs && link.includes('state=starting') && isOwn;
  });
  return select({
    'starts a second job': !isMixed && steps.some(isSecond),
    'sends a request without a claim on record': !isClaimed,
  });
}

/** Whether the job of a step may exist although its id is not recorded. */
function isUnsettled({ state, plan, hadTrouble, cancelledAtMs }: Step): boolean {
  const isInterrupted = state === 'killed' || cancelledAtMs !== undefined;
  return isInterrupted || hadTrouble || plan.create.startsWith('lost');
}

/** Whether a step sends a request although an earlier attempt has its job on record. */
function breaksPromise({ steps }: World, own: Step): boolean {
  const { sent, run, attempt } = own;
  return (
    sent !== undefined &&
    steps.some((other) => {
      const jobId = getJobId(other.tracker.state);
      const status = steps.find((third) => third.jobId === jobId)?.getJobStatus(sent.atMs);
      const isEarlier = other.run === run && other.attempt < attempt && own.counts(other);
      const isRecorded = jobId !== undefined && other.tracker.state.claim.kind === 'settled';
      return isEarlier && other.state === 'ended' && isRecorded && status !== 'failed';
    })
  );
}

/** A step that waits for another one may look a last time just before its time is over. */
const LAST_LOOK_MS = 3_000 + 120_000 + 10_000;
/** Then, it withdraws its claim, for as long as GitHub doesn't take that. */
const FINISH_MS = 120_000;

function checkTime(own: Step): string[] {
  const { startedAtMs, endedAtMs, cancelledAtMs, decidedAtMs, plan, rivalWaitMs } = own;
  const isCanceledBefore = cancelledAtMs !== undefined && decidedAtMs > endedAtMs;
  const waitedUntilMs = Math.min(decidedAtMs, endedAtMs);
  const lastMs = LAST_LOOK_MS + (own.hadTrouble ? FINISH_MS : 0);
  return select({
    'ends late': endedAtMs > startedAtMs + plan.timeoutMs + 2_000,
    'ends late after cancel': isCanceledBefore && endedAtMs > cancelledAtMs + 1_100,
    'wants to wait too long for another step': rivalWaitMs > Math.min(120_000, plan.timeoutMs / 2),
    'waits too long for another step': waitedUntilMs > own.rivalUntilMs + lastMs,
  });
}

const getKnown = ({ steps }: World, own: Step): Step[] =>
  steps.filter((other) => own.counts(other) && other.startedAtMs <= own.endedAtMs);

/** Returns what is wrong with the choice of the job that a step waits for. */
function checkJob(world: World, own: Step): string[] {
  const { startedAtMs, cancelledAtMs, hadTrouble } = own;
  const { earlierJob } = own.tracker.state;
  if (earlierJob?.kind !== 'found') {
    return [];
  }
  const found = getKnown(world, own).find(({ jobId }) => jobId === earlierJob.jobId);
  // What was claimed since the run began is its own, and GitHub's times are whole seconds.
  const isBefore = found !== undefined && found.endedAtMs < startedAtMs - 2_000;
  const hasFailed = isBefore && found.getJobStatus(startedAtMs) === 'failed';
  // A list that lags behind shows an open claim. The job that is waited for counts, failed or not.
  const mayKnow = cancelledAtMs === undefined && !hadTrouble;
  return select({
    'waits for a job that is not its own': found === undefined,
    'waits for a job that had failed': mayKnow && hasFailed,
  });
}

/** Returns what is wrong with whether a step starts a job, and with what it says. */
function checkEnd(world: World, own: Step): string[] {
  const { sent, outcome, tracker, plan } = own;
  const code = outcome?.code;
  const isUncertain = getKnown(world, own).some(isUnsettled);
  // A run of 20 seconds for a named tag sends more requests than it has time for if all are slow.
  const isShort = own.run.isNamed && plan.timeoutMs === 20_000;
  const isHealthy = !own.hadTrouble && !isShort;
  const mustAct = isHealthy && !plan.isDryRun && own.cancelledAtMs === undefined;
  const mayStop = code === 'start-unknown' && (isUncertain || own.endedAtMs >= own.rivalUntilMs);
  const isFound = tracker.state.earlierJob?.kind === 'found';
  return select({
    'sends a request, but says that it did not':
      sent &&
      (code === 'record-failed' || (outcome?.result === 'start-unknown' && outcome.attempt)),
    'starts no job': mustAct && !sent && !isFound && !mayStop,
    'starts or writes something in a dry run': plan.isDryRun && (sent || own.writes > 0),
    'does not wait for a job on record': breaksPromise(world, own),
    'claims in a loop': own.claims.size > 4,
    'blames GitHub': isHealthy && code === 'record-failed',
  });
}

forAll(
  'runs, attempts, and steps start at most one job for the same task',
  [worldPlan],
  checkWorld((world, own) => {
    const atEnd =
      own.state === 'ended'
        ? [...checkTime(own), ...checkJob(world, own), ...checkEnd(world, own)]
        : select({ 'never ends': own.state === 'running' });
    return [...checkCreate(world, own), ...atEnd].map((problem) => `${own.name}: ${problem}`);
  }),
  4,
);

/** A run for the release, when everything is over and GitHub works. */
const late = { kind: 'start', afterMs: 10_000_000, reuse: 'auto' } as const;
const LAST: Event = { ...late, run: 0, isNamed: false, prompt: 'Write it', step: STEP };

forAll(
  'a release is blocked only by a run that was killed, or that said so',
  [worldPlan.map((plan) => ({ ...plan, events: [...plan.events, LAST] }))],
  checkWorld(({ steps }, own) => {
    const rival = own.outcome?.result === 'start-unknown' ? own.outcome.attempt : undefined;
    // Whether a step was killed, or says that its claim may be in the way of others.
    const isInTheWay = ({ run, attempt, state, tracker }: Step): boolean => {
      const { claim, isUnconfirmed } = tracker.state;
      const isTelling = claim.kind === 'unsettled' || isUnconfirmed;
      const isRival = run.id === rival?.runId && attempt === rival.attempt;
      return isRival && (state === 'killed' || isTelling);
    };
    const isBlocked = own === steps.at(-1) && rival !== undefined && !steps.some(isInTheWay);
    return isBlocked ? [`${own.name} is blocked`] : [];
  }),
  4,
);
