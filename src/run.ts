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
 * Decides what to send, sends it, and waits for the job if the inputs say so. Keeps the tracker up
 * to date. Throws a `Stop` if the run ends early. `record` is undefined if nothing is recorded:
 * `reuse` is `never`, or the inputs name a job.
 */
export async function run(
  inputs: Inputs,
  record: JobRecord | undefined,
  dependencies: RunDependencies,
): Promise<Outcome> {
  const { agent, tracker, reporter, clock, cancel, forceCancel } = dependencies;
  const { wait, dryRun, pollIntervalMs } = inputs;

  const request = await decideRequest();
  if (dryRun) {
    return checkKey(request, dependencies);
  }
  if (request.kind !== 'attach' && cancel.aborted) {
    return CANCELLED;
  }
  reporter.onRequest(request);
  if (request.kind === 'attach') {
    reporter.onJob(wait);
    return waitForJob(request.jobId, {});
  }
  const isNew = request.kind === 'create';
  // If the job can't be read, send the follow-up anyway.
  const before =
    isNew || !wait ? undefined : await peek(request.jobId, getRemainingMs(dependencies) / 2);
  const sent = await send(request);
  reporter.onJob(wait);
  record?.save(sent.id);
  // For a while after a follow-up, the service may still return the old record.
  if (wait) {
    return waitForJob(sent.id, isNew ? { created: sent } : { isOld: (job) => isOld(job, before) });
  }
  return isNew && sent.status === 'failed'
    ? getFinalOutcome('failed', sent)
    : { outcome: 'started' };

  /**
   * Returns the request of a real run, in a dry run too. Throws a `Stop` if the run must not send
   * anything.
   */
  async function decideRequest(): Promise<JobRequest> {
    const { request } = inputs;
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
    if (earlier !== undefined) {
      return { kind: 'attach', jobId: earlier };
    }
    if (dryRun || claim === undefined) {
      return composed;
    }
    const rival = await claim.take();
    return rival === undefined ? composed : tracker.setRequest({ kind: 'attach', jobId: rival });
  }

  /** Returns the job that received the prompt. Otherwise, throws a `Stop`. */
  async function send(request: Exclude<JobRequest, { kind: 'attach' }>): Promise<Job> {
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
    if (result.kind === 'accepted') {
      tracker.setJob(result.job);
      return result.job;
    }
    if (result.kind === 'not-started') {
      throw new Stop({ outcome: 'not-started', ...result.failure });
    }
    if (result.kind === 'cancelled') {
      throw new Stop(CANCELLED);
    }
    const { failure } = result;
    const cancelled = { ...CANCELLED, excerpt: failure.excerpt };
    throw new Stop(forceCancel.aborted ? cancelled : { outcome: 'start-unknown', ...failure });
  }

  /**
   * Reads the job once, without updating the tracker. Undefined if the job can't be read in time.
   */
  async function peek(jobId: string, longestMs: number): Promise<Job | undefined> {
    const timeoutMs = Math.min(PEEK_TIMEOUT_MS, longestMs);
    const reply = await agent.getJob(jobId, { timeoutMs, signal: cancel });
    return reply.kind === 'response' ? reply.job : undefined;
  }

  async function poll(jobId: string, timeoutMs: number): Promise<PollDecision> {
    tracker.update({ polls: tracker.state.polls + 1 });
    const reply = await agent.getJob(jobId, { timeoutMs, signal: cancel });
    const decision = classifyPoll(reply);
    if (decision.kind === 'accept') {
      tracker.setJob(decision.job);
      reporter.onPoll(`${reply.detail}: ${decision.job.status}`);
    } else {
      tracker.setPollFailure(reply.detail);
      reporter.onPoll(reply.detail);
    }
    return decision;
  }

  async function waitForJob(
    jobId: string,
    origin: Pick<PollOptions, 'created' | 'isOld'>,
  ): Promise<Outcome> {
    const result = await pollJob((timeoutMs) => poll(jobId, timeoutMs), {
      ...origin,
      context: dependencies,
      pollIntervalMs,
      untilFinal: wait,
      onEvent: reporter.onPollEvent,
    });
    switch (result.kind) {
      case 'final': {
        const { prLink, prLinkRefused } = tracker.state.job ?? result.job;
        const isWithoutLink =
          result.status === 'completed' && prLink === undefined && !prLinkRefused;
        const remainingMs = getRemainingMs(dependencies);
        if (wait && isWithoutLink && remainingMs > 0) {
          // The link may appear a moment later.
          await clock.sleep(Math.min(LINK_DELAY_MS, remainingMs), cancel);
          const job = await peek(
            jobId,
            Math.max(FINAL_POLL_TIMEOUT_MS, getRemainingMs(dependencies)),
          );
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
}

/** True if a final record may predate the follow-up. Compares only what changes when a job ends. */
function isOld(job: Job, before: Job | undefined): boolean {
  const hasNewLink = job.prLink !== undefined && job.prLink !== before?.prLink;
  const isSameEnd =
    job.status === before?.status && job.archivedAt === before.archivedAt && !hasNewLink;
  return before === undefined || isSameEnd;
}
