import fc from 'fast-check';
import { expect } from 'vitest';
import { createContext, createVirtualClock, type TestSignal } from '../../harness/virtual-clock.ts';
import type { ApiResult, CallOptions } from '../../src/job/agent-client.ts';
import type { RetryReason } from '../../src/job/retry-policy.ts';
import { sendPrompt } from '../../src/job/send-prompt.ts';
import { forAll } from './for-all.ts';
import { apiResult, fraction } from './results.ts';

/** One result of a create, and what else happens while it is under way or in the sleep after it. */
const turn = fc.record({
  result: apiResult,
  tookMs: fc.constantFrom(0, 5, 500, 9_999, 60_000),
  sent: fc.constantFrom<TestSignal[]>('none', 'none', 'none', 'cancel', 'force'),
  isCancelledInSleep: fc.constantFrom(false, false, false, false, true),
  jumpMs: fc.constantFrom(0, 0, 0, 0, 7_200_000),
  jumpInSleepMs: fc.constantFrom(0, 0, 0, 0, 7_200_000),
});

/** Whether a create that ended so may have started a job: it was sent, and nothing says that it was refused. */
function mayHaveEffect(result: ApiResult): boolean {
  if (result.kind !== 'response') return result.kind === 'no-response';
  const { httpStatus, hasErrorBody, retryAfterMs } = result;
  const isPolite = httpStatus === 503 && hasErrorBody && retryAfterMs !== undefined;
  const isRefusal = httpStatus >= 300 && httpStatus < 500 && ![302, 303, 408, 425].includes(httpStatus);
  return !isPolite && !isRefusal;
}

forAll(
  'sendPrompt sends within its time, never after an effect, and tells the truth about it',
  [fc.array(turn, { minLength: 1, maxLength: 12 }), fc.constantFrom(6, 20_000, 300_000, 1_800_000), fraction],
  async (turns, timeoutMs, random) => {
    const clock = createVirtualClock();
    const deadline = clock.now() + timeoutMs;
    const { context, signal } = createContext(clock, deadline, random);
    const results: ApiResult[] = [];
    const limits: number[] = [];
    const getTurn = (index: number) => turns[index % turns.length] as (typeof turns)[number];
    clock.onSleep = () => {
      const { isCancelledInSleep, jumpInSleepMs } = getTurn(results.length - 1);
      expect(clock.now()).toBeLessThan(deadline);
      clock.pass(jumpInSleepMs);
      if (isCancelledInSleep) signal('cancel');
    };
    const send = async ({ timeoutMs: limitMs }: CallOptions) => {
      const { result, tookMs, jumpMs, sent } = getTurn(results.length);
      limits.push(limitMs);
      clock.pass(Math.max(0, Math.min(tookMs, limitMs)) + jumpMs);
      signal(sent);
      results.push(result);
      return result;
    };
    const onRetry = (delayMs: number, reason: RetryReason): void => {
      const last = results.at(-1);
      const askedMs = last?.kind === 'response' ? last.retryAfterMs : undefined;
      const [least, most] =
        reason === 'not-sent' ? [1_000, 15_000] : [Math.max(1_000, askedMs ?? 30_000), timeoutMs];
      expect(delayMs).toBeGreaterThanOrEqual(least);
      expect(delayMs).toBeLessThanOrEqual(most);
    };
    const result = await sendPrompt(send, context, onRetry);

    expect(limits.filter((limitMs) => limitMs <= 0)).toEqual([]);
    expect(results.slice(0, -1).filter(mayHaveEffect)).toEqual([]);
    expect(results.length).toBeLessThanOrEqual(12);
    const mayHaveStarted =
      result.kind === 'cancelled' ? result.mayHaveStarted : result.kind !== 'not-started';
    expect(mayHaveStarted).toBe(results.some(mayHaveEffect));
    const last = results.at(-1);
    expect(result.kind === 'accepted').toBe(last?.kind === 'response' && last.job !== undefined);
  },
);
