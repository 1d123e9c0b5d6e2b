import { GitHubError } from '../../src/github/client.ts';
import { readGitHubContext } from '../../src/github/context.ts';
import { formatMarker, getFingerprint } from '../../src/github/job-annotation.ts';
import type { OpenRunReader, RunReader, WorkflowJob } from '../../src/github/run-reader.ts';
import { readInputs } from '../../src/inputs/read-inputs.ts';
import type { AgentApi, ApiResult } from '../../src/job/agent-client.ts';
import { parseJob } from '../../src/job/job.ts';
import { type Outcome, RunTracker } from '../../src/outcome.ts';
import { createReporter } from '../../src/report/reporter.ts';
import { resolveRequest } from '../../src/reuse/resolve-request.ts';
import { run } from '../../src/run.ts';
import type { Runner } from '../../src/runner/commands.ts';
import { createContext, createVirtualClock } from '../helpers/virtual-clock.ts';

/** What goes wrong with one read of GitHub's API, after all retries. */
export type ReadFault = 'server-error' | 'forbidden' | 'not-found' | 'rate-limit' | 'no-time' | 'bad-token';

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

export interface Create {
  readonly run: SimulatedRun;
  readonly attempt: number;
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
  readonly outcome: Outcome | 'crashed';
  readonly sentCreate: boolean;
  readonly attachedTo: string | undefined;
  readonly warnings: readonly string[];
  /** The ids in the records that it left, or undefined where the id is not known. */
  readonly recorded: readonly (string | undefined)[];
  /** The records with its fingerprint that GitHub returned. */
  readonly seen: readonly Seen[];
  /** The records that were there to be seen. */
  readonly visible: readonly Seen[];
  /** What went wrong with reads that the search needs. */
  readonly faults: readonly ReadFault[];
  /** Jobs with its fingerprint that were alive when it began. */
  readonly alive: readonly Create[];
}

export interface Seen {
  readonly runId: number;
  readonly attempt: number;
  readonly jobId: string | undefined;
}

const BASE_URL = 'https://api.example.com';
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
    const fingerprint = getFingerprint({
      baseUrl: new URL(BASE_URL),
      projectId: 'docs',
      prompt,
      tag: own.tag,
    });
    const job: SimulatedJob = {
      id: this.#nextId++,
      name: `docs (${prompt})`,
      fingerprint,
      attempt,
      state: 'running',
      notices: [],
    };
    const jobs = own.attempts[attempt - 1] ?? [];
    own.attempts[attempt - 1] = [...jobs.filter(({ name }) => name !== job.name), job];
    const visible = this.#listVisible(own, attempt, fingerprint);
    const alive = this.creates.filter(
      (create) =>
        create.fingerprint === fingerprint &&
        ['active', 'completed', 'archived'].includes(this.statuses.get(create.jobId) ?? ''),
    );
    const seen: Seen[] = [];
    const faults: ReadFault[] = [];
    const warnings: string[] = [];
    let created: string | undefined;
    let sentCreate = false;

    const agent: AgentApi = {
      createJob: async () => {
        sentCreate = true;
        if (plan.create !== 'refused' && plan.create !== 'lost-without-job') {
          created = `job-${this.#nextId++}`;
          this.statuses.set(created, 'active');
          this.creates.push({ run: own, attempt, fingerprint, jobId: created, holders: [job] });
        }
        return answerCreate(plan, created);
      },
      sendFollowUp: async () => {
        throw new Error('No attempt sends a follow-up');
      },
      getJob: this.#createGetJob(plan),
    };
    const runner = createRunner(warnings, (marker) => {
      const [, jobId] = /^\[docs-agent-job v1 (?:id (\S+)|unknown) /.exec(marker) ?? [];
      job.notices.push({ message: marker, fingerprint, jobId });
    });
    const env = toVariables(own, prompt, attempt, plan.knowsItself ? job.id : undefined);
    const github = readGitHubContext(env, 'token', env['INPUT_CHECK-RUN-ID']);
    const inputs = readInputs(env, github.eventTag);
    const clock = createVirtualClock();
    const startedAt = clock.now();
    const { context } = createContext(clock, startedAt + inputs.timeoutMs);
    const tracker = new RunTracker();
    const reporter = createReporter({
      runner,
      tracker,
      clock,
      startedAt,
      github,
      redact: (text) => text,
      cancel: context.cancel,
    });
    reporter.setInputs(inputs, context.deadline);
    const openRunReader: OpenRunReader = async () => this.#createReader(plan, fingerprint, seen, faults);
    const outcome = await (async (): Promise<Outcome | 'crashed'> => {
      try {
        const { onNote, onWarning } = reporter;
        const loadRunReader = async () => ({ openRunReader });
        const dependencies = {
          agent,
          github,
          loadRunReader,
          redact: (text: string) => text,
          onNote,
          onWarning,
        };
        const resolved = await resolveRequest(inputs, dependencies, context);
        const getElapsed = (): number => clock.now() - startedAt;
        const ended =
          'outcome' in resolved
            ? resolved
            : await run(
                { ...inputs, ...resolved },
                { agent, tracker, events: reporter, getElapsed },
                context,
              );
        await reporter.conclude(ended);
        return ended;
      } catch (error) {
        if (error instanceof Crash) return 'crashed';
        throw error;
      }
    })();

    const { jobId } = tracker.state;
    const attachedTo = !sentCreate ? jobId : undefined;
    this.creates.find((create) => create.jobId === attachedTo)?.holders.push(job);
    if (plan.killed) job.state = 'killed';
    else if (plan.finishes) job.state = 'finished';
    const common = { run: own, attempt, fingerprint, plan, outcome, sentCreate, attachedTo };
    const recorded = job.notices.map((notice) => notice.jobId);
    return { ...common, recorded, warnings, seen, visible, faults, alive };
  }

  /** The records that GitHub shows an attempt: of jobs that have finished, and whose runner lived to tell. */
  #listVisible(own: SimulatedRun, attempt: number, fingerprint: string): Seen[] {
    const others = own.reuse === 'release' ? this.runs.filter((other) => other !== own) : [];
    const scope = [
      ...own.attempts.slice(0, attempt - 1).flat(),
      ...others.filter(({ tag }) => tag === own.tag).flatMap(({ attempts }) => attempts.flat()),
    ];
    return [...new Set(scope)].flatMap((job) => this.#toSeen(job, fingerprint));
  }

  #toSeen(job: SimulatedJob, fingerprint: string): Seen[] {
    const runId = this.runs.find(({ attempts }) => attempts.flat().includes(job))?.id ?? 0;
    return job.state === 'finished'
      ? job.notices
          .filter((notice) => notice.fingerprint === fingerprint)
          .map(({ jobId }) => ({ runId, attempt: job.attempt, jobId }))
      : [];
  }

  #createReader(plan: Plan, fingerprint: string, seen: Seen[], faults: ReadFault[]): RunReader {
    let reads = 0;
    const read = <T>(isNeeded: boolean, answer: () => T): Promise<T> => {
      const fault = plan.faults[reads++];
      if (fault === undefined) return Promise.resolve(answer());
      if (isNeeded) faults.push(fault);
      return Promise.reject(toError(fault));
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
          seen.push(...this.#toSeen(job, fingerprint));
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

  #createGetJob(plan: Plan): AgentApi['getJob'] {
    const looks = new Map<string, number>();
    return async (jobId) => {
      const look = (looks.get(jobId) ?? 0) + 1;
      looks.set(jobId, look);
      if (plan.look === 'error') return { kind: 'no-response', detail: 'reset' };
      const status = this.statuses.get(jobId) ?? 'deleted';
      return status === 'deleted' || (plan.look === 'not-found-once' && look === 1)
        ? toResponse(404, undefined)
        : toResponse(200, { id: jobId, status });
    };
  }
}

