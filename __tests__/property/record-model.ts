import fc from 'fast-check';
import { expect } from 'vitest';
import type { ApiLimits, GitHubApi } from '../../src/github/api.ts';
import { GitHubError } from '../../src/github/errors.ts';
import { createRun } from '../../src/run/run.ts';
import type { AgentApi, ApiResult } from '../../src/service/agent-client.ts';
import { getErrorOutcome, getRunEnd, type Outcome } from '../../src/state/outcome.ts';
import { type RunEvent, RunTracker } from '../../src/state/run-state.ts';
import { createTiming } from '../harness/virtual-clock.ts';
import {
  createFakeGitHub,
  createGitHubContext,
  createInputs,
  createResponse,
  createTestJob,
  PULL_REQUEST,
  silent,
  unsent,
} from '../unit/fixtures.ts';

const rarely = <T>(usual: T, ...rare: T[]): fc.Arbitrary<T> =>
  fc.constantFrom(usual, usual, usual, usual, ...rare);
const sometimes = <T>(rare: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: rare });
const stop = fc.record({
  kind: fc.constantFrom('kill', 'cancel'),
  turn: fc.integer({ min: 1, max: 30 }),
});
/**
 * How often a request to GitHub with a fault takes effect. `lost`: the response is lost.
 * `lost-refused`: the same, and its second try is refused. `late`: after the step gave up.
 */
const EFFECTS = { refused: 0, full: 0, down: 0, lost: 1, 'lost-refused': 1, late: 1, twice: 2 };
const fault = fc.record({
  kind: fc.constantFrom('refused', 'full', 'down', 'lost', 'lost-refused', 'late', 'twice'),
  from: fc.nat(6),
  count: fc.constantFrom(1, 2, 99),
});

/** The course of one step. A turn is a request or a sleep. Some requests to GitHub have a fault. */
const step = fc.record({
  create: rarely('accepted', 'lost', 'lost-without-job', 'refused'),
  fate: rarely('completed', 'active', 'archived', 'failed', 'gone', 'unreadable'),
  fateAfterMs: fc.constantFrom(0, 1_000, 100_000),
  wait: rarely(false, true),
  timeoutMs: rarely(1_800_000, 20_000, 120_000),
  isDryRun: rarely(false, false, true),
  stop: sometimes(stop),
  fault: sometimes(fault),
});

/** `again`: another step in the newest attempt of a run. `move`: the tag gets another commit. */
const event = fc.record({
  kind: fc.constantFrom('start', 'start', 'rerun', 'rerun', 'again', 'move'),
  afterMs: fc.constantFrom<number[]>(0, 0, 1, 100, 1_000, 10_000, 300_000),
  run: fc.nat(3),
  reuse: fc.constantFrom('rerun', 'auto'),
  /** Whether `release-tag` names the tag, and the run is for another commit. */
  isNamed: fc.boolean(),
  prompt: rarely('Write it', 'Other'),
  step,
});

/** Delays and lags are used in turn. A list that shows a status also shows all earlier ones. */
export const worldPlan = fc.record({
  delaysMs: fc.array(fc.constantFrom(0, 1, 5, 50, 300, 1_500), { minLength: 1, maxLength: 12 }),
  lagsMs: fc.array(rarely(0, 100, 1_000, 8_000), { minLength: 1, maxLength: 8 }),
  events: fc.array(event, { minLength: 1, maxLength: 7 }),
});

type Value<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type StepPlan = Value<typeof step>;
export type StepFault = Value<typeof fault>;
export type Event = Value<typeof event>;
export type WorldPlan = Value<typeof worldPlan>;

/** A step that starts a job without trouble. */
export const STEP: StepPlan = {
  create: 'accepted',
  fate: 'completed',
  fateAfterMs: 0,
  wait: false,
  timeoutMs: 1_800_000,
  isDryRun: false,
  stop: undefined,
  fault: undefined,
};

