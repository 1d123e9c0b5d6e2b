import fc from 'fast-check';
import { expect } from 'vitest';
import { forAll } from './for-all.ts';
import {
  type Event,
  type GitHubFault,
  type JobFate,
  type Step,
  type StepPlan,
  World,
} from './record-model.ts';

const rarely = <T>(usual: T, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: rare });
const turn = fc.integer({ min: 1, max: 30 });
const fault = fc
  .tuple(
    fc.constantFrom<GitHubFault[]>('refused', 'down', 'rate-limited', 'lost', 'late', 'twice'),
    fc.nat(6),
    fc.constantFrom(1, 2, 99),
  )
  .map(([kind, from, count]) => ({ kind, from, to: from + count }));

const step: fc.Arbitrary<StepPlan> = fc.record({
  create: rarely<StepPlan['create']>('accepted', fc.constantFrom('lost', 'lost-without-job', 'refused')),
  fate: rarely<JobFate>(
    'completed',
    fc.constantFrom('active', 'archived', 'failed', 'gone', 'unreadable', 'young'),
  ),
  fateAfterMs: fc.constantFrom(0, 1_000, 100_000),
  wait: rarely(false, fc.constant(true)),
  timeoutMs: rarely(1_800_000, fc.constantFrom(20_000, 120_000)),
  killAtTurn: rarely(undefined, turn),
  cancelAtTurn: rarely(undefined, turn),
  fault: rarely<StepPlan['fault']>(undefined, fault),
});

const event: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom('start', 'start', 'rerun', 'rerun', 'again', 'move', 'forge'),
  afterMs: fc.constantFrom(0, 0, 1, 100, 1_000, 10_000, 300_000),
  run: fc.nat(3),
  reuse: fc.constantFrom('rerun', 'release'),
  isNamed: fc.boolean(),
  prompt: rarely('Write it', fc.constant('Other')),
  step,
});

const plan = fc.record({
  isOrdered: rarely(true, fc.constant(false)),
  delaysMs: fc.array(fc.constantFrom(0, 1, 5, 50, 300, 1_500), { minLength: 1, maxLength: 12 }),
  lagsMs: fc.array(rarely(0, fc.constantFrom(100, 1_000, 8_000)), { minLength: 1, maxLength: 8 }),
  events: fc.array(event, { minLength: 1, maxLength: 7 }),
});

const isUnwritten = (record: string): boolean => record === 'refused' || record === 'unavailable';

/** Returns what is wrong with a create request at the moment when it is sent. */
function checkCreate(world: World, own: Step): string[] {
  const { sent, warnings, run, attempt, startedAtMs } = own;
  const isFirst = run.reuse === 'rerun' && attempt === 1;
  const isBlind = isUnwritten(sent?.record ?? '') || own.sawGap;
  const problems: string[] = [];
  for (const other of world.steps.filter((other) => own.counts(other) && other.job !== undefined)) {
    const isAlive = !['failed', 'gone'].includes(world.getStatus(other.job));
    const isRecorded = world.statuses.some(
      ({ atMs, target_url }) => atMs <= startedAtMs && target_url.includes(`id=${other.job?.id}`),
    );
    const wasBlind = isUnwritten(other.sent?.record ?? '') || other.sawGap;
    const canKnow =
      isRecorded || (!wasBlind && (run.reuse === other.run.reuse || (other.sent?.atMs ?? 0) < startedAtMs));
    const isTold = world.steps.some(
      (third) =>
        (third === own || own.counts(third)) &&
        third.warnings.length > 0 &&
        third.startedAtMs >= other.startedAtMs,
    );
    if (isAlive && canKnow && !isBlind && !isTold) problems.push(`a second job beside ${other.job?.id}`);
  }
  if (isFirst && sent?.record === 'unavailable' && !own.asked && world.now - startedAtMs > 5_001) {
    problems.push('a late start without GitHub');
  }
  if (own.releases > 0 && isUnwritten(sent?.record ?? '') && warnings.length === 0)
    problems.push('started although another step may have');
  if (run.reuse === 'release' && isBlind && !own.sawGap) problems.push('release without a record');
  return problems;
}

