import { describe, expect, it } from 'vitest';
import type { ApiResult, CallOptions } from '../../../src/job/agent-client.ts';
import { createJob } from '../../../src/job/create-job.ts';
import { createVirtualClock, type VirtualClock } from '../../helpers/virtual-clock.ts';
import { createResponse, createTestJob } from '../fixtures.ts';

const job = createTestJob();
const created = createResponse(201, { job });
const unsent: ApiResult = { kind: 'not-sent', failure: 'unreachable', detail: 'ECONNREFUSED' };
const silent: ApiResult = { kind: 'no-response', detail: 'reset' };
const busy = (retryAfterMs?: number): ApiResult => createResponse(429, { retryAfterMs });
const unavailable = createResponse(503, { hasErrorBody: true, retryAfterMs: 2_000 });

interface World {
  readonly clock: VirtualClock;
  readonly cancel: AbortController;
  readonly forceCancel: AbortController;
}
type Answer = ApiResult | ((world: World) => ApiResult);

/** Sends creates on a clock that stands still except for sleeps; the last answer repeats. */
async function play(
  answers: readonly Answer[],
  { timeoutMs = 1_800_000, random = 0, onSleep = (_: World): void => {} } = {},
) {
  const clock = createVirtualClock();
  const startedAt = clock.now();
  const world: World = { clock, cancel: new AbortController(), forceCancel: new AbortController() };
  const calls: CallOptions[] = [];
  const retries: unknown[][] = [];
  clock.onSleep = () => onSleep(world);
  const send = async (options: CallOptions): Promise<ApiResult> => {
    calls.push(options);
    const answer = answers[Math.min(calls.length, answers.length) - 1] ?? silent;
    return typeof answer === 'function' ? answer(world) : answer;
  };
  const context = {
    clock,
    random: () => random,
    deadline: startedAt + timeoutMs,
    cancel: world.cancel.signal,
    forceCancel: world.forceCancel.signal,
  };
  const result = await createJob(send, context, (...retry) => retries.push(retry));
  return { result, calls, retries, sleeps: clock.sleeps, world };
}

