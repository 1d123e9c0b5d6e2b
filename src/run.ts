import { checkKey } from './check-key.ts';
import { getRemainingMs } from './clock.ts';
import type { RunDependencies } from './dependencies.ts';
import type { Inputs } from './inputs/read-inputs.ts';
import { CANCELLED, getFinalOutcome, type Outcome, Stop } from './outcome.ts';
import { composePrompt } from './prompt/compose-prompt.ts';
import { createClaim } from './record/claim.ts';
import type { JobRecord } from './record/record.ts';
import type { Job, JobRequest } from './service/job.ts';
import { FINAL_POLL_TIMEOUT_MS, type PollOptions, pollJob } from './service/poll-job.ts';
import { classifyPoll, type PollDecision } from './service/retry-policy.ts';
import { sendPrompt } from './service/send-prompt.ts';

const PEEK_TIMEOUT_MS = 10_000;
const LINK_DELAY_MS = 5_000;

/**
 * Decides what to send, sends it, and polls the job until it is final. Keeps the tracker up to date. Throws a `Stop` if the
 * run ends early. `record` is undefined if nothing is recorded: `reuse` is `never`, or the inputs name a job.
 */
export async function run(
  inputs: Inputs,
  record: JobRecord | undefined,
  dependencies: RunDependencies,
): Promise<Outcome> {
  const { reporter, cancel } = dependencies;
  const { wait, dryRun } = inputs;
  const request = await decideRequest(inputs, record, dependencies);
  if (dryRun) {
    return checkKey(request, dependencies);
  }
  if (request.kind !== 'attach' && cancel.aborted) {
    return CANCELLED;
  }
  reporter.onRequest(request);
  if (request.kind === 'attach') {
    reporter.onJob(wait);
    return waitForJob(request.jobId, {}, inputs, dependencies);
  }
  if (request.kind === 'follow-up') {
    // If the job can't be read, the follow-up is sent anyway.
    const timeoutMs = getRemainingMs(dependencies) / 2;
    const before = wait ? await peek(request.jobId, timeoutMs, dependencies) : undefined;
    const { id } = await send(request, dependencies);
    reporter.onJob(wait);
    // The status in the response may predate the follow-up.
    return wait
      ? waitForJob(id, { isOld: (job) => isOld(job, before) }, inputs, dependencies)
      : { outcome: 'started' };
  }
  const created = await send(request, dependencies);
  reporter.onJob(wait);
  record?.save(created.id);
  if (wait) {
    return waitForJob(created.id, { created }, inputs, dependencies);
  }
  return created.status === 'failed' ? getFinalOutcome('failed', created) : { outcome: 'started' };
}

/** Returns the request to send. Throws a `Stop` if the run must not send anything. */
async function decideRequest(
  inputs: Inputs,
  record: JobRecord | undefined,
  dependencies: RunDependencies,
): Promise<JobRequest> {
  const { agent, tracker } = dependencies;
  const { request, dryRun } = inputs;
  if (request.kind === 'attach') {
    return request;
  }
  const claim = record && createClaim(inputs, record, dependencies);
  const earlier = await claim?.look();
  if (earlier !== undefined && !dryRun) {
    return tracker.setRequest({ kind: 'attach', jobId: earlier });
  }
  const prompt = await composePrompt(request.prompt, inputs, earlier === undefined, dependencies);
  const composed = tracker.setRequest({ ...request, prompt });
  if (dryRun || claim === undefined) {
    return composed;
  }
  agent.connectEarly();
  const rival = await claim.take();
  return rival === undefined ? composed : tracker.setRequest({ kind: 'attach', jobId: rival });
}

/** Returns the job that received the prompt. Otherwise, throws a `Stop`. */
async function send(
  request: Exclude<JobRequest, { kind: 'attach' }>,
  dependencies: RunDependencies,
): Promise<Job> {
  const { agent, tracker, reporter, forceCancel } = dependencies;
  const onSend = (): void => tracker.setStage('unconfirmed');
  const result = await sendPrompt(
    (options) =>
      request.kind === 'create'
        ? agent.createJob(request.prompt, { ...options, onSend })
        : agent.sendFollowUp(request.jobId, request.prompt, { ...options, onSend }),
    dependencies,
    (failure, delayMs) => {
      tracker.setStage('unsent');
      reporter.onRetry(failure, delayMs);
    },
  );
  tracker.setStage(result.kind === 'unknown' ? 'unconfirmed' : 'unsent');
  switch (result.kind) {
    case 'accepted':
      tracker.setJob(result.job);
      return result.job;
    case 'not-started':
      throw new Stop({ outcome: 'not-started', ...result.failure });
    case 'unknown': {
      const { excerpt } = result.failure;
      const isForced = forceCancel.aborted;
      throw new Stop(isForced ? { ...CANCELLED, excerpt } : { outcome: 'start-unknown', ...result.failure });
    }
    case 'cancelled':
      throw new Stop(CANCELLED);
  }
}

async function waitForJob(
  jobId: string,
  origin: Pick<PollOptions, 'created' | 'isOld'>,
  { wait, pollIntervalMs }: Inputs,
  dependencies: RunDependencies,
): Promise<Outcome> {
  const { tracker, reporter, clock, cancel } = dependencies;
  const result = await pollJob((timeoutMs) => readJob(jobId, timeoutMs, dependencies), {
    ...origin,
    context: dependencies,
    pollIntervalMs,
    untilFinal: wait,
    onEvent: (event) => reporter.onPollEvent(event),
  });
  switch (result.kind) {
    case 'final': {
      const { prLink, prLinkRefused } = tracker.state.job ?? result.job;
      const isWithoutLink = result.status === 'completed' && prLink === undefined && !prLinkRefused;
      const remainingMs = getRemainingMs(dependencies);
      if (wait && isWithoutLink && remainingMs > 0) {
        // The link may appear a moment later.
        await clock.sleep(Math.min(LINK_DELAY_MS, remainingMs), cancel);
        const timeoutMs = Math.max(FINAL_POLL_TIMEOUT_MS, getRemainingMs(dependencies));
        const job = await peek(jobId, timeoutMs, dependencies);
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
 * True if a final record may predate the follow-up. Compares only what changes when a job ends, because the follow-up
 * itself may change any other field or remove the link.
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
  { agent, cancel }: RunDependencies,
): Promise<Job | undefined> {
  const timeoutMs = Math.min(PEEK_TIMEOUT_MS, longestMs);
  const decision = classifyPoll(await agent.getJob(jobId, { timeoutMs, signal: cancel }));
  return decision.kind === 'accept' ? decision.job : undefined;
}

async function readJob(
  jobId: string,
  timeoutMs: number,
  { agent, tracker, reporter, cancel }: RunDependencies,
): Promise<PollDecision> {
  tracker.update({ polls: tracker.state.polls + 1 });
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
