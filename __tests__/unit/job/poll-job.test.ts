import { describe, expect, it } from 'vitest';
import { parseJob } from '../../../src/job/job.ts';
import { type Check, type PollEvent, type PollOptions, pollJob } from '../../../src/job/poll-job.ts';
import { createPollSchedule } from '../../../src/job/poll-schedule.ts';
import { createVirtualClock, type VirtualClock } from '../../helpers/virtual-clock.ts';

const MINUTE = 60_000;

function job(status: string): Check & { kind: 'job' } {
  const parsed = parseJob({ id: 'job_1', status }, (text) => text);
  if (parsed === undefined) {
    throw new Error('no job');
  }
  return { kind: 'job', job: parsed };
}

const active = job('active');
const completed = job('completed');
const broken: Check = { kind: 'transient', detail: 'HTTP 502', retryAfterMs: undefined, slowDown: false };
const busy = (retryAfterMs?: number): Check => ({
  kind: 'transient',
  detail: 'HTTP 429',
  retryAfterMs,
  slowDown: true,
});
const missing: Check = { kind: 'strike', strike: 'missing', detail: 'HTTP 404' };
const blocked: Check = { kind: 'strike', strike: 'blocked', detail: 'HTTP 403' };
const nonsense: Check = { kind: 'strike', strike: 'unreadable', detail: 'not JSON' };

interface Run {
  readonly result: Awaited<ReturnType<typeof pollJob>>;
  readonly events: PollEvent[];
  readonly checks: { readonly atMs: number; readonly timeoutMs: number }[];
  readonly clock: VirtualClock;
  /** Since the start of the wait. */
  readonly elapsedMs: number;
}

/** Waits on a clock that stands still but for sleeps; the last answer repeats. */
async function play(
  answers: readonly (Check | ((clock: VirtualClock) => Check))[],
  options: Partial<PollOptions> & {
    abort?: AbortController;
    startMs?: number;
    onSleep?: (ms: number, clock: VirtualClock) => void;
  } = {},
): Promise<Run> {
  const clock = createVirtualClock(options.startMs);
  const start = clock.now();
  const events: PollEvent[] = [];
  const checks: { atMs: number; timeoutMs: number }[] = [];
  clock.onSleep = (ms) => options.onSleep?.(ms, clock);
  const result = await pollJob({
    check: async (timeoutMs) => {
      checks.push({ atMs: clock.now() - start, timeoutMs });
      const answer = answers[Math.min(checks.length, answers.length) - 1] ?? active;
      return typeof answer === 'function' ? answer(clock) : answer;
    },
    clock,
    random: () => 0.5,
    signal: options.abort?.signal ?? new AbortController().signal,
    onEvent: (event) => {
      events.push(event);
    },
    created: active.job,
    pollOnce: false,
    pollIntervalMs: 10_000,
    notFoundGraceUntil: 0,
    staleStatusUntil: 0,
    ...options,
    deadline: start + (options.deadline ?? 30 * MINUTE),
  });
  return { result, events, checks, clock, elapsedMs: clock.now() - start };
}

function kinds(events: readonly PollEvent[]): string[] {
  return events.map(({ kind }) => kind);
}

