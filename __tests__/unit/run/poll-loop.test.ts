import { describe, expect, it } from 'vitest';
import { pollJob } from '../../../src/run/poll-loop.ts';
import type { ApiResult, CallOptions } from '../../../src/service/agent-client.ts';
import type { Stop } from '../../../src/state/outcome.ts';
import {
  type PollEvent,
  type Run,
  type RunEvent,
  RunTracker,
} from '../../../src/state/run-state.ts';
import {
  type Answer,
  afterCancel,
  createGitHubContext,
  createInputs,
  createResponse,
  createScript,
  createTestJob,
  createWorld,
  MINUTE,
  PULL_REQUEST,
  type World,
} from '../fixtures.ts';

const accept = (status: string, prLink: string | null = null) =>
  createResponse(200, { job: createTestJob({ status, prLink }) });

const active = accept('active');
const completed = accept('completed', PULL_REQUEST);
const withoutLink = accept('completed');
const broken = createResponse(502);
const busy = (retryAfterMs?: number): ApiResult => createResponse(429, { retryAfterMs });
const missing = createResponse(404, { hasErrorBody: true });
const nonsense = createResponse(200);
const refused = createResponse(401, { hasErrorBody: true });

const timedOut = { result: 'timed-out', code: 'timed-out' };
const cancelled = { result: 'cancelled', code: 'cancelled' };

interface Settings {
  readonly created?: ApiResult['job'];
  readonly pollIntervalMs?: number;
  readonly timeoutMs?: number;
  readonly onSleep?: (world: World, ms: number) => void;
}

/** Polls until the job is final or the time is over. The last reply repeats. */
async function play(replies: readonly Answer<ApiResult>[], settings: Settings = {}) {
  const { timeoutMs = 30 * MINUTE, pollIntervalMs = 10_000, onSleep } = settings;
  const world = createWorld({ timeoutMs, random: 0.5 });
  const { clock, timing } = world;
  const startMs = clock.now();
  const events: PollEvent[] = [];
  /** Their times count from the start. */
  const polls: { readonly atMs: number; readonly timeoutMs: number }[] = [];
  clock.onSleep = (ms) => onSleep?.(world, ms);
  const reply = createScript(world, replies);
  const getJob = async (_: unknown, { timeoutMs }: CallOptions): Promise<ApiResult> => {
    polls.push({ atMs: clock.now() - startMs, timeoutMs });
    return reply();
  };
  const emit = (event: RunEvent): void => {
    if (event.kind === 'wait') {
      events.push(event.event);
    }
  };
  const inputs = createInputs({ pollIntervalMs });
  const tracker = new RunTracker(clock);
  const parts = { inputs, github: createGitHubContext(), agent: { getJob }, tracker, emit };
  const run = { ...timing, ...parts } as unknown as Run;
  const polling = pollJob('job_1', { created: active.job, ...settings }, run);
  const outcome = await polling.catch(({ outcome }: Stop) => outcome);
  const gaps = polls.map(({ atMs }, index) => atMs - (polls[index - 1]?.atMs ?? 0));
  return { outcome, events, polls, gaps, sleeps: clock.sleeps, elapsedMs: clock.now() - startMs };
}

function withoutTicks(events: readonly PollEvent[]): PollEvent[] {
  return events.filter(({ kind }) => kind !== 'tick');
}

