import { GitHubError } from '../../src/github/client.ts';
import type { RunReader, WorkflowJob } from '../../src/github/runs.ts';
import type { AgentApi, ApiResult } from '../../src/job/agent-client.ts';
import type { Outcome } from '../../src/outcome.ts';
import { formatMarker, getFingerprint } from '../../src/plan/job-marker.ts';
import { createReporter } from '../../src/report/reporter.ts';
import { run } from '../../src/run.ts';
import type { Runner } from '../../src/runner/commands.ts';
import { RunTracker } from '../../src/state.ts';
import { createInputs, createResponse, createTestJob, createWorld, silent } from '../unit/fixtures.ts';
import { createContext } from '../unit/plan/fake-runs.ts';

/** What goes wrong with one read of GitHub's API, after all retries. */
export const readFaults = {
  'server-error': new GitHubError('HTTP 502', 502),
  forbidden: new GitHubError('HTTP 403', 403),
  'not-found': new GitHubError('HTTP 404', 404),
  'bad-token': new GitHubError('HTTP 401', 401),
  'rate-limit': new GitHubError('HTTP 403: rate limit exceeded', 403, 'rate-limit'),
  'no-time': new GitHubError('there was not enough time', undefined, 'client-limits'),
};
export type ReadFault = keyof typeof readFaults;

/** How an attempt at an agent job goes. */
export interface Plan {
  /** `crash`: the job is made, and the process dies before it can say so. */
  readonly create: 'accepted' | 'lost' | 'lost-without-job' | 'refused' | 'crash';
  /** What the service says about recorded jobs: the truth, an error each time, or 404 on the first look. */
  readonly look: 'truth' | 'error' | 'not-found-once';
  /** By the number of the read, from 0. */
  readonly faults: Readonly<Record<number, ReadFault>>;
  readonly knowsItself: boolean;
  /** Whether the runner goes away before GitHub has the annotations. */
  readonly killed: boolean;
  /** False if the workflow job still runs when the next event happens. */
  readonly finishes: boolean;
}

export type Status = 'active' | 'completed' | 'archived' | 'failed' | 'deleted';

interface Notice {
  readonly message: string;
  readonly fingerprint: string;
  readonly jobId: string | undefined;
}

export interface SimulatedJob {
  readonly runId: number;
  readonly id: number;
  readonly name: string;
  readonly fingerprint: string;
  readonly attempt: number;
  state: 'running' | 'finished' | 'killed';
  readonly notices: Notice[];
}

export interface SimulatedRun {
  readonly id: number;
  readonly reuse: 'rerun' | 'release' | 'never';
  readonly tag: string | undefined;
  /** The workflow jobs by attempt; one that was not repeated is in several lists. */
  readonly attempts: SimulatedJob[][];
}

interface Create {
  readonly run: SimulatedRun;
  readonly fingerprint: string;
  readonly jobId: string;
  /** The workflow jobs that recorded the id, or that should have. */
  readonly holders: SimulatedJob[];
}

/** What one attempt did and saw. */
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
  readonly seen: Seen[];
  /** The records that were there to be seen. */
  readonly visible: readonly Seen[];
  /** What went wrong with reads that the search needs. */
  readonly faults: ReadFault[];
  /** Jobs with its fingerprint that were alive when it began. */
  readonly alive: readonly Create[];
}

export interface Seen {
  readonly runId: number;
  readonly attempt: number;
  readonly jobId: string | undefined;
}

