import type { Clock } from './clock.ts';
import type { Inputs, JobRequest } from './inputs/read-inputs.ts';
import type { AgentApi } from './job/agent-client.ts';
import { type StartResult, start } from './job/create-job.ts';
import type { FinalStatus, Job } from './job/job.ts';
import { type Check, type PollEvent, type PollResult, pollJob } from './job/poll-job.ts';
import { classifyPoll, type RetryReason } from './job/retry-policy.ts';
import type { Conclusion, RunState } from './outcome.ts';

/** What the run tells while it goes on. */
export interface RunEvents {
  readonly onStarting: (inputs: Inputs) => void;
  readonly onRetry: (delayMs: number, reason: RetryReason, detail: string) => void;
  /** A job is known: its id must be made to last before anything else happens. `undefined`: no wait follows. */
  readonly onJob: (timeoutMs: number | undefined) => Promise<void>;
  readonly onWaitEvent: (event: PollEvent) => void;
  readonly onCheck: (detail: string) => void;
}

export interface RunPorts {
  /** Yields what is really to be done; called once, before anything is sent. */
  readonly prepare: () => Promise<JobRequest>;
  readonly api: AgentApi;
  readonly clock: Clock;
  readonly random: () => number;
  /** Instant of the clock at which the action started; the deadline counts from it. */
  readonly startedAt: number;
  readonly progress: RunState;
  readonly cancel: AbortSignal;
  readonly abandon: AbortSignal;
  readonly events: RunEvents;
}

const MISSING_GRACE_MS = 60_000;
const STALE_GRACE_MS = 30_000;
const MAX_CHANGES = 50;

/** Starts, attaches to or follows up one job, and waits for it. Keeps `ports.progress` up to date throughout. */
export async function run(given: Inputs, ports: RunPorts): Promise<Conclusion> {
  ports.progress.jobId = getJobId(given.intent);
  const intent = await ports.prepare();
  const inputs = { ...given, intent };
  ports.progress.jobId = getJobId(intent);
  if (inputs.isDryRun) {
    return { outcome: 'dry-run', code: undefined, detail: '' };
  }
  if (ports.cancel.aborted && intent.kind !== 'attach') {
    return { outcome: 'cancelled', code: 'cancelled', detail: '' };
  }
  ports.events.onStarting(inputs);
  if (intent.kind === 'attach') {
    await ports.events.onJob(inputs.isWaiting ? inputs.timeoutMs : undefined);
    return wait(inputs, ports, undefined);
  }
  const started = await sendStart(intent, inputs, ports);
  switch (started.kind) {
    case 'started':
      note(ports, started.job);
      await ports.events.onJob(inputs.isWaiting ? inputs.timeoutMs : undefined);
      return inputs.isWaiting
        ? wait(inputs, ports, started.job)
        : { outcome: 'started', code: undefined, detail: '' };
    case 'not-started':
      return { outcome: 'not-started', code: started.code, detail: started.detail };
    case 'unknown':
      return { outcome: 'start-unknown', code: started.code, detail: started.detail };
    case 'cancelled':
      ports.progress.isCreateInFlight = started.mayHaveStarted;
      return { outcome: 'cancelled', code: 'cancelled', detail: '' };
  }
}

function getJobId(intent: JobRequest): string | undefined {
  return intent.kind === 'create' ? undefined : intent.jobId;
}

async function sendStart(
  intent: Exclude<JobRequest, { kind: 'attach' }>,
  inputs: Inputs,
  { api, clock, random, startedAt, progress, cancel, abandon, events }: RunPorts,
): Promise<StartResult> {
  progress.isCreateInFlight = true;
  const result = await start({
    send: (limits) =>
      intent.kind === 'create'
        ? api.createJob(intent.prompt, limits)
        : api.followUp(intent.jobId, intent.prompt, limits),
    clock,
    random,
    deadline: startedAt + inputs.timeoutMs,
    cancel,
    abandon,
    onRetry: events.onRetry,
  });
  progress.isCreateInFlight = result.kind === 'unknown';
  return result;
}

async function wait(inputs: Inputs, ports: RunPorts, started: Job | undefined): Promise<Conclusion> {
  const { clock, progress, cancel, events } = ports;
  const jobId = progress.jobId ?? '';
  const isCreate = inputs.intent.kind === 'create';
  const result = await pollJob({
    check: (timeoutMs) => check(ports, jobId, timeoutMs),
    clock,
    random: ports.random,
    signal: cancel,
    onEvent: events.onWaitEvent,
    created: started,
    pollOnce: !inputs.isWaiting,
    pollIntervalMs: inputs.pollIntervalMs,
    deadline: ports.startedAt + inputs.timeoutMs,
    notFoundGraceUntil: isCreate ? clock.now() + MISSING_GRACE_MS : 0,
    staleStatusUntil: inputs.intent.kind === 'follow-up' ? clock.now() + STALE_GRACE_MS : 0,
  });
  return conclude(result);
}

function conclude(result: PollResult): Conclusion {
  switch (result.kind) {
    case 'final':
      return concludeFinal(result.status, result.job);
    case 'open':
      return { outcome: 'started', code: undefined, detail: '' };
    case 'timed-out':
      return { outcome: 'timed-out', code: 'timed-out', detail: '' };
    case 'cancelled':
      return { outcome: 'cancelled', code: 'cancelled', detail: '' };
    case 'lost':
      return { outcome: 'lost', code: 'job-lost', detail: result.detail };
  }
}

function concludeFinal(status: FinalStatus, job: Job): Conclusion {
  switch (status) {
    case 'completed':
      return {
        outcome: job.prLink === undefined ? 'no-pull-request' : 'pull-request-opened',
        code: undefined,
        detail: '',
      };
    case 'archived':
      return { outcome: 'archived', code: undefined, detail: '' };
    case 'failed':
      return { outcome: 'failed', code: 'job-failed', detail: '' };
  }
}

async function check(ports: RunPorts, jobId: string, timeoutMs: number): Promise<Check> {
  const { api, progress, cancel, events } = ports;
  progress.checks += 1;
  const { evidence, job, detail } = await api.getJob(jobId, { timeoutMs, signal: cancel });
  events.onCheck(job === undefined ? detail : `${detail}: ${job.status}`);
  const decision = classifyPoll(evidence);
  switch (decision.kind) {
    case 'accept':
      if (job === undefined) {
        return { kind: 'strike', strike: 'unreadable', detail };
      }
      note(ports, job);
      return { kind: 'job', job };
    case 'retry':
      return {
        kind: 'transient',
        detail,
        retryAfterMs: decision.retryAfterMs,
        slowDown: decision.isRateLimit,
      };
    case 'strike':
      return { kind: 'strike', strike: decision.strike, detail };
    case 'fail':
      return { kind: 'refused', detail };
  }
}

function note({ progress, clock, startedAt }: RunPorts, job: Job): void {
  if (job.status !== progress.job?.status) {
    progress.changes.splice(MAX_CHANGES - 1, 1, { status: job.status, atMs: clock.now() - startedAt });
  }
  progress.job = job;
  progress.jobId = job.id;
}