/** Returns what is wrong with a step that has ended. */
function checkEnd(world: World, own: Step): string[] {
  const {
    outcome,
    run,
    attempt,
    plan: { timeoutMs },
  } = own;
  const problems: string[] = [];
  const { state } = own.tracker;
  const endedAtMs = own.endedAtMs ?? Number.POSITIVE_INFINITY;
  const earlier = world.steps.filter((other) => own.counts(other) && other.startedAtMs <= endedAtMs);
  const code = outcome && 'code' in outcome ? outcome.code : undefined;
  const isSilent = code === 'reuse-unknown' || (outcome !== undefined && 'attempt' in outcome);
  if (isSilent && own.sent) problems.push(`sent a request, but ended as ${code}`);
  if (endedAtMs > own.startedAtMs + timeoutMs + 7_000) problems.push('ended too late');
  if (
    own.cancelledAtMs !== undefined &&
    own.decidedAtMs === undefined &&
    endedAtMs > own.cancelledAtMs + 1_100
  )
    problems.push('ended too late after cancel');
  if (own.releases > 4) problems.push('released too many claims');
  if (own.warnings.length > 1) problems.push('more than one warning');
  const decidedAtMs = own.decidedAtMs ?? endedAtMs;
  if (own.rival && decidedAtMs > own.rival.atMs + own.rival.longestMs + 95_000)
    problems.push('waited too long for another step');
  const found =
    state.earlierJob?.kind === 'found' ? earlier.find(({ job }) => job?.id === own.jobId) : undefined;
  if (state.earlierJob?.kind === 'found' && found === undefined)
    problems.push('waits for a job out of scope');
  const { job } = found ?? {};
  if (
    own.cancelledAtMs === undefined &&
    job?.fate === 'failed' &&
    Math.max(job.fateAtMs, found?.endedAtMs ?? 0) < own.startedAtMs
  )
    problems.push('waits for a job that failed before');
  const isHealthy = !own.hadTrouble && !own.sawGap;
  if (isHealthy && isUnwritten(state.record.kind)) problems.push('blames GitHub');
  const isStopped = own.state === 'killed' || own.cancelledAtMs !== undefined;
  const isUnsettled = (other: Step): boolean =>
    other.state === 'killed' ||
    other.hadTrouble ||
    other.sawGap ||
    other.plan.create.startsWith('lost') ||
    other.job?.fate === 'gone' ||
    other.job?.fate === 'young' ||
    other.cancelledAtMs !== undefined;
  if (own.warnings.length > 0 && isHealthy && !earlier.some(isUnsettled))
    problems.push('a warning without a reason');
  if (isHealthy && !isStopped && own.sent === undefined && found === undefined) {
    const isOk =
      code === 'start-unknown' &&
      earlier.some((other) => isUnsettled(other) || (other.endedAtMs ?? Infinity) > own.startedAtMs);
    if (!isOk) problems.push(`nothing was sent: ${code}`);
  }
  // The promises of the step before.
  if (own.sent && !isUnwritten(own.sent.record) && !own.sawGap) {
    const promised = earlier.filter(
      (other) =>
        other.run === run &&
        other.attempt < attempt &&
        other.state === 'ended' &&
        other.tracker.state.record.kind === 'saved' &&
        !other.sawGap,
    );
    for (const { jobId, name } of promised) {
      const kept = world.steps.find(({ job }) => job?.id === jobId)?.job;
      const isGone =
        kept && (kept.fate === 'failed' || kept.fate === 'gone') && kept.fateAtMs <= own.sent.atMs;
      if (!isGone) problems.push(`does not wait for ${jobId}, as ${name} promised`);
    }
  }
  return problems;
}

forAll(
  'runs, attempts, and steps start one job for one intent',
  [plan],
  async (given) => {
    const world = new World(given);
    const problems: string[] = [];
    const add = (own: Step, found: string[]): void => {
      problems.push(...found.map((problem) => `${own.name}: ${problem}`));
    };
    world.onCreate = (own) => add(own, checkCreate(world, own));
    await world.play();
    for (const own of world.steps) {
      if (own.state === 'running') add(own, ['never ends']);
      else if (own.state === 'ended') add(own, checkEnd(world, own));
    }
    expect(problems, world.history.join('\n')).toEqual([]);
  },
  5,
);
