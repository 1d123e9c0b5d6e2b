import { getLastRequestMs } from '../clock.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import { type PollOptions, pollJob } from '../service/poll-job.ts';
import { readJobOnce } from '../service/read-job.ts';
import { classifyPoll, type PollDecision } from '../service/retry-policy.ts';
import { CANCELLED, getFinalOutcome, type Outcome } from '../state/outcome.ts';
import type { Run } from '../state/run.ts';

const READ_TIMEOUT_MS = 10_000;

/** Polls the job, and returns how the run ends. */
export async function waitForJob(
  jobId: string,
  origin: Pick<PollOptions, 'created' | 'isOld'>,
  { pollIntervalMs }: Pick<Inputs, 'pollIntervalMs'>,
  run: Run,
): Promise<Outcome> {
  const { tracker, emit } = run;
  const result = await pollJob((timeoutMs) => poll(jobId, timeoutMs, run), {
    ...origin,
    timing: run,
    pollIntervalMs,
    onEvent: (event) => emit({ kind: 'wait', event }),
  });
  switch (result.kind) {
    case 'final':
      return getFinalOutcome(result.status, tracker.state.job ?? result.job);
    case 'timed-out':
      return { result: 'timed-out', code: 'timed-out' };
    case 'cancelled':
      return CANCELLED;
    case 'lost':
      return { result: 'lost', code: 'job-lost', reason: result.reason, detail: result.detail };
  }
}

/**
 * Reads a job once that a run found and doesn't wait for, and returns how the run ends. If that
 * fails for now, the result is `started`, because the inputs or the record name the job.
 */
export async function lookAtJob(jobId: string, run: Run): Promise<Outcome> {
  const { tracker, emit, cancel } = run;
  if (cancel.aborted) {
    return CANCELLED;
  }
  const decision = await poll(jobId, Math.min(READ_TIMEOUT_MS, getLastRequestMs(run)), run);
  if (decision.kind === 'accept') {
    const { job } = decision;
    emit({ kind: 'wait', event: { kind: 'read', job } });
    return isFinalStatus(job.status)
      ? getFinalOutcome(job.status, tracker.state.job ?? job)
      : { result: 'started' };
  }
  if (cancel.aborted) {
    return CANCELLED;
  }
  const { reason, detail } = decision;
  emit({ kind: 'wait', event: { kind: 'failed', detail, isLast: true } });
  // Another read would fail, too: a passing step would hide a wrong key or id.
  const isLost = reason === 'not-found' || reason === 'refused';
  return isLost ? { result: 'lost', code: 'job-lost', reason, detail } : { result: 'started' };
}

/** Reads the job once, without a change to the tracker. Undefined if that fails. */
export async function readJob(
  jobId: string,
  longestMs: number,
  run: Run,
): Promise<Job | undefined> {
  const reply = await readJobOnce(jobId, longestMs, run);
  return reply.kind === 'response' ? reply.job : undefined;
}

/**
 * True if a record may predate a follow-up, because it is the same as before. Compares only what
 * changes when a job ends.
 */
export function isUnchanged(job: Job, before: Job): boolean {
  const hasNewLink = job.prLink !== undefined && job.prLink !== before.prLink;
  return job.status === before.status && job.archivedAt === before.archivedAt && !hasNewLink;
}

async function poll(
  jobId: string,
  timeoutMs: number,
  { agent, tracker, emit, cancel }: Run,
): Promise<PollDecision> {
  tracker.update({ polls: tracker.state.polls + 1 });
  const reply = await agent.getJob(jobId, { timeoutMs, signal: cancel });
  const decision = classifyPoll(reply);
  if (decision.kind === 'accept') {
    tracker.setJob(decision.job);
    emit({ kind: 'poll', detail: `${reply.detail}: ${decision.job.status}` });
  } else {
    tracker.setPollFailure(reply.detail);
    emit({ kind: 'poll', detail: reply.detail });
  }
  return decision;
}
