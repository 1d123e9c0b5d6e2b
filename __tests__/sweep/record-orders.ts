import { type Decision, decide, foldClaims } from '../../src/record/rule.ts';
import type { Entry } from '../../src/record/wire-format.ts';

/** One step that wants the job. A later attempt begins when the earlier ones have ended. */
export type Participant = Pick<Entry, 'scope' | 'runId' | 'attempt'>;

/**
 * What can happen. Whatever is counted can happen at any time, that often in total. Lists may lag
 * behind: a read returns all statuses up to any one that it may show.
 */
export interface Plan {
  readonly participants: readonly Participant[];
  /** Lost, late, repeated, and refused requests, kills, cancels, time limits, unknown starts. */
  readonly faults: number;
  /** Jobs that fail, and job requests that the service refuses. */
  readonly failures: number;
  /** To show that the checks find a broken rule. */
  readonly fold?: typeof foldClaims;
}

/** What one participant does next, and what it knows. */
interface Actor {
  readonly phase: 'look' | 'claim' | 'read' | 'poll' | 'create' | 'settle' | 'done';
  /** How many statuses it has seen. */
  readonly seen: number;
  readonly claims: number;
  /** Whether its last claim may be open on record. */
  readonly isOpen: boolean;
  readonly after: string | undefined;
  readonly job: 'none' | 'alive' | 'failed';
  readonly followed: string | undefined;
  /** What it records before it ends. */
  readonly settles: 'released' | 'job';
  readonly end: string;
  /** Whether it says that its claim may be in the way of others. */
  readonly isTelling: boolean;
}

const NEW: Actor = {
  phase: 'look',
  seen: 0,
  claims: 0,
  isOpen: false,
  after: undefined,
  job: 'none',
  followed: undefined,
  settles: 'released',
  end: '',
  isTelling: false,
};

export interface State {
  readonly actors: readonly Actor[];
  readonly record: readonly Entry[];
  /** Writes that take effect later. */
  readonly late: readonly Entry[];
  readonly faults: number;
  readonly failures: number;
}

export interface Next {
  readonly label: string;
  readonly state: State;
}

type Change = Partial<Actor>;

/** What a participant may do, how it changes, and what that writes and counts as. */
type Move = readonly [
  label: string,
  change: Change,
  effect?: { readonly faults?: 1; failures?: 1; written?: Entry[]; late?: Entry[] },
];
const fault = { faults: 1 } as const;

const texts = new WeakMap<object, string>();

/** Returns the text of a part that many states share. */
function getText<T extends object>(part: T, write: (part: T) => string): string {
  const text = texts.get(part) ?? write(part);
  texts.set(part, text);
  return text;
}

const writeEntry = ({ nonce, state, after }: Entry): string => `${nonce} ${state} ${after}`;
const toRecordText = (record: readonly Entry[]): string =>
  getText(record, (entries) => entries.map(writeEntry).join());

const toKey = ({ actors, record, late, faults, failures }: State): string =>
  [
    faults,
    failures,
    ...actors.map((actor) => getText(actor, (one) => Object.values(one).join())),
    toRecordText(record),
    late.map(writeEntry).sort().join(),
  ].join(';');

/** Ends a participant. One whose claim may be open withdraws it first. */
function finish({ isOpen }: Actor, end: string): Change {
  return { phase: isOpen ? 'settle' : 'done', settles: 'released', end };
}

/**
 * Plays the participants' use of the record, one request at a time. They decide with the code of
 * the action: its fold, and its rules. What they do in which order is copied by hand from `turn.ts`
 * and `save.ts`, so a mistake there shows only in `record-model.ts`, which plays the real ones.
 */
export class Orders {
  readonly plan: Plan;
  readonly #decisions = new Map<string, { readonly decision: Decision; isVoid: boolean }>();

  constructor(plan: Plan) {
    this.plan = plan;
  }

  get start(): State {
    const { participants, faults, failures } = this.plan;
    const actors = participants.map(({ scope, attempt }): Actor => {
      return scope === 'rerun' && attempt === 1 ? { ...NEW, phase: 'claim' } : NEW;
    });
    return { actors, record: [], late: [], faults, failures };
  }

