import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { CallOptions } from '../../src/job/agent-client.ts';
import { createJob } from '../../src/job/create-job.ts';
import { classifyCreate, getBackOff, getRetryDelay } from '../../src/job/retry-policy.ts';
import { createContext, createVirtualClock, type TestSignal } from '../helpers/virtual-clock.ts';
import { forAll } from './for-all.ts';
import { apiResult, fraction } from './results.ts';

describe('classifyCreate', () => {
  forAll('repeats or refuses only what surely had no effect', [apiResult], (result) => {
    const decision = classifyCreate(result);
    const { httpStatus, hasErrorBody, job, retryAfterMs } =
      result.kind === 'response'
        ? result
        : { httpStatus: 0, hasErrorBody: false, job: undefined, retryAfterMs: 0 };
    const isPolite = httpStatus === 503 && hasErrorBody && retryAfterMs !== undefined;
    const isRefusal = httpStatus >= 300 && httpStatus < 500 && ![303, 408, 425].includes(httpStatus);
    const isHarmless = result.kind === 'not-sent' || isPolite || isRefusal;
    expect(decision.kind === 'retry' || decision.kind === 'fail').toBe(isHarmless);
    expect(decision.kind === 'accept').toBe(httpStatus >= 200 && httpStatus < 300 && job !== undefined);
  });
});

describe('getRetryDelay', () => {
  const count = fc.integer({ min: 0, max: 10 });

  forAll(
    'is within its bounds, or undefined',
    [
      fc.record({
        reason: fc.constantFrom('not-sent' as const, 'rate-limited' as const, 'unavailable' as const),
        retryAfterMs: fc.option(fc.nat(999_999_999_000), { nil: undefined }),
      }),
      fc.record({ 'not-sent': count, 'rate-limited': count, unavailable: count }),
      fc.nat(300_000),
      fc.integer({ min: -1_000, max: 30_000_000 }),
      fraction,
    ],
    ({ reason, retryAfterMs }, retries, notSentMs, remainingMs, random) => {
      const delayMs = getRetryDelay(
        { kind: 'retry', code: 'connect-failed', detail: '', reason, retryAfterMs },
        { retries, notSentMs },
        remainingMs,
        random,
      );
      if (delayMs === undefined) {
        return;
      }
      expect(delayMs).toBeGreaterThanOrEqual(1_000);
      expect(delayMs).toBeLessThan(remainingMs);
      expect(retries[reason]).toBeLessThan(5);
      if (reason === 'not-sent') {
        expect(delayMs).toBeLessThanOrEqual(15_000);
        expect(notSentMs + delayMs).toBeLessThan(120_000);
      } else {
        expect(delayMs).toBeGreaterThanOrEqual(retryAfterMs ?? 30_000);
      }
    },
  );

  forAll(
    'backs off within bounds at any retry',
    [fc.nat(2_000), fc.double({ min: 0, max: 1, noNaN: true })],
    (retries, random) => {
      const ms = getBackOff(retries, random);
      expect(Number.isInteger(ms)).toBe(true);
      expect(ms).toBeGreaterThanOrEqual(1_000);
      expect(ms).toBeLessThanOrEqual(15_000);
    },
  );
});

/** One result of a create, and what else happens while it is under way or in the sleep after it. */
const turn = fc.record({
  result: apiResult,
  tookMs: fc.constantFrom(0, 5, 500, 9_999, 60_000),
  sent: fc.constantFrom<TestSignal[]>('none', 'none', 'none', 'cancel', 'force'),
  isCancelledInSleep: fc.constantFrom(false, false, false, false, true),
  jumpMs: fc.constantFrom(0, 0, 0, 0, 7_200_000),
  jumpInSleepMs: fc.constantFrom(0, 0, 0, 0, 7_200_000),
});

describe('createJob', () => {
  forAll(
    'sends within its time, never after an effect, and tells the truth about it',
    [
      fc.array(turn, { minLength: 1, maxLength: 12 }),
      fc.constantFrom(6, 20_000, 300_000, 1_800_000),
      fraction,
    ],
    async (turns, timeoutMs, random) => {
      const clock = createVirtualClock();
      const deadline = clock.now() + timeoutMs;
      const { context, signal } = createContext(clock, deadline, random);
      const decisions: string[] = [];
      const limits: number[] = [];
      const getTurn = (index: number) => turns[index % turns.length] as (typeof turns)[number];
      clock.onSleep = () => {
        const { isCancelledInSleep, jumpInSleepMs } = getTurn(decisions.length - 1);
        expect(clock.now()).toBeLessThan(deadline);
        clock.pass(jumpInSleepMs);
        if (isCancelledInSleep) signal('cancel');
      };
      const send = async ({ timeoutMs: limitMs }: CallOptions) => {
        const { result, tookMs, jumpMs, sent } = getTurn(decisions.length);
        limits.push(limitMs);
        clock.pass(Math.max(0, Math.min(tookMs, limitMs)) + jumpMs);
        signal(sent);
        decisions.push(classifyCreate(result).kind);
        return result;
      };
      const result = await createJob(send, context, () => {});

      expect(limits.filter((limitMs) => limitMs <= 0)).toEqual([]);
      expect(decisions.slice(0, -1).filter((decision) => decision !== 'retry')).toEqual([]);
      expect(decisions.length).toBeLessThanOrEqual(12);
      const mayHaveStarted = result.kind === 'cancelled' ? result.mayHaveStarted : result.kind === 'unknown';
      expect(mayHaveStarted).toBe(decisions.at(-1) === 'unknown');
      expect(result.kind === 'accepted').toBe(decisions.at(-1) === 'accept');
    },
  );
});
