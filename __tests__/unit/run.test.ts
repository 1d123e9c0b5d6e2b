import { describe, expect, it } from 'vitest';
import type { RunContext } from '../../src/clock.ts';
import type { AgentApi, ApiResult } from '../../src/job/agent-client.ts';
import type { JobRequest } from '../../src/job/job.ts';
import { type ResolvedRequest, RunTracker } from '../../src/outcome.ts';
import { run } from '../../src/run.ts';
import { message } from '../../src/text/message.ts';
import { createVirtualClock, type VirtualClock } from '../helpers/virtual-clock.ts';
import { createResponse, createTestJob, PULL_REQUEST } from './fixtures.ts';

const MINUTE = 60_000;
const create: JobRequest = { kind: 'create', prompt: 'Write it' };
const attach: JobRequest = { kind: 'attach', jobId: 'job_1' };
const followUp: JobRequest = { kind: 'follow-up', jobId: 'job_1', prompt: 'More' };
const accepted = (status: string): ApiResult =>
  createResponse(200, {
    job: createTestJob({ status, prLink: status === 'completed' ? PULL_REQUEST : null }),
  });

interface World {
  readonly clock: VirtualClock;
  readonly cancel: AbortController;
  readonly forceCancel: AbortController;
}
type Answer = ApiResult | ((world: World) => ApiResult);

interface Script {
  readonly create?: readonly Answer[];
  readonly get?: readonly Answer[];
  readonly options?: Partial<ResolvedRequest> & {
    readonly wait?: boolean;
    readonly dryRun?: boolean;
    readonly timeoutMs?: number;
  };
  readonly before?: (world: World) => void;
}

/** Runs a request on a clock that stands still except for sleeps, against a service that answers as scripted. */
async function play(
  request: JobRequest,
  { create: creates = [], get = [], options = {}, before }: Script = {},
) {
  const clock = createVirtualClock();
  const startedAt = clock.now();
  const world: World = { clock, cancel: new AbortController(), forceCancel: new AbortController() };
  const tracker = new RunTracker();
  const events: string[] = [];
  const seen: string[] = [];
  const answer = (answers: readonly Answer[], index: number): ApiResult => {
    const next = answers[Math.min(index, answers.length - 1)] ?? createResponse(500);
    return typeof next === 'function' ? next(world) : next;
  };
  let gets = 0;
  let posts = 0;
  const agent: AgentApi = {
    createJob: async (prompt) => {
      seen.push(`create ${prompt} ${tracker.state.isCreateInFlight}`);
      return answer(creates, posts++);
    },
    sendFollowUp: async (jobId, prompt) => {
      seen.push(`follow-up ${jobId} ${prompt} ${tracker.state.isCreateInFlight}`);
      return answer(creates, posts++);
    },
    getJob: async (jobId, { timeoutMs, signal }) => {
      seen.push(`get ${jobId} ${timeoutMs > 0} ${signal === world.cancel.signal}`);
      return answer(get, gets++);
    },
  };
  const context: RunContext = {
    clock,
    random: () => 0.5,
    deadline: startedAt + (options.timeoutMs ?? 30 * MINUTE),
    cancel: world.cancel.signal,
    forceCancel: world.forceCancel.signal,
  };
  before?.(world);
  const outcome = await run(
    {
      request,
      fingerprint: 'f',
      reuse: undefined,
      wait: true,
      dryRun: false,
      pollIntervalMs: 10_000,
      ...options,
    },
    {
      agent,
      tracker,
      getElapsed: () => clock.now() - startedAt,
      events: {
        onRequest: () => events.push('request'),
        onRetry: (delayMs, reason) => events.push(`retry ${reason} ${delayMs}`),
        onJob: async (wait) => {
          await Promise.resolve();
          events.push(`job ${tracker.state.jobId} ${wait} ${seen.length}`);
        },
        onPoll: (detail) => events.push(`poll ${tracker.state.polls} ${detail}`),
        onPollEvent: ({ kind }) => events.push(kind),
      },
    },
    context,
  );
  return { outcome, state: tracker.state, events, seen, elapsedMs: clock.now() - startedAt };
}