  /** Returns whatever can happen next. Nothing if all participants have ended. */
  async getNext(state: State): Promise<Next[]> {
    const next: Next[] = [];
    for (const [index, actor] of state.actors.entries()) {
      const moves: Move[] = [];
      if (actor.job === 'alive') {
        moves.push(['job fails', { job: 'failed' }, { failures: 1 }]);
      }
      if (this.#mayBegin(state, index)) {
        moves.push(...(await this.#act(state, index, actor)), ...this.#interrupt(actor));
      }
      next.push(...moves.flatMap((move) => this.#move(state, index, move)));
    }
    for (const [index, entry] of state.late.entries()) {
      const late = state.late.filter((_, other) => other !== index);
      const record = [...state.record, entry];
      next.push({ label: `late ${entry.nonce} ${entry.state}`, state: { ...state, record, late } });
    }
    const before = toKey(state);
    const progress = next.filter((one) => toKey(one.state) !== before);
    return progress.length > 0 ? progress : this.#timeOut(state);
  }

  /** Returns what the newest attempt, or a run that starts now, would do if it read everything. */
  async ask(state: State, own: Participant): Promise<Decision> {
    return (await this.#decide(state, own, undefined, state.record.length)).decision;
  }

  #mayBegin({ actors }: State, index: number): boolean {
    const own = this.#get(index);
    return this.plan.participants.every(
      ({ runId, attempt }, other) =>
        runId !== own.runId || attempt >= own.attempt || actors[other]?.phase === 'done',
    );
  }

  #get(index: number): Participant {
    return this.plan.participants[index] as Participant;
  }

  /** Returns the state in which one participant has moved. Nothing if it has no fault left. */
  #move(state: State, index: number, [label, change, effect = {}]: Move): Next[] {
    const faults = state.faults - (effect.faults ?? 0);
    const failures = state.failures - (effect.failures ?? 0);
    if (faults < 0 || failures < 0) {
      return [];
    }
    const { written, late } = effect;
    const moved = {
      actors: state.actors.with(index, { ...(state.actors[index] as Actor), ...change }),
      record: written === undefined ? state.record : [...state.record, ...written],
      late: late === undefined ? state.late : [...state.late, ...late],
    };
    return [{ label: `${index}: ${label}`, state: { ...moved, faults, failures } }];
  }

  async #act(state: State, index: number, actor: Actor): Promise<Move[]> {
    switch (actor.phase) {
      case 'claim':
        return this.#claim(index, actor);
      case 'create':
        return this.#create(actor);
      case 'settle':
        return this.#settle(state, index, actor);
      case 'done':
        return [];
      default:
        return this.#read(state, index, actor);
    }
  }

  /** A kill, a cancel, or the end of the time for another attempt. */
  #interrupt(actor: Actor): Move[] {
    const { phase } = actor;
    const kill: Change = { phase: 'done', end: 'killed' };
    const killed: Move[] = [['killed', kill, fault]];
    if (phase === 'done' || phase === 'settle') {
      return phase === 'done' ? [] : killed;
    }
    if (phase === 'create') {
      return [...killed, ['killed after its request', { ...kill, job: 'alive' }, fault]];
    }
    const isCanceled: Move = ['canceled', finish(actor, 'canceled'), fault];
    const isLate: Move = ['waits in vain', finish(actor, 'stopped'), fault];
    return [...killed, isCanceled, ...(phase === 'poll' ? [isLate] : [])];
  }

