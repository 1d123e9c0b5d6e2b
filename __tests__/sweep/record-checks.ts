import type { Decision } from '../../src/record/rule.ts';
import type { Next, Orders, Participant, State } from './record-orders.ts';

type Known = ReturnType<typeof getAll>[number];

function getAll({ plan }: Orders, { actors }: State) {
  return actors.map((actor, index) => {
    return { ...(plan.participants[index] as Participant), ...actor, index };
  });
}

/** Returns what is wrong in a state about money, re-runs, and other runs. */
export async function checkState(
  orders: Orders,
  state: State,
  next: readonly Next[],
): Promise<string[]> {
  const all = getAll(orders, state);
  const problems = [
    ...next.flatMap((one) => checkStart(state, all, getAll(orders, one.state))),
    ...all.filter(({ claims }) => claims > all.length + 2).map(() => 'claims in a loop'),
  ];
  const isOver = state.late.length === 0 && all.every(({ phase }) => phase === 'done');
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

/** A job starts only on a claim on record, and never beside one that is alive. */
function checkStart(state: State, before: readonly Known[], after: readonly Known[]): string[] {
  const started = after.filter(
    ({ job, index }) => job === 'alive' && before[index]?.job === 'none',
  );
  const others = before.filter(({ job }) => job === 'alive');
  return started.flatMap((own) => [
    ...(getPlace(state, own) < 0 ? [`${own.index} starts a job without a claim`] : []),
    ...others
      .filter((other) => mustKnow(state, own, other))
      .map((other) => `${own.index} starts a job beside that of ${other.index}`),
  ]);
}

/** Returns the place of the last claim of a participant. Negative if it is not on record. */
function getPlace({ record }: State, { index, claims }: Known): number {
  return record.findIndex(({ nonce }) => nonce === `${index}.${claims}`);
}

/** Whether a step that starts a job has to know of the job of another one. */
function mustKnow(state: State, own: Known, other: Known): boolean {
  const isConcerned = own.scope === 'release' || own.runId === other.runId;
  // A run with `reuse: rerun` doesn't look for other runs, not even for those that claimed first.
  const isOrdered = getPlace(state, other) < getPlace(state, own);
  return isConcerned && (own.scope === other.scope || isOrdered);
}

/** Without faults, there is one job, and all have it. */
function checkPeace({ plan }: Orders, state: State, all: readonly Known[]): string[] {
  if (state.faults < plan.faults || state.failures < plan.failures) {
    return [];
  }
  // Those in a group share a job. Runs with `reuse: rerun` don't look for the jobs of other runs.
  const getGroup = ({ scope, runId }: Known) => (scope === 'release' ? scope : runId);
  const groups = new Set(all.map(getGroup));
  return [...groups].flatMap((name) => {
    const group = all.filter((one) => getGroup(one) === name);
    const jobs = group.map(({ followed, index }) => followed ?? `${index}`);
    const isPeace = group.every(({ job, followed }) => job === 'alive' || followed !== undefined);
    const isShared = new Set(jobs).size === 1 || groups.size > 1;
    return isPeace && isShared ? [] : [`not one job: ${jobs.join(' ')}`];
  });
}

/** What is said of a re-run is what the next attempt does. */
async function checkReruns(orders: Orders, state: State, all: readonly Known[]): Promise<string[]> {
  const problems: string[] = [];
  for (const own of all) {
    const attempts = all.filter(({ runId }) => runId === own.runId).map(({ attempt }) => attempt);
    const decision = await orders.ask(state, { ...own, attempt: Math.max(...attempts) + 1 });
    const isSaved = own.end === 'followed' || (own.end === 'started' && !own.isTelling);
    const isAlive = all[Number(own.followed ?? own.index)]?.job === 'alive';
    if (isSaved && isAlive && decision.kind !== 'wait') {
      problems.push(`a re-run of ${own.index} doesn't wait`);
    }
    if (!isExcused(decision, all)) {
      problems.push(`a re-run of ${own.index} stops for nothing`);
    }
  }
  return problems;
}

/** Another run for the release stops only if the one that it names was killed, or says so. */
async function checkRelease(orders: Orders, state: State, all: readonly Known[]) {
  const decision = await orders.ask(state, { scope: 'release', runId: 99, attempt: 1 });
  return isExcused(decision, all) ? [] : ['blocks the release'];
}

/** Whether a step that may have written an open claim was killed, or says that it is open. */
function isExcused(decision: Decision, all: readonly Known[]): boolean {
  if (decision.kind !== 'busy') {
    return true;
  }
  const { claim } = decision;
  const steps = all.filter(({ runId, attempt }) => {
    return runId === claim.runId && attempt === claim.attempt;
  });
  return steps.some(({ end, isTelling }) => end === 'killed' || isTelling);
}
