import type { ApiLimits, GitHubApi } from '../../src/github/api.ts';
import { GitHubError } from '../../src/github/api.ts';
import { readGitHubContext } from '../../src/github/context.ts';
import type { AgentApi, ApiResult } from '../../src/job/agent-client.ts';
import { getErrorOutcome, type Outcome } from '../../src/outcome.ts';
import { createRecord } from '../../src/plan/record.ts';
import { createReporter } from '../../src/report/reporter.ts';
import { run } from '../../src/run.ts';
import { type RecordState, RunTracker } from '../../src/state.ts';
import { toPlainText } from '../../src/text/message.ts';
import * as z from '../../src/text/schema.ts';
import { createInputs, createResponse, createTestJob, silent, TOKEN, unsent } from '../unit/fixtures.ts';

/** `lost`: the request has its effect, but the answer is lost. `late`: it has its effect after the run gave up. */
export type GitHubFault = 'refused' | 'down' | 'rate-limited' | 'lost' | 'late' | 'twice';
export type JobFate = 'active' | 'completed' | 'archived' | 'failed' | 'gone' | 'unreadable' | 'young';

/** The course of one step. A turn is a request or a sleep, numbered from 1. */
export interface StepPlan {
  readonly create: 'accepted' | 'lost' | 'lost-without-job' | 'refused';
  readonly fate: JobFate;
  readonly fateAfterMs: number;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly killAtTurn: number | undefined;
  readonly cancelAtTurn: number | undefined;
  /** The fault of some of its requests to GitHub, numbered from 0. */
  readonly fault: { readonly kind: GitHubFault; readonly from: number; readonly to: number } | undefined;
}

/** `again`: another step with the same prompt in the newest attempt of a run. `move`: the tag gets another commit. */
export interface Event {
  readonly kind: 'start' | 'rerun' | 'again' | 'move' | 'forge';
  readonly afterMs: number;
  readonly run: number;
  readonly reuse: 'rerun' | 'release';
  /** Whether `release-tag` names the tag, on a run for another commit. */
  readonly isNamed: boolean;
  readonly prompt: string;
  readonly step: StepPlan;
}

/** `isOrdered`: a list that shows a status also shows all earlier ones. Delays and lags are used in turn. */
export interface WorldPlan {
  readonly isOrdered: boolean;
  readonly delaysMs: readonly number[];
  readonly lagsMs: readonly number[];
  readonly events: readonly Event[];
}

interface Run extends Pick<Event, 'reuse' | 'isNamed' | 'prompt'> {
  readonly id: number;
  readonly sha: string;
  readonly attempts: Step[][];
}

interface Status {
  readonly id: number;
  readonly sha: string;
  readonly atMs: number;
  readonly target_url: string;
}

export interface SimulatedJob {
  readonly id: string;
  readonly startedAtMs: number;
  readonly fate: JobFate;
  readonly fateAtMs: number;
}

const TAG = 'v1.0.0';
const PAGE_SIZE = 10;
const MAX_LAG_MS = 1_000;
const LATE_MS = 25_000;
const YOUNG_MS = 30_000;
const FORCE_AFTER_MS = 7_500;
const KILL_AFTER_MS = 10_000;
/** Without the fields that name the job and its run. */
const FORGERIES = [
  'docs-agent-job=v2&claim=00000000000000aa&attempt=1&state=job&id=forged',
  'docs-agent-job=v1&claim=short&attempt=1&state=job&id=forged',
  'docs-agent-job=v1&claim=00000000000000bb&attempt=0&state=job&id=forged',
  'docs-agent-job=v1&claim=00000000000000cc&attempt=1&state=starting&id=forged',
  'docs-agent-job=v1&claim=00000000000000dd&attempt=1&state=job',
  'docs-agent-job=v1&claim=00000000000000ee&attempt=1&state=job&id=forged&fingerprint=0',
];

/** One run of the action: what it did, and what it knew. */
export class Step {
  readonly world: World;
  readonly run: Run;
  readonly attempt: number;
  readonly plan: StepPlan;
  readonly name: string;
  readonly tracker: RunTracker;
  readonly cancel = new AbortController();
  readonly forceCancel = new AbortController();
  readonly ended: Promise<void>;
  readonly warnings: string[] = [];
  readonly startedAtMs: number;
  /** The commit that has its record. */
  commit: string;
  state: 'running' | 'ended' | 'killed' = 'running';
  outcome: Outcome | undefined;
  endedAtMs: number | undefined;
  decidedAtMs: number | undefined;
  cancelledAtMs: number | undefined;
  /** When it noticed that another step may be starting the job, and how long it may wait for that. */
  rival: { readonly atMs: number; readonly longestMs: number } | undefined;
  sent: { readonly atMs: number; readonly record: RecordState['kind'] } | undefined;
  job: SimulatedJob | undefined;
  /** Whether a list has shown it a status without an earlier one. */
  sawGap = false;
  /** Whether a request to GitHub failed, or a list lagged behind for too long. */
  hadTrouble = false;
  requests = 0;
  /** How often it has released a claim. */
  releases = 0;
  asked = false;
  #turns = 0;
  #end = (): void => {};

