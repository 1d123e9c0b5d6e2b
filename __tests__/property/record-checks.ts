import type { Decision } from '../../src/record/rule.ts';
import type { Next, Orders, Participant, State } from './record-orders.ts';

type Actor = State['actors'][number];
interface Known {
  readonly own: Participant;
  readonly actor: Actor;
  readonly index: number;
}

/**
 * Returns what is wrong in a state: what the action promises about money, about re-runs, and about
 * other runs.
 */
export async function checkState(
  orders: Orders,
  state: State,
  next: readonly Next[],
): Promise<string[]> {
  const all = getAll(orders, state);
  const problems = [
    ...next.flatMap((one) => checkStart(orders, state, one.state)),
    ...all.filter(({ actor }) => actor.claims > all.length + 2).map(() => 'claims in a loop'),
  ];
  const isOver = state.late.length === 0 && all.every(({ actor }) => actor.phase === 'done');
  if (!isOver) {
    return problems;
  }
  return [
    ...problems,
    ...checkPeace(orders, state, all),
    ...(await checkReruns(orders, state, all)),
    ...(await checkRelease(orders, state, all)),
  ];
}

function getAll({ plan }: Orders, { actors }: State): Known[] {
  return plan.participants.flatMap((own, index) => {
    const actor = actors[index];
    return actor === undefined ? [] : [{ own, actor, index }];
  });
}

/** A job starts only on a claim on record, and never beside one that is alive. */
function checkStart(orders: Orders, before: State, after: State): string[] {
  const others = getAll(orders, before).filter(({ actor }) => actor.job === 'alive');
  const started = getAll(orders, after).filter(
    ({ actor, index }) => actor.job === 'alive' && before.actors[index]?.job === 'none',
  );
  return started.flatMap((own) => [
    ...(getPlace(before, own) < 0 ? [`${own.index} starts a job without a claim`] : []),
    ...others
      .filter((other) => mustKnow(before, own, other))
      .map((other) => `${own.index} starts a job beside that of ${other.index}`),
  ]);
}

/** Returns the place of the last claim of a participant. Negative if it is not on record. */
function getPlace({ record }: State, { index, actor }: Known): number {
  return record.findIndex(({ nonce }) => nonce === `${index}.${actor.claims}`);
}

/** Whether a step that starts a job has to know of the job of another one. */
function mustKnow(state: State, own: Known, other: Known): boolean {
  const isConcerned = own.own.scope === 'release' || own.own.runId === other.own.runId;
  // A run with `reuse: rerun` doesn't look for other runs, not even for those that claimed first.
  const isOrdered = getPlace(state, other) < getPlace(state, own);
  return isConcerned && (own.own.scope === other.own.scope || isOrdered);
}

/** Without faults, there is one job, and all have it. */
function checkPeace({ plan }: Orders, state: State, all: readonly Known[]): string[] {
  if (state.faults < plan.faults || state.failures < plan.failures) {
    return [];
  }
  const groups = new Set(all.map(({ own }) => getGroup(own)));
  return [...groups].flatMap((name) => {
    const group = all.filter(({ own }) => getGroup(own) === name);
    const jobs = group.map(({ actor, index }) => actor.followed ?? `${index}`);
    const isPeace = group.every(
      ({ actor }) => actor.job === 'alive' || actor.followed !== undefined,
    );
    // Runs with `reuse: rerun` don't look for the jobs of other runs.
    const isShared = new Set(jobs).size === 1 || groups.size > 1;
    return isPeace && isShared ? [] : [`not one job: ${jobs.join(' ')}`];
  });
}

/** Names those who share a job. */
function getGroup({ scope, runId }: Participant): string {
  return scope === 'release' ? scope : `run ${runId}`;
}

/** Whether a step was killed, or says that its claim may be in the way. */
function mayBeInTheWay({ actor }: Known): boolean {
  return actor.end === 'killed' || actor.isTelling;
}

/** What is said of a re-run is what the next attempt does. */
async function checkReruns(orders: Orders, state: State, all: readonly Known[]): Promise<string[]> {
  const problems = await Promise.all(
    all.map(async (known) => {
      const steps = all.filter(({ own }) => own.runId === known.own.runId);
      const attempt = Math.max(...steps.map(({ own }) => own.attempt)) + 1;
      return checkRerun(known, all, state, await orders.ask(state, { ...known.own, attempt }));
    }),
  );
  return problems.flat();
}

function checkRerun(
  { actor, index }: Known,
  all: readonly Known[],
  { actors }: State,
  decision: Decision,
): string[] {
  const isSaved = actor.end === 'followed' || (actor.end === 'started' && !actor.isTelling);
  const isAlive = actors[Number(actor.followed ?? index)]?.job === 'alive';
  const isBlocked = decision.kind === 'busy' && !isExcused(decision, all);
  return [
    ...(isSaved && isAlive && decision.kind !== 'wait'
      ? [`a re-run of ${index} doesn't wait`]
      : []),
    ...(isBlocked ? [`a re-run of ${index} stops for nothing`] : []),
  ];
}

/** Another run for the release stops only if the one that it names was killed, or says so. */
async function checkRelease(
  orders: Orders,
  state: State,
  all: readonly Known[],
): Promise<string[]> {
  const last: Participant = { scope: 'release', runId: 99, attempt: 1 };
  const decision = await orders.ask(state, last);
  if (decision.kind !== 'busy') {
    return [];
  }
  const { runId, attempt } = decision.claim;
  return isExcused(decision, all) ? [] : [`blocks the release: ${runId}.${attempt}`];
}

/** Whether a step that may have written the open claim was killed, or says that it is open. */
function isExcused(
  { claim }: Extract<Decision, { readonly kind: 'busy' }>,
  all: readonly Known[],
): boolean {
  const steps = all.filter(({ own }) => own.runId === claim.runId && own.attempt === claim.attempt);
  return steps.some(mayBeInTheWay);
}