interface Run extends Pick<Event, 'reuse' | 'isNamed' | 'prompt'> {
  readonly id: number;
  readonly sha: string;
  readonly attempts: Step[][];
}

const TAG = 'v1.0.0';
const PAGE_SIZE = 10;
const MAX_LAG_MS = 1_000;
const LISTED_AFTER_MS = 10_000;
const LATE_MS = 25_000;
const KILL_AFTER_MS = 10_000;
const toCommit = (number: number): string => number.toString(16).padStart(40, '0');

/** One run of the action: what it did, and what it saw. */
export class Step {
  readonly world: World;
  readonly run: Run;
  readonly attempt: number;
  readonly plan: StepPlan;
  readonly name: string;
  readonly tracker: RunTracker;
  readonly cancel = new AbortController();
  readonly startedAtMs: number;
  /** The commit that has its record. */
  commit: string;
  state: 'running' | 'ended' | 'killed' = 'running';
  endedAtMs = Number.POSITIVE_INFINITY;
  decidedAtMs = Number.POSITIVE_INFINITY;
  cancelledAtMs: number | undefined;
  outcome: Outcome | undefined;
  /** Until when it may wait for another step that is starting the job. */
  rivalUntilMs = Number.POSITIVE_INFINITY;
  /** How long it may wait, as it says. */
  rivalWaitMs = 0;
  sent: { readonly atMs: number } | undefined;
  jobId: string | undefined;
  /** Whether a request to GitHub failed, or a list lagged behind for too long. */
  hadTrouble = false;
  readonly claims = new Set<string>();
  writes = 0;
  #requests = 0;
  #turns = 0;

  constructor(world: World, run: Run, plan: StepPlan) {
    this.world = world;
    this.run = run;
    this.attempt = run.attempts.length;
    this.plan = plan;
    this.name = `run ${run.id}, attempt ${this.attempt}, step ${world.steps.length + 1}`;
    this.tracker = new RunTracker({ now: () => world.now, sleep: this.sleep });
    this.startedAtMs = world.now;
    this.commit = run.sha;
  }

  /** Whether this step considers the records of the other step. */
  counts(other: Step): boolean {
    const isSamePrompt = other.run.prompt === this.run.prompt;
    const isThere = other.commit === this.commit;
    const isOwn = other.run === this.run;
    // A run has one record, wherever its tag has moved, once a list can't lag behind any more. Only
    // two steps beside a tag that moves at that moment have two.
    const isListed = other.startedAtMs + LISTED_AFTER_MS < this.startedAtMs;
    const isEarlier = isOwn && other.attempt < this.attempt && isListed && other.isAlone();
    const isKept = isListed && other.jobId !== undefined && this.hasWaitedFor(other.jobId);
    const isFound = isEarlier || isKept || (isThere && (isOwn || this.run.reuse === 'auto'));
    return other !== this && isSamePrompt && isFound;
  }

  /** Whether an earlier attempt has waited for a job, and ended before a list can lag behind. */
  hasWaitedFor(jobId: string): boolean {
    const earlier = this.run.attempts.slice(0, this.attempt - 1).flat();
    return earlier.some(({ state, tracker, endedAtMs, hadTrouble }) => {
      const { earlierJob } = tracker.state;
      const isFound = earlierJob?.kind === 'found' && earlierJob.jobId === jobId;
      const isListed = endedAtMs + LISTED_AFTER_MS < this.startedAtMs;
      return isFound && isListed && state === 'ended' && !hadTrouble;
    });
  }

  /** Whether no other step of its run has sent a request for another commit of the tag. */
  isAlone(): boolean {
    const sent = this.run.attempts.flat().filter((step) => step.sent !== undefined);
    return sent.every(({ commit }) => commit === this.commit);
  }

