import { GitHubError } from '../../src/github/get.ts';
import type { AgentApi, ApiResult } from '../../src/job/agent-client.ts';
import type { Outcome } from '../../src/outcome.ts';
import { getFingerprint, JOB_ANNOTATION_TITLE } from '../../src/plan/job-marker.ts';
import { createReporter } from '../../src/report/reporter.ts';
import { run } from '../../src/run.ts';
import type { Runner } from '../../src/runner/commands.ts';
import { RunTracker } from '../../src/state.ts';
import { createInputs, createResponse, createTestJob, createWorld, silent } from '../unit/fixtures.ts';
import {
  type Change,
  createContext,
  createFakeGitHub,
  type FakeJob,
  type FakeNotice,
} from '../unit/plan/fake-github.ts';

/** A failed read of GitHub's API after all retries: an error, or an incomplete answer. */
export const readFaults = {
  gateway: new GitHubError('HTTP 404'),
  forbidden: new GitHubError('HTTP 403: No', 403),
  'not-found': new GitHubError('HTTP 404: Not Found', 404),
  'bad-token': new GitHubError('HTTP 401: No', 401),
  'rate-limit': new GitHubError('rate limit exceeded'),
  'no-time': new GitHubError('no time was left'),
  nothing: () => ({}),
  'no-count': (answer: object) => ({ ...answer, total_count: undefined }),
  /** The answer lacks the last of the items that it counts. */
  cut: (answer: object) =>
    Object.fromEntries(
      Object.entries(answer).map(([key, part]) => [key, Array.isArray(part) ? part.slice(0, -1) : part]),
    ),
};
export type ReadFault = keyof typeof readFaults;

/** The course of an attempt at an agent job. */
export interface Plan {
  /** `crash`: the job starts, and the process dies before it can record it. */
  readonly create: 'accepted' | 'lost' | 'lost-without-job' | 'refused' | 'crash';
  /** The answers of the service: true, errors, 404 on the first look, 404 for half a minute, or a gateway's page. */
  readonly look: 'truth' | 'error' | 'not-found-once' | 'young' | 'gateway';
  /** By the number of the read, from 0. */
  readonly faults: Readonly<Record<number, ReadFault>>;
  readonly knowsItself: boolean;
  /** Whether the name of the workflow job contains the attempt. */
  readonly hasOwnName: boolean;
  /** The text that the runner masks in the records of this attempt. Empty for none. */
  readonly mask: string;
  /** Whether the runner is lost before GitHub has the annotations. */
  readonly killed: boolean;
  /** False if the workflow job still runs when the next event happens. */
  readonly finishes: boolean;
}

export type Status = 'active' | 'completed' | 'archived' | 'failed' | 'deleted';

/** A record before and after the runner masks it. */
interface Notice extends FakeNotice {
  readonly fingerprint: string;
  readonly record: Seen;
  readonly isMasked: boolean;
}

export interface SimulatedJob extends FakeJob {
  readonly prompt: string;
  readonly fingerprint: string;
  state: 'running' | 'finished' | 'killed' | 'skipped';
  readonly notices: Notice[];
}

export interface SimulatedRun {
  readonly id: number;
  readonly reuse: 'rerun' | 'release' | 'never';
  readonly tag: string | undefined;
  /** The workflow jobs by attempt. One that was not repeated is in several lists. */
  readonly attempts: SimulatedJob[][];
}

interface Create {
  readonly run: SimulatedRun;
  readonly fingerprint: string;
  readonly jobId: string;
  /** The workflow jobs that recorded the id, or that should have. */
  readonly holders: SimulatedJob[];
}

/** The contents of a record: the attempt that left it, and the attempt that started the job. */
export interface Seen {
  readonly runId: number;
  readonly attempt: number;
  readonly jobId: string | undefined;
  readonly startedBy: { readonly runId: number; readonly attempt: number };
}

/** The actions and the observations of one attempt. */
export interface Report {
  readonly run: SimulatedRun;
  readonly attempt: number;
  readonly fingerprint: string;
  readonly plan: Plan;
  outcome: Outcome | 'crashed';
  sentCreate: boolean;
  attachedTo: string | undefined;
  readonly warnings: string[];
  /** The records that it left. */
  readonly notices: readonly Notice[];
  /** The records with its fingerprint that GitHub returned. */
  readonly seen: Notice[];
  /** The records that existed. */
  readonly visible: readonly Notice[];
  /** The failed reads that the search needs. */
  readonly faults: { readonly list: string; readonly fault: ReadFault }[];
  /** The kinds of lists with a page that could be read. */
  readonly answered: Set<string>;
  /**
   * Jobs of other runs for its tag that may have begun first and had not ended: those of the same prompt, and all. A run
   * with a higher id may have begun before a re-run.
   */
  readonly atWork: { readonly same: number; readonly all: number };
  /** Whether the runner has masked any record so far. */
  readonly isMaskedNear: boolean;
  /** Jobs with its fingerprint that continued when it began. */
  readonly alive: readonly Create[];
}

