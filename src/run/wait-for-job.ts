import { type ApiResult, readJobOnce } from '../service/agent-client.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import { type PollOptions, pollJob } from '../service/poll-loop.ts';
import { classifyPoll, type PollDecision } from '../service/retry-policy.ts';
import { CANCELLED, getFinalOutcome, type Outcome } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getLastRequestMs } from '../time/deadline.ts';

/** Polls the job, and returns how the run ends. */
export async function waitForJob(
  jobId: string,
  origin: Pick<PollOptions, 'created' | 'isOld'>,
  run: Run,
): Promise<Outcome> {
  const { inputs, agent, github, tracker, emit, cancel } = run;
  const poll = async (timeoutMs: number): Promise<PollDecision> =>
    update(await agent.getJob(jobId, { timeoutMs, signal: cancel }), run);
  const result = await pollJob(poll, {
    ...origin,
    timing: run,
    pollIntervalMs: inputs.pollIntervalMs,
    onEvent: (event) => emit({ kind: 'wait', event }),
  });
  switch (result.kind) {
    case 'final':
      return getFinalOutcome(result.status, tracker.state.job ?? result.job, github.serverUrl);
    case 'timed-out':
      return { result: 'timed-out', code: 'timed-out' };
    case 'cancelled':
      return CANCELLED;
    case 'lost': {
      const { reason, httpStatus, detail } = result;
      return { result: 'lost', code: 'job-lost', reason, httpStatus, detail };
    }
  }
}

/**
 * Reads a job once that a run found and doesn't wait for, and returns how the run ends. If that
 * fails for now, the result is `started`, because the inputs or the record name the job.
 */
export async function lookAtJob(jobId: string, run: Run): Promise<Outcome> {
  const { github, tracker, emit, cancel } = run;
  if (cancel.aborted) {
    return CANCELLED;
  }
  const decision = update(await readJobOnce(jobId, getLastRequestMs(run), run), run);
  if (decision.kind === 'accept') {
    const { job } = decision;
    emit({ kind: 'wait', event: { kind: 'read', job } });
    return isFinalStatus(job.status)
      ? getFinalOutcome(job.status, tracker.state.job ?? job, github.serverUrl)
      : { result: 'started' };
  }
  if (cancel.aborted) {
    return CANCELLED;
  }
  const { reason, detail, httpStatus } = decision;
  emit({ kind: 'wait', event: { kind: 'failed', detail, isLast: true } });
  // Another read would fail, too: a passing step would hide a wrong key or id.
  const isLost = reason === 'not-found' || reason === 'refused';
  return isLost
    ? { result: 'lost', code: 'job-lost', reason, httpStatus, detail }
    : { result: 'started' };
}

/** True if a record may predate a follow-up. Compares only what changes when a job ends. */
export function isUnchanged(job: Job, before: Job): boolean {
  const hasNewLink = job.prLink !== undefined && job.prLink !== before.prLink;
  return job.status === before.status && job.archivedAt === before.archivedAt && !hasNewLink;
}

/** Tells the tracker what a poll has found. Returns what it means for the wait. */
function update(reply: ApiResult, { tracker, emit }: Run): PollDecision {
  const decision = classifyPoll(reply);
  const polls = tracker.state.polls + 1;
  if (decision.kind === 'accept') {
    tracker.update({ polls });
    tracker.setJob(decision.job);
    emit({ kind: 'poll', detail: `${reply.detail}: ${decision.job.status}` });
  } else {
    tracker.update({ polls, pollFailure: reply.detail });
    emit({ kind: 'poll', detail: reply.detail });
  }
  return decision;
}