  takeFault(): StepFault['kind'] | 'none' {
    const { fault } = this.plan;
    const number = this.#requests++;
    const isFaulty = fault && fault.from <= number && number < fault.from + fault.count;
    return isFaulty ? fault.kind : 'none';
  }

  getJobStatus(atMs: number): string {
    const isNew = atMs < (this.sent?.atMs ?? 0) + this.plan.fateAfterMs;
    const status = isNew ? 'active' : this.plan.fate;
    return this.jobId === undefined ? 'gone' : status;
  }

  end(state: 'ended' | 'killed'): void {
    if (this.state === 'running') {
      this.state = state;
      this.endedAtMs = this.world.now;
      const { request, claim } = this.tracker.state;
      this.log(`${state}, ${JSON.stringify({ request: request?.kind, claim, ...this.outcome })}`);
    }
  }

  log(text: string): void {
    this.world.log(`${this.name}: ${text}`);
  }

  /** Begins a turn. It never ends if the step is killed. */
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    this.#turns += 1;
    const { stop } = this.plan;
    if (this.#turns === stop?.turn && this.state === 'running') {
      if (stop.kind === 'kill') {
        this.end('killed');
      } else {
        this.#cancel();
      }
    }
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', wake);
        if (this.state !== 'killed') {
          resolve();
        }
      };
      if (signal?.aborted) {
        return wake();
      }
      this.world.at(ms, wake);
      signal?.addEventListener('abort', wake);
    });
  };

  #cancel(): void {
    this.cancelledAtMs = this.world.now;
    this.log('canceled');
    this.cancel.abort();
    this.world.at(KILL_AFTER_MS, () => this.end('killed'));
  }
}

/** GitHub, the service, and the steps that use them, in virtual time. */
export class World {
  readonly steps: Step[] = [];
  readonly statuses: {
    readonly id: number;
    readonly sha: string;
    readonly atMs: number;
    readonly target_url: string;
    readonly created_at: string;
  }[] = [];
  readonly history: string[] = [];
  now = 0;
  tagCommit = toCommit(1);
  readonly #plan: WorldPlan;
  readonly #runs: Run[] = [];
  readonly #queue: { readonly atMs: number; readonly act: () => void }[] = [];
  #delays = 0;
  #lags = 0;

  constructor(plan: WorldPlan) {
    this.#plan = plan;
  }

  async play(): Promise<void> {
    let startMs = 0;
    for (const event of this.#plan.events) {
      startMs += event.afterMs;
      this.at(startMs, () => this.#begin(event));
    }
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.now = next.atMs;
      next.act();
      await new Promise(setImmediate);
    }
  }

  at(ms: number, act: () => void): void {
    const atMs = this.now + Math.max(0, ms);
    const index = this.#queue.findLastIndex((other) => other.atMs <= atMs) + 1;
    this.#queue.splice(index, 0, { atMs, act });
  }

  log(text: string): void {
    this.history.push(`${(this.now / 1000).toFixed(3).padStart(9)} ${text}`);
  }

