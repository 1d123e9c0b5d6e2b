import type { RunContext } from './clock.ts';
import type { Inputs } from './inputs/read-inputs.ts';
import { createJob, type OnRetry } from './job/create-job.ts';
import type { Job, JobRequest } from './job/job.ts';
import { type PollEvent, type PollResult, pollJob } from './job/poll-job.ts';
import { classifyPoll, type PollDecision } from './job/retry-policy.ts';
import { getFinalOutcome, type Outcome } from './outcome.ts';
import { makePlan, type PlanDependencies, type PlanReporter } from './plan/plan.ts';
import type { RunTracker } from './state.ts';

/** What a run tells while it goes on. */
export interface RunReporter extends PlanReporter {
  onRequest(): void;
  readonly onRetry: OnRetry;
  /** A job is known: its id must be made to last before anything else happens. */
  onJob(wait: boolean): void;
  onPoll(detail: string): void;
  onPollEvent(event: PollEvent): void;
}

export interface RunDependencies extends PlanDependencies {
  readonly tracker: RunTracker;
  readonly reporter: RunReporter;
}

const NOT_FOUND_GRACE_MS = 60_000;
const STALE_STATUS_MS = 30_000;

/** Decides what to send, sends it, and polls the job until it is final. Keeps the tracker up to date. */
export async function run(
  inputs: Inputs,
  dependencies: RunDependencies,
  context: RunContext,
): Promise<Outcome> {
  const { tracker, reporter } = dependencies;
  const plan = await makePlan(inputs, dependencies, context);
  if ('outcome' in plan) {
    return plan;
  }
  tracker.setPlan(plan);
  const { request } = plan;
  if (inputs.dryRun) {
    return { outcome: 'dry-run' };
  }
  if (request.kind !== 'attach' && context.cancel.aborted) {
    return { outcome: 'cancelled', code: 'cancelled' };
  }
  reporter.onRequest();
  if (request.kind === 'attach') {
    reporter.onJob(inputs.wait);
    return waitForJob(request.jobId, request.kind, undefined, inputs, dependencies, context);
  }
  const created = await create(request, dependencies, context);
  if ('outcome' in created) {
    return created;
  }
  reporter.onJob(inputs.wait);
  return inputs.wait
    ? waitForJob(created.id, request.kind, created, inputs, dependencies, context)
    : { outcome: 'started' };
}

async function create(
  request: Exclude<JobRequest, { kind: 'attach' }>,
  { agent, tracker, reporter }: RunDependencies,
  context: RunContext,
): Promise<Job | Outcome> {
  tracker.setCreateInFlight(true);
  const result = await createJob(
    (options) =>
      request.kind === 'create'
        ? agent.createJob(request.prompt, options)
        : agent.sendFollowUp(request.jobId, request.prompt, options),
    context,
    reporter.onRetry,
  );
  switch (result.kind) {
    case 'accepted':
      tracker.setCreateInFlight(false);
      tracker.setJob(result.job);
      return result.job;
    case 'not-started':
      tracker.setCreateInFlight(false);
      return {
        outcome: 'not-started',
        code: result.code,
        httpStatus: result.httpStatus,
        detail: result.detail,
      };
    case 'unknown':
      return { outcome: 'start-unknown', code: result.code, detail: result.detail, namedId: undefined };
    case 'cancelled':
      tracker.setCreateInFlight(result.mayHaveStarted);
      return { outcome: 'cancelled', code: 'cancelled' };
  }
}

async function waitForJob(
  jobId: string,
  kind: JobRequest['kind'],
  created: Job | undefined,
  { wait, pollIntervalMs }: Inputs,
  dependencies: RunDependencies,
  context: RunContext,
): Promise<Outcome> {
  const now = context.clock.now();
  const result = await pollJob((timeoutMs) => readJob(jobId, timeoutMs, dependencies, context), {
    context,
    pollIntervalMs,
    created,
    pollOnce: !wait,
    notFoundGraceUntil: kind === 'create' ? now + NOT_FOUND_GRACE_MS : now,
    staleStatusUntil: kind === 'follow-up' ? now + STALE_STATUS_MS : now,
    onEvent: (event) => dependencies.reporter.onPollEvent(event),
  });
  return getOutcome(result);
}

async function readJob(
  jobId: string,
  timeoutMs: number,
  { agent, tracker, reporter }: RunDependencies,
  { cancel }: RunContext,
): Promise<PollDecision> {
  tracker.countPoll();
  const result = await agent.getJob(jobId, { timeoutMs, signal: cancel });
  const decision = classifyPoll(result);
  if (decision.kind === 'accept') {
    tracker.setJob(decision.job);
    reporter.onPoll(`${result.detail}: ${decision.job.status}`);
  } else {
    tracker.setPollFailure(decision.detail);
    reporter.onPoll(decision.detail);
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
