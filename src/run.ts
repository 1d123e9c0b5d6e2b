import type { RunContext } from './clock.ts';
import type { AgentApi } from './job/agent-client.ts';
import { createJob, type OnRetry } from './job/create-job.ts';
import type { Job, JobRequest } from './job/job.ts';
import { type PollEvent, type PollResult, pollJob } from './job/poll-job.ts';
import { classifyPoll, type PollDecision } from './job/retry-policy.ts';
import { getFinalOutcome, type Outcome, type ResolvedRequest, type RunTracker } from './outcome.ts';

/** What the run tells while it goes on. */
export interface RunEvents {
  readonly onRequest: () => void;
  readonly onRetry: OnRetry;
  /** A job is known: its id must be made to last before anything else happens. */
  readonly onJob: (wait: boolean) => void;
  readonly onPoll: (detail: string) => void;
  readonly onPollEvent: (event: PollEvent) => void;
}

export interface RunOptions {
  readonly wait: boolean;
  readonly dryRun: boolean;
  readonly pollIntervalMs: number;
}

export interface RunDependencies {
  readonly agent: AgentApi;
  readonly tracker: RunTracker;
  readonly events: RunEvents;
  /** Milliseconds since the start of the action. */
  readonly getElapsed: () => number;
}

const NOT_FOUND_GRACE_MS = 60_000;
const STALE_STATUS_MS = 30_000;

/** Creates, attaches to, or follows up one job, and polls it until it is final. Keeps the tracker up to date. */
export async function run(
  resolved: ResolvedRequest & RunOptions,
  dependencies: RunDependencies,
  context: RunContext,
): Promise<Outcome> {
  const { request, wait, dryRun } = resolved;
  const { tracker, events } = dependencies;
  tracker.setResolved(resolved);
  if (dryRun) {
    return { outcome: 'dry-run' };
  }
  if (request.kind === 'attach') {
    events.onRequest();
    events.onJob(wait);
    return poll(request.jobId, undefined, resolved, dependencies, context);
  }
  if (context.cancel.aborted) {
    return { outcome: 'cancelled', code: 'cancelled' };
  }
  events.onRequest();
  const created = await create(request, dependencies, context);
  if ('outcome' in created) {
    return created;
  }
  events.onJob(wait);
  return wait ? poll(created.id, created, resolved, dependencies, context) : { outcome: 'started' };
}

async function create(
  request: Exclude<JobRequest, { kind: 'attach' }>,
  { agent, tracker, events, getElapsed }: RunDependencies,
  context: RunContext,
): Promise<Job | Outcome> {
  tracker.setCreateInFlight(true);
  const result = await createJob(
    (options) =>
      request.kind === 'create'
        ? agent.createJob(request.prompt, options)
        : agent.sendFollowUp(request.jobId, request.prompt, options),
    context,
    events.onRetry,
  );
  switch (result.kind) {
    case 'accepted':
      tracker.setCreateInFlight(false);
      tracker.setJob(result.job, getElapsed());
      return result.job;
    case 'not-started':
      tracker.setCreateInFlight(false);
      return { outcome: 'not-started', code: result.code, detail: result.detail };
    case 'unknown':
      return { outcome: 'start-unknown', code: result.code, detail: result.detail };
    case 'cancelled':
      tracker.setCreateInFlight(result.mayHaveStarted);
      return { outcome: 'cancelled', code: 'cancelled' };
  }
}

async function poll(
  jobId: string,
  created: Job | undefined,
  { request, wait, pollIntervalMs }: ResolvedRequest & RunOptions,
  dependencies: RunDependencies,
  context: RunContext,
): Promise<Outcome> {
  const now = context.clock.now();
  const result = await pollJob((timeoutMs) => pollOnce(jobId, timeoutMs, dependencies, context), {
    context,
    pollIntervalMs,
    created,
    pollOnce: !wait,
    notFoundGraceUntil: request.kind === 'create' ? now + NOT_FOUND_GRACE_MS : now,
    staleStatusUntil: request.kind === 'follow-up' ? now + STALE_STATUS_MS : now,
    onEvent: dependencies.events.onPollEvent,
  });
  return getOutcome(result);
}

async function pollOnce(
  jobId: string,
  timeoutMs: number,
  { agent, tracker, events, getElapsed }: RunDependencies,
  { cancel }: RunContext,
): Promise<PollDecision> {
  tracker.countPoll();
  const result = await agent.getJob(jobId, { timeoutMs, signal: cancel });
  const decision = classifyPoll(result);
  if (decision.kind === 'accept') {
    tracker.setJob(decision.job, getElapsed());
    events.onPoll(`${result.detail}: ${decision.job.status}`);
  } else {
    events.onPoll(decision.detail);
  }
  return decision;
}

function getOutcome(result: PollResult): Outcome {
  switch (result.kind) {
    case 'final':
      return getFinalOutcome(result.status, result.job);
    case 'not-final':
      return { outcome: 'started' };
    case 'timed-out':
      return { outcome: 'timed-out', code: 'timed-out' };
    case 'cancelled':
      return { outcome: 'cancelled', code: 'cancelled' };
    case 'lost':
      return { outcome: 'lost', code: 'job-lost', reason: result.reason, detail: result.detail };
  }
}
