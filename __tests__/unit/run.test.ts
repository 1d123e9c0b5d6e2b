import { describe, expect, it } from 'vitest';
import type { AgentApi, ApiResult } from '../../src/job/agent-client.ts';
import type { JobRequest } from '../../src/job/job.ts';
import { type ResolvedRequest, RunTracker } from '../../src/outcome.ts';
import { run } from '../../src/run.ts';
import { message } from '../../src/text/message.ts';
import {
  type Answer,
  afterForceCancel,
  attach,
  create,
  createResponse,
  createScript,
  createTestJob,
  createWorld,
  followUp,
  MINUTE,
  PULL_REQUEST,
  silent,
  unsent,
} from './fixtures.ts';

const accepted = (status: string): ApiResult =>
  createResponse(200, {
    job: createTestJob({ status, prLink: status === 'completed' ? PULL_REQUEST : null }),
  });
const active = accepted('active');

interface Script extends Partial<ResolvedRequest> {
  readonly wait?: boolean;
  readonly dryRun?: boolean;
  readonly timeoutMs?: number;
  readonly isCanceled?: boolean;
  /** The answers to creates and follow-ups. */
  readonly posts?: readonly Answer<ApiResult>[];
  readonly gets?: readonly Answer<ApiResult>[];
}

/** Runs a request against a service that answers as scripted; by default the job stays active. */
async function play(request: JobRequest, script: Script = {}) {
  const { timeoutMs = 30 * MINUTE, isCanceled, posts = [active], gets = [active], ...changes } = script;
  const world = createWorld({ timeoutMs, random: 0.5 });
  const { clock, context, cancel } = world;
  const startedAt = clock.now();
  const tracker = new RunTracker();
  const events: string[] = [];
  const seen: string[] = [];
  const [post, get] = [createScript(world, posts), createScript(world, gets)];
  const see = (call: string, answer: () => ApiResult): ApiResult => {
    seen.push(call);
    return answer();
  };
  const isInFlight = (): boolean => tracker.state.isCreateInFlight;
  const agent: AgentApi = {
    createJob: async (prompt) => see(`create ${prompt} ${isInFlight()}`, post),
    sendFollowUp: async (jobId, prompt) => see(`follow-up ${jobId} ${prompt} ${isInFlight()}`, post),
    getJob: async (jobId, { timeoutMs, signal }) =>
      see(`get ${jobId} ${timeoutMs > 0} ${signal === cancel.signal}`, get),
  };
  if (isCanceled) {
    cancel.abort();
  }
  const resolved = { request, fingerprint: 'f', reuse: undefined, wait: true, dryRun: false, ...changes };
  const outcome = await run(
    { ...resolved, pollIntervalMs: 10_000 },
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
      gets: [active, createResponse(502), accepted('completed')],
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

  it.each([create, attach, followUp])('sends nothing on a dry run: %o', async (request) => {
    const { outcome, events, seen, state } = await play(request, { dryRun: true });
    expect([outcome, events, seen]).toEqual([{ outcome: 'dry-run' }, [], []]);
    expect(state.request).toBe(request);
  });

  it.each([
    ['starts nothing', create, []],
    ['sends no follow-up', followUp, []],
    ['makes a job known that exists', attach, ['request', 'job job_1 true 0']],
  ])('%s once it is canceled', async (_, request, expected) => {
    const { outcome, events, seen } = await play(request, { isCanceled: true });
    expect([outcome, events, seen]).toEqual([{ outcome: 'cancelled', code: 'cancelled' }, expected, []]);
  });

  it('attaches to a job without a create', async () => {
    const { outcome, events, state } = await play(attach, { gets: [accepted('archived')] });
    expect(outcome).toEqual({ outcome: 'archived' });
    expect(events).toEqual(['request', 'job job_1 true 0', 'poll 1 HTTP 200: archived', 'read']);
    expect(state).toMatchObject({ jobId: 'job_1', polls: 1 });
  });

  it('sends a follow-up once, and polls', async () => {
    const { outcome, seen } = await play(followUp, { gets: [accepted('failed')] });
    expect(outcome).toEqual({ outcome: 'failed', code: 'job-failed' });
    expect(seen).toEqual(['follow-up job_1 More true', 'get job_1 true true']);
  });

  it('keeps the reuse that was decided', async () => {
    const reuse = { kind: 'new-job', reason: message`why` } as const;
    expect((await play(create, { wait: false, reuse })).state.reuse).toBe(reuse);
  });

  it.each([
    ['a create', create, 'job job_1 false 1'],
    ['a follow-up', followUp, 'job job_1 false 1'],
    ['a job that is attached to', attach, 'job job_1 false 0'],
  ])('does not wait for %s if it should not', async (_, request, event) => {
    const { outcome, events, seen } = await play(request, { wait: false });
    expect(outcome).toEqual({ outcome: 'started' });
    expect(events).toContain(event);
    expect(seen).toHaveLength(1);
  });

  it.each<[string, ApiResult, object, boolean]>([
    ['a refusal', createResponse(401), { outcome: 'not-started', code: 'unauthorized' }, false],
    ['a lost response', silent, { outcome: 'start-unknown', code: 'start-unknown' }, true],
    ['a redirect', createResponse(303), { outcome: 'start-unknown', code: 'redirected' }, true],
  ])('ends with %s', async (_, answer, expected, isCreateInFlight) => {
    const { outcome, state, events } = await play(create, { posts: [answer] });
    expect(outcome).toEqual({ ...expected, detail: answer.detail });
    expect(state).toMatchObject({ isCreateInFlight, jobId: undefined });
    expect(events).toEqual(['request']);
  });

  it('tells each retry of a create', async () => {
    const posts = [createResponse(429, { retryAfterMs: 7_000 }), active];
    const { events } = await play(create, { posts, wait: false });
    expect(events).toEqual(['request', 'retry rate-limited 7350', 'job job_1 false 2']);
  });

  it.each([
    ['nothing was sent', unsent, false],
    ['a response was lost', silent, true],
  ])('knows after a forced cancel whether a job may exist: %s', async (_, answer, isCreateInFlight) => {
    const { outcome, state, events } = await play(create, { posts: [afterForceCancel(answer)] });
    expect(outcome).toEqual({ outcome: 'cancelled', code: 'cancelled' });
    expect(state.isCreateInFlight).toBe(isCreateInFlight);
    expect(events).toEqual(['request']);
  });

  it('times out at the deadline', async () => {
    const { outcome, elapsedMs } = await play(create, { timeoutMs: MINUTE });
    expect(outcome).toEqual({ outcome: 'timed-out', code: 'timed-out' });
    expect(elapsedMs).toBe(MINUTE);
  });

  it('waits a minute for a new job to become visible, but not for an existing one', async () => {
    const lost = { outcome: 'lost', code: 'job-lost', reason: 'not-found', detail: 'HTTP 404' };
    for (const request of [create, attach, followUp]) {
      const { outcome, elapsedMs } = await play(request, { gets: [createResponse(404)] });
      expect(outcome).toEqual(lost);
      expect(elapsedMs > MINUTE).toBe(request === create);
    }
  });

  it('distrusts a final status for half a minute after a follow-up only', async () => {
    const script = { posts: [accepted('completed')], gets: [accepted('completed')] };
    const { elapsedMs } = await play(followUp, script);
    expect(elapsedMs).toBeGreaterThanOrEqual(30_000);
    expect(elapsedMs).toBeLessThan(45_000);
    expect((await play(create, script)).elapsedMs).toBe(0);
    expect((await play(attach, script)).elapsedMs).toBe(0);
  });

  it('says why it lost the job', async () => {
    const { outcome } = await play(attach, { gets: [createResponse(401)] });
    expect(outcome).toEqual({ outcome: 'lost', code: 'job-lost', reason: 'refused', detail: 'HTTP 401' });
  });
});
