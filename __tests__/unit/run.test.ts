import { expect, it, vi } from 'vitest';
import type { Inputs } from '../../src/inputs/read-inputs.ts';
import { preparePrompt } from '../../src/run/plan.ts';
import type { AgentApi, ApiResult } from '../../src/service/agent-client.ts';
import type { JobRequest } from '../../src/service/job.ts';
import { getEffect } from '../../src/state/outcome.ts';
import {
  getJobId,
  type Run,
  type RunEvent,
  type RunState,
  RunTracker,
} from '../../src/state/run-state.ts';
import {
  type Answer,
  afterCancel,
  attach,
  create,
  createFakeGitHub,
  createGitHubContext,
  createInputs,
  createResponse,
  createScript,
  createTestJob,
  createWorld,
  followUp,
  PULL_REQUEST,
  play,
  silent,
  unsent,
} from './fixtures.ts';

const accepted = (status: string, prLink: string | null = PULL_REQUEST, changes = {}): ApiResult =>
  createResponse(200, { job: createTestJob({ status, prLink, ...changes }) });
const active = accepted('active', null);

interface Script extends Partial<Inputs> {
  readonly isCanceled?: boolean;
  readonly posts?: readonly Answer<ApiResult>[];
  readonly gets?: readonly Answer<ApiResult>[];
}

function describeEvent(event: RunEvent, state: RunState): string {
  if (event.kind === 'poll') {
    return `poll ${state.polls} ${state.pollFailure ?? state.job?.status}`;
  }
  const word = event.kind === 'wait' ? event.event.kind : event.kind;
  return word === 'job' ? `job ${getJobId(state)}` : word;
}

/** Runs a request against a service that follows a script. By default, the job stays active. */
async function start(request: JobRequest, script: Script = {}) {
  const { isCanceled, posts = [active], gets = [active], ...changes } = script;
  const world = createWorld({ random: 0.5 });
  const { clock, timing, cancel } = world;
  const tracker = new RunTracker(clock);
  const trace: string[] = [];
  const [post, get] = [createScript(world, posts), createScript(world, gets)];
  const agent: AgentApi = {
    send: async ({ kind, jobId, prompt }, { onSend }) => {
      const { isUnconfirmed } = tracker.state;
      const result = post();
      if (result.kind !== 'not-sent') {
        onSend?.();
      }
      const call = [kind, ...(jobId ? [jobId] : []), prompt].join(' ');
      trace.push(`${call}, unconfirmed ${isUnconfirmed} -> ${tracker.state.isUnconfirmed}`);
      return result;
    },
    getJob: async (jobId, { timeoutMs, signal }) => {
      trace.push(`get ${jobId} ${timeoutMs > 0} ${signal === cancel.signal}`);
      return get();
    },
  };
  const emit = (event: RunEvent): void => {
    trace.push(describeEvent(event, tracker.state));
  };
  if (isCanceled) {
    cancel.abort();
  }
  const inputs = createInputs({ request, reuse: 'never', ...changes });
  const outcome = await play(inputs, timing, tracker, agent, emit);
  return { outcome, state: tracker.state, trace, elapsedMs: tracker.elapsedMs };
}

const cancelled = { result: 'cancelled', code: 'cancelled' };
const posted = ['sending', 'create Write it, unconfirmed false -> true'];
const sent = ['sending', 'follow-up job_1 More, unconfirmed false -> true'];
const got = 'get job_1 true true';

it('creates a job, reports its id before the first poll, and polls until it is final', async () => {
  const gets = [active, createResponse(502), accepted('completed')];
  const { outcome, state, trace, elapsedMs } = await start(create, { gets });
  expect(outcome).toEqual({ result: 'pull-request-opened' });
  expect(trace).toEqual([
    ...['request', ...posted, 'job job_1'],
    ...[got, 'poll 1 active', 'read'],
    ...[got, 'poll 2 HTTP 502', 'failed'],
    ...[got, 'poll 3 completed', 'read'],
  ]);
  expect(state).toMatchObject({ claim: { kind: 'off' }, isUnconfirmed: false, polls: 3 });
  expect(state.job?.prLink).toBe(PULL_REQUEST);
  // A new job is not polled at once.
  expect(elapsedMs).toBe(30_000);
});

const refusal = (status: number) => createResponse(status, { hasErrorBody: true });
const notFound = refusal(404);
const page = createResponse(404, { isPage: true, excerpt: '<p>' });
const lacking = createResponse(403, { hasErrorBody: true, detail: 'HTTP 403: out of credits' });
const stopped = (code: string) => ({ result: 'not-started', code });
const unchecked = (detail: string) => ({ result: 'dry-run', unchecked: detail });
const gone = { result: 'lost', code: 'job-lost', reason: 'not-found' };

