import fc from 'fast-check';
import { expect } from 'vitest';
import { renderSummary } from '../../src/report/summary.ts';
import type { AgentApi, ApiResult, CallOptions } from '../../src/service/agent-client.ts';
import { RunTracker } from '../../src/state/run-state.ts';
import {
  afterCancel,
  attach,
  create,
  createInputs,
  createResponse,
  createResult,
  createTestJob,
  createWorld,
  followUp,
  play,
  silent,
  unsent,
} from '../unit/fixtures.ts';
import { forAll } from './for-all.ts';

// A failure that is retried, and one that is not.
const failure = fc.constantFrom({}, { code: 'tls-failed', isTransient: false } as const);
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
      const hasErrorBody = isReadable && !isSuccess;
      return createResponse(httpStatus, { job, hasErrorBody, retryAfterMs });
    }),
);

/**
 * The result of a call, its duration, and a signal or jump of the clock during it. `isCarriedOut`:
 * the service does what it was asked, if its response leaves that open.
 */
const turn = fc.record({
  result: apiResult,
  isCarriedOut: fc.boolean(),
  tookMs: fc.constantFrom(0, 5, 500, 30_000, 60_000),
  sent: fc.constantFrom('none', 'none', 'none', 'none', 'cancel', 'force'),
  jumpMs: fc.constantFrom(0, 0, 0, 0, 0, 7_200_000),
});

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

/** Refusals after which the service has done nothing, whoever answered. */
const REFUSALS: readonly number[] = [301, 307, 308, 400, 401, 402, 403, 404, 405, 422, 429];

function hasEffect({ result, isCarriedOut }: Turn): boolean {
  if (result.kind === 'response') {
    const isRefused = REFUSALS.includes(result.httpStatus);
    return result.job !== undefined || (isCarriedOut && !isRefused);
  }
  return isCarriedOut && result.kind !== 'not-sent';
}

forAll(
  'a run ends once, in time, with at most one request that had an effect',
  [
    fc.array(turn, { minLength: 1, maxLength: 12 }),
    fc.constantFrom(create, attach, followUp),
    fc.boolean(),
    fc.constantFrom(100, 20_000, 1_800_000),
    fc.constantFrom(0, 0.5, 0.99),
  ],
  async (turns, request, wait, timeoutMs, random) => {
    const world = createWorld({ timeoutMs, random });
    const { clock, timing } = world;
    const tracker = new RunTracker(clock);
    let turnIndex = 0;
    let jumpsMs = 0;
    let hadEffect = false;
    let isSentAgain = false;

    const answer = async (isCreate: boolean, options: CallOptions): Promise<ApiResult> => {
      const turn = turns[turnIndex++ % turns.length] as Turn;
      const { result, tookMs, jumpMs, sent } = turn;
      // The run would take an error for one of its own.
      isSentAgain ||= isCreate && hadEffect;
      if (result.kind !== 'not-sent') {
        options.onSend?.();
      }
      clock.pass(Math.max(0, Math.min(tookMs, options.timeoutMs)) + jumpMs);
      jumpsMs += jumpMs;
      if (sent !== 'none') {
        afterCancel(result, sent === 'force')(world);
      }
      hadEffect ||= isCreate && hasEffect(turn);
      return result;
    };
    const agent: AgentApi = {
      send: (_, options) => answer(true, options),
      getJob: (_, options) => answer(false, options),
    };
    const inputs = createInputs({ request, wait, reuse: 'never' });
    const outcome = await play(inputs, timing, tracker, agent);
    const { state } = tracker;

    expect(isSentAgain).toBe(false);
    expect(tracker.elapsedMs - jumpsMs).toBeLessThanOrEqual(timeoutMs + 2_000);
    expect(clock.sleeps.every((ms) => ms <= timeoutMs)).toBe(true);
    // No step passes by accident.
    if (outcome.code === undefined && outcome.result !== 'started') {
      expect(['completed', 'archived']).toContain(state.job?.status);
    }
    const result = createResult(outcome, { state });
    expect(renderSummary(result)).toMatch(/^## \S+ \S/);
  },
);