describe('pollJob', () => {
  it('sleeps first after a create, and looks first otherwise', async () => {
    const created = await play([completed]);
    expect(created.checks).toHaveLength(1);
    expect(created.checks[0]?.atMs).toBeGreaterThan(0);
    const attached = await play([completed], { created: undefined });
    expect(attached.checks[0]?.atMs).toBe(0);
    expect(attached.clock.sleeps).toEqual([]);
    expect(kinds(attached.events)).toEqual(['status']);
  });

  it('sleeps by the time since it began, whatever the clock shows', async () => {
    const { clock } = await play([completed], { startMs: 5 * 60 * MINUTE });
    expect(clock.sleeps).toEqual([9_000]);
  });

  it('confirms a record that is final at once with one check', async () => {
    const { result, checks } = await play([completed], { created: completed.job });
    expect(result).toEqual({ kind: 'final', status: 'completed', job: completed.job });
    expect(checks).toHaveLength(1);
    expect(checks[0]?.atMs).toBe(0);
  });

  it.each(['completed', 'archived', 'failed'])('ends with the status %s', async (status) => {
    const { result, events } = await play([active, active, job(status)]);
    expect(result).toMatchObject({ kind: 'final', status });
    expect(events).toEqual([{ kind: 'status', status, isKnown: true }]);
  });

  it('goes on with a status that it does not know, and tells each once', async () => {
    const paused = job('paused');
    const { result, events } = await play([paused, paused, active, completed]);
    expect(result.kind).toBe('final');
    expect(events).toEqual([
      { kind: 'status', status: 'paused', isKnown: false },
      { kind: 'status', status: 'active', isKnown: true },
      { kind: 'status', status: 'completed', isKnown: true },
    ]);
  });

  it('tells the status that a create answered only where it is unusual', async () => {
    expect((await play([completed], { created: job('queued').job })).events[0]).toEqual({
      kind: 'status',
      status: 'queued',
      isKnown: false,
    });
  });

  it('checks once more at the deadline, and no later', async () => {
    const { result, checks, clock, elapsedMs } = await play([active], { deadline: 95_000 });
    expect(result).toEqual({ kind: 'timed-out' });
    expect(elapsedMs).toBe(95_000);
    expect(checks.at(-1)).toEqual({ atMs: 95_000, timeoutMs: 1_800 });
    expect(checks.filter(({ atMs }) => atMs >= 95_000)).toHaveLength(1);
    for (const { atMs, timeoutMs } of checks.slice(0, -1)) {
      expect(timeoutMs).toBe(95_000 - atMs);
    }
    expect(Math.max(...clock.sleeps)).toBeLessThanOrEqual(10_000);
  });

  it('takes the last check for the last word', async () => {
    const { result } = await play([(clock) => (clock.now() >= 61_000 ? completed : active)], {
      deadline: MINUTE,
    });
    expect(result.kind).toBe('final');
  });

  it.each([broken, busy(5_000), nonsense])(
    'is timed out after a last check without a word: %o',
    async (last) => {
      const { result, events } = await play([(clock) => (clock.now() >= 20_000 ? last : active)], {
        deadline: 20_000,
      });
      expect(result).toEqual({ kind: 'timed-out' });
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({ kind: 'trouble', isLast: true });
    },
  );

  it('looks again when the deadline passed during a check or a sleep', async () => {
    const slept = await play([active, completed], {
      onSleep: (_, clock) => clock.pass(clock.sleeps.length === 2 ? 60 * MINUTE : 0),
    });
    expect(slept.result.kind).toBe('final');
    const checked = await play([
      (clock) => {
        clock.pass(60 * MINUTE);
        return broken;
      },
      completed,
    ]);
    expect(checked.result.kind).toBe('final');
    expect(checked.checks).toHaveLength(2);
    expect(checked.checks[1]?.timeoutMs).toBe(1_800);
  });

  it('tells that it is still there about once a minute', async () => {
    const { events } = await play([active], { deadline: 10.5 * MINUTE });
    expect(kinds(events)).toEqual(Array(10).fill('heartbeat'));
    expect(events[0]).toEqual({ kind: 'heartbeat', status: 'active', remainingMs: 9.5 * MINUTE });
  });

  it('tells so during one long sleep, too, and not beside another line', async () => {
    const long = await play([active], { deadline: 5 * MINUTE, pollIntervalMs: 300_000 });
    expect(kinds(long.events)).toEqual(Array(4).fill('heartbeat'));
    const talking = await play([broken, active, broken, completed], { pollIntervalMs: 50_000 });
    expect(kinds(talking.events)).not.toContain('heartbeat');
  });

  it('has no status to tell before a check has worked', async () => {
    const options = { created: undefined, pollIntervalMs: 300_000, deadline: 5 * MINUTE };
    const { events } = await play([broken], options);
    expect(events[1]).toEqual({ kind: 'heartbeat', status: '', remainingMs: 4 * MINUTE });
  });

  it('takes a timer that fires early for no minute', async () => {
    const { events, checks } = await play([active, active, completed], {
      onSleep: (ms, clock) => clock.pass(ms > 1 ? -0.5 : 0),
    });
    expect(kinds(events)).toEqual(['status']);
    expect(checks).toHaveLength(3);
  });

  it('survives every transient failure, and tells it once it is over', async () => {
    const { result, events } = await play([broken, broken, busy(), active, completed]);
    expect(result.kind).toBe('final');
    expect(events).toEqual([
      { kind: 'trouble', detail: 'HTTP 502', isLast: false },
      { kind: 'trouble', detail: 'HTTP 502', isLast: false },
      { kind: 'pause', ms: 50_000, detail: 'HTTP 429' },
      { kind: 'recovered', failures: 3 },
      { kind: 'status', status: 'completed', isKnown: true },
    ]);
  });

  it('tells at most nine failures, whatever their kind', async () => {
    const { events } = await play([broken, busy(1_000), missing], {
      notFoundGraceUntil: Number.POSITIVE_INFINITY,
    });
    expect(kinds(events).filter((kind) => kind !== 'heartbeat')).toEqual([
      'trouble',
      'pause',
      ...Array(7).fill('trouble'),
    ]);
  });

  it('tells that checks work again as long as it has told that they fail', async () => {
    const told = await play([...Array(9).fill(broken), active, completed]);
    expect(told.events).toContainEqual({ kind: 'recovered', failures: 9 });
    const untold = await play([...Array(10).fill(broken), active, completed]);
    expect(kinds(untold.events)).not.toContain('recovered');
  });

  it('waits at least as long as the service asks, within the deadline', async () => {
    const { checks, events } = await play([busy(45_000), completed]);
    const gap = (checks[1]?.atMs ?? 0) - (checks[0]?.atMs ?? 0);
    expect(gap).toBe(55_000);
    expect(events[0]).toEqual({ kind: 'pause', ms: gap, detail: 'HTTP 429' });
    const late = await play([busy(60 * MINUTE), completed], { deadline: MINUTE });
    expect(late.elapsedMs).toBe(MINUTE);
    expect(late.result.kind).toBe('final');
    expect(late.events[0]).toEqual({
      kind: 'pause',
      ms: MINUTE - (late.checks[0]?.atMs ?? 0),
      detail: 'HTTP 429',
    });
  });

  it.each<[string, Check, number]>([
    ['45 s', busy(45_000), 45_000],
    ['a pause of no length', busy(0), 14_000],
    ['no pause at all, but fewer checks', busy(), 40_000],
    ['45 s, but no fewer checks', { ...broken, retryAfterMs: 45_000 }, 45_000],
  ])('is told: %s', async (_, answer, floorMs) => {
    const gaps = await Promise.all(
      [0, 0.5, 0.999].map(async (random) => {
        const { checks } = await play([...Array(20).fill(active), answer, completed], {
          random: () => random,
        });
        return (checks[21]?.atMs ?? 0) - (checks[20]?.atMs ?? 0);
      }),
    );
    expect(gaps[0]).toBeGreaterThanOrEqual(floorMs);
    expect(gaps[1]).toBeGreaterThan((gaps[0] ?? 0) + 1_000);
    expect(gaps[2]).toBeGreaterThan((gaps[1] ?? 0) + 1_000);
    expect(gaps[2]).toBeLessThan(floorMs + 30_000);
  });

  it('checks half as often for minutes after a 429, and recovers', async () => {
    const { checks } = await play([...Array(20).fill(active), busy(), active], { deadline: 20 * MINUTE });
    const gaps = checks.slice(1).map(({ atMs }, index) => atMs - (checks[index]?.atMs ?? 0));
    const usual = gaps[18] ?? 0;
    expect(gaps[20]).toBeGreaterThan(4 * usual);
    for (const gap of gaps.slice(21, 36)) {
      expect(gap).toBeGreaterThan(1.9 * usual);
    }
    expect(gaps[42]).toBeLessThan(1.8 * usual);
    expect(gaps[52]).toBeLessThan(1.35 * usual);
  });

  it.each<[string, Check[], number]>([
    ['a job that is not there', [missing], 3],
    ['a wall in the way', [blocked], 3],
    ['nonsense', [nonsense], 5],
    ['one after the other', [nonsense, missing, blocked, nonsense, missing], 5],
    ['failures in between', [missing, broken, missing, busy(), missing], 5],
  ])('gives up on %s', async (_, answers, checks) => {
    const run = await play(answers);
    expect(run.result.kind).toBe('lost');
    expect(run.checks).toHaveLength(checks);
    expect(kinds(run.events)).toHaveLength(checks - 1);
  });

  it.each<[string, Check[]]>([
    ['twice', [missing, missing]],
    ['twice', [blocked, blocked]],
    ['four times', [nonsense, nonsense, nonsense, nonsense]],
    [
      'again and again',
      [missing, missing, active, missing, missing, active, nonsense, blocked, missing, blocked],
    ],
  ])('does not give up on a job that is unreadable %s', async (_, answers) => {
    expect((await play([...answers, completed])).result.kind).toBe('final');
  });

  it('takes a job that is not there yet for new', async () => {
    const { result, elapsedMs } = await play([missing], { notFoundGraceUntil: 61_000 });
    expect(result).toEqual({ kind: 'lost', detail: 'HTTP 404' });
    expect(elapsedMs).toBeGreaterThan(MINUTE);
    expect((await play([missing], { created: undefined, notFoundGraceUntil: 1_000 })).checks).toHaveLength(3);
    expect((await play([nonsense], { notFoundGraceUntil: 61_000 })).checks).toHaveLength(5);
  });

  it('ends at once when the service refuses', async () => {
    const { result, checks } = await play([{ kind: 'refused', detail: 'HTTP 401' }]);
    expect(result).toEqual({ kind: 'lost', detail: 'HTTP 401' });
    expect(checks).toHaveLength(1);
  });

  it('does not believe a final status that may be older than the follow-up', async () => {
    const options = { staleStatusUntil: 31_000, created: completed.job };
    const seenAtWork = await play([completed, active, completed], options);
    expect(seenAtWork.checks).toHaveLength(3);
    const never = await play([completed], options);
    expect(never.result.kind).toBe('final');
    expect(never.elapsedMs).toBeGreaterThanOrEqual(30_000);
    expect(never.elapsedMs).toBeLessThan(40_000);
    expect((await play([completed], { ...options, staleStatusUntil: 10_000 })).elapsedMs).toBe(9_000);
    expect((await play([completed], { ...options, created: undefined })).elapsedMs).toBeGreaterThan(29_000);
    const answeredAtWork = await play([completed], { ...options, created: active.job });
    expect(answeredAtWork.checks).toHaveLength(1);
    const hasty = await play([completed], { ...options, deadline: 5_000 });
    expect(hasty.result.kind).toBe('final');
    expect(hasty.elapsedMs).toBe(5_000);
  });

  it('is content with one look where that is all', async () => {
    const options = { pollOnce: true, created: undefined };
    expect((await play([active], options)).result).toEqual({ kind: 'open' });
    expect((await play([completed], options)).result.kind).toBe('final');
    expect((await play([broken, active], options)).checks).toHaveLength(2);
  });

  it('ends at once when it is cancelled, in a sleep or in a check', async () => {
    const inSleep = new AbortController();
    const slept = await play([active], { abort: inSleep, onSleep: () => inSleep.abort() });
    expect(slept.result).toEqual({ kind: 'cancelled' });
    expect(slept.checks).toHaveLength(0);
    const inCheck = new AbortController();
    const cancelled = await play(
      [
        () => {
          inCheck.abort();
          return broken;
        },
      ],
      { abort: inCheck },
    );
    expect(cancelled.result).toEqual({ kind: 'cancelled' });
    expect(kinds(cancelled.events)).toEqual([]);
  });

  it('believes a final answer that came with the cancel', async () => {
    const abort = new AbortController();
    const { result } = await play(
      [
        () => {
          abort.abort();
          return completed;
        },
      ],
      { abort },
    );
    expect(result.kind).toBe('final');
  });
});

