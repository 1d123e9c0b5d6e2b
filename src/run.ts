import { getRemainingMs, type RunContext } from './clock.ts';
import type { Inputs } from './inputs/read-inputs.ts';
import { isFinalStatus, type Job, type JobRequest } from './job/job.ts';
import { FINAL_POLL_TIMEOUT_MS, type PollEvent, pollJob } from './job/poll-job.ts';
import { classifyPoll, type PollDecision } from './job/retry-policy.ts';
import { type OnRetry, sendPrompt } from './job/send-prompt.ts';
import { getFinalOutcome, type Outcome } from './outcome.ts';
import { checkKey } from './plan/check-key.ts';
import { makePlan, type PlanDependencies, type PlanReporter } from './plan/plan.ts';
import type { RunTracker } from './state.ts';

/** Reports the progress of a run. */
export interface RunReporter extends PlanReporter {
  onRequest(): void;
  readonly onRetry: OnRetry;
  /** A job is known. Its id must be saved before anything else happens. */
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
const CANCELLED = { outcome: 'cancelled', code: 'cancelled' } as const;

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
    return checkKey(request, dependencies, context);
  }
  if (request.kind !== 'attach' && context.cancel.aborted) {
    return CANCELLED;
  }
  reporter.onRequest();
  if (request.kind === 'attach') {
    reporter.onJob(inputs.wait);
    return waitForJob(request.jobId, request.kind, undefined, inputs, dependencies, context);
  }
  const sent = await send(request, dependencies, context);
  if ('outcome' in sent) {
    return sent;
  }
  reporter.onJob(inputs.wait);
  if (inputs.wait) {
    return waitForJob(sent.id, request.kind, sent, inputs, dependencies, context);
  }
  // The status in the response to a follow-up may be the one from before it.
  return request.kind === 'create' ? confirm(sent, dependencies, context) : { outcome: 'started' };
}

async function send(
  request: Exclude<JobRequest, { kind: 'attach' }>,
  { agent, tracker, reporter }: RunDependencies,
  context: RunContext,
): Promise<Job | Outcome> {
  const onSend = (): void => tracker.setMayHaveStarted(true);
  const result = await sendPrompt(
    (options) =>
      request.kind === 'create'
        ? agent.createJob(request.prompt, { ...options, onSend })
        : agent.sendFollowUp(request.jobId, request.prompt, { ...options, onSend }),
    context,
    (...retry) => {
      tracker.setMayHaveStarted(false);
      reporter.onRetry(...retry);
    },
  );
  tracker.setMayHaveStarted(result.kind === 'unknown');
  switch (result.kind) {
    case 'accepted':
      tracker.setJob(result.job);
      return result.job;
    case 'not-started':
      return { outcome: 'not-started', ...result.failure };
    case 'unknown': {
      const { code, detail } = result;
      const namedIds = request.kind === 'create' ? result.namedIds : undefined;
      return context.forceCancel.aborted
        ? { ...CANCELLED, namedIds }
        : { outcome: 'start-unknown', code, detail, namedIds };
    }
    case 'cancelled':
      return CANCELLED;
  }
}

/** Ends a run that does not wait. If the job is final already, one poll confirms it. Without one, only a failure counts. */
async function confirm(created: Job, dependencies: RunDependencies, context: RunContext): Promise<Outcome> {
  if (!isFinalStatus(created.status)) {
    return { outcome: 'started' };
  }
  const timeoutMs = Math.max(FINAL_POLL_TIMEOUT_MS, getRemainingMs(context));
  const decision = await readJob(created.id, timeoutMs, dependencies, context);
  const job = decision.kind === 'accept' ? decision.job : created;
  const isCertain = decision.kind === 'accept' || job.status === 'failed';
  return isCertain && isFinalStatus(job.status) ? getFinalOutcome(job.status, job) : { outcome: 'started' };
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
    untilFinal: wait,
    notFoundGraceUntil: kind === 'create' ? now + NOT_FOUND_GRACE_MS : now,
    staleStatusUntil: kind === 'follow-up' ? now + STALE_STATUS_MS : now,
    onEvent: (event) => dependencies.reporter.onPollEvent(event),
  });
  switch (result.kind) {
    case 'final':
      return getFinalOutcome(result.status, result.job);
    case 'not-final':
      return { outcome: 'started' };
    case 'timed-out':
      return { outcome: 'timed-out', code: 'timed-out' };
    case 'cancelled':
      return CANCELLED;
    case 'lost':
      return { outcome: 'lost', code: 'job-lost', reason: result.reason, detail: result.detail };
  }
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
