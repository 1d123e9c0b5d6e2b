import { describe, expect, it } from 'vitest';
import type { PollEvent } from '../../../src/job/poll-job.ts';
import { createPollLog } from '../../../src/report/poll-log.ts';
import { createTestJob, MINUTE } from '../fixtures.ts';

const tick: PollEvent = { kind: 'tick' };
const failed: PollEvent = { kind: 'failed', detail: 'HTTP 502', isLast: false };
const paused: PollEvent = { kind: 'paused', delayMs: 45_000, detail: 'HTTP 429' };
const read = (status: string): PollEvent => ({ kind: 'read', job: createTestJob({ status }) });

/** The lines that events make, of which the first comes after one step of the clock; warnings begin with `!`. */
function play(events: readonly PollEvent[], { status = 'active', stepMs = 1_000 } = {}): string[] {
  const lines: string[] = [];
  let now = 5_000;
  const onEvent = createPollLog({
    now: () => now,
    deadline: now + 30 * MINUTE,
    status: status === '' ? undefined : status,
    log: (line) => lines.push(line),
    onUnknownStatus: (unknown) => lines.push(`! ${unknown}`),
  });
  for (const event of events) {
    now += stepMs;
    onEvent(event);
  }
  return lines;
}

const times = (count: number, event: PollEvent): PollEvent[] => Array(count).fill(event);

describe('createPollLog', () => {
  it('logs each change of the status once', () => {
    const statuses = ['active', 'active', 'completed', 'completed', 'active', 'completed'];
    expect(play(statuses.map(read))).toEqual(['status completed', 'status active', 'status completed']);
  });

  it('logs the first status unless the create returned it as `active`', () => {
    expect(play([read('active')], { status: 'active' })).toEqual([]);
    expect(play([read('active')], { status: '' })).toEqual(['status active']);
    expect(play([], { status: 'queued' })).toEqual(['status queued', '! queued']);
    expect(play([read('queued')], { status: 'queued' })).toEqual(['status queued', '! queued']);
  });

  it('warns of an unknown status once, and logs every one', () => {
    expect(play(['queued', 'completed', 'paused', 'queued'].map(read))).toEqual([
      'status queued',
      '! queued',
      'status completed',
      'status paused',
      'status queued',
    ]);
  });

  it.each<[number, PollEvent, number, string]>([
    [10, tick, 15_000, '29, 28'],
    [9, read('active'), 20_000, '29, 28, 27'],
  ])('says once a minute that it is still there: %i times %o', (count, event, stepMs, minutes) => {
    const expected = minutes.split(', ').map((left) => `still active, ${left} min left`);
    expect(play(times(count, event), { stepMs })).toEqual(expected);
  });

  it('has no status to show before the first record', () => {
    expect(play(times(4, tick), { stepMs: 15_000, status: '' })).toEqual(['no status yet, 29 min left']);
  });

  it('stays quiet for a minute after every other line', () => {
    const ticks = times(3, tick);
    const talking = [tick, failed, ...ticks, read('active'), ...ticks, read('completed'), tick];
    expect(play(talking, { stepMs: 15_000 })).toEqual([
      'a poll failed (HTTP 502), retrying',
      'polling recovered after 1 failure',
      'status completed',
    ]);
    expect(play(times(2, tick), { stepMs: 59_999 / 2 })).toEqual([]);
    expect(play(times(2, tick), { stepMs: MINUTE / 2 })).toHaveLength(1);
  });

  it('logs failures, pauses, and the recovery', () => {
    const last: PollEvent = { ...failed, isLast: true };
    expect(play([failed, paused, read('completed'), last])).toEqual([
      'a poll failed (HTTP 502), retrying',
      'the service asked to wait (HTTP 429), next poll in 45 s',
      'polling recovered after 2 failures',
      'status completed',
      'the last poll failed (HTTP 502)',
    ]);
  });

  it.each([
    [9, 9, 1],
    [10, 9, 0],
    [1_000, 9, 0],
  ])('makes of %i failures %i lines, and %i of the recovery', (count, failures, recoveries) => {
    const lines = play([...times(count, failed), read('active')], { stepMs: 0 });
    expect(lines.filter((line) => line.includes('failed'))).toHaveLength(failures);
    expect(lines.filter((line) => line.includes('recovered'))).toHaveLength(recoveries);
    const pauses = play(times(count, paused), { stepMs: 0 });
    expect(pauses).toHaveLength(failures);
  });

  it('keeps its heartbeat when it no longer logs failures', () => {
    const failures = times(100, failed).flatMap((event) => [event, tick]);
    const lines = play(failures, { stepMs: 10_000 });
    expect(lines.slice(9, 11)).toEqual(['still active, 26 min 10 s left', 'still active, 25 min 10 s left']);
  });

  it('makes at most 40 lines of a status that keeps changing', () => {
    const changes = Array.from({ length: 100 }, (_, index) => read(`s${index}`));
    const lines = play(changes, { stepMs: 0 });
    expect(lines.filter((line) => line.startsWith('status'))).toHaveLength(40);
  });

  it('shows untrusted text in at most 200 characters', () => {
    const long = `\`${'x'.repeat(300)}`;
    const shown = `'${'x'.repeat(198)}…`;
    const events = [{ ...failed, detail: long }, { ...paused, detail: long }, read(long), tick];
    expect(play(events, { stepMs: MINUTE })).toEqual([
      `a poll failed (${shown}), retrying`,
      `the service asked to wait (${shown}), next poll in 45 s`,
      'polling recovered after 2 failures',
      `status ${shown}`,
      `! ${createTestJob({ status: long }).status}`,
      `still ${shown}, 26 min left`,
    ]);
  });
});
