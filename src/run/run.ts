import { Claimant } from '../claims/claim.ts';
import { ClaimStore } from '../claims/store.ts';
import { getHalfOfRemainingMs } from '../clock.ts';
import type { PullRequest } from '../github/pull-request.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { composePrompt } from '../prompt/compose-prompt.ts';
import type { CreateRequest, FollowUpRequest, Job, JobRequest } from '../service/job.ts';
import { sendPrompt } from '../service/send-prompt.ts';
import type { RunDependencies } from '../state/dependencies.ts';
import { CANCELLED, getFinalOutcome, type Outcome, Stop } from '../state/outcome.ts';
import { checkKey } from './check-key.ts';
import { findPullRequest } from './find-pull-request.ts';
import { isUnchanged, readJob, waitForJob } from './wait-for-job.ts';

export interface Run {
  /**
   * Decides what to send, sends it, and waits for the job if the inputs say so. Keeps the tracker
   * up to date. Throws a `Stop` if the run ends early.
   */
  execute(): Promise<Outcome>;
  /**
   * Records how the run ended, and returns details of its pull request if they can be read in time.
   * Never rejects.
   */
  finish(outcome: Outcome): Promise<PullRequest | undefined>;
}

/**
 * Returns a run of the action. Nothing is recorded if `reuse` is `never` or the inputs name a job.
 */
export function createRun(inputs: Inputs, dependencies: RunDependencies): Run {
  const isRecorded = inputs.request.kind === 'create' && inputs.reuse !== 'never';
  const store = isRecorded ? new ClaimStore(inputs, dependencies) : undefined;
  return {
    execute: () => execute(inputs, store, dependencies),
    async finish(outcome) {
      const reading = findPullRequest(dependencies);
      await store?.close(outcome);
      return reading;
    },
  };
}

async function execute(
  inputs: Inputs,
  store: ClaimStore | undefined,
  dependencies: RunDependencies,
): Promise<Outcome> {
  const { cancel, emit } = dependencies;
  const request = await decideRequest(inputs, store, dependencies);
  if (inputs.dryRun) {
    return checkKey(request, dependencies);
  }
  if (request.kind === 'attach') {
    emit({ kind: 'request', request });
    emit({ kind: 'job', job: undefined, isAwaited: inputs.wait });
    return waitForJob(request.jobId, {}, inputs, dependencies);
  }
  if (cancel.aborted) {
    return CANCELLED;
  }
  emit({ kind: 'request', request });
  return request.kind === 'create'
    ? startJob(request, store, inputs, dependencies)
    : continueJob(request, inputs, dependencies);
}

/**
 * Returns what to send, or which job to wait for. In a dry run, what a real run would do. Throws a
 * `Stop` if the run must not send anything.
 */
async function decideRequest(
  inputs: Inputs,
  store: ClaimStore | undefined,
  dependencies: RunDependencies,
): Promise<JobRequest> {
  const { request, dryRun } = inputs;
  const { tracker } = dependencies;
  if (request.kind === 'attach') {
    return request;
  }
  const claimant = store && new Claimant(inputs, store, dependencies);
  const earlierId = await claimant?.look();
  if (earlierId !== undefined) {
    return tracker.setRequest({ kind: 'attach', jobId: earlierId });
  }
  const prompt = await composePrompt(request.prompt, inputs, dependencies);
  const composed = tracker.setRequest({ ...request, prompt });
  const rivalId = dryRun ? undefined : await claimant?.take();
  return rivalId === undefined ? composed : tracker.setRequest({ kind: 'attach', jobId: rivalId });
}

async function startJob(
  request: CreateRequest,
  store: ClaimStore | undefined,
  inputs: Inputs,
  dependencies: RunDependencies,
): Promise<Outcome> {
  const created = await send(request, dependencies);
  dependencies.emit({ kind: 'job', job: created, isAwaited: inputs.wait });
  store?.save(created.id);
  if (inputs.wait) {
    return waitForJob(created.id, { created }, inputs, dependencies);
  }
  return created.status === 'failed' ? getFinalOutcome('failed', created) : { result: 'started' };
}

async function continueJob(
  request: FollowUpRequest,
  inputs: Inputs,
  dependencies: RunDependencies,
): Promise<Outcome> {
  // If the job can't be read, send the follow-up anyway.
  const before = inputs.wait
    ? await readJob(request.jobId, getHalfOfRemainingMs(dependencies), dependencies)
    : undefined;
  const job = await send(request, dependencies);
  dependencies.emit({ kind: 'job', job, isAwaited: inputs.wait });
  if (!inputs.wait) {
    return { result: 'started' };
  }
  // For a while after a follow-up, the service may still return the old record.
  const isOld = (latest: Job): boolean => before === undefined || isUnchanged(latest, before);
  return waitForJob(job.id, { isOld }, inputs, dependencies);
}

/** Returns the job that received the prompt. Otherwise, throws a `Stop`. */
async function send(
  request: CreateRequest | FollowUpRequest,
  dependencies: RunDependencies,
): Promise<Job> {
  const { agent, tracker, emit, forceCancel } = dependencies;
  const onSend = (): void => tracker.setStage('unconfirmed');
  const result = await sendPrompt(
    (options) =>
      request.kind === 'create'
        ? agent.createJob(request.prompt, { ...options, onSend })
        : agent.sendFollowUp(request.jobId, request.prompt, { ...options, onSend }),
    dependencies,
    (failure, delayMs) => {
      tracker.setStage('unsent');
      emit({ kind: 'retry', failure, delayMs });
    },
  );
  switch (result.kind) {
    case 'accepted':
      tracker.setJob(result.job);
      return result.job;
    case 'not-started':
      tracker.setStage('unsent');
      throw new Stop({ result: 'not-started', ...result.failure });
    case 'cancelled':
      tracker.setStage('unsent');
      throw new Stop(CANCELLED);
    case 'unknown': {
      tracker.setStage('unconfirmed');
      const { failure } = result;
      throw new Stop(
        forceCancel.aborted
          ? { ...CANCELLED, excerpt: failure.excerpt, namesJob: failure.namesJob }
          : { result: 'start-unknown', ...failure },
      );
    }
  }
}