describe('run', () => {
  it('creates a job, makes its id known before the first poll, and polls it until it is final', async () => {
    const { outcome, state, events, seen } = await play(create, {
      create: [accepted('active')],
      get: [accepted('active'), createResponse(502), accepted('completed')],
    });
    expect(outcome).toEqual({ outcome: 'pull-request-opened', prLink: PULL_REQUEST });
    expect(seen).toEqual(['create Write it true', ...Array(3).fill('get job_1 true true')]);
    expect(events).toEqual([
      'request',
      'job job_1 true 1',
      'poll 1 HTTP 200: active',
      'read',
      'poll 2 HTTP 502',
      'failed',
      'poll 3 HTTP 200: completed',
      'read',
    ]);
    expect(state).toMatchObject({
      request: create,
      fingerprint: 'f',
      jobId: 'job_1',
      isCreateInFlight: false,
      polls: 3,
      statusChanges: [
        { status: 'active', atMs: 0 },
        { status: 'completed', atMs: expect.any(Number) },
      ],
    });
    expect(state.job?.prLink).toBe(PULL_REQUEST);
    expect(state.statusChanges[1]?.atMs).toBeGreaterThan(15_000);
  });

  it('sends nothing on a dry run', async () => {
    for (const request of [create, attach, followUp]) {
      const { outcome, events, seen, state } = await play(request, { options: { dryRun: true } });
      expect([outcome, events, seen]).toEqual([{ outcome: 'dry-run' }, [], []]);
      expect(state.request).toBe(request);
    }
  });

  it('starts nothing once it is canceled, but polls a job that exists', async () => {
    const before = ({ cancel }: World): void => cancel.abort();
    for (const request of [create, followUp]) {
      const { outcome, events, seen } = await play(request, { before });
      expect([outcome, events, seen]).toEqual([{ outcome: 'cancelled', code: 'cancelled' }, [], []]);
    }
    const attached = await play(attach, { before });
    expect(attached.outcome).toEqual({ outcome: 'cancelled', code: 'cancelled' });
    expect(attached.events).toEqual(['request', 'job job_1 true 0']);
  });

  it('attaches to a job without a create', async () => {
    const { outcome, events, state } = await play(attach, { get: [accepted('archived')] });
    expect(outcome).toEqual({ outcome: 'archived' });
    expect(events).toEqual(['request', 'job job_1 true 0', 'poll 1 HTTP 200: archived', 'read']);
    expect(state).toMatchObject({ jobId: 'job_1', polls: 1 });
  });

  it('sends a follow-up once, and polls', async () => {
    const { outcome, seen } = await play(followUp, {
      create: [accepted('active')],
      get: [accepted('failed')],
    });
    expect(outcome).toEqual({ outcome: 'failed', code: 'job-failed' });
    expect(seen).toEqual(['follow-up job_1 More true', 'get job_1 true true']);
  });

  it('keeps the reuse that was decided', async () => {
    const reuse = { kind: 'new-job', reason: message`why` } as const;
    expect(
      (await play(create, { create: [accepted('active')], options: { wait: false, reuse } })).state.reuse,
    ).toBe(reuse);
  });

  it.each([
    ['a create', create, [accepted('active')], 'job job_1 false 1', 1],
    ['a follow-up', followUp, [accepted('active')], 'job job_1 false 1', 1],
    ['a job that is attached to', attach, [], 'job job_1 false 0', 1],
  ] as const)('does not wait for %s if it should not', async (_, request, creates, event, requests) => {
    const { outcome, events, seen } = await play(request, {
      create: creates,
      get: [accepted('active')],
      options: { wait: false },
    });
    expect(outcome).toEqual({ outcome: 'started' });
    expect(events).toContain(event);
    expect(seen).toHaveLength(requests);
  });

  it.each<[string, ApiResult, object, boolean]>([
    [
      'a refusal',
      createResponse(401),
      { outcome: 'not-started', code: 'unauthorized', detail: 'HTTP 401' },
      false,
    ],
    [
      'a lost response',
      { kind: 'no-response', detail: 'reset' },
      { outcome: 'start-unknown', code: 'start-unknown', detail: 'reset' },
      true,
    ],
    [
      'a redirect after the fact',
      createResponse(303),
      { outcome: 'start-unknown', code: 'redirected', detail: 'HTTP 303' },
      true,
    ],
  ])('ends with %s', async (_, answer, expected, isCreateInFlight) => {
    const { outcome, state, events } = await play(create, { create: [answer] });
    expect(outcome).toEqual(expected);
    expect(state).toMatchObject({ isCreateInFlight, jobId: undefined });
    expect(events).toEqual(['request']);
  });

  it('tells each retry of a create', async () => {
    const { events } = await play(create, {
      create: [createResponse(429, { retryAfterMs: 7_000 }), accepted('active')],
      options: { wait: false },
    });
    expect(events).toEqual(['request', 'retry rate-limited 7350', 'job job_1 false 2']);
  });

  it.each<[string, ApiResult, boolean]>([
    ['nothing was sent', { kind: 'not-sent', failure: 'unreachable', detail: '' }, false],
    ['a response was lost', { kind: 'no-response', detail: '' }, true],
  ])('knows after a forced cancel whether a job may exist: %s', async (_, answer, isCreateInFlight) => {
    const { outcome, state, events } = await play(create, {
      create: [
        ({ cancel, forceCancel }) => {
          cancel.abort();
          forceCancel.abort();
          return answer;
        },
      ],
    });
    expect(outcome).toEqual({ outcome: 'cancelled', code: 'cancelled' });
    expect(state.isCreateInFlight).toBe(isCreateInFlight);
    expect(events).toEqual(['request']);
  });

  it('times out at the deadline', async () => {
    const { outcome, elapsedMs } = await play(create, {
      create: [accepted('active')],
      get: [accepted('active')],
      options: { timeoutMs: MINUTE },
    });
    expect(outcome).toEqual({ outcome: 'timed-out', code: 'timed-out' });
    expect(elapsedMs).toBe(MINUTE);
  });

  it('waits a minute for a new job to become visible, but not for an existing one', async () => {
    const lost = { outcome: 'lost', code: 'job-lost', reason: 'not-found', detail: 'HTTP 404' };
    const get = [createResponse(404)];
    const created = await play(create, { create: [accepted('active')], get });
    expect(created.outcome).toEqual(lost);
    expect(created.elapsedMs).toBeGreaterThan(MINUTE);
    for (const request of [attach, followUp]) {
      const existing = await play(request, { create: [accepted('active')], get });
      expect(existing.outcome).toEqual(lost);
      expect(existing.elapsedMs).toBeLessThan(MINUTE);
    }
  });

  it('distrusts a final status for half a minute after a follow-up only', async () => {
    const script = { create: [accepted('completed')], get: [accepted('completed')] };
    expect((await play(followUp, script)).elapsedMs).toBeGreaterThanOrEqual(30_000);
    expect((await play(followUp, script)).elapsedMs).toBeLessThan(45_000);
    expect((await play(create, script)).elapsedMs).toBe(0);
    expect((await play(attach, script)).elapsedMs).toBe(0);
  });

  it('says why it lost the job', async () => {
    const { outcome } = await play(attach, { get: [createResponse(401)] });
    expect(outcome).toEqual({ outcome: 'lost', code: 'job-lost', reason: 'refused', detail: 'HTTP 401' });
  });
});
