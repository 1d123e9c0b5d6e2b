import { expect, it } from 'vitest';
import { createPollLog } from '../../../src/report/log.ts';
import type { PollEvent } from '../../../src/state/run-state.ts';
import { toPlainText } from '../../../src/text/message.ts';
import { createTestJob, MINUTE } from '../fixtures.ts';

const tick: PollEvent = { kind: 'tick' };
const failed: PollEvent = { kind: 'failed', detail: 'HTTP 502', isLast: false };
const paused: PollEvent = { kind: 'paused', delayMs: 45_000, detail: 'HTTP 429' };
const read = (status: string): PollEvent => ({ kind: 'read', job: createTestJob({ status }) });

/** Returns the lines for these events, one step of the clock apart. */
function play(events: readonly PollEvent[], { stepMs = 1_000 } = {}): string[] {
  const lines: string[] = [];
  let now = 5_000;
  const deadline = now + 30 * MINUTE;
  const getRemainingMs = (): number => deadline - now;
  const logPoll = createPollLog(createTestJob(), getRemainingMs, (line) => {
    lines.push(toPlainText(line, String));
  });
  for (const event of events) {
    now += stepMs;
    logPoll(event);
  }
  return lines;
}

const times = (count: number, event: PollEvent): PollEvent[] => Array(count).fill(event);

const changes = ['active', 'active', 'completed', 'completed', 'active', 'completed'].map(read);
const unknown = ['queued', 'completed', 'paused', 'queued'].map(read);
const shown = ['queued', 'completed', 'paused', 'queued'];
const changed = ['status completed', 'status active', 'status completed'];
const left = (...minutes: number[]): string[] =>
  minutes.map((min) => `status active; ${min} min left`);

it.each<[string, PollEvent[], Parameters<typeof play>[1], string[]]>([
  ['each change of the status', changes, {}, changed],
  ['nothing for the status that the create returned', [read('active')], {}, []],
  ['every unknown status', unknown, {}, shown.map((status) => `status ${status}`)],
  ['a heartbeat once a minute in a sleep', times(10, tick), { stepMs: 15_000 }, left(29, 28)],
])('logs %s', (_, events, settings, lines) => {
  expect(play(events, settings)).toEqual(lines);
});

it('logs a failure that repeats only once, a pause, and when polls succeed again', () => {
  const other: PollEvent = { ...failed, detail: 'HTTP 404' };
  const last: PollEvent = { ...failed, isLast: true };
  const events = [failed, failed, other, failed, read('active'), read('active'), failed];
  const words = play([...events, paused, paused, last]).map((line) => /HTTP \d+/.exec(line)?.[0]);
  const [bad, none, busy] = ['HTTP 502', 'HTTP 404', 'HTTP 429'];
  expect(words).toEqual([bad, none, bad, undefined, bad, busy, busy, bad]);
});

it('logs at most 20 failures and statuses, then a heartbeat', () => {
  expect(play(times(100, paused), { stepMs: 0 })).toHaveLength(20);
  expect(play(Array(50).fill(changes).flat(), { stepMs: 0 })).toHaveLength(20);
});
