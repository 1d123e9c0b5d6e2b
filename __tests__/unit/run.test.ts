import { describe, expect, it } from 'vitest';
import { readGitHubContext } from '../../src/github/context.ts';
import type { Inputs } from '../../src/inputs/read-inputs.ts';
import type { AgentApi, ApiResult } from '../../src/job/agent-client.ts';
import type { JobRequest } from '../../src/job/job.ts';
import { type RunReporter, run } from '../../src/run.ts';
import { RunTracker } from '../../src/state.ts';
import { toPlainText } from '../../src/text/message.ts';
import {
  type Answer,
  afterForceCancel,
  attach,
  create,
  createInputs,
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

const accepted = (status: string, prLink: string | null = PULL_REQUEST): ApiResult =>
  createResponse(200, { job: createTestJob({ status, prLink }) });
const active = accepted('active', null);

interface Script extends Partial<Inputs> {
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
  const tracker = new RunTracker(clock);
  const trace: string[] = [];
  const [post, get] = [createScript(world, posts), createScript(world, gets)];
  const send = async (call: string): Promise<ApiResult> => {
    trace.push(`${call}${tracker.state.isCreateInFlight ? ', in flight' : ''}`);
    return post();
  };
  const agent: AgentApi = {
    createJob: (prompt) => send(`create ${prompt}`),
    sendFollowUp: (jobId, prompt) => send(`follow-up ${jobId} ${prompt}`),
    getJob: async (jobId, { timeoutMs, signal }) => {
      trace.push(`get ${jobId} ${timeoutMs > 0} ${signal === cancel.signal}`);
      return get();
    },
  };
  const reporter: RunReporter = {
    onNote: (note) => trace.push(toPlainText(note)),
    onWarning: (warning) => trace.push(toPlainText(warning)),
    onRequest: () => trace.push('request'),
    onRetry: (delayMs, reason) => trace.push(`retry ${reason} ${delayMs}`),
    onJob: (wait) => trace.push(`job ${tracker.state.jobId} ${wait}`),
    onPoll: (detail) => trace.push(`poll ${tracker.state.polls} ${detail}`),
    onPollEvent: ({ kind }) => trace.push(kind),
  };
  if (isCanceled) {
    cancel.abort();
  }
  const github = readGitHubContext({}, undefined, undefined);
  const redact = (text: string): string => text;
  const loadRunReader = () => Promise.reject(new Error('nothing is read'));
  const parts = { agent, github, loadRunReader, tracker, redact, reporter };
  const outcome = await run(createInputs({ request, ...changes }), parts, context);
  return { outcome, state: tracker.state, trace, elapsedMs: tracker.elapsedMs };
}

const cancelled = { outcome: 'cancelled', code: 'cancelled' };
const posted = 'create Write it, in flight';
const sent = 'follow-up job_1 More, in flight';
const got = 'get job_1 true true';

describe('run', () => {
  it('creates a job, makes its id known before the first poll, and polls it until it is final', async () => {
    const gets = [active, createResponse(502), accepted('completed')];
    const { outcome, state, trace } = await play(create, { gets });
    expect(outcome).toEqual({ outcome: 'pull-request-opened' });
    expect(trace).toEqual([
      ...['request', posted, 'job job_1 true'],
      ...[got, 'poll 1 HTTP 200: active', 'read'],
      ...[got, 'poll 2 HTTP 502', 'failed'],
      ...[got, 'poll 3 HTTP 200: completed', 'read'],
    ]);
    expect(state).toMatchObject({
      request: create,
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
      earlierJob: undefined,
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
    const { outcome, trace, state } = await play(request, { dryRun: true });
    expect([outcome, trace]).toEqual([{ outcome: 'dry-run' }, []]);
    expect(state.request).toEqual(request);
  });

  it.each([
    ['starts nothing', create, []],
    ['sends no follow-up', followUp, []],
    ['makes a job known that exists', attach, ['request', 'job job_1 true']],
  ])('%s once it is canceled', async (_, request, expected) => {
    const { outcome, trace } = await play(request, { isCanceled: true });
    expect([outcome, trace]).toEqual([cancelled, expected]);
  });

  const failed = { outcome: 'failed', code: 'job-failed' };
  it.each([
    ['attaches to a job without a create', attach, 'archived', PULL_REQUEST, { outcome: 'archived' }, []],
    ['needs no pull request', attach, 'completed', null, { outcome: 'no-pull-request' }, []],
    ['sends a follow-up once', followUp, 'failed', PULL_REQUEST, failed, [sent]],
  ])('%s, and polls', async (_, request, status, prLink, expected, posts) => {
    const { outcome, trace, state } = await play(request, { gets: [accepted(status, prLink)] });
    expect(outcome).toEqual(expected);
    const polled = [got, `poll 1 HTTP 200: ${status}`, 'read'];
    expect(trace).toEqual(['request', ...posts, 'job job_1 true', ...polled]);
    expect(state).toMatchObject({ jobId: 'job_1', polls: 1 });
  });

  it.each([
    ['a create', create, [posted, 'job job_1 false']],
    ['a follow-up', followUp, [sent, 'job job_1 false']],
    ['a job that is attached to', attach, ['job job_1 false', got, 'poll 1 HTTP 200: active', 'read']],
  ])('does not wait for %s if it should not', async (_, request, expected) => {
    const { outcome, trace } = await play(request, { wait: false });
    expect(outcome).toEqual({ outcome: 'started' });
    expect(trace).toEqual(['request', ...expected]);
  });

  const unauthorized = { outcome: 'not-started', code: 'unauthorized', httpStatus: 401, detail: 'HTTP 401' };
  const unknown = { outcome: 'start-unknown', code: 'start-unknown', detail: 'reset' };
  const redirected = { outcome: 'start-unknown', code: 'redirected', detail: 'HTTP 303' };
  it.each<[string, Answer<ApiResult>, object, boolean]>([
    ['a refusal', createResponse(401), unauthorized, false],
    ['a lost response', silent, unknown, true],
    ['a redirect', createResponse(303), redirected, true],
    ['a forced cancel when nothing was sent', afterForceCancel(unsent), cancelled, false],
    ['a forced cancel when a response was lost', afterForceCancel(silent), cancelled, true],
  ])('ends with %s, and knows whether a job may exist', async (_, answer, expected, isCreateInFlight) => {
    const { outcome, state, trace } = await play(create, { posts: [answer] });
    expect(outcome).toEqual(expected);
    expect(state).toMatchObject({ isCreateInFlight, jobId: undefined });
    expect(trace).toEqual(['request', posted]);
  });

  it('tells each retry of a create', async () => {
    const posts = [createResponse(429, { retryAfterMs: 7_000 }), active];
    const { trace } = await play(create, { posts, wait: false });
    expect(trace).toEqual(['request', posted, 'retry rate-limited 7350', posted, 'job job_1 false']);
  });

  it('times out at the deadline', async () => {
    const { outcome, elapsedMs } = await play(create, { timeoutMs: MINUTE });
    expect(outcome).toEqual({ outcome: 'timed-out', code: 'timed-out' });
    expect(elapsedMs).toBe(MINUTE);
  });

  it.each([create, attach, followUp])(
    'waits a minute only for a new job to become visible: %o',
    async (request) => {
      const { outcome, elapsedMs } = await play(request, { gets: [createResponse(404)] });
      expect(outcome).toEqual({ outcome: 'lost', code: 'job-lost', reason: 'not-found', detail: 'HTTP 404' });
      expect(elapsedMs > MINUTE).toBe(request === create);
    },
  );

  it('distrusts a final status for half a minute after a follow-up only', async () => {
    const script = { posts: [accepted('completed')], gets: [accepted('completed')] };
    const { elapsedMs } = await play(followUp, script);
    expect(elapsedMs).toBeGreaterThanOrEqual(30_000);
    expect(elapsedMs).toBeLessThan(45_000);
    expect((await play(create, script)).elapsedMs).toBe(0);
    expect((await play(attach, script)).elapsedMs).toBe(0);
  });
});