it.each<[string, JobRequest, Answer<ApiResult>, object]>([
  ['a 404, so that it takes the key', create, notFound, { result: 'dry-run' }],
  ['a 402', create, refusal(402), stopped('no-credits')],
  ['a 403 about credits', create, lacking, stopped('no-credits')],
  ['no connection', create, unsent, stopped('connect-failed')],
  ['no response', create, silent, unchecked('reset')],
  ['a job', create, active, unchecked('HTTP 200')],
  ['a page with a 404', create, page, unchecked('HTTP 404')],
  ['no response, because it is canceled', create, afterCancel(silent), cancelled],
  ['the job to wait for', attach, active, { result: 'dry-run' }],
  ['no such job', attach, notFound, gone],
  ['the job of a follow-up', followUp, active, { result: 'dry-run' }],
  ['no job for a follow-up', followUp, notFound, gone],
])('a dry run asks the service once, and gets %s', async (_, request, get, outcome) => {
  const played = await start(request, { dryRun: true, posts: [], gets: [get] });
  expect(played.outcome).toMatchObject(outcome);
  const jobId = request.jobId ?? 'dry-run-only-no-such-job';
  expect(played.trace).toEqual([`get ${jobId} true true`]);
  expect([played.state.request, played.elapsedMs]).toEqual([request, 0]);
  expect(getEffect(played.state, played.outcome)).toBe('none');
});

it.each([
  ['starts nothing', create, []],
  ['sends no follow-up', followUp, []],
  ['reports the id of an existing job', attach, ['request', 'job job_1']],
])('%s once the step is canceled', async (_, request, expected) => {
  const { outcome, trace } = await start(request, { isCanceled: true });
  expect([outcome, trace]).toEqual([cancelled, expected]);
});

const failed = { result: 'failed', code: 'job-failed' };

const untrusted: ApiResult = { ...unsent, code: 'tls-failed', isTransient: false };
const lost = (reason: string) => ({ result: 'lost', code: 'job-lost', reason });
it.each<[string, Answer<ApiResult>, object]>([
  ['is at work', active, { result: 'started' }],
  ['has completed', accepted('completed'), { result: 'pull-request-opened' }],
  ['has failed', accepted('failed'), failed],
  // The job is named, so it exists or did, and nothing was spent.
  ['gets no answer', silent, { result: 'started' }],
  ['gets a rate limit', createResponse(429, { retryAfterMs: 9 }), { result: 'started' }],
  ['gets a page', page, { result: 'started' }],
  ['gets no connection', unsent, { result: 'started' }],
  // A passing step would hide the problem.
  ['gets no secure connection', untrusted, lost('refused')],
  ['gets a 401 of the service', refusal(401), lost('refused')],
  ['gets a 404 of the service', notFound, lost('not-found')],
  ['is canceled', afterCancel(silent), cancelled],
])('reads an existing job once if `wait` is `false`, and %s', async (_, get, outcome) => {
  const played = await start(attach, { wait: false, gets: [get] });
  expect(played.outcome).toMatchObject(outcome);
  expect(played.trace.filter((entry) => entry === got)).toHaveLength(1);
  expect([played.state.polls, played.elapsedMs]).toEqual([1, 0]);
});

it.each([
  ['a new job that completed', create, 'completed', { result: 'started' }],
  ['a new job that failed', create, 'failed', failed],
  // The first status may predate the follow-up.
  ['a follow-up', followUp, 'failed', { result: 'started' }],
])('does not wait for %s if `wait` is `false`', async (_, request, status, end) => {
  const { outcome, trace } = await start(request, { wait: false, posts: [accepted(status)] });
  expect(outcome).toEqual(end);
  expect(trace).toEqual(['request', ...(request === create ? posted : sent), 'job job_1']);
});

const completed = accepted('completed', null);
const timedOut = { result: 'timed-out', code: 'timed-out' };
const unread = createResponse(503);
const unlinked = { result: 'no-pull-request' };
it.each<[string, ApiResult[], object]>([
  ['the status from before', [completed], timedOut],
  ['that status, which could not be read before', [unread, completed], timedOut],
  ['the same record after it worked', [completed, active, completed], unlinked],
  ['an end after a failure to read it before', [unread, active, accepted('failed')], failed],
  ['a new link', [completed, accepted('completed')], { result: 'pull-request-opened' }],
  ['a link that is gone', [accepted('completed'), completed], timedOut],
  ['another field', [completed, accepted('completed', null, { model: 'x' })], timedOut],
])('after a follow-up, judges %s', async (_, gets, expected) => {
  // The response may have any status.
  for (const post of [active, completed]) {
    const { outcome, trace } = await start(followUp, { posts: [post], gets });
    expect(outcome).toEqual(expected);
    expect(trace.slice(0, 5)).toEqual(['request', got, ...sent, 'job job_1']);
  }
});

it.each([
  [10_000, 5_000],
  [100_000, 30_000],
])('with %i ms left, GitHub may take %i ms to say what changed', async (timeoutMs, limitMs) => {
  const { clock, timing } = createWorld({ timeoutMs });
  const openGitHub = vi.fn<Run['openGitHub']>(() => createFakeGitHub(() => undefined));
  const parts = { github: createGitHubContext(), openGitHub, tracker: new RunTracker(clock) };
  const inputs = createInputs({ tag: 'v1.1.0', includeChanges: true });
  const run = { ...timing, ...parts, inputs, emit: () => {}, redact: String } as unknown as Run;
  await preparePrompt(create, undefined, undefined, run);
  const limits = { timeoutMs: limitMs, signal: timing.cancel };
  expect(openGitHub.mock.calls).toEqual([[limits], [limits]]);
});