  /** When nothing else can happen, waits for other attempts end. */
  #timeOut(state: State): Next[] {
    return state.actors.flatMap((actor, index) => {
      const isPolling = actor.phase === 'poll';
      const change = finish(actor, 'stopped');
      return isPolling ? this.#move(state, index, ['waits in vain', change]) : [];
    });
  }

  async #read(state: State, index: number, actor: Actor): Promise<Move[]> {
    const { record } = state;
    const nonce = actor.isOpen ? `${index}.${actor.claims}` : undefined;
    const own = record.findIndex((entry) => entry.nonce === nonce) + 1;
    const moves: Move[] = [['cannot read', finish(actor, 'stopped'), fault]];
    for (let seen = Math.max(actor.seen, own); seen <= record.length; seen += 1) {
      const { decision, isVoid } = await this.#decide(state, this.#get(index), nonce, seen);
      const known = { ...actor, isOpen: actor.isOpen && !isVoid };
      const change = { seen, isOpen: known.isOpen, ...this.#follow(known, decision) };
      moves.push([`reads ${seen}, ${decision.kind}`, change]);
    }
    return moves;
  }

  #follow(actor: Actor, decision: Decision): Change {
    switch (decision.kind) {
      case 'start':
        return { phase: 'create' };
      case 'claim':
        return { phase: 'claim', after: decision.failed?.nonce };
      case 'wait':
        return { ...finish(actor, 'followed'), followed: decision.claim.jobId };
      case 'busy':
        return { phase: 'poll' };
    }
  }

  #claim(index: number, actor: Actor): Move[] {
    const claims = actor.claims + 1;
    const own = { ...this.#get(index), fingerprint: 'task', nonce: `${index}.${claims}` };
    const written: Entry[] = [{ ...own, after: actor.after, state: 'starting' }];
    const open = { claims, isOpen: true };
    const goOn: Change = { ...open, phase: 'read' };
    const failed = { ...open, ...finish({ ...actor, ...open }, 'stopped') };
    return [
      ['claims', goOn, { written }],
      ['claims twice', goOn, { ...fault, written, late: written }],
      ['claim lost', failed, { ...fault, written }],
      ['claim late', failed, { ...fault, late: written }],
      ['claim fails', failed, fault],
      ['claim refused', { claims, ...finish(actor, 'stopped') }, fault],
    ];
  }

  #create(actor: Actor): Move[] {
    // The claim stays open.
    const none: Change = { phase: 'done', end: 'unknown', isTelling: true };
    return [
      ['starts', { phase: 'settle', job: 'alive', settles: 'job', end: 'started' }],
      ['is refused', finish(actor, 'refused'), { failures: 1 }],
      ['starts, unanswered', { ...none, job: 'alive' }, fault],
      ['starts nothing, unanswered', none, fault],
    ];
  }

  #settle(state: State, index: number, { settles, claims, after }: Actor): Move[] {
    const nonce = `${index}.${claims}`;
    const first = state.record.find((entry) => entry.nonce === nonce);
    const own = { ...this.#get(index), fingerprint: 'task', nonce, after: first?.after ?? after };
    const jobId = settles === 'job' ? `${index}` : undefined;
    const written: Entry[] = [{ ...own, state: settles, jobId }];
    const done: Change = { phase: 'done', isOpen: false };
    const open: Change = { ...done, isTelling: true };
    return [
      [`records ${settles}`, done, { written }],
      [`cannot record ${settles}`, open, fault],
      [`records ${settles} late`, open, { ...fault, late: written }],
      [`records ${settles} twice`, done, { ...fault, written, late: written }],
    ];
  }

  /** Returns what a participant decides on a list, and whether its own claim is void. */
  async #decide(
    { record, actors }: State,
    { scope, runId }: Participant,
    nonce: string | undefined,
    seen: number,
  ) {
    const list = seen === record.length ? record : record.slice(0, seen);
    const jobs = actors.map(({ job }) => job);
    const key = [scope, runId, nonce, ...jobs, toRecordText(list)].join();
    const known = this.#decisions.get(key);
    if (known !== undefined) {
      return known;
    }
    const fold = this.plan.fold ?? foldClaims;
    const claims = fold(list.map((entry, index) => ({ ...entry, id: index + 1 })));
    const hasFailed = async (jobId: string) => jobs[Number(jobId)] === 'failed';
    const awaited = new Set<string>();
    const claimant = { scope, runId, nonce, startedAtMs: undefined, awaited, hasFailed };
    const own = { fingerprint: 'task', ...claimant };
    const decision = await decide(claims, own);
    const isVoid = claims.some((claim) => claim.nonce === nonce && claim.state === 'void');
    this.#decisions.set(key, { decision, isVoid });
    return { decision, isVoid };
  }
}

type Check = (orders: Orders, state: State, next: readonly Next[]) => Promise<string[]>;

/** Explores every order, up to the first problem. Returns it, with what led to it. */
export async function explore(plan: Plan, check: Check) {
  const orders = new Orders(plan);
  const parents = new Map([[toKey(orders.start), { from: '', label: 'start' }]]);
  const queue = [orders.start];
  for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
    const key = toKey(state);
    const next = await orders.getNext(state);
    const problems = await check(orders, state, next);
    if (problems.length > 0) {
      const path: string[] = [];
      for (let at = parents.get(key); at !== undefined; at = parents.get(at.from)) {
        path.unshift(at.label);
      }
      return { states: parents.size, problems: [...problems, ...path] };
    }
    for (const one of next) {
      const nextKey = toKey(one.state);
      if (!parents.has(nextKey)) {
        parents.set(nextKey, { from: key, label: one.label });
        queue.push(one.state);
      }
    }
  }
  return { states: parents.size, problems: [] };
}

export async function wander(plan: Plan, check: Check, pick: (count: number) => number) {
  const orders = new Orders(plan);
  const path: string[] = [];
  for (let state = orders.start; ; ) {
    const next = await orders.getNext(state);
    const problems = await check(orders, state, next);
    const one = next[pick(next.length)];
    if (problems.length > 0 || one === undefined) {
      return problems.length > 0 ? [...problems, ...path] : [];
    }
    path.push(one.label);
    state = one.state;
  }
}
