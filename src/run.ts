import { checkKey } from './check-key.ts';
import { getRemainingMs, type RunContext } from './clock.ts';
import type { Inputs } from './inputs/read-inputs.ts';
import { CANCELLED, getFinalOutcome, type Outcome } from './outcome.ts';
import { composePrompt, type PromptDependencies, type PromptReporter } from './prompt/compose-prompt.ts';
import { type ClaimDependencies, type ClaimReporter, JobClaim } from './record/claim.ts';
import type { JobRecord } from './record/record.ts';
import type { Job, JobRequest } from './service/job.ts';
import { FINAL_POLL_TIMEOUT_MS, type PollEvent, type PollOptions, pollJob } from './service/poll-job.ts';
import { classifyPoll, type PollDecision } from './service/retry-policy.ts';
import { type OnRetry, sendPrompt } from './service/send-prompt.ts';

/** Reports the progress of a run. */
export interface RunReporter extends ClaimReporter, PromptReporter {
  onRequest(): void;
  readonly onRetry: OnRetry;
  /** A job is known. Its id must be saved before anything else happens. */
  onJob(wait: boolean): void;
  onPoll(detail: string): void;
  onPollEvent(event: PollEvent): void;
}

export interface RunDependencies extends ClaimDependencies, PromptDependencies {
  readonly reporter: RunReporter;
  /** Undefined if nothing is recorded: `reuse` is `never`, or the inputs name a job. */
  readonly record: JobRecord | undefined;
}

const PEEK_TIMEOUT_MS = 10_000;
const LINK_DELAY_MS = 5_000;

/** Decides what to send, sends it, and polls the job until it is final. Keeps the tracker up to date. */
export async function run(
  inputs: Inputs,
  dependencies: RunDependencies,
  context: RunContext,
): Promise<Outcome> {
  const { tracker, reporter, record } = dependencies;
  const request = await decideRequest(inputs, dependencies, context);
  if (inputs.dryRun) {
    return checkKey(request, tracker.state.earlierJob, dependencies, context);
  }
  if (request.kind !== 'attach' && context.cancel.aborted) {
    return CANCELLED;
  }
  reporter.onRequest();
  if (request.kind === 'attach') {
    reporter.onJob(inputs.wait);
    return waitForJob(request.jobId, {}, inputs, dependencies, context);
  }
  // If the job can't be read, the follow-up is sent anyway.
  const isFollowedUp = request.kind === 'follow-up' && inputs.wait;
  const timeoutMs = getRemainingMs(context) / 2;
  const before = isFollowedUp ? await peek(request.jobId, timeoutMs, dependencies, context) : undefined;
  const sent = await send(request, dependencies, context);
  if ('outcome' in sent) {
    return sent;
  }
  reporter.onJob(inputs.wait);
  if (request.kind === 'create') {
    record?.save(sent.id);
  }
  if (inputs.wait) {
    const origin =
      request.kind === 'create' ? { created: sent } : { isOld: (job: Job) => isOld(job, before) };
    return waitForJob(sent.id, origin, inputs, dependencies, context);
  }
  // The status in the response to a follow-up may be the one from before it.
  return request.kind === 'create' && sent.status === 'failed'
    ? getFinalOutcome(sent.status, sent)
    : { outcome: 'started' };
}

/** Returns the request to send. Throws a `Stop` if nothing must be sent. */
async function decideRequest(
  inputs: Inputs,
  dependencies: RunDependencies,
  context: RunContext,
): Promise<JobRequest> {
  const { agent, tracker, record } = dependencies;
  const { request, dryRun } = inputs;
  if (request.kind === 'attach') {
    return request;
  }
  const claim = record && new JobClaim(inputs, record, dependencies, context);
  const attach = (jobId: string): JobRequest => ({ kind: 'attach', jobId });
  const earlier = await claim?.look();
  if (earlier !== undefined && !dryRun) {
    return tracker.setRequest(attach(earlier));
  }
  const prompt = await composePrompt(request.prompt, inputs, earlier === undefined, dependencies, context);
  const composed = tracker.setRequest({ ...request, prompt });
  if (dryRun || claim === undefined) {
    return composed;
  }
  agent.connectEarly(context.cancel);
  const rival = await claim.take();
  return rival === undefined ? composed : tracker.setRequest(attach(rival));
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
      const { code, detail, excerpt } = result;
      return context.forceCancel.aborted
        ? { ...CANCELLED, excerpt }
        : { outcome: 'start-unknown', code, detail, excerpt };
    }
    case 'cancelled':
      return CANCELLED;
  }
}

async function waitForJob(
  jobId: string,
  origin: Pick<PollOptions, 'created' | 'isOld'>,
  { wait, pollIntervalMs }: Inputs,
  dependencies: RunDependencies,
  context: RunContext,
): Promise<Outcome> {
  const { tracker, reporter } = dependencies;
  const result = await pollJob((timeoutMs) => readJob(jobId, timeoutMs, dependencies, context), {
    ...origin,
    context,
    pollIntervalMs,
    untilFinal: wait,
    onEvent: (event) => reporter.onPollEvent(event),
  });
  switch (result.kind) {
    case 'final': {
      const { prLink, prLinkRefused } = tracker.state.job ?? result.job;
      const isWithoutLink = result.status === 'completed' && prLink === undefined && !prLinkRefused;
      const remainingMs = getRemainingMs(context);
      if (wait && isWithoutLink && remainingMs > 0) {
        // The link may come a moment later.
        await context.clock.sleep(Math.min(LINK_DELAY_MS, remainingMs), context.cancel);
        const timeoutMs = Math.max(FINAL_POLL_TIMEOUT_MS, getRemainingMs(context));
        const job = await peek(jobId, timeoutMs, dependencies, context);
        if (job?.status === result.status) {
          tracker.setJob(job);
        }
      }
      return getFinalOutcome(result.status, tracker.state.job ?? result.job);
    }
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

/**
 * True if a final record may be the one from before the follow-up. Compares only what changes when a job ends: as soon as
 * the service has the follow-up, it may change any other field, or take the link away.
 */
function isOld(job: Job, before: Job | undefined): boolean {
  const hasNewLink = job.prLink !== undefined && job.prLink !== before?.prLink;
  const isSameEnd = job.status === before?.status && job.archivedAt === before.archivedAt && !hasNewLink;
  return before === undefined || isSameEnd;
}

/** Reads the job once, without recording it. Undefined if it can't be read in time. */
async function peek(
  jobId: string,
  longestMs: number,
  { agent }: RunDependencies,
  { cancel }: RunContext,
): Promise<Job | undefined> {
  const timeoutMs = Math.min(PEEK_TIMEOUT_MS, longestMs);
  const decision = classifyPoll(await agent.getJob(jobId, { timeoutMs, signal: cancel }));
  return decision.kind === 'accept' ? decision.job : undefined;
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