  #begin(event: Event): void {
    const { kind, step, reuse, isNamed, prompt } = event;
    const known = this.#runs[event.run % this.#runs.length];
    const isRunning = known?.attempts.at(-1)?.some(({ state }) => state === 'running');
    if (kind === 'move') {
      this.tagCommit = toCommit(Number.parseInt(this.tagCommit, 16) + 1);
      this.log('the tag moves');
    } else if (kind === 'start' || known === undefined) {
      const sha = isNamed ? toCommit(0) : this.tagCommit;
      const run: Run = { id: this.#runs.length + 1, reuse, isNamed, prompt, sha, attempts: [[]] };
      this.#runs.push(run);
      void this.#play(run, step);
    } else if (kind === 'rerun' && isRunning) {
      this.at(1_000, () => this.#begin(event));
    } else {
      known.attempts.push(...(kind === 'rerun' ? [[]] : []));
      void this.#play(known, step);
    }
  }

  async #play(run: Run, plan: StepPlan): Promise<void> {
    const step = new Step(this, run, plan);
    this.steps.push(step);
    run.attempts.at(-1)?.push(step);
    step.log(`starts with reuse: ${run.reuse}${run.isNamed ? ' and release-tag' : ''}`);
    const { tracker, cancel } = step;
    const inputs = createInputs({
      request: { kind: 'create', prompt: run.prompt },
      tag: TAG,
      reuse: run.reuse,
      wait: plan.wait,
      dryRun: plan.isDryRun,
      timeoutMs: plan.timeoutMs,
      pollIntervalMs: 60_000,
    });
    const github = createGitHubContext({
      runId: run.id,
      runAttempt: step.attempt,
      sha: run.sha,
      eventTag: run.isNamed ? undefined : TAG,
      // Without a token, no details of pull requests are read.
      token: undefined,
      pullToken: undefined,
    });
    const emit = (event: RunEvent): void => {
      if (event.kind === 'earlier-job') {
        step.log(`earlier job: ${tracker.state.earlierJob?.kind}`);
      } else if (event.kind === 'rival') {
        step.rivalWaitMs = event.waitMs;
        step.rivalUntilMs = this.now + event.waitMs;
      } else if (event.kind === 'request') {
        step.decidedAtMs = this.now;
      }
    };
    const clock = { now: () => this.now, sleep: step.sleep };
    const openGitHub = (limits: ApiLimits) => this.#open(step, limits);
    const action = createRun({
      inputs,
      ...createTiming(clock, this.now + plan.timeoutMs).timing,
      cancel: cancel.signal,
      agent: this.#createAgent(step),
      github,
      openGitHub,
      openPullRequests: openGitHub,
      tracker,
      redact: String,
      emit,
    });
    tracker.update({ request: inputs.request });
    const outcome = await action.execute().catch((error) => getErrorOutcome(error, tracker.state));
    step.outcome = outcome;
    await action.finish(getRunEnd(outcome, tracker.state));
    step.end('ended');
  }

  #open(step: Step, { timeoutMs, signal }: ApiLimits): GitHubApi {
    const deadline = this.now + timeoutMs;
    const { lagsMs } = this.#plan;
    const lagMs = lagsMs[this.#lags++ % lagsMs.length] ?? 0;
    /** Sends a request to GitHub. It may take effect although it fails. */
    const send = async <T>(act: () => T, isWrite = false): Promise<T> => {
      const kind = step.takeFault();
      const answers: T[] = [];
      await step.sleep(0, signal);
      const thereMs = kind === 'late' ? LATE_MS : this.#nextDelay();
      const tookMs = thereMs + this.#nextDelay();
      const count = signal.aborted ? 0 : { ...EFFECTS, none: 1 }[kind];
      for (const afterMs of [thereMs, tookMs].slice(0, count)) {
        this.at(afterMs, () => answers.push(act()));
      }
      await step.sleep(Math.min(tookMs, deadline - this.now), signal);
      if (answers.length > 0 && !kind.startsWith('lost')) {
        return answers[0] as T;
      }
      step.hadTrouble = true;
      step.log(`a request to GitHub failed (${kind})`);
      throw toError(kind, isWrite && (count > 0 || kind === 'down'));
    };
    return {
      read: async (schema, path) => {
        const answer = await send(() => this.#read(step, path, lagMs));
        return createFakeGitHub(() => answer).read(schema, path);
      },
      now: () => this.now,
      query: () => Promise.reject(new Error('nothing is queried')),
      write: async (path, body) => {
        const { target_url: link = '', description = '' } = body as Record<string, string>;
        const name = /nonce=(\w+).*state=starting/.exec(link)?.[1];
        if (name !== undefined) {
          step.claims.add(name);
        }
        step.writes += 1;
        await send(() => this.#post(path.replace('/statuses/', ''), link, description), true);
      },
    };
  }

  #post(sha: string, link: string, description: string): void {
    const shown = link.replace(/.*acme.(\w+)|docs-agent-job=v7&fingerprint=\w+&/g, '$1');
    this.log(`status on ${sha.slice(-2)}: ${description}, ${shown}`);
    const id = this.statuses.length + 1;
    const created_at = new Date(Math.floor(this.now / 1000) * 1000).toISOString();
    this.statuses.push({ id, sha, atMs: this.now, target_url: link, created_at });
  }

  #read(step: Step, path: string, lagMs: number): unknown {
    if (path.startsWith('/git/')) {
      return [{ ref: `refs/tags/${TAG}`, object: { type: 'commit', sha: this.tagCommit } }];
    }
    const [, sha, page] = /^\/commits\/(\w+)\/statuses\?per_page=100&page=(\d+)$/.exec(path) ?? [];
    step.commit = sha ?? '';
    const all = this.statuses.filter((status) => status.sha === sha);
    const shown = all.filter(({ atMs }) => atMs <= this.now - lagMs);
    step.hadTrouble ||= lagMs > MAX_LAG_MS;
    return shown.toReversed().slice((Number(page) - 1) * PAGE_SIZE, Number(page) * PAGE_SIZE);
  }