class Crash extends Error {}

function answerCreate({ create }: Plan, jobId: string | undefined): ApiResult {
  switch (create) {
    case 'accepted':
      return toResponse(201, { id: jobId, status: 'active' });
    case 'lost':
    case 'lost-without-job':
      return { kind: 'no-response', detail: 'reset' };
    case 'refused':
      return toResponse(400, undefined);
    case 'crash':
      throw new Crash();
  }
}

function toResponse(httpStatus: number, record: object | undefined): ApiResult {
  const job = record === undefined ? undefined : parseJob(record, (text) => text);
  return {
    kind: 'response',
    httpStatus,
    job,
    hasErrorBody: job === undefined,
    retryAfterMs: undefined,
    detail: `HTTP ${httpStatus}`,
  };
}

function toError(fault: ReadFault): GitHubError {
  switch (fault) {
    case 'server-error':
      return new GitHubError('HTTP 502', 502);
    case 'forbidden':
      return new GitHubError('HTTP 403', 403);
    case 'not-found':
      return new GitHubError('HTTP 404', 404);
    case 'bad-token':
      return new GitHubError('HTTP 401', 401);
    case 'rate-limit':
      return new GitHubError('HTTP 403: rate limit exceeded', 403, 'rate-limit');
    case 'no-time':
      return new GitHubError('there was not enough time', undefined, 'client-limits');
  }
}

function toWorkflowJob({ id, name, attempt }: Pick<SimulatedJob, 'id' | 'name' | 'attempt'>): WorkflowJob {
  return { id, name, attempt, isSkipped: false, startedAt: id };
}

function createRunner(warnings: string[], onRecord: (marker: string) => void): Runner {
  return {
    line: () => {},
    debug: () => {},
    group: () => {},
    annotate: (level, _, lines) => {
      if (level === 'warning') warnings.push(lines.join('\n'));
    },
    record: (_title, _sentence, marker) => onRecord(marker),
    mask: () => {},
    setOutputs: () => undefined,
    replaceSummary: () => undefined,
  };
}

function toVariables(
  { id, reuse, tag }: SimulatedRun,
  prompt: string,
  attempt: number,
  checkRunId: number | undefined,
): Record<string, string> {
  const ref = tag === undefined ? 'refs/heads/main' : `refs/tags/${tag}`;
  return {
    GITHUB_API_URL: 'https://api.github.com',
    GITHUB_EVENT_NAME: 'push',
    GITHUB_JOB: 'docs',
    GITHUB_REF_NAME: tag ?? 'main',
    GITHUB_REF_TYPE: tag === undefined ? 'branch' : 'tag',
    GITHUB_REPOSITORY: 'acme/widgets',
    GITHUB_RUN_ATTEMPT: `${attempt}`,
    GITHUB_RUN_ID: `${id}`,
    GITHUB_WORKFLOW_REF: `acme/widgets/.github/workflows/docs.yml@${ref}`,
    INPUT_PROMPT: prompt,
    'INPUT_PROJECT-ID': 'docs',
    'INPUT_API-KEY': 'mint_0123456789abcdef',
    'INPUT_BASE-URL': BASE_URL,
    'INPUT_CHECK-RUN-ID': checkRunId === undefined ? '' : `${checkRunId}`,
    'INPUT_TIMEOUT-MINUTES': '1',
    INPUT_REUSE: reuse,
    INPUT_WAIT: 'false',
  };
}