describe('pollJob', () => {
  it.each<[string, ApiResult[], Settings, string, number[]]>([
    ['shows the link', [withoutLink, completed], {}, 'pull-request-opened', [10, 10]],
    ['shows no link either', [withoutLink], {}, 'no-pull-request', [10, 10]],
    ['fails', [withoutLink, broken], {}, 'no-pull-request', [10, 10]],
    ['comes soon', [withoutLink], { pollIntervalMs: 60_000 }, 'no-pull-request', [60, 10]],
    ['comes at the deadline', [withoutLink], { timeoutMs: 15_000 }, 'no-pull-request', [10, 5]],
    ['would come too late', [withoutLink], { timeoutMs: 10_000 }, 'no-pull-request', [10]],
    ['is not needed for another status', [accept('archived')], {}, 'archived', [10]],
  ])(
    'looks again at a job that is completed without a link; the second look %s',
    async (...row) => {
      const [, replies, settings, result, seconds] = row;
      const { outcome, gaps } = await play(replies, settings);
      expect(outcome).toEqual({ result });
      expect(gaps.map((ms) => ms / 1000)).toEqual(seconds);
    },
  );

  it('polls for the last time at the deadline', async () => {
    const { outcome, polls, sleeps, elapsedMs } = await play([active], { timeoutMs: 95_000 });
    expect([outcome, elapsedMs]).toEqual([timedOut, 95_000]);
    const earlier = polls.slice(0, -1);
    expect(earlier.map(({ timeoutMs }) => timeoutMs)).toEqual(
      earlier.map(({ atMs }) => 95_000 - atMs),
    );
    expect(earlier.at(-1)?.atMs).toBeLessThan(95_000);
    expect(polls.at(-1)).toEqual({ atMs: 95_000, timeoutMs: 1_800 });
    expect(Math.max(...sleeps)).toBeLessThanOrEqual(10_000);
  });

  it('times out if the last poll fails', async () => {
    const answer: Answer<ApiResult> = ({ clock }) => (clock.now() >= 20_000 ? broken : active);
    const { outcome, events } = await play([answer], { timeoutMs: 20_000 });
    expect(outcome).toEqual(timedOut);
    expect(events.at(-1)).toEqual({ kind: 'failed', detail: 'HTTP 502', isLast: true });
  });

  it('reports a tick every 15 seconds during a long sleep', async () => {
    const { events, sleeps } = await play([active], {
      timeoutMs: MINUTE + 1,
      pollIntervalMs: 300_000,
    });
    expect(sleeps).toEqual([15_000, 15_000, 15_000, 15_000, 1]);
    expect(events).toEqual([...Array(4).fill({ kind: 'tick' }), { kind: 'read', job: active.job }]);
  });

  it('waits as long as the service asks, but not past the deadline', async () => {
    const { gaps, events } = await play([busy(45_000), completed]);
    expect(gaps[1]).toBe(55_000);
    expect(events[0]).toEqual({ kind: 'paused', delayMs: 55_000, detail: 'HTTP 429' });
    const late = await play([busy(60 * MINUTE), completed], { timeoutMs: MINUTE });
    expect([late.outcome, late.elapsedMs]).toEqual([{ result: 'pull-request-opened' }, MINUTE]);
    const delayMs = MINUTE - (late.polls[0]?.atMs ?? 0);
    expect(late.events[0]).toEqual({ kind: 'paused', delayMs, detail: 'HTTP 429' });
  });

  const mixed = [missing, broken, nonsense, missing, busy(), missing];
  it.each<[string, ApiResult[], number, string, number, ApiResult['job']?]>([
    ['a job that is not found for 30 seconds', [missing], 4, 'not-found', 404],
    ['a new job that is not found for 90 seconds', [missing], 9, 'not-found', 404, active.job],
    ['two minutes of other responses', [nonsense], 13, 'unreadable', 200],
    ['failures with others between', mixed, 6, 'not-found', 404],
    ['a refusal', [refused], 1, 'refused', 401],
  ])('gives up after %s', async (_, replies, count, reason, httpStatus, created) => {
    const { outcome, polls, events } = await play(replies, { created });
    const response = { httpStatus, detail: `HTTP ${httpStatus}` };
    expect(outcome).toEqual({ result: 'lost', code: 'job-lost', reason, ...response });
    expect([polls.length, withoutTicks(events).length]).toEqual([count, count - 1]);
  });

  it('ends at once when canceled during a sleep or a poll', async () => {
    const onSleep = ({ cancel }: World): void => cancel.abort();
    const slept = await play([active], { onSleep, pollIntervalMs: 60_000 });
    expect([slept.outcome, slept.polls, slept.events]).toEqual([cancelled, [], []]);
    const polled = await play([afterCancel(broken)]);
    expect([polled.outcome, polled.events]).toEqual([cancelled, []]);
  });
});