  constructor(world: World, run: Run, attempt: number, plan: StepPlan) {
    this.world = world;
    this.run = run;
    this.attempt = attempt;
    this.plan = plan;
    this.name = `run ${run.id}, attempt ${attempt}`;
    this.startedAtMs = world.now;
    this.commit = run.isNamed && run.reuse === 'release' ? world.tagCommit : run.sha;
    this.tracker = new RunTracker({ now: () => world.now, sleep: this.sleep });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Whether the records of the other step count for this one. */
  counts(other: Step): boolean {
    const isSameJob = other.run.prompt === this.run.prompt && other.commit === this.commit;
    return other !== this && isSameJob && (this.run.reuse === 'release' || other.run === this.run);
  }

  get jobId(): string | undefined {
    return this.tracker.state.jobId;
  }

  end(state: 'ended' | 'killed'): void {
    if (this.state === 'running') {
      this.state = state;
      this.endedAtMs = this.world.now;
      this.world.log(`${this.name}: ${state} ${this.outcome?.outcome ?? ''}`);
      this.#end();
    }
  }

  /** Begins a turn. It never ends if the step is killed. */
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    this.#turns += 1;
    const { killAtTurn, cancelAtTurn } = this.plan;
    if (this.#turns === killAtTurn) this.end('killed');
    if (this.#turns === cancelAtTurn && this.state === 'running') this.#cancel();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', wake);
        if (this.state !== 'killed') resolve();
      };
      if (signal?.aborted) return wake();
      this.world.at(ms, wake);
      signal?.addEventListener('abort', wake);
    });
  };

  #cancel(): void {
    this.cancelledAtMs = this.world.now;
    this.world.log(`${this.name}: canceled`);
    this.cancel.abort();
    this.world.at(FORCE_AFTER_MS, () => this.forceCancel.abort());
    this.world.at(KILL_AFTER_MS, () => this.end('killed'));
  }
}

/** GitHub, the service, and the steps that use them. Virtual time: nothing else happens at random. */
export class World {
  readonly steps: Step[] = [];
  readonly statuses: Status[] = [];
  readonly history: string[] = [];
  now = 0;
  tagCommit = toCommit(1);
  readonly #plan: WorldPlan;
  readonly #runs: Run[] = [];
  readonly #queue: { readonly atMs: number; readonly act: () => void }[] = [];
  /** Called when a create request is sent. */
  onCreate: (step: Step) => void = () => {};
  #delays = 0;
  #lags = 0;

  constructor(plan: WorldPlan) {
    this.#plan = plan;
  }

