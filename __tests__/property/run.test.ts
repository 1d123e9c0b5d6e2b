import fc from 'fast-check';
import { expect } from 'vitest';
import { createTiming, createVirtualClock, type TestSignal } from '../../harness/virtual-clock.ts';
import { getOutputs } from '../../src/report/outputs.ts';

import { renderSummary } from '../../src/report/summary.ts';
import { describeRun } from '../../src/report/words.ts';
import type { AgentApi, ApiResult, CallOptions } from '../../src/service/agent-client.ts';
import { classifySend } from '../../src/service/retry-policy.ts';
import { RunTracker } from '../../src/state/run-state.ts';
import {
  attach,
  create,
  createInputs,
  createResponse,
  createResult,
  createTestJob,
  followUp,
  play,
  silent,
  unsent,
} from '../unit/fixtures.ts';
import { forAll } from './for-all.ts';

// A failure that is retried, and one that is not.
const failure = fc.constantFrom(
  { code: 'connect-failed', isTransient: true } as const,
  { code: 'tls-failed', isTransient: false } as const,
);
const status = fc.constantFrom('active', 'active', 'completed', 'archived', 'failed', 'paused');

/** The result of a call. Only a success has a record. */
const apiResult: fc.Arbitrary<ApiResult> = fc.oneof(
  failure.map((changes) => ({ ...unsent, ...changes })),
  fc.constant(silent),
  fc
    .record({
      httpStatus: fc.oneof(
        fc.constantFrom(200, 201, 202, 204, 303, 401, 403, 404, 408, 425, 429, 500, 502, 503),
        fc.integer({ min: 100, max: 599 }),
      ),
      status,
      isReadable: fc.boolean(),
      retryAfterMs: fc.option(fc.integer({ min: 0, max: 400_000 }), { nil: undefined }),
    })
    .map(({ httpStatus, status, isReadable, retryAfterMs }) => {
      const isSuccess = httpStatus >= 200 && httpStatus < 300;
      const job = isReadable && isSuccess ? createTestJob({ status }) : undefined;
      return createResponse(httpStatus, {
        job,
        hasErrorBody: isReadable && !isSuccess,
        retryAfterMs,
      });
    }),
);

/** The result of a call, its duration, and a signal or jump of the clock during it. */
const turn = fc.record({
  result: apiResult,
  tookMs: fc.constantFrom(0, 5, 500, 30_000, 60_000),
  sent: fc.constantFrom<TestSignal[]>('none', 'none', 'none', 'none', 'cancel', 'force'),
  jumpMs: fc.constantFrom(0, 0, 0, 0, 0, 7_200_000),
});

forAll(
  'a run ends once, in time, with at most one create request that may have had an effect',
  [
    fc.array(turn, { minLength: 1, maxLength: 12 }),
    fc.constantFrom(create, attach, followUp),
    fc.boolean(),
    fc.constantFrom(100, 20_000, 1_800_000),
    fc.constantFrom(0, 0.5, 0.99),
  ],
  async (turns, request, wait, timeoutMs, random) => {
    const clock = createVirtualClock();
    const startedAt = clock.now();
    const { timing, signal } = createTiming(clock, startedAt + timeoutMs, random);
    const tracker = new RunTracker(clock);
    let turnIndex = 0;
    let jumpsMs = 0;
    let hadEffect = false;

    const answer = async (isCreate: boolean, options: CallOptions): Promise<ApiResult> => {
      const { result, tookMs, jumpMs, sent } = turns[
        turnIndex++ % turns.length
      ] as (typeof turns)[number];
      expect(isCreate && hadEffect).toBe(false);
      clock.pass(Math.max(0, Math.min(tookMs, options.timeoutMs)) + jumpMs);
      jumpsMs += jumpMs;
      signal(sent);
      const { kind } = classifySend(result);
      hadEffect ||= isCreate && (kind === 'accepted' || kind === 'unknown');
      return result;
    };
    const agent: AgentApi = {
      createJob: (_, options) => answer(true, options),
      sendFollowUp: (_, __, options) => answer(true, options),
      getJob: (_, options) => answer(false, options),
    };
    const inputs = createInputs({ request, wait, reuse: 'never' });
    const outcome = await play(inputs, timing, tracker, agent);
    const { state } = tracker;

    expect(tracker.elapsedMs - jumpsMs).toBeLessThanOrEqual(timeoutMs + 2_000);
    expect(clock.sleeps.every((ms) => ms <= timeoutMs)).toBe(true);
    const isFinal = ['completed', 'archived'].includes(state.job?.status ?? '');
    expect(outcome.code === undefined).toBe(
      (isFinal &&
        ['pull-request-opened', 'no-pull-request', 'archived'].includes(outcome.result)) ||
        outcome.result === 'started',
    );
    const result = createResult(outcome, { state });
    expect(getOutputs(result)['job-result']).toBe(outcome.result);
    expect(renderSummary(result, describeRun(result))).toMatch(/^## \S+ \S/);
  },
);
