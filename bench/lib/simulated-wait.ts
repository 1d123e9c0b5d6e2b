import type { Clock } from '../../src/clock.ts';
import { type PollResult, pollJob } from '../../src/service/poll-job.ts';
import type { PollDecision } from '../../src/service/retry-policy.ts';

export interface SimulatedWait {
  readonly clock: Clock;
  readonly random: () => number;
  readonly pollIntervalMs: number;
  readonly poll: () => PollDecision;
}

const NEVER = new AbortController().signal;
const DEADLINE_MS = 6 * 3_600_000;
const ACTIVE = createRecord('active');
const COMPLETED = createRecord('completed');

/**
 * Waits as the action does for a job that it has just created, until a poll shows a final status.
 */
export function simulateWait({
  clock,
  random,
  pollIntervalMs,
  poll,
}: SimulatedWait): Promise<PollResult> {
  const deadline = clock.now() + DEADLINE_MS;
  return pollJob(async () => poll(), {
    context: { clock, random, deadline, cancel: NEVER, forceCancel: NEVER },
    onEvent: () => {},
    created: ACTIVE,
    untilFinal: true,
    pollIntervalMs,
  });
}

/** The decision about a record of a job. */
export function createAcceptDecision(isFinal: boolean): PollDecision {
  return { kind: 'accept', job: isFinal ? COMPLETED : ACTIVE };
}

function createRecord(status: 'active' | 'completed') {
  return {
    id: 'job',
    status,
    prLink: undefined,
    prLinkRefused: false,
    repository: undefined,
    ref: undefined,
    model: undefined,
    createdAt: undefined,
    archivedAt: undefined,
    json: '{}',
  };
}