describe('createJob', () => {
  it('returns the job of the first success', async () => {
    const { result, calls, retries, world } = await play([created]);
    expect(result).toEqual({ kind: 'accepted', job });
    expect(retries).toEqual([]);
    expect(calls).toEqual([
      { timeoutMs: 1_800_000, signal: world.forceCancel.signal, beforeSendSignal: world.cancel.signal },
    ]);
  });

  it('repeats what surely had no effect, and says so', async () => {
    const { result, calls, retries } = await play([unsent, busy(7_000), unavailable, created]);
    expect(result.kind).toBe('accepted');
    expect(retries).toEqual([
      [1_000, 'not-sent', 'ECONNREFUSED'],
      [7_000, 'rate-limited', 'HTTP 429'],
      [2_000, 'unavailable', 'HTTP 503'],
    ]);
    expect(calls.map(({ timeoutMs }) => timeoutMs)).toEqual([1_800_000, 1_799_000, 1_792_000, 1_790_000]);
  });

  it('never repeats what may have had an effect', async () => {
    for (const [answer, code] of [
      [silent, 'start-unknown'],
      [createResponse(500), 'start-unknown'],
      [createResponse(303), 'redirected'],
    ] as const) {
      const { result, calls } = await play([unsent, answer]);
      expect(result).toEqual({ kind: 'unknown', code, detail: answer.detail });
      expect(calls).toHaveLength(2);
    }
  });

  it('gives up at once on what repeating does not change', async () => {
    const { result, calls } = await play([createResponse(401, { detail: 'no' })]);
    expect(result).toEqual({ kind: 'not-started', code: 'unauthorized', detail: 'no' });
    expect(calls).toHaveLength(1);
  });

  it.each<[string, ApiResult, number, object]>([
    ['not sent', unsent, 5, { code: 'connect-failed', detail: 'ECONNREFUSED' }],
    ['rate limited', busy(), 6, { code: 'rate-limited', detail: 'HTTP 429' }],
    ['unavailable', unavailable, 3, { code: 'rate-limited', detail: 'HTTP 503; it asks to wait 2 s' }],
  ])('gives up when it is %s too often', async (_, answer, count, ending) => {
    const { result, calls } = await play([answer]);
    expect(result).toEqual({ kind: 'not-started', ...ending });
    expect(calls).toHaveLength(count);
  });

  it('gives up at once when the service asks for more time than is left', async () => {
    const { result, sleeps } = await play([busy(86_400_000)]);
    expect(result).toEqual({
      kind: 'not-started',
      code: 'rate-limited',
      detail: 'HTTP 429; it asks to wait 24 h',
    });
    expect(sleeps).toEqual([]);
  });

  it('stops connecting after two minutes, unless the service answered meanwhile', async () => {
    const slowly =
      (result: ApiResult) =>
      ({ clock }: World) => {
        clock.pass(50_000);
        return result;
      };
    const never = await play([slowly(unsent)]);
    expect(never.result).toMatchObject({ kind: 'not-started', code: 'connect-failed' });
    expect(never.calls).toHaveLength(3);
    const answered = await play([slowly(unsent), slowly(unsent), busy(1_000), slowly(unsent), created]);
    expect(answered.result.kind).toBe('accepted');
  });

  it('sends nothing after the deadline, even if a sleep took longer', async () => {
    const { result, calls } = await play([unsent, created], {
      onSleep: ({ clock }) => clock.pass(3_600_000),
    });
    expect(result).toMatchObject({ kind: 'not-started', code: 'connect-failed' });
    expect(calls).toHaveLength(1);
    const exact = await play([unsent, created], {
      timeoutMs: 5_000,
      onSleep: ({ clock }) => clock.pass(6_000 - clock.now()),
    });
    expect(exact.calls).toHaveLength(1);
    const late = await play([created], { timeoutMs: 0 });
    expect([late.result, late.calls]).toEqual([
      { kind: 'not-started', code: 'connect-failed', detail: 'there was no time left' },
      [],
    ]);
  });

  it.each<[string, ApiResult, boolean]>([
    ['not sent', unsent, false],
    ['rate limited', busy(), false],
  ])('ends when it is canceled while it is %s', async (_, answer, mayHaveStarted) => {
    const during = await play([
      ({ cancel }) => {
        cancel.abort();
        return answer;
      },
      created,
    ]);
    const between = await play([answer, created], { onSleep: ({ cancel }) => cancel.abort() });
    for (const { result, calls } of [during, between]) {
      expect(result).toEqual({ kind: 'cancelled', mayHaveStarted });
      expect(calls).toHaveLength(1);
    }
    expect(during.sleeps).toEqual([]);
  });

  it.each<[string, ApiResult, object]>([
    ['a job', created, { kind: 'accepted', job }],
    ['no answer', silent, { kind: 'unknown', code: 'start-unknown', detail: 'reset' }],
    ['a refusal', createResponse(403), { kind: 'not-started', code: 'forbidden', detail: 'HTTP 403' }],
  ])('still tells the truth when %s arrives after the cancel', async (_, answer, expected) => {
    const { result } = await play([
      ({ cancel }) => {
        cancel.abort();
        return answer;
      },
    ]);
    expect(result).toEqual(expected);
  });

  it.each<[string, ApiResult, object]>([
    ['a job', created, { kind: 'accepted', job }],
    ['no answer', silent, { kind: 'cancelled', mayHaveStarted: true }],
    ['a refusal', createResponse(403), { kind: 'cancelled', mayHaveStarted: false }],
    ['nothing sent', unsent, { kind: 'cancelled', mayHaveStarted: false }],
  ])('ends after a second cancel with %s', async (_, answer, expected) => {
    const { result, calls } = await play([
      ({ cancel, forceCancel }) => {
        cancel.abort();
        forceCancel.abort();
        return answer;
      },
    ]);
    expect(result).toEqual(expected);
    expect(calls).toHaveLength(1);
  });
});