const FIRST_ID = 1_000;

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

  /** Adds a record that someone else wrote, of a job that the service does not know. */
  forge(job: SimulatedJob): void {
    const marker = { kind: 'id', jobId: 'forged', startedBy: { runId: undefined, attempt: 1 } } as const;
    const { fingerprint } = job;
    job.notices.push({ message: formatMarker(marker, fingerprint), fingerprint, jobId: 'forged' });
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
      runId: own.id,
      id,
      name,
      fingerprint,
      attempt,
      state: 'running',
      notices: [],
    };
    const jobs = own.attempts[attempt - 1] ?? [];
    own.attempts[attempt - 1] = [...jobs.filter((other) => other.name !== name), job];
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
    const known = { runner, tracker, clock, github, redact, cancel: cancel.signal };
    const reporter = createReporter(known);
    reporter.setInputs(inputs, context.deadline);
    const agent = this.#createAgent(report, job);
    const reader = this.#createReader(report);
    const loadRunReader = async () => ({ openRunReader: async () => reader });
    const dependencies = { agent, github, loadRunReader, redact, tracker, reporter };
    try {
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

  /** The records that GitHub shows an attempt: of jobs that have finished, and whose runner lived to tell. */
  #listVisible(own: SimulatedRun, attempt: number, fingerprint: string): Seen[] {
    const others = own.reuse === 'release' ? this.runs.filter((other) => other !== own) : [];
    const scope = [
      ...own.attempts.slice(0, attempt - 1).flat(),
      ...others.filter(({ tag }) => tag === own.tag).flatMap(({ attempts }) => attempts.flat()),
    ];
    return [...new Set(scope)].flatMap((job) => toSeen(job, fingerprint));
  }

  #createReader({ plan, fingerprint, seen, faults }: Report): RunReader {
    let reads = 0;
    const read = <T>(isNeeded: boolean, answer: () => T): Promise<T> => {
      const fault = plan.faults[reads++];
      if (fault === undefined) return Promise.resolve(answer());
      if (isNeeded) faults.push(fault);
      return Promise.reject(readFaults[fault]);
    };
    const all = (): SimulatedJob[] => this.runs.flatMap(({ attempts }) => attempts.flat());
    return {
      readJobName: (jobId) => read(false, () => all().find(({ id }) => id === jobId)?.name ?? ''),
      listJobs: (runId, attempt, page) =>
        read(true, () => {
          const jobs = this.runs.find(({ id }) => id === runId)?.attempts[attempt - 1] ?? [];
          const noise = [1, 2].map((number) => ({ id: -number, name: `build (${number})`, attempt }));
          const items = [...noise, ...jobs].map(toWorkflowJob);
          // Two a page, so that lists have several.
          return { items: items.slice((page - 1) * 2, page * 2), pages: Math.ceil(items.length / 2) };
        }),
      listNotices: (jobId, page) =>
        read(true, () => {
          const job = all().find(({ id }) => id === jobId);
          if (job === undefined || job.state !== 'finished') return { items: [], pages: page };
          seen.push(...toSeen(job, fingerprint));
          return { items: job.notices.map(({ message }) => message), pages: page };
        }),
      listRuns: (_, branch) =>
        read(true, () =>
          this.runs
            .filter(({ tag = 'main' }) => tag === branch)
            .map((other) => ({
              id: other.id,
              newestAttempt: Math.max(1, other.attempts.length),
              createdAt: other.id,
              branch,
            })),
        ),
    };
  }

  #createAgent(report: Report, job: SimulatedJob): AgentApi {
    const { run: own, plan, fingerprint } = report;
    const looks = new Set<string>();
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
        const isMissed = plan.look === 'not-found-once' && !looks.has(jobId);
        looks.add(jobId);
        if (plan.look === 'error') return silent;
        const status = this.statuses.get(jobId) ?? 'deleted';
        return status === 'deleted' || isMissed
          ? createResponse(404, { hasErrorBody: true })
          : toResponse(200, jobId, status);
      },
    };
  }
}

class Crash extends Error {}

function toSeen(job: SimulatedJob, fingerprint: string): Seen[] {
  const { runId, attempt, notices } = job;
  const visible = job.state === 'finished' ? notices : [];
  return visible
    .filter((notice) => notice.fingerprint === fingerprint)
    .map(({ jobId }) => ({ runId, attempt, jobId }));
}

/** True if a job with this status is waited for. */
export function isUsable(status: Status | undefined): boolean {
  return status !== undefined && status !== 'failed' && status !== 'deleted';
}

function toResponse(httpStatus: number, id: string, status: string): ApiResult {
  return createResponse(httpStatus, { job: createTestJob({ id, status }) });
}

function toWorkflowJob({ id, name, attempt }: Pick<SimulatedJob, 'id' | 'name' | 'attempt'>): WorkflowJob {
  return { id, name, attempt, isSkipped: false, startedAt: id };
}

function createRunner({ fingerprint, warnings }: Report, { notices }: SimulatedJob): Runner {
  return {
    line: () => {},
    debug: () => {},
    group: () => {},
    annotate: (level, _, lines) => {
      if (level === 'warning') warnings.push(lines.join('\n'));
    },
    record: (_title, _sentence, message) => {
      const [, jobId] = /^\[docs-agent-job v1 (?:id (\S+)|unknown) /.exec(message) ?? [];
      notices.push({ message, fingerprint, jobId });
    },
    mask: () => {},
    setOutputs: () => undefined,
    replaceSummary: () => undefined,
  };
}
