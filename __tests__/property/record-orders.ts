import { type Claim, type Decision, decide, foldClaims } from '../../src/record/rule.ts';
import type { Entry, RecordedEntry } from '../../src/record/wire-format.ts';

/** One step that wants the job. A later attempt begins when the earlier ones have ended. */
export interface Participant extends Pick<Entry, 'scope' | 'runId' | 'attempt'> {}

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

export interface State {
  readonly actors: readonly Actor[];
  /** The statuses on record, oldest first. */
  readonly record: readonly Entry[];
  /** Writes that take effect later. */
  readonly late: readonly Entry[];
  readonly faults: number;
  readonly failures: number;
}

/** A thing that happens, and the state after it. */
export interface Next {
  readonly label: string;
  readonly state: State;
}

type Change = Partial<Actor>;

/** What a participant decides on a list. */
interface Known {
  readonly decision: Decision;
  /** Whether its own claim is void. */
  readonly isVoid: boolean;
}

const texts = new WeakMap<object, string>();

/** Returns the text of a part that many states share. */
function getText<T extends object>(part: T, write: (part: T) => string): string {
  const known = texts.get(part);
  if (known !== undefined) {
    return known;
  }
  const text = write(part);
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

/**
 * Plays the participants' use of the record, one request at a time. They decide with the code of
 * the action: its fold, and its rules. What they do in which order is copied by hand from `Claimant`
 * and `ClaimStore`, so a mistake there shows only in `record-model.ts`, which plays the real ones.
 */
export class Orders {
  readonly plan: Plan;
  readonly #decisions = new Map<string, Known>();

  constructor(plan: Plan) {
    this.plan = plan;
  }

  get start(): State {
    const { participants, faults, failures } = this.plan;
    const actors = participants.map(
      (own): Actor => ({
        phase: isFirst(own) ? 'claim' : 'look',
        seen: 0,
        claims: 0,
        isOpen: false,
        after: undefined,
        job: 'none',
        followed: undefined,
        settles: 'released',
        end: '',
        isTelling: false,
      }),
    );
    return { actors, record: [], late: [], faults, failures };
  }

  /** Returns whatever can happen next. Nothing if all participants have ended. */
  async getNext(state: State): Promise<Next[]> {
    const next: Next[] = [];
    for (const [index, actor] of state.actors.entries()) {
      if (actor.job === 'alive' && state.failures > 0) {
        next.push(this.#change(state, index, 'job fails', { job: 'failed' }, { failures: 1 }));
      }
      if (actor.phase !== 'done' && this.#mayBegin(state, index)) {
        next.push(...(await this.#act(state, index)), ...this.#interrupt(state, index));
      }
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
    const own = this.plan.participants[index];
    if (own === undefined) {
      throw new Error('no such participant');
    }
    return own;
  }

  /** Returns a state in which one participant has changed. */
  #change(
    state: State,
    index: number,
    label: string,
    change: Change,
    {
      faults = 0,
      failures = 0,
      written = [],
      late = [],
    }: { faults?: number; failures?: number; written?: Entry[]; late?: Entry[] } = {},
  ): Next {
    return {
      label: `${index}: ${label}`,
      state: {
        actors: state.actors.map((actor, other) =>
          other === index ? { ...actor, ...change } : actor,
        ),
        record: written.length === 0 ? state.record : [...state.record, ...written],
        late: late.length === 0 ? state.late : [...state.late, ...late],
        faults: state.faults - faults,
        failures: state.failures - failures,
      },
    };
  }

  /** Ends a participant. One whose claim may be open withdraws it first. */
  #finish({ isOpen }: Actor, end: string, change: Change = {}): Change {
    const phase = isOpen ? 'settle' : 'done';
    return { ...change, phase, settles: 'released', end };
  }

  async #act(state: State, index: number): Promise<Next[]> {
    const actor = state.actors[index];
    switch (actor?.phase) {
      case 'look':
      case 'read':
      case 'poll':
        return this.#read(state, index, actor);
      case 'claim':
        return this.#claim(state, index, actor);
      case 'create':
        return this.#create(state, index, actor);
      case 'settle':
        return this.#settle(state, index, actor);
      default:
        return [];
    }
  }

  /** A kill, a cancel, or the end of the time for another attempt. */
  #interrupt(state: State, index: number): Next[] {
    const actor = state.actors[index];
    if (actor === undefined || state.faults === 0) {
      return [];
    }
    const kill: Change = { phase: 'done', end: 'killed' };
    const next = [this.#change(state, index, 'killed', kill, { faults: 1 })];
    if (actor.phase === 'create') {
      const late: Change = { ...kill, job: 'alive' };
      next.push(this.#change(state, index, 'killed after its request', late, { faults: 1 }));
    } else if (actor.phase !== 'settle') {
      const cancel = this.#finish(actor, 'canceled');
      next.push(this.#change(state, index, 'canceled', cancel, { faults: 1 }));
    }
    if (actor.phase === 'poll') {
      const stop = this.#finish(actor, 'stopped');
      next.push(this.#change(state, index, 'waits in vain', stop, { faults: 1 }));
    }
    return next;
  }

  /** When nothing else can happen, waits for other attempts end. */
  #timeOut(state: State): Next[] {
    return state.actors.flatMap((actor, index) =>
      actor.phase === 'poll'
        ? [this.#change(state, index, 'waits in vain', this.#finish(actor, 'stopped'))]
        : [],
    );
  }

  async #read(state: State, index: number, actor: Actor): Promise<Next[]> {
    const { record } = state;
    const nonce = actor.isOpen ? `${index}.${actor.claims}` : undefined;
    const own = record.findIndex((entry) => entry.nonce === nonce) + 1;
    const first = Math.max(actor.seen, own);
    const next: Next[] = [];
    for (let seen = first; seen <= record.length; seen += 1) {
      const { decision, isVoid } = await this.#decide(state, this.#get(index), nonce, seen);
      const known = { ...actor, isOpen: actor.isOpen && !isVoid };
      const change = { seen, isOpen: known.isOpen, ...this.#follow(known, decision) };
      next.push(this.#change(state, index, `reads ${seen}, ${decision.kind}`, change));
    }
    if (state.faults > 0) {
      const change = this.#finish(actor, 'stopped');
      next.push(this.#change(state, index, 'cannot read', change, { faults: 1 }));
    }
    return next;
  }

  #follow(actor: Actor, decision: Decision): Change {
    switch (decision.kind) {
      case 'start':
        return { phase: 'create' };
      case 'claim':
        return { phase: 'claim', after: decision.failed?.nonce };
      case 'wait':
        return this.#finish(actor, 'followed', { followed: decision.claim.jobId });
      case 'busy':
        return { phase: 'poll' };
    }
  }

  #claim(state: State, index: number, actor: Actor): Next[] {
    const claims = actor.claims + 1;
    const entry: Entry = {
      ...this.#get(index),
      fingerprint: 'task',
      nonce: `${index}.${claims}`,
      after: actor.after,
      series: undefined,
      paths: undefined,
      state: 'starting',
      jobId: undefined,
    };
    const open = { claims, isOpen: true };
    const change: Change = { ...open, phase: 'read' };
    const next = [this.#change(state, index, 'claims', change, { written: [entry] })];
    if (state.faults === 0) {
      return next;
    }
    const add = (label: string, changes: Change, effect: object): void => {
      next.push(this.#change(state, index, label, changes, { faults: 1, ...effect }));
    };
    const failed = { ...open, ...this.#finish({ ...actor, ...open }, 'stopped') };
    add('claims twice', change, { written: [entry], late: [entry] });
    add('claim lost', failed, { written: [entry] });
    add('claim late', failed, { late: [entry] });
    add('claim fails', failed, {});
    add('claim refused', { claims, ...this.#finish(actor, 'stopped') }, {});
    return next;
  }

  #create(state: State, index: number, actor: Actor): Next[] {
    const started: Change = { phase: 'settle', job: 'alive', settles: 'job', end: 'started' };
    const next = [this.#change(state, index, 'starts', started)];
    if (state.failures > 0) {
      const refused = this.#finish(actor, 'refused');
      next.push(this.#change(state, index, 'is refused', refused, { failures: 1 }));
    }
    if (state.faults > 0) {
      // The claim stays open.
      const none: Change = { phase: 'done', end: 'unknown', isTelling: true };
      const made: Change = { ...none, job: 'alive' };
      next.push(this.#change(state, index, 'starts, unanswered', made, { faults: 1 }));
      next.push(this.#change(state, index, 'starts nothing, unanswered', none, { faults: 1 }));
    }
    return next;
  }

  #settle(state: State, index: number, { settles, claims, isTelling, after }: Actor): Next[] {
    const nonce = `${index}.${claims}`;
    const first = state.record.find((entry) => entry.nonce === nonce);
    const entry: Entry = {
      ...this.#get(index),
      fingerprint: 'task',
      nonce,
      after: first?.after ?? after,
      series: undefined,
      paths: undefined,
      state: settles,
      jobId: settles === 'job' ? `${index}` : undefined,
    };
    const done: Change = { phase: 'done', isOpen: false };
    const open: Change = { ...done, isTelling: true };
    const next = [
      this.#change(
        state,
        index,
        `records ${settles}`,
        { ...done, isTelling },
        { written: [entry] },
      ),
    ];
    if (state.faults === 0) {
      return next;
    }
    const twice = { faults: 1, written: [entry], late: [entry] };
    next.push(
      this.#change(state, index, `cannot record ${settles}`, open, { faults: 1 }),
      this.#change(state, index, `records ${settles} late`, open, { faults: 1, late: [entry] }),
      this.#change(state, index, `records ${settles} twice`, { ...done, isTelling }, twice),
    );
    return next;
  }

  #fold(record: readonly Entry[]): Claim[] {
    const fold = this.plan.fold ?? foldClaims;
    return fold(record.map((entry, index): RecordedEntry => ({ ...entry, id: index + 1 })));
  }

  async #decide(
    state: State,
    own: Participant,
    nonce: string | undefined,
    seen: number,
  ): Promise<Known> {
    const record = seen === state.record.length ? state.record : state.record.slice(0, seen);
    const jobs = state.actors.map(({ job }) => job);
    const { scope, runId } = own;
    const key = [scope, runId, nonce, ...jobs, toRecordText(record)].join();
    const known = this.#decisions.get(key);
    if (known !== undefined) {
      return known;
    }
    const claims = this.#fold(record);
    const decision = await decide(claims, {
      fingerprint: 'task',
      scope,
      runId,
      nonce,
      hasFailed: async (jobId) => jobs[Number(jobId)] === 'failed',
    });
    const isVoid = claims.some((claim) => claim.nonce === nonce && claim.state === 'void');
    this.#decisions.set(key, { decision, isVoid });
    return { decision, isVoid };
  }
}

function isFirst({ scope, attempt }: Participant): boolean {
  return scope === 'rerun' && attempt === 1;
}

/** The states that were found, and the problems, each with what led to it. */
export interface Exploration {
  readonly states: number;
  readonly problems: readonly string[];
}

/** Explores every order. Stops at the first problem. */
export async function explore(
  plan: Plan,
  check: (orders: Orders, state: State, next: readonly Next[]) => Promise<string[]>,
): Promise<Exploration> {
  const orders = new Orders(plan);
  const parents = new Map<string, { readonly from: string; readonly label: string }>();
  const queue: State[] = [orders.start];
  parents.set(toKey(orders.start), { from: '', label: 'start' });
  for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
    const key = toKey(state);
    const next = await orders.getNext(state);
    const problems = await check(orders, state, next);
    if (problems.length > 0) {
      return { states: parents.size, problems: [...problems, ...getPath(parents, key)] };
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

function getPath(
  parents: ReadonlyMap<string, { readonly from: string; readonly label: string }>,
  key: string,
): string[] {
  const path: string[] = [];
  for (let at = parents.get(key); at !== undefined; at = parents.get(at.from)) {
    path.push(at.label);
  }
  return path.reverse();
}

/** Plays one order at random, and checks each of its states. */
export async function wander(
  plan: Plan,
  check: (orders: Orders, state: State, next: readonly Next[]) => Promise<string[]>,
  pick: (count: number) => number,
): Promise<string[]> {
  const orders = new Orders(plan);
  const path: string[] = [];
  for (let state = orders.start; ; ) {
    const next = await orders.getNext(state);
    const problems = await check(orders, state, next);
    if (problems.length > 0) {
      return [...problems, ...path];
    }
    const one = next[pick(next.length)];
    if (one === undefined) {
      return [];
    }
    path.push(one.label);
    state = one.state;
  }
}
