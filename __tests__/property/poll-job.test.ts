import fc from 'fast-check';
import { expect } from 'vitest';
import { createContext, createVirtualClock } from '../../harness/virtual-clock.ts';
import { isFinalStatus, type Job } from '../../src/service/job.ts';
import { type PollOptions, type PollResult, pollJob } from '../../src/service/poll-job.ts';
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
  fc.constant({ kind: 'failed', detail: 'reset' }),
  fc.record({
    kind: fc.constant('failed' as const),
    detail: fc.constant('HTTP 429'),
    pause: fc.record({
      retryAfterMs: fc.constantFrom(undefined, 0, 45_000, 400_000, 999_999_999_000),
      reason: fc.constantFrom('rate-limited', 'unavailable'),
    }),
  }),
  fc.record({
    kind: fc.constant('failed' as const),
    detail: fc.constant('HTTP 404'),
    reason: fc.constantFrom('not-found', 'unreadable', 'refused'),
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

interface Rules extends Pick<PollOptions, 'isOld' | 'untilFinal'> {
  readonly deadline: number;
  readonly notFoundGraceUntil: number;
}

/** Returns a function that returns the expected end after each poll, or undefined if polling continues. */
function createOracle({ deadline, notFoundGraceUntil, isOld, untilFinal }: Rules) {
  let wasAtWork = false;
  let failures: { readonly failure: string; readonly at: number }[] = [];
  return ({ decision: said, beganAt, endedAt, isCancelled }: Seen): PollResult['kind'] | undefined => {
    const isLast = beganAt >= deadline;
    if (isCancelled && said.kind !== 'accept') return 'cancelled';
    if (said.kind === 'accept') {
      const isFinal = isFinalStatus(said.job.status);
      failures = [];
      if (isFinal && (wasAtWork || isOld === undefined || !isOld(said.job))) return 'final';
      wasAtWork ||= !isFinal;
      if (!untilFinal) return 'not-final';
    }
    const reason = said.kind === 'failed' ? said.reason : undefined;
    if (reason !== undefined && !(reason === 'not-found' && endedAt < notFoundGraceUntil)) {
      failures.push({ failure: reason, at: endedAt });
      const alike = failures.filter(({ failure }) => failure === reason);
      const hasLasted = reason !== 'unreadable' || endedAt - (alike[0]?.at ?? 0) >= 120_000;
      const most = { 'not-found': 3, unreadable: 5, refused: 1 }[reason];
      if (alike.length >= most && hasLasted) return 'lost';
    }
    return isLast ? 'timed-out' : undefined;
  };
}

forAll(
  'pollJob follows its rules and ends in time',
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
    const rules = {
      isOld: isFollowUp ? ({ status }: Job) => status === 'completed' : undefined,
      untilFinal,
    };
    const result = await pollJob(poll, {
      ...rules,
      context,
      onEvent: () => {},
      created: created === undefined ? undefined : createTestJob({ status: created }),
      pollIntervalMs,
    });
    const endedAt = clock.now();

    const notFoundGraceUntil = created === undefined ? startedAt : startedAt + 60_000;
    const endings = seen.map(createOracle({ ...rules, deadline, notFoundGraceUntil }));
    const last = endings.pop();
    expect(endings.filter((ending) => ending !== undefined)).toEqual([]);
    expect(result.kind).toBe(last ?? (context.cancel.aborted ? 'cancelled' : 'none'));
    expect(endedAt - jumpedMs).toBeLessThanOrEqual(deadline + FINAL_POLL_TIMEOUT_MS + EPSILON);

    expect(seen.filter(({ beganAt }) => beganAt >= deadline).length).toBeLessThanOrEqual(1);
    for (const { beganAt, timeoutMs: limitMs } of seen) {
      expect(limitMs).toBe(beganAt >= deadline ? FINAL_POLL_TIMEOUT_MS : deadline - beganAt);
    }
    for (const [index, { beganAt }] of seen.slice(1).entries()) {
      const before = seen[index];
      const pauseMs = before?.decision.kind === 'failed' ? (before.decision.pause?.retryAfterMs ?? 0) : 0;
      const earliest = (before?.endedAt ?? 0) + Math.max(MIN_DELAY_MS, pauseMs);
      expect(beganAt).toBeGreaterThanOrEqual(Math.min(earliest, deadline) - EPSILON);
    }
  },
);
