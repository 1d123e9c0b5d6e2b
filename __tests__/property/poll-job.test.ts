import fc from 'fast-check';
import { expect } from 'vitest';
import { createContext, createVirtualClock } from '../../harness/virtual-clock.ts';
import { isFinalStatus, type Job } from '../../src/service/job.ts';
import { pollJob } from '../../src/service/poll-job.ts';
import type { PollDecision } from '../../src/service/retry-policy.ts';
import { createTestJob } from '../unit/fixtures.ts';
import { forAll } from './for-all.ts';
import { fraction } from './results.ts';

const FINAL_POLL_TIMEOUT_MS = 1_800;
const LONGEST_POLL_MS = 30_000;
const MIN_DELAY_MS = 1_000;
/** Sums of floating-point times differ by less. */
const EPSILON = 0.001;

const accept = (status: string) => ({ kind: 'accept', job: createTestJob({ status }) }) as const;

const decision: fc.Arbitrary<PollDecision> = fc.oneof(
  fc.constantFrom('active', 'active', 'paused', 'completed', 'archived', 'failed').map(accept),
  fc.record({
    kind: fc.constant('retry' as const),
    detail: fc.constant('HTTP 502'),
    retryAfterMs: fc.constantFrom(undefined, 0, 45_000, 400_000, 999_999_999_000),
    isRateLimit: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('read-failure' as const),
    failure: fc.constantFrom('not-found', 'unreadable', 'refused'),
    detail: fc.constant('HTTP 404'),
  }),
);

const rarely = <T>(usual: T, rare: T): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) });

const turn = fc.record({
  decision,
  tookMs: fc.constantFrom(0, 0.5, 500, LONGEST_POLL_MS),
  isCancelled: rarely(false, true),
  isCancelledInSleep: rarely(false, true),
  jumpMs: rarely(0, 3_600_000),
  jumpInSleepMs: rarely(0, 3_600_000),
});

const settings = fc.record({
  turns: fc.array(turn, { maxLength: 12 }),
  created: fc.constantFrom(undefined, 'active', 'completed', 'queued'),
  untilFinal: fc.boolean(),
  pollIntervalMs: fc.constantFrom(1_000, 10_000, 300_000),
  timeoutMs: fc.constantFrom(1, 5_000, 90_000, 300_000),
  isFollowUp: fc.boolean(),
  random: fraction,
});

interface Seen {
  readonly decision: PollDecision;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly timeoutMs: number;
  readonly isCancelled: boolean;
}

forAll(
  'pollJob ends in time and for a reason, and pauses between polls',
  [settings],
  async ({ turns, created, timeoutMs, isFollowUp, random, untilFinal, pollIntervalMs }) => {
    const clock = createVirtualClock();
    const startedAt = clock.now();
    const deadline = startedAt + timeoutMs;
    const { context, signal } = createContext(clock, deadline, random);
    const seen: Seen[] = [];
    let jumpedMs = 0;
    const jump = (ms: number): void => {
      clock.pass(ms);
      jumpedMs += ms;
    };
    clock.onSleep = () => {
      const { isCancelledInSleep = false, jumpInSleepMs = 0 } = turns[seen.length] ?? {};
      expect(clock.now()).toBeLessThanOrEqual(deadline + EPSILON);
      jump(jumpInSleepMs);
      if (isCancelledInSleep) signal('cancel');
    };
    const poll = async (limitMs: number): Promise<PollDecision> => {
      const {
        decision: said = accept('active'),
        tookMs = 0,
        jumpMs = 0,
        isCancelled = false,
      } = turns[seen.length] ?? {};
      const beganAt = clock.now();
      clock.pass(Math.min(tookMs, limitMs));
      jump(jumpMs);
      if (isCancelled) signal('cancel');
      seen.push({ decision: said, beganAt, endedAt: clock.now(), timeoutMs: limitMs, isCancelled });
      return said;
    };
    const result = await pollJob(poll, {
      isOld: isFollowUp ? ({ status }: Job) => status === 'completed' : undefined,
      untilFinal,
      context,
      onEvent: () => {},
      created: created === undefined ? undefined : createTestJob({ status: created }),
      pollIntervalMs,
    });
    const endedAt = clock.now();

    const last = seen.at(-1);
    const isLate = last !== undefined && last.beganAt >= deadline;
    const isFinal = ({ decision: said }: Seen): boolean =>
      said.kind === 'accept' && isFinalStatus(said.job.status);
    expect(isFollowUp ? [] : seen.slice(0, -1).filter(isFinal)).toEqual([]);
    if (result.kind === 'final') expect(seen.slice(-1).every(isFinal)).toBe(true);
    if (result.kind === 'not-final') expect(untilFinal).toBe(false);
    if (result.kind === 'lost') expect(last?.decision.kind).toBe('read-failure');
    if (result.kind === 'cancelled') expect(context.cancel.aborted).toBe(true);
    if (result.kind === 'timed-out') expect(isLate).toBe(true);
    expect(endedAt - jumpedMs).toBeLessThanOrEqual(deadline + FINAL_POLL_TIMEOUT_MS + EPSILON);

    expect(seen.filter(({ beganAt }) => beganAt >= deadline).length).toBeLessThanOrEqual(1);
    for (const { beganAt, timeoutMs: limitMs } of seen) {
      expect(limitMs).toBe(beganAt >= deadline ? FINAL_POLL_TIMEOUT_MS : deadline - beganAt);
    }
    for (const [index, { beganAt }] of seen.slice(1).entries()) {
      const before = seen[index];
      const pauseMs = before?.decision.kind === 'retry' ? (before.decision.retryAfterMs ?? 0) : 0;
      const earliest = (before?.endedAt ?? 0) + Math.max(MIN_DELAY_MS, pauseMs);
      expect(beganAt).toBeGreaterThanOrEqual(Math.min(earliest, deadline) - EPSILON);
    }
  },
);
