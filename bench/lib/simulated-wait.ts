import type { Clock } from '../../src/clock.ts';
import { type Check, type PollResult, pollJob } from '../../src/job/poll-job.ts';

export interface SimulatedWait {
  readonly clock: Clock;
  readonly random: () => number;
  readonly pollIntervalMs: number;
  readonly check: () => Check;
}

const NEVER = new AbortController().signal;
const DEADLINE_MS = 6 * 3_600_000;
const ACTIVE = createRecord('active');
const COMPLETED = createRecord('completed');

/** Waits as the action does for a job that it has just created, until the checks say that it is final. */
export function simulateWait({ clock, random, pollIntervalMs, check }: SimulatedWait): Promise<PollResult> {
  return pollJob({
    check: async () => check(),
    clock,
    random,
    signal: NEVER,
    onEvent: async () => {},
    created: ACTIVE,
    pollOnce: false,
    pollIntervalMs,
    deadline: clock.now() + DEADLINE_MS,
    notFoundGraceUntil: 0,
    staleStatusUntil: 0,
  });
}

/** What a readable answer says of a job. */
export function toJobCheck(isFinal: boolean): Check {
  return { kind: 'job', job: isFinal ? COMPLETED : ACTIVE };
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
