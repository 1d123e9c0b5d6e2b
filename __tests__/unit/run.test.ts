import { describe, expect, it } from 'vitest';
import { readGitHubContext } from '../../src/github/context.ts';
import type { ConnectFailure } from '../../src/http/connect-error.ts';
import type { Inputs } from '../../src/inputs/read-inputs.ts';
import type { AgentApi, ApiResult, CallOptions } from '../../src/job/agent-client.ts';
import type { JobRequest } from '../../src/job/job.ts';
import { type RunReporter, run } from '../../src/run.ts';
import { RunTracker } from '../../src/state.ts';
import { toPlainText } from '../../src/text/message.ts';
import {
  type Answer,
  afterCancel,
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

/** Runs a request against a service that follows a script. By default, the job stays active. */
async function play(request: JobRequest, script: Script = {}) {
  const { timeoutMs = 30 * MINUTE, isCanceled, posts = [active], gets = [active], ...changes } = script;
  const world = createWorld({ timeoutMs, random: 0.5 });
  const { clock, context, cancel } = world;
  const tracker = new RunTracker(clock);
  const trace: string[] = [];
  const getTimeouts: number[] = [];
  const [post, get] = [createScript(world, posts), createScript(world, gets)];
  const send = async (call: string, { onSend }: CallOptions): Promise<ApiResult> => {
    const { mayHaveStarted } = tracker.state;
    onSend?.();
    trace.push(`${call}${!mayHaveStarted && tracker.state.mayHaveStarted ? ', in flight' : ''}`);
    return post();
  };
  const agent: AgentApi = {
    createJob: (prompt, options) => send(`create ${prompt}`, options),
    sendFollowUp: (jobId, prompt, options) => send(`follow-up ${jobId} ${prompt}`, options),
    getJob: async (jobId, { timeoutMs, signal }) => {
      getTimeouts.push(timeoutMs);
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
  const openGitHub = () => Promise.reject(new Error('nothing is read'));
  const parts = { agent, github, openGitHub, tracker, redact, reporter };
  const outcome = await run(createInputs({ request, ...changes }), parts, context);
  return { outcome, state: tracker.state, trace, getTimeouts, elapsedMs: tracker.elapsedMs };
}

const cancelled = { outcome: 'cancelled', code: 'cancelled' };
const posted = 'create Write it, in flight';
const sent = 'follow-up job_1 More, in flight';
const got = 'get job_1 true true';

describe('run', () => {
  it('creates a job, reports its id before the first poll, and polls until it is final', async () => {
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
      mayHaveStarted: false,
      polls: 3,
      statusChanges: [
        { status: 'active', atMs: 0 },
        { status: 'completed', atMs: expect.any(Number) },
      ],
    });
    expect(state.job?.prLink).toBe(PULL_REQUEST);
    expect(state.statusChanges[1]?.atMs).toBeGreaterThan(15_000);
  });

  const notFound = createResponse(404, { hasErrorBody: true });
  const keyAccepted = { outcome: 'dry-run', keyCheck: 'accepted' };
  const unchecked = (detail: string) => ({ outcome: 'dry-run', keyCheck: { unchecked: detail } });
  const stopped = (code: string, httpStatus: number | undefined, detail = `HTTP ${httpStatus}`) => ({
    outcome: 'not-started',
    ...{ code, httpStatus, detail },
  });
  const gone = { outcome: 'lost', code: 'job-lost', reason: 'not-found', detail: 'HTTP 404' };
  const notSent = (failure: ConnectFailure): ApiResult => ({ kind: 'not-sent', failure, detail: 'why' });

  it.each<[JobRequest, ApiResult, object, RegExp]>([
    [create, notFound, keyAccepted, /^$/],
    [create, active, keyAccepted, /^the service accepts the key, and job \S+ is `active`$/],
    [attach, active, keyAccepted, /^the service accepts the key, and job job_1 is `active`$/],
    [followUp, active, keyAccepted, /^the service accepts the key, and job job_1 is `active`$/],
    [attach, notFound, gone, /^$/],
    [attach, createResponse(410, { hasErrorBody: true }), { ...gone, detail: 'HTTP 410' }, /^$/],
    [create, createResponse(410, { hasErrorBody: true }), unchecked('HTTP 410'), /^couldn't check/],
    [followUp, notFound, stopped('not-found', 404), /^$/],
    [create, createResponse(401), stopped('unauthorized', 401), /^$/],
    [attach, createResponse(401), stopped('unauthorized', 401), /^$/],
    [create, createResponse(403), stopped('forbidden', 403), /^$/],
    [create, createResponse(302), stopped('redirected', 302), /^$/],
    [create, createResponse(308), stopped('redirected', 308), /^$/],
    [create, notSent('unreachable'), stopped('connect-failed', undefined, 'why'), /^$/],
    [create, notSent('tls'), stopped('tls-failed', undefined, 'why'), /^$/],
    [create, notSent('proxy-refused'), stopped('proxy-refused', undefined, 'why'), /^$/],
    [create, notSent('proxy-unavailable'), stopped('proxy-refused', undefined, 'why'), /^$/],
    [create, silent, unchecked('reset'), /^couldn't check the key \(reset\)$/],
    // A page, or a success without a record.
    ...[404, 429, 500, 503, 400, 410, 200].map((status): [JobRequest, ApiResult, object, RegExp] => [
      create,
      createResponse(status),
      unchecked(`HTTP ${status}`),
      /^couldn't check the key \(HTTP \d+\)$/,
    ]),
    [attach, createResponse(404), unchecked('HTTP 404'), /^couldn't check the key/],
  ])('sends one get in a dry run of %o with the answer %o', async (request, answer, expected, note) => {
    const { outcome, trace, state, elapsedMs } = await play(request, { dryRun: true, gets: [answer] });
    expect(outcome).toEqual(expected);
    const id = request.kind === 'create' ? 'dry-run-only-no-such-job' : 'job_1';
    expect(trace.slice(0, 1)).toEqual([`get ${id} true true`]);
    expect(trace.slice(1).join()).toMatch(note);
    expect([state.request, elapsedMs]).toEqual([request, 0]);
  });

  it('takes ten seconds at most in a dry run, and ends when the step is canceled', async () => {
    const limits = [30 * MINUTE, 3_000].map(async (timeoutMs) => {
      const { getTimeouts } = await play(create, { dryRun: true, timeoutMs, gets: [notFound] });
      return getTimeouts;
    });
    expect(await Promise.all(limits)).toEqual([[10_000], [4_800]]);
    const { outcome } = await play(create, { dryRun: true, gets: [afterCancel<ApiResult>(unsent)] });
    expect(outcome).toEqual(cancelled);
  });

  it.each([
    ['starts nothing', create, []],
    ['sends no follow-up', followUp, []],
    ['reports the id of an existing job', attach, ['request', 'job job_1 true']],
  ])('%s once the step is canceled', async (_, request, expected) => {
    const { outcome, trace } = await play(request, { isCanceled: true });
    expect([outcome, trace]).toEqual([cancelled, expected]);
  });

  const failed = { outcome: 'failed', code: 'job-failed' };
  it.each([
    ['attaches to a job', attach, 'archived', PULL_REQUEST, { outcome: 'archived' }, []],
    [
      'attaches to a job without a pull request',
      attach,
      'completed',
      null,
      { outcome: 'no-pull-request' },
      [],
    ],
    ['sends a follow-up once', followUp, 'failed', PULL_REQUEST, failed, [sent]],
  ])('%s, and polls until it is final', async (_, request, status, prLink, expected, posts) => {
    const { outcome, trace, state } = await play(request, { gets: [accepted(status, prLink)] });
    expect(outcome).toEqual(expected);
    const polled = [got, `poll 1 HTTP 200: ${status}`, 'read'];
    expect(trace).toEqual(['request', ...posts, 'job job_1 true', ...polled]);
    expect(state).toMatchObject({ jobId: 'job_1', polls: 1 });
  });

  it.each([
    ['a create', create, [posted, 'job job_1 false']],
    // The first status may be the one from before the follow-up.
    ['a follow-up', followUp, [sent, 'job job_1 false']],
    ['an existing job', attach, ['job job_1 false', got, 'poll 1 HTTP 200: active', 'read']],
  ])('does not wait for %s if `wait` is `false`', async (_, request, expected) => {
    const posts = [request === followUp ? accepted('failed') : active];
    const { outcome, trace } = await play(request, { wait: false, posts });
    expect(outcome).toEqual({ outcome: 'started' });
    expect(trace).toEqual(['request', ...expected]);
  });

  it.each<[string, ApiResult, object]>([
    ['a pull request', accepted('completed'), { outcome: 'pull-request-opened' }],
    ['the failure', accepted('failed'), failed],
    ['no final status', active, { outcome: 'started' }],
    ['a failure, without an answer', silent, failed],
  ])(
    'reports %s after one get if the first status is final and `wait` is `false`',
    async (_, answer, expected) => {
      const { outcome, trace } = await play(create, {
        ...{ wait: false, posts: [accepted('failed')], gets: [answer] },
      });
      expect(outcome).toEqual(expected);
      expect(trace.slice(2, 4)).toEqual(['job job_1 false', got]);
      expect(trace).toHaveLength(5);
    },
  );

  it('reports no success of a create that no get confirms', async () => {
    const script = { wait: false, posts: [accepted('completed')], gets: [silent] };
    expect((await play(create, script)).outcome).toEqual({ outcome: 'started' });
  });

  const unauthorized = { outcome: 'not-started', code: 'unauthorized', httpStatus: 401, detail: 'HTTP 401' };
  const unknown = { outcome: 'start-unknown', code: 'start-unknown', detail: 'reset', namedIds: undefined };
  const named = { ...unknown, detail: 'HTTP 500', namedIds: 'job_7' };
  const redirected = { ...unknown, code: 'redirected', detail: 'HTTP 302' };
  const cut: ApiResult = { kind: 'no-response', detail: 'reset', namedIds: 'a' };
  it.each<[string, Answer<ApiResult>, object, boolean]>([
    ['a refusal', createResponse(401), unauthorized, false],
    ['a lost response', silent, unknown, true],
    ['a redirect', createResponse(302), redirected, true],
    ['a failure that names an id', createResponse(500, { namedIds: 'job_7' }), named, true],
    ['a forced cancel when nothing was sent', afterForceCancel(unsent), cancelled, false],
    ['a forced cancel when a response was lost', afterForceCancel(silent), cancelled, true],
    ['a forced cancel when a response was cut', afterForceCancel(cut), { ...cancelled, namedIds: 'a' }, true],
  ])('records whether a job may exist after %s', async (_, answer, expected, mayHaveStarted) => {
    const { outcome, state, trace } = await play(create, { posts: [answer] });
    expect(outcome).toEqual(expected);
    expect(state).toMatchObject({ mayHaveStarted, jobId: undefined });
    expect(trace).toEqual(['request', posted]);
  });

  it('reports each retry of a create', async () => {
    const posts = [createResponse(429, { retryAfterMs: 7_000 }), active];
    const { trace } = await play(create, { posts, wait: false });
    expect(trace).toEqual(['request', posted, 'retry rate-limited 7350', posted, 'job job_1 false']);
  });

  it('records the time of the first failed poll until one succeeds', async () => {
    const gets = [active, createResponse(502), createResponse(404), silent];
    const broken = await play(create, { timeoutMs: MINUTE, gets });
    const { pollFailure, statusChanges, polls } = broken.state;
    expect([pollFailure?.detail, polls > 4]).toEqual(['reset', true]);
    expect(pollFailure?.sinceMs).toBeGreaterThan(10_000);
    expect(pollFailure?.sinceMs).toBeLessThan(30_000);
    expect(statusChanges).toHaveLength(1);
    const mended = await play(create, { timeoutMs: MINUTE, gets: [...gets, active] });
    expect(mended.state.pollFailure).toBeUndefined();
  });

  it('times out at the deadline', async () => {
    const { outcome, elapsedMs } = await play(create, { timeoutMs: MINUTE });
    expect(outcome).toEqual({ outcome: 'timed-out', code: 'timed-out' });
    expect(elapsedMs).toBe(MINUTE);
  });

  it.each([create, attach, followUp])(
    'waits a minute for a missing job only if it is new: %o',
    async (request) => {
      const { outcome, elapsedMs } = await play(request, { gets: [createResponse(404)] });
      expect(outcome).toEqual({ outcome: 'lost', code: 'job-lost', reason: 'not-found', detail: 'HTTP 404' });
      expect(elapsedMs > MINUTE).toBe(request === create);
    },
  );

  it('does not trust a final status for half a minute after a follow-up', async () => {
    const script = { posts: [accepted('completed')], gets: [accepted('completed')] };
    const { elapsedMs } = await play(followUp, script);
    expect(elapsedMs).toBeGreaterThanOrEqual(30_000);
    expect(elapsedMs).toBeLessThan(45_000);
    expect((await play(create, script)).elapsedMs).toBe(0);
    expect((await play(attach, script)).elapsedMs).toBe(0);
    const early = await play(followUp, { ...script, timeoutMs: 20_000 });
    expect(early.outcome).toEqual({ outcome: 'timed-out', code: 'timed-out' });
  });
});
