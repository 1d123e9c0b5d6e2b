import { Claimant } from '../claims/claimant.ts';
import { ClaimStore } from '../claims/store.ts';
import { getHalfOfRemainingMs } from '../clock.ts';
import type { PullRequest } from '../github/pull-request.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { CreateRequest, FollowUpRequest, Job, JobRequest } from '../service/job.ts';
import { readJobOnce } from '../service/read-job.ts';
import { sendPrompt } from '../service/send-prompt.ts';
import { CANCELLED, getFinalOutcome, type Outcome, Stop } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';
import { runDry } from './dry-run.ts';
import { findPullRequest } from './find-pull-request.ts';
import { preparePrompt } from './prepare-prompt.ts';
import { isUnchanged, lookAtJob, waitForJob } from './wait-for-job.ts';

export interface Execution {
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
export function createExecution(inputs: Inputs, run: Run): Execution {
  const isRecorded = inputs.request.kind === 'create' && inputs.reuse !== 'never';
  const store = isRecorded ? new ClaimStore(inputs, run) : undefined;
  return {
    execute: () => execute(inputs, store, run),
    async finish(outcome) {
      const reading = findPullRequest(run);
      await store?.close(outcome);
      return reading;
    },
  };
}

async function execute(inputs: Inputs, store: ClaimStore | undefined, run: Run): Promise<Outcome> {
  if (inputs.dryRun) {
    return runDry(inputs, store, run);
  }
  const { cancel, emit } = run;
  const request = await decideRequest(inputs, store, run);
  if (request.kind === 'attach') {
    emit({ kind: 'request' });
    emit({ kind: 'job' });
    return inputs.wait ? waitForJob(request.jobId, {}, inputs, run) : lookAtJob(request.jobId, run);
  }
  if (cancel.aborted) {
    return CANCELLED;
  }
  emit({ kind: 'request' });
  return request.kind === 'create'
    ? startJob(request, store, inputs, run)
    : continueJob(request, inputs, run);
}

/**
 * Returns what to send, or which job to wait for. Throws a `Stop` if the run must not send
 * anything.
 */
async function decideRequest(
  inputs: Inputs,
  store: ClaimStore | undefined,
  run: Run,
): Promise<JobRequest> {
  if (inputs.request.kind === 'attach') {
    return inputs.request;
  }
  const claimant = store && new Claimant(inputs, store, run);
  if (claimant !== undefined) {
    run.emit({ kind: 'looking' });
  }
  const earlierId = await claimant?.look();
  if (earlierId !== undefined) {
    return attach(earlierId, run);
  }
  const request = await preparePrompt(inputs.request, inputs, run);
  const { skip } = run.tracker.state;
  if (skip !== undefined) {
    throw new Stop({ result: 'skipped', skip });
  }
  const rivalId = await claimant?.take();
  return rivalId === undefined ? request : attach(rivalId, run);
}

/** Returns the request of a run that waits for the job of another attempt. */
function attach(jobId: string, { tracker }: Run): JobRequest {
  const request = { kind: 'attach', jobId } as const;
  tracker.update({ request });
  return request;
}

async function startJob(
  request: CreateRequest,
  store: ClaimStore | undefined,
  inputs: Inputs,
  run: Run,
): Promise<Outcome> {
  const created = await send(request, run);
  // First, so that no error can keep the id from the record.
  store?.save(created.id);
  run.emit({ kind: 'job' });
  if (inputs.wait) {
    return waitForJob(created.id, { created }, inputs, run);
  }
  // No poll confirms how the job ended. But a step that passes would hide a failure.
  return created.status === 'failed' ? getFinalOutcome('failed', created) : getStarted(run);
}

/** Returns the outcome of a run that doesn't wait. */
function getStarted({ cancel }: Run): Outcome {
  return cancel.aborted ? CANCELLED : { result: 'started' };
}

async function continueJob(request: FollowUpRequest, inputs: Inputs, run: Run): Promise<Outcome> {
  const before = inputs.wait ? await readBefore(request, run) : undefined;
  const job = await send(request, run);
  run.emit({ kind: 'job' });
  if (!inputs.wait) {
    return getStarted(run);
  }
  // For a while after a follow-up, the service may still return the old record.
  const isOld = (latest: Job): boolean => before === undefined || isUnchanged(latest, before);
  return waitForJob(job.id, { isOld }, inputs, run);
}

/** Returns the job before a follow-up. If it can't be read, the follow-up is sent anyway. */
async function readBefore({ jobId }: FollowUpRequest, run: Run): Promise<Job | undefined> {
  const reply = await readJobOnce(jobId, getHalfOfRemainingMs(run), run);
  return reply.kind === 'response' ? reply.job : undefined;
}

/** Returns the job that received the prompt. Otherwise, throws a `Stop`. */
async function send(request: CreateRequest | FollowUpRequest, run: Run): Promise<Job> {
  const { agent, tracker, emit, forceCancel } = run;
  const onSend = (): void => {
    tracker.setSent();
    emit({ kind: 'sending' });
  };
  const result = await sendPrompt(
    (options) =>
      request.kind === 'create'
        ? agent.createJob(request.prompt, { ...options, onSend })
        : agent.sendFollowUp(request.jobId, request.prompt, { ...options, onSend }),
    run,
    (failure, delayMs) => {
      tracker.setUnsent();
      emit({ kind: 'retry', failure, delayMs });
    },
  );
  switch (result.kind) {
    case 'accepted':
      tracker.setJob(result.job);
      return result.job;
    case 'not-started':
      tracker.setUnsent();
      throw new Stop({ result: 'not-started', ...result.failure });
    case 'cancelled':
      tracker.setUnsent();
      throw new Stop(CANCELLED);
    case 'unknown': {
      const { failure } = result;
      throw new Stop(
        forceCancel.aborted
          ? { ...CANCELLED, excerpt: failure.excerpt, namedId: failure.namedId }
          : { result: 'start-unknown', ...failure },
      );
    }
  }
}