  #nextDelay(): number {
    return this.#plan.delaysMs[this.#delays++ % this.#plan.delaysMs.length] ?? 0;
  }

  #createAgent(step: Step): AgentApi {
    const answer = async (getResult: () => ApiResult, signal: AbortSignal): Promise<ApiResult> => {
      await step.sleep(this.#nextDelay(), signal);
      return signal.aborted ? silent : getResult();
    };
    const toJob = (id: string, status: string): ApiResult => {
      const prLink = status === 'completed' ? PULL_REQUEST : null;
      return createResponse(200, { job: createTestJob({ id, status, prLink }) });
    };
    return {
      send: async (_, { signal, beforeSendSignal, onSend }) => {
        const { create } = step.plan;
        await step.sleep(0, beforeSendSignal);
        if (beforeSendSignal?.aborted) {
          return unsent;
        }
        onSend?.();
        step.sent = { atMs: this.now };
        step.log(`create request (${create})`);
        const id = `job-${this.steps.indexOf(step) + 1}`;
        step.jobId = create === 'accepted' || create === 'lost' ? id : undefined;
        const answered = create === 'accepted' ? toJob(id, 'active') : silent;
        const refused = createResponse(400, { hasErrorBody: true });
        return answer(() => (create === 'refused' ? refused : answered), signal);
      },
      getJob: (jobId, { signal }) =>
        answer(() => {
          const starter = this.steps.find((other) => other.jobId === jobId);
          const status = starter?.getJobStatus(this.now) ?? 'gone';
          if (status === 'gone') {
            return createResponse(404, { hasErrorBody: true });
          }
          return status === 'unreadable' ? createResponse(502) : toJob(jobId, status);
        }, signal),
    };
  }
}

function toError(kind: string, mayHaveEffect: boolean): GitHubError {
  if (kind === 'refused' || kind === 'lost-refused') {
    return new GitHubError('HTTP 403: No', { kind: 'access', httpStatus: 403, mayHaveEffect });
  }
  return kind === 'full'
    ? new GitHubError('HTTP 422: No', { kind, httpStatus: 422, mayHaveEffect })
    : new GitHubError('HTTP 502', { kind: 'unavailable', mayHaveEffect });
}

/** Returns a check of a plan: it plays the world, and expects no problem with any step. */
export function checkWorld(findProblems: (world: World, own: Step) => string[]) {
  return async (plan: WorldPlan): Promise<void> => {
    const world = new World(plan);
    await world.play();
    const problems = world.steps.flatMap((own) => findProblems(world, own));
    expect(problems, world.history.join('\n')).toEqual([]);
  };
}