const FIRST_ID = 1_000;
const YOUNG_MS = 30_000;

/** GitHub and the service, in memory, and attempts of the action's own code between them. */
export class World {
  readonly runs: SimulatedRun[] = [];
  readonly creates: Create[] = [];
  readonly statuses = new Map<string, Status>();
  #nextId = FIRST_ID;

  addRun(reuse: SimulatedRun['reuse'], tag: string | undefined): SimulatedRun {
    const added: SimulatedRun = { id: this.#nextId++, reuse, tag, attempts: [] };
    this.runs.push(added);
    return added;
  }

  /** Adds a forged record of a job that the service does not know. */
  forge(own: SimulatedRun, job: SimulatedJob): void {
    const message = `[docs-agent-job v1 id forged attempt 1 fingerprint ${job.fingerprint}]`;
    job.notices.push(toNotice(message, own.id, job, ''));
  }

  /** Runs one workflow job of a new attempt, or of the one that was added last. */
  async attempt(own: SimulatedRun, prompt: string, attempt: number, plan: Plan): Promise<Report> {
    const release = own.tag === undefined ? undefined : { tag: own.tag, isNamed: false };
    const request = { kind: 'create', prompt } as const;
    const inputs = createInputs({ request, release, reuse: own.reuse, wait: false });
    const fingerprint = getFingerprint({ ...inputs, prompt, tag: own.tag });
    const id = this.#nextId++;
    const name = `docs (${prompt})`;
    const job: SimulatedJob = {
      id,
      name: plan.hasOwnName ? `${name}, attempt ${attempt}` : name,
      prompt,
      fingerprint,
      attempt,
      state: 'running',
      startedAt: id,
      notices: [],
    };
    // Another job of the workflow, which has the plain name and never runs.
    const twin: SimulatedJob = { ...job, id: this.#nextId++, name, state: 'skipped', notices: [] };
    const jobs = own.attempts[attempt - 1] ?? [];
    own.attempts[attempt - 1] = [...jobs.filter((other) => other.prompt !== prompt), twin, job];
    const report: Report = {
      run: own,
      attempt,
      fingerprint,
      plan,
      outcome: 'crashed',
      sentCreate: false,
      attachedTo: undefined,
      warnings: [],
      notices: job.notices,
      seen: [],
      visible: this.#listVisible(own, attempt, fingerprint),
      faults: [],
      answered: new Set(),
      atWork: this.#countAtWork(own, prompt, attempt),
      isMaskedNear: this.runs.some(({ attempts }) =>
        attempts.flat().some(({ notices }) => notices.some(({ isMasked }) => isMasked)),
      ),
      alive: this.creates.filter(
        (create) => create.fingerprint === fingerprint && isUsable(this.statuses.get(create.jobId)),
      ),
    };
    const { clock, context, cancel } = createWorld();
    const tracker = new RunTracker(clock);
    const github = createContext(attempt, {
      GITHUB_RUN_ID: `${own.id}`,
      GITHUB_REF_NAME: own.tag ?? 'main',
      CHECK_RUN_ID: plan.knowsItself ? `${id}` : '',
    });
    const redact = (text: string): string => text;
    const runner = createRunner(report, job);
    const reporter = createReporter({ runner, tracker, clock, github, redact, cancel: cancel.signal });
    reporter.setInputs(inputs, context.deadline);
    const agent = this.#createAgent(report, job, () => clock.now() - tracker.startedAt);
    const openGitHub = this.#openGitHub(report);
    try {
      const dependencies = { agent, github, openGitHub, redact, tracker, reporter };
      const ended = await run(inputs, dependencies, context);
      await reporter.conclude(ended);
      report.outcome = ended;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    report.attachedTo = report.sentCreate ? undefined : tracker.state.jobId;
    this.creates.find(({ jobId }) => jobId === report.attachedTo)?.holders.push(job);
    if (plan.killed) job.state = 'killed';
    else if (plan.finishes) job.state = 'finished';
    return report;
  }

  #listOthers(own: SimulatedRun): SimulatedRun[] {
    return own.reuse === 'release' ? this.runs.filter((other) => other !== own && other.tag === own.tag) : [];
  }

  /** The records that GitHub shows an attempt: of jobs that have finished, and whose runner was not lost. */
  #listVisible(own: SimulatedRun, attempt: number, fingerprint: string): Notice[] {
    const others = this.#listOthers(own).flatMap(({ attempts }) => attempts.flat());
    const scope = [...own.attempts.slice(0, attempt - 1).flat(), ...others];
    return [...new Set(scope)].flatMap((job) => getShown(job, fingerprint));
  }

  #countAtWork(own: SimulatedRun, prompt: string, attempt: number): Report['atWork'] {
    const running = this.#listOthers(own)
      .filter(({ id }) => id < own.id || attempt > 1)
      .flatMap(({ attempts }) => attempts.at(-1) ?? [])
      .filter(({ state }) => state === 'running');
    return { same: running.filter((job) => job.prompt === prompt).length, all: running.length };
  }