describe('createPollSchedule', () => {
  const pace = (intervalMs: number, random = 0.5) => createPollSchedule(intervalMs, () => random);

  it.each([
    [0, 9_000],
    [4, 7_000],
    [8, 5_000],
    [18, 4_300],
    [28, 3_600],
    [29.5, 6_450],
    [31, 9_300],
    [65.5, 9_075],
    [100, 8_850],
    [200, 9_425],
    [300, 10_000],
    [650, 11_050],
    [1_000, 12_100],
    [20_000, 12_100],
  ])('after %f s sleeps %f ms at the usual interval', (seconds, ms) => {
    expect(pace(10_000).next(seconds * 1000)).toBeCloseTo(ms, 3);
  });

  it('follows the poll interval, and never falls below a second', () => {
    expect(pace(300_000).next(100_000)).toBeCloseTo(30 * pace(10_000).next(100_000), 3);
    expect(pace(1_000).next(20_000)).toBe(1_000);
    expect(pace(1_000, 0).next(20_000)).toBe(1_000);
  });

  it.each([
    [0, 0.7, 0.95],
    [1, 1.3, 1.05],
  ])('with chance at %f makes the first sleep %f times as long, others %f times', (random, first, other) => {
    const spread = pace(10_000, random);
    const usual = pace(10_000).next(60_000);
    expect(spread.next(60_000)).toBeCloseTo(first * usual, 3);
    expect(spread.next(60_000)).toBeCloseTo(other * usual, 3);
  });

  it('doubles at most three times, waits three to nine minutes, and recovers by a fourteenth at a time', () => {
    const slow = pace(10_000);
    const at = 100_000;
    slow.recover(at);
    expect(slow.next(at)).toBeLessThan(10_000);
    slow.slowDown(at);
    expect(slow.next(at)).toBeCloseTo(20_000, 3);
    expect(slow.next(10_000)).toBeCloseTo(20_000, 3);
    for (let time = 0; time < 5; time += 1) {
      slow.slowDown(at);
    }
    expect(slow.next(at)).toBeCloseTo(80_000, 3);
    slow.recover(at + 6 * MINUTE - 1);
    expect(slow.next(at)).toBeCloseTo(80_000, 3);
    slow.recover(at + 6 * MINUTE);
    expect(slow.next(at)).toBeCloseTo(74_400, 3);
    for (let time = 0; time < 40; time += 1) {
      slow.recover(at + 6 * MINUTE);
    }
    expect(slow.next(at)).toBeLessThan(10_000);
  });

  it('is slow for a time by chance, and spreads its checks further then', () => {
    for (const [random, share, minutes] of [
      [0, 0.7, 3],
      [1, 1.3, 9],
    ] as const) {
      const slow = pace(10_000, random);
      slow.slowDown(0);
      slow.next(0);
      expect(slow.next(0)).toBeCloseTo(share * 20_000, 3);
      slow.recover(minutes * MINUTE - 1);
      expect(slow.next(0)).toBeCloseTo(share * 20_000, 3);
      slow.recover(minutes * MINUTE);
      expect(slow.next(0)).toBeCloseTo(share * 18_600, 3);
    }
  });

  it('slows a long poll interval down to five minutes, or not at all', () => {
    const minute = pace(MINUTE);
    minute.slowDown(0);
    minute.slowDown(0);
    minute.slowDown(0);
    expect(minute.next(100_000)).toBe(5 * MINUTE);
    const long = pace(300_000);
    long.slowDown(0);
    expect(long.next(MINUTE)).toBe(5 * MINUTE);
    expect(long.next(1_800_000)).toBeCloseTo(1.21 * 5 * MINUTE, 3);
  });

  it('pauses as long as it is told, or forty seconds, and up to an interval longer', () => {
    for (const [retryAfterMs, shortest, middle, longest] of [
      [0, 6_510, 9_300, 24_180],
      [60_000, 60_000, 64_650, 72_090],
      [undefined, 40_000, 44_650, 52_090],
    ] as const) {
      expect(pace(10_000, 0).pause(31_000, retryAfterMs)).toBeCloseTo(shortest, 3);
      expect(pace(10_000).pause(31_000, retryAfterMs)).toBeCloseTo(middle, 3);
      expect(pace(10_000, 1).pause(31_000, retryAfterMs)).toBeLessThanOrEqual(longest);
    }
  });
});