  /** Plays all events to the end of all runs. */
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
    const index = this.#queue.findLastIndex((other) => other.atMs <= atMs);
    this.#queue.splice(index + 1, 0, { atMs, act });
  }

  log(text: string): void {
    this.history.push(`${(this.now / 1000).toFixed(3).padStart(9)} ${text}`);
  }

  #begin({ kind, run: number, reuse, isNamed, prompt, step }: Event): void {
    const known = this.#runs[number % this.#runs.length];
    if (kind === 'move') {
      this.tagCommit = toCommit(Number.parseInt(this.tagCommit, 16) + 1);
      this.log('the tag moves');
    } else if (kind === 'forge') {
      for (const target of known === undefined ? [] : [known.sha, this.tagCommit])
        this.#forge(target, number);
    } else if (kind === 'start' || known === undefined) {
      const sha = isNamed ? toCommit(0) : this.tagCommit;
      const started: Run = { id: this.#runs.length + 1, reuse, isNamed, prompt, sha, attempts: [[]] };
      this.#runs.push(started);
      void this.#play(started, step);
    } else if (kind === 'again') {
      void this.#play(known, step);
    } else {
      void this.#rerun(known, step);
    }
  }

  /** Runs the next attempt as soon as the one before it has ended. */
  async #rerun(known: Run, step: StepPlan): Promise<void> {
    const newest = known.attempts.at(-1) ?? [];
    while (newest.some(({ state }) => state === 'running'))
      await Promise.all(newest.map(({ ended }) => ended));
    if (known.attempts.at(-1) !== newest) return this.#rerun(known, step);
    known.attempts.push([]);
    await this.#play(known, step);
  }

  #forge(sha: string, number: number): void {
    const fingerprint = /fingerprint=(\w+)/.exec(this.statuses.at(-1)?.target_url ?? '')?.[1] ?? '';
    const fragment = `run=${number + 1}&fingerprint=${fingerprint}&${FORGERIES[number % FORGERIES.length]}`;
    this.#post(sha, `https://github.com/acme/app#${fragment}`);
  }

  #post(sha: string, link: string): void {
    this.log(`status on ${sha.slice(-2)}: ${link.replace(/.*#docs-agent-job=v1&fingerprint=\w+&/, '')}`);
    this.statuses.push({ id: this.statuses.length + 1, sha, atMs: this.now, target_url: link });
  }

  async #play(own: Run, plan: StepPlan): Promise<void> {
    const attempt = own.attempts.length;
    const step = new Step(this, own, attempt, plan);
    this.steps.push(step);
    own.attempts.at(-1)?.push(step);
    this.log(`${step.name}: starts with reuse: ${own.reuse}${own.isNamed ? ' and release-tag' : ''}`);
    const { tracker, cancel, forceCancel } = step;
    const clock = { now: () => this.now, sleep: step.sleep };
    const inputs = createInputs({
      request: { kind: 'create', prompt: own.prompt },
      release: { tag: TAG, isNamed: own.isNamed },
      reuse: own.reuse,
      wait: plan.wait,
      timeoutMs: plan.timeoutMs,
      pollIntervalMs: 60_000,
    });
    const env = {
      GITHUB_REPOSITORY: 'acme/app',
      GITHUB_RUN_ID: `${own.id}`,
      GITHUB_RUN_ATTEMPT: `${attempt}`,
      GITHUB_SHA: own.sha,
      GITHUB_REF_TYPE: own.isNamed ? 'branch' : 'tag',
      GITHUB_REF_NAME: own.isNamed ? 'main' : TAG,
    };
    const github = readGitHubContext(env, TOKEN);
    const deadline = this.now + plan.timeoutMs;
    const signals = { cancel: cancel.signal, forceCancel: forceCancel.signal };
    const context = { clock, random: () => 0.5, deadline, ...signals };
    const openGitHub = (limits: ApiLimits): GitHubApi => this.#open(step, limits);
    const record = createRecord(inputs, { github, openGitHub, tracker }, context);
    const redact = (text: string): string => text;
    const ignore = (): undefined => undefined;
    const runner = {
      ...{ line: ignore, debug: ignore, group: ignore, annotate: ignore, mask: ignore },
      ...{ setOutputs: ignore, replaceSummary: ignore },
    };
    const options = { runner, tracker, clock, github, redact, cancel: cancel.signal };
    const reporter: ReturnType<typeof createReporter> = {
      ...createReporter(options),
      onNote: (note) => {
        const text = toPlainText(note);
        this.log(`${step.name}: ${text}`);
        if (text.includes('waiting for its id')) {
          const longestMs = Math.min(120_000, (deadline - this.now) / 2);
          step.rival = { atMs: this.now, longestMs };
        }
      },
      onWarning: (warning) => {
        this.log(`${step.name}: warning: ${toPlainText(warning)}`);
        step.warnings.push(toPlainText(warning));
      },
      onRequest: () => {
        step.decidedAtMs = this.now;
      },
    };
    reporter.setInputs(inputs, deadline);
    reporter.setRecord(record);
    const agent = this.#createAgent(step);
    const parts = { agent, github, openGitHub, tracker, redact, reporter, record };
    step.outcome = await run(inputs, parts, context).catch((error) => getErrorOutcome(error, tracker.state));
    await reporter.conclude(step.outcome);
    step.end('ended');
  }

  #open(step: Step, { timeoutMs, signal }: ApiLimits): GitHubApi {
    const deadline = this.now + timeoutMs;
    const lagMs = this.#plan.lagsMs[this.#lags++ % this.#plan.lagsMs.length] ?? 0;
    const send = async <T>(act: () => T): Promise<T> => {
      const { fault } = step.plan;
      const number = step.requests++;
      const kind = fault && fault.from <= number && number < fault.to ? fault.kind : undefined;
      try {
        return await this.#request(step, act, kind, deadline, signal);
      } catch (error) {
        step.hadTrouble = true;
        this.log(`${step.name}: request ${number} to GitHub failed (${kind ?? 'slow'})`);
        throw error;
      }
    };
    return {
      read: async (schema, path) => {
        const { success, data } = z.safeParse(schema, await send(() => this.#read(step, path, lagMs)));
        if (!success) throw new GitHubError('the response lacks a documented field');
        return data;
      },
      write: async (path, body) => {
        const link = String(Object.entries(body).find(([key]) => key === 'target_url')?.[1]);
        if (link.includes('state=released')) step.releases += 1;
        await send(() => this.#post(path.replace('/statuses/', ''), link));
      },
    };
  }

  async #request<T>(
    step: Step,
    act: () => T,
    fault: GitHubFault | undefined,
    deadline: number,
    signal: AbortSignal,
  ): Promise<T> {
    const answers: T[] = [];
    const thereMs = fault === 'late' ? LATE_MS : this.#nextDelay();
    const tookMs = thereMs + this.#nextDelay();
    await step.sleep(0, signal);
    const isSent = fault !== 'refused' && fault !== 'down' && fault !== 'rate-limited' && !signal.aborted;
    if (isSent) this.at(thereMs, () => answers.push(act()));
    if (isSent && fault === 'twice') this.at(tookMs, () => answers.push(act()));
    await step.sleep(Math.min(tookMs, deadline - this.now), signal);
    const [answer] = answers;
    if (fault === 'refused') throw new GitHubError('HTTP 403: No', { httpStatus: 403 });
    if (fault === 'rate-limited') throw new GitHubError('rate limit exceeded', { retryAfterMs: 30_000 });
    if (fault === 'down' || fault === 'lost') throw new GitHubError('HTTP 502');
    if (answers.length === 0) throw new GitHubError('no time was left');
    return answer as T;
  }

  #read(step: Step, path: string, lagMs: number): unknown {
    if (path.startsWith('/git/')) {
      step.commit = this.tagCommit;
      return [{ ref: `refs/tags/${TAG}`, object: { type: 'commit', sha: this.tagCommit } }];
    }
    const [, sha = '', page = ''] = /^\/commits\/(\w+)\/statuses\?per_page=100&page=(\d+)$/.exec(path) ?? [];
    const all = this.statuses.filter((status) => status.sha === sha);
    const { isOrdered, lagsMs } = this.#plan;
    const shown = all.filter(({ id, atMs }) => {
      const ownLagMs = isOrdered ? lagMs : (lagsMs[(id + this.#lags) % lagsMs.length] ?? 0);
      step.hadTrouble ||= ownLagMs > MAX_LAG_MS;
      return atMs <= this.now - ownLagMs;
    });
    step.sawGap ||= shown.at(-1) !== all[shown.length - 1];
    return shown.toReversed().slice((Number(page) - 1) * PAGE_SIZE, Number(page) * PAGE_SIZE);
  }

  #nextDelay(): number {
    const { delaysMs } = this.#plan;
    return delaysMs[this.#delays++ % delaysMs.length] ?? 0;
  }

  #createAgent(step: Step): AgentApi {
    const { plan } = step;
    const answer = async (result: () => ApiResult, signal: AbortSignal): Promise<ApiResult> => {
      await step.sleep(this.#nextDelay(), signal);
      return signal.aborted ? silent : result();
    };
    return {
      createJob: async (_, { signal, beforeSendSignal }) => {
        await step.sleep(0, beforeSendSignal);
        if (beforeSendSignal?.aborted) return unsent;
        step.sent = { atMs: this.now, record: step.tracker.state.record.kind };
        this.log(`${step.name}: create request, record ${step.sent.record} (${plan.create})`);
        this.onCreate(step);
        if (plan.create === 'refused') {
          return answer(() => createResponse(400, { hasErrorBody: true }), signal);
        }
        const id = `job-${this.steps.indexOf(step) + 1}`;
        const fateAtMs = this.now + plan.fateAfterMs;
        const job = { id, startedAtMs: this.now, fate: plan.fate, fateAtMs };
        step.job = plan.create === 'lost-without-job' ? undefined : job;
        return answer(() => (plan.create === 'accepted' ? toResponse(201, id, 'active') : silent), signal);
      },
      sendFollowUp: () => Promise.reject(new Error('nothing sends a follow-up')),
      getJob: (jobId, { signal }) => {
        step.asked ||= step.decidedAtMs === undefined;
        return answer(() => this.#readJob(jobId), signal);
      },
    };
  }

  #readJob(jobId: string): ApiResult {
    const status = this.getStatus(this.steps.find(({ job }) => job?.id === jobId)?.job);
    if (status === 'gone') return createResponse(404, { hasErrorBody: true });
    return status === 'unreadable' ? createResponse(502) : toResponse(200, jobId, status);
  }

  /** What the service says about a job now. */
  getStatus(job: SimulatedJob | undefined): Exclude<JobFate, 'young'> {
    if (job === undefined) return 'gone';
    if (job.fate === 'young') return this.now < job.startedAtMs + YOUNG_MS ? 'gone' : 'active';
    return this.now < job.fateAtMs ? 'active' : job.fate;
  }
}

function toCommit(number: number): string {
  return number.toString(16).padStart(40, '0');
}

function toResponse(httpStatus: number, id: string, status: string): ApiResult {
  return createResponse(httpStatus, { job: createTestJob({ id, status }) });
}