  #openGitHub({ plan, fingerprint, seen, faults, answered }: Report) {
    const noise = [1, 2].map((number): FakeJob => ({ id: -number, name: `build (${number})` }));
    const runs = this.runs.map(({ id, tag: branch = 'main', attempts }) => {
      return { id, branch, attempts: attempts.map((jobs) => [...noise, ...jobs]) };
    });
    let reads = 0;
    const change: Change = (call, given) => {
      const [list = '', id] = call.split(' ');
      const fault = plan.faults[reads++];
      const harm = fault && readFaults[fault];
      // Nothing shows how many annotations there are.
      // GitHub may list a run for its tag without showing the tag.
      if (list === 'runs') hideBranches(given);
      const changed =
        typeof harm === 'function' && (list !== 'annotations' || fault === 'nothing')
          ? harm(Object(given))
          : given;
      const isHarmed = harm instanceof Error || JSON.stringify(changed) !== JSON.stringify(given);
      if (fault !== undefined && isHarmed && list !== 'name') faults.push({ list, fault });
      if (harm instanceof Error) throw harm;
      if (!isHarmed || fault === 'cut') answered.add(list);
      const job = this.runs.flatMap(({ attempts }) => attempts.flat()).find((other) => `${other.id}` === id);
      if (list === 'annotations' && !isHarmed && job) seen.push(...getShown(job, fingerprint));
      return changed;
    };
    // Two jobs a page, so that lists have several.
    return createFakeGitHub({ runs, pageSize: 2, change }).openGitHub;
  }

  #createAgent(report: Report, job: SimulatedJob, getElapsed: () => number): AgentApi {
    const { run: own, plan, fingerprint } = report;
    const looks = new Set<string>();
    const missing = createResponse(404, { hasErrorBody: true });
    return {
      createJob: async () => {
        report.sentCreate = true;
        if (plan.create === 'refused') return createResponse(400, { hasErrorBody: true });
        if (plan.create === 'lost-without-job') return silent;
        const jobId = `job-${this.#nextId++}`;
        this.statuses.set(jobId, 'active');
        this.creates.push({ run: own, fingerprint, jobId, holders: [job] });
        if (plan.create === 'crash') throw new Crash();
        return plan.create === 'lost' ? silent : toResponse(201, jobId, 'active');
      },
      sendFollowUp: async () => {
        throw new Error('No attempt sends a follow-up');
      },
      getJob: async (jobId) => {
        const isFirst = !looks.has(jobId);
        looks.add(jobId);
        if (plan.look === 'error') return silent;
        if (plan.look === 'gateway') return createResponse(404);
        if (plan.look === 'not-found-once' && isFirst) return missing;
        if (plan.look === 'young' && getElapsed() < YOUNG_MS) return missing;
        const status = this.statuses.get(jobId) ?? 'deleted';
        return status === 'deleted' ? missing : toResponse(200, jobId, status);
      },
    };
  }
}

class Crash extends Error {}

/** Returns the notice of a workflow job, with this text masked. */
function toNotice(message: string, runId: number, job: SimulatedJob, mask: string): Notice {
  const { fingerprint, attempt = 1 } = job;
  const [, jobId, otherRun = runId, start = attempt] =
    /^\[docs-agent-job v1 (?:id (\S+)(?: run (\d+))? attempt (\d+)|unknown) /.exec(message) ?? [];
  const startedBy = { runId: Number(otherRun), attempt: Number(start) };
  const show = (text: string): string => (mask === '' ? text : text.replaceAll(mask, '***'));
  return {
    title: show(JOB_ANNOTATION_TITLE),
    message: show(message),
    fingerprint,
    record: { runId, attempt, jobId, startedBy },
    isMasked: show(message) !== message,
  };
}

function getShown({ state, notices }: SimulatedJob, fingerprint: string): Notice[] {
  return state === 'finished' ? notices.filter((notice) => notice.fingerprint === fingerprint) : [];
}

function hideBranches(answer: unknown): void {
  const { workflow_runs: runs } = answer as { workflow_runs: { id: number; head_branch: string | null }[] };
  for (const listed of runs) if (listed.id % 2 === 0) listed.head_branch = null;
}

/** Returns whether an attempt waits for a job with this status. */
export function isUsable(status: Status | undefined): boolean {
  return status !== undefined && status !== 'failed' && status !== 'deleted';
}

function toResponse(httpStatus: number, id: string, status: string): ApiResult {
  return createResponse(httpStatus, { job: createTestJob({ id, status }) });
}

function createRunner({ run: own, plan, warnings }: Report, job: SimulatedJob): Runner {
  return {
    line: () => {},
    debug: () => {},
    group: () => {},
    annotate: (level, _, lines) => {
      if (level === 'warning') warnings.push(lines.join('\n'));
    },
    record: (_title, _sentence, message) => job.notices.push(toNotice(message, own.id, job, plan.mask)),
    mask: () => {},
    setOutputs: () => undefined,
    replaceSummary: () => undefined,
  };
}
