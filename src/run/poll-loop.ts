import { type ApiResult, readJobOnce } from '../service/agent-client.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import {
  classifyPoll,
  type FailedPoll,
  type PollDecision,
  type ReadFailure,
} from '../service/retry-policy.ts';
import { getFinalOutcome, type Outcome, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { DEADLINE_GRACE_MS, getLastRequestMs, getRemainingMs } from '../time/deadline.ts';
import { createPollSchedule } from '../time/retry.ts';

/** What the run knows about the job before it polls. */
interface Known {
  /** The job if this run has just created it. Otherwise, polling starts at once. */
  readonly created?: Job | undefined;
  /** True if a final reply may predate the follow-up. Not called once the job was at work. */
  readonly isOld?: (job: Job) => boolean;
}

const TICK_MS = 15_000;
/** A status can be final before the link that belongs to it is there (netlify/cli#8283). */
const LINK_GRACE_MS = 10_000;
/** The service may not find a new job right away. */
const NOT_FOUND_GRACE_MS = 60_000;
/** How many read failures of one kind end the wait, and how long they must have lasted. */
const LIMITS: Record<ReadFailure, { readonly count: number; readonly lastingMs: number }> = {
  'not-found': { count: 3, lastingMs: 30_000 },
  unreadable: { count: 5, lastingMs: 120_000 },
  refused: { count: 1, lastingMs: 0 },
};

/**
 * Polls the job until it is final, the deadline has passed, or the job can no longer be read. A job
 * that is completed without a link is polled once more. A last poll at the deadline decides. Throws
 * a `Stop` only if the run is canceled.
 */
export async function pollJob(jobId: string, known: Known, run: Run): Promise<Outcome> {
  const { agent, cancel } = run;
  const wait = new Wait(known, run);
  for (;;) {
    await sleep(wait.delayMs, run);
    stopIfCanceled(cancel);
    const remainingMs = getRemainingMs(run);
    const isLast = remainingMs <= 0;
    const timeoutMs = isLast ? DEADLINE_GRACE_MS : remainingMs;
    const { decision, end } = track(await agent.getJob(jobId, { timeoutMs, signal: cancel }), run);
    if (decision.kind === 'failed') {
      stopIfCanceled(cancel);
    }
    const outcome = wait.update(decision, end, isLast);
    if (outcome !== undefined) {
      return outcome;
    }
  }
}

/**
 * Reads a job once that a run found and doesn't wait for, and returns how the run ends. If that
 * fails for now, the result is `started`, because the inputs or the record name the job. Throws a
 * `Stop` if the run is canceled.
 */
export async function lookAtJob(jobId: string, run: Run): Promise<Outcome> {
  const { emit, cancel } = run;
  stopIfCanceled(cancel);
  const { decision, end } = track(await readJobOnce(jobId, getLastRequestMs(run), run), run);
  if (decision.kind === 'accept') {
    emit({ kind: 'wait', event: { kind: 'read', job: decision.job } });
    return end ?? { result: 'started' };
  }
  stopIfCanceled(cancel);
  const { reason, detail, httpStatus } = decision;
  emit({ kind: 'wait', event: { kind: 'failed', detail, isLast: true } });
  // Another read would fail, too: a passing step would hide a wrong key or id.
  const isLost = reason === 'not-found' || reason === 'refused';
  return isLost
    ? { result: 'lost', code: 'job-lost', reason, httpStatus, detail }
    : { result: 'started' };
}

/**
 * Tells the tracker what a request to read the job has found. Returns what it means, and the
 * outcome of a job that has ended, with a link that it once had.
 */
function track(reply: ApiResult, { tracker, github, emit }: Run) {
  const decision: PollDecision = classifyPoll(reply);
  tracker.addPoll(reply.detail);
  const job = decision.kind === 'accept' ? tracker.setJob(decision.job) : undefined;
  emit({ kind: 'poll' });
  return { decision, end: job && getFinalOutcome(job, github.serverUrl) };
}

class Wait {
  readonly #known: Known;
  readonly #run: Run;
  readonly #startedAt: number;
  readonly #getDelay: ReturnType<typeof createPollSchedule>;
  /** The failures of each kind since the last successful read. */
  readonly #failures = new Map<ReadFailure, { readonly count: number; readonly sinceMs: number }>();
  #wasAtWork = false;
  /** The outcome of the last poll, if the job was completed without a link. */
  #withoutLink: Outcome | undefined;
  /** How long to sleep before the next poll, in milliseconds. */
  delayMs: number;

  constructor(known: Known, run: Run) {
    const { inputs, clock, random } = run;
    this.#known = known;
    this.#run = run;
    this.#startedAt = clock.now();
    this.#getDelay = createPollSchedule(inputs.pollIntervalMs, random);
    // If the first reply is already final, poll at once to confirm it.
    const isAtWork = known.created !== undefined && !isFinalStatus(known.created.status);
    this.delayMs = isAtWork ? this.#getDelay() : 0;
  }

  /**
   * Takes a poll into account, and reports it. `end`: the outcome of a job that has ended. Returns
   * the outcome if this poll ends the wait.
   */
  update(decision: PollDecision, end: Outcome | undefined, isLast: boolean): Outcome | undefined {
    const before = this.#withoutLink;
    this.#withoutLink = undefined;
    const outcome =
      decision.kind === 'accept'
        ? this.#updateJob(decision.job, end)
        : (before ?? this.#updateFailures(decision, isLast));
    if (isLast) {
      return outcome ?? { result: 'timed-out', code: 'timed-out' };
    }
    if (before === undefined && outcome !== undefined && isWithoutLink(decision)) {
      this.#withoutLink = outcome;
      this.delayMs = LINK_GRACE_MS;
      return undefined;
    }
    return outcome;
  }

  #updateJob(job: Job, end: Outcome | undefined): Outcome | undefined {
    this.delayMs = this.#getDelay();
    this.#failures.clear();
    this.#run.emit({ kind: 'wait', event: { kind: 'read', job } });
    this.#wasAtWork ||= end === undefined;
    const isOld = !this.#wasAtWork && this.#known.isOld?.(job) === true;
    return isOld ? undefined : end;
  }

  #updateFailures(
    { detail, httpStatus, reason, pause }: FailedPoll,
    isLast: boolean,
  ): Outcome | undefined {
    const { clock, emit } = this.#run;
    const { created } = this.#known;
    this.delayMs = this.#getDelay(pause);
    const elapsedMs = clock.now() - this.#startedAt;
    const isNew = created !== undefined && elapsedMs < NOT_FOUND_GRACE_MS;
    const isExpected = reason === undefined || (reason === 'not-found' && isNew);
    if (!isExpected && this.#countFailure(reason, elapsedMs)) {
      return { result: 'lost', code: 'job-lost', reason, httpStatus, detail };
    }
    if (pause === undefined || isLast) {
      emit({ kind: 'wait', event: { kind: 'failed', detail, isLast } });
    } else {
      const delayMs = Math.min(this.delayMs, getRemainingMs(this.#run));
      emit({ kind: 'wait', event: { kind: 'paused', delayMs, detail } });
    }
    return undefined;
  }

  /** Counts a failure, and returns true if it ends the wait. */
  #countFailure(reason: ReadFailure, elapsedMs: number): boolean {
    const { count, sinceMs } = this.#failures.get(reason) ?? { count: 0, sinceMs: elapsedMs };
    this.#failures.set(reason, { count: count + 1, sinceMs });
    const limit = LIMITS[reason];
    return count + 1 >= limit.count && elapsedMs - sinceMs >= limit.lastingMs;
  }
}

function isWithoutLink(decision: PollDecision): boolean {
  const isCompleted = decision.kind === 'accept' && decision.job.status === 'completed';
  return isCompleted && (decision.job.prLink ?? decision.job.refusedLink) === undefined;
}

/** Just before the deadline, a poll would have no time, so it becomes the last poll. */
async function sleep(delayMs: number, { clock, deadline, cancel, emit }: Run): Promise<void> {
  const at = clock.now() + delayMs;
  const isTooLate = delayMs > 0 && at > deadline - DEADLINE_GRACE_MS;
  const until = isTooLate ? deadline : at;
  while (clock.now() < until && !cancel.aborted) {
    await clock.sleep(Math.min(until - clock.now(), TICK_MS), cancel);
    if (clock.now() < until && !cancel.aborted) {
      emit({ kind: 'wait', event: { kind: 'tick' } });
    }
  }
}
