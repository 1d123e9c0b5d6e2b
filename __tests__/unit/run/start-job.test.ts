import { describe, expect, it } from 'vitest';
import { startJob } from '../../../src/run/start-job.ts';
import type { ApiResult, CallOptions } from '../../../src/service/agent-client.ts';
import type { Stop } from '../../../src/state/outcome.ts';
import { type Run, type RunEvent, RunTracker } from '../../../src/state/run-state.ts';
import {
  type Answer,
  afterCancel,
  create,
  createResponse,
  createScript,
  createTestJob,
  createWorld,
  silent,
  unsent,
  type World,
} from '../fixtures.ts';

const job = createTestJob();
const created = createResponse(201, { job });
const busy = (retryAfterMs?: number): ApiResult => createResponse(429, { retryAfterMs });

/**
 * Sends create requests until a response ends the loop, and returns the job or the outcome. The last
 * response repeats.
 */
async function play(
  answers: readonly Answer<ApiResult>[],
  { timeoutMs = 1_800_000, onSleep = (_: World): void => {} } = {},
) {
  const world = createWorld({ timeoutMs });
  const calls: CallOptions[] = [];
  const retries: unknown[][] = [];
  world.clock.onSleep = () => onSleep(world);
  const answer = createScript(world, answers);
  const send = async (_: unknown, options: CallOptions): Promise<ApiResult> => {
    calls.push(options);
    return answer();
  };
  const emit = (event: RunEvent): void => {
    if (event.kind === 'retry') {
      retries.push([event.delayMs, event.failure.code]);
    }
  };
  const parts = { agent: { send }, emit, tracker: new RunTracker(world.clock) };
  const run = { ...world.timing, ...parts } as unknown as Run;
  const result = await startJob(create, run).catch(({ outcome }: Stop) => outcome);
  return { result, calls, retries, sleeps: world.clock.sleeps, world };
}

describe('startJob', () => {
  const unconfirmed = { result: 'start-unknown', code: 'start-unknown' };
  it('retries and reports a call without an effect', async () => {
    const { result, calls, retries, world } = await play([unsent, busy(7_000), created]);
    expect(result).toEqual(job);
    expect(retries).toEqual([
      [1_000, 'connect-failed'],
      [7_000, 'rate-limited'],
    ]);
    expect(calls.map(({ timeoutMs }) => timeoutMs)).toEqual([1_800_000, 1_799_000, 1_792_000]);
    const signals = { signal: world.forceCancel.signal, beforeSendSignal: world.cancel.signal };
    expect(calls[0]).toMatchObject(signals);
  });

  it.each<[string, ApiResult, number, string, RegExp]>([
    ['cannot be sent', unsent, 5, 'connect-failed', /^ECONNREFUSED; tried 5 times$/],
    ['must wait again', busy(7_000), 6, 'rate-limited', /; tried 6 times; .* wait until \d{4}-/],
    [
      'must wait too long',
      busy(86_400_000),
      1,
      'rate-limited',
      /^HTTP 429; the service asks to wait until /,
    ],
    ['must wait forever', busy(Number.POSITIVE_INFINITY), 1, 'rate-limited', / wait until \d{4}-/],
  ])('gives up when the call %s', async (_, answer, count, code, words) => {
    const { result, calls, sleeps } = await play([answer]);
    const detail = expect.stringMatching(words);
    expect(result).toMatchObject({ result: 'not-started', code, detail });
    expect([calls.length, sleeps.length]).toEqual([count, count - 1]);
  });

  it.each([
    ['during a sleep', 1_800_000, 3_601_000, 'connect-failed', 1],
    ['before the call', 0, 0, 'timed-out', 0],
  ])(
    'sends nothing after a deadline that passed %s',
    async (_, timeoutMs, wakesAt, code, count) => {
      const onSleep = ({ clock }: World): void => clock.pass(wakesAt - clock.now());
      const { result, calls } = await play([unsent, created], { timeoutMs, onSleep });
      expect(result).toMatchObject({ result: 'not-started', code });
      expect(calls).toHaveLength(count);
    },
  );

  const cancelled = { result: 'cancelled', code: 'cancelled' };
  it.each<[string, ApiResult]>([
    ['not sent', unsent],
    ['rate limited', busy()],
  ])(
    'ends when the step is canceled while the call is %s, or in the sleep after it',
    async (_, answer) => {
      const during = await play([afterCancel(answer), created]);
      const between = await play([answer, created], { onSleep: ({ cancel }) => cancel.abort() });
      for (const { result, calls } of [during, between]) {
        expect(result).toEqual(cancelled);
        expect(calls).toHaveLength(1);
      }
      expect([during.sleeps, during.retries]).toEqual([[], []]);
    },
  );

  const refusal = { code: 'forbidden', detail: 'HTTP 403' };
  it.each<[string, ApiResult, object, object?]>([
    ['a job', created, job],
    ['no answer', silent, { ...unconfirmed, detail: 'reset' }, cancelled],
    ['a refusal', createResponse(403), { result: 'not-started', ...refusal }],
  ])('reports %s after one cancellation, and after two', async (_, answer, once, twice = once) => {
    const canceled = await play([afterCancel(answer)]);
    const forced = await play([afterCancel(answer, true)]);
    expect([canceled.result, forced.result]).toEqual([once, twice]);
  });
});
