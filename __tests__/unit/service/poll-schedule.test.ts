import { describe, expect, it } from 'vitest';
import { createPollSchedule } from '../../../src/service/poll-schedule.ts';
import { MINUTE } from '../fixtures.ts';

function create(intervalMs: number, random = 0.5) {
  return createPollSchedule(intervalMs, () => random);
}

const limit = { reason: 'rate-limited' } as const;

describe('createPollSchedule', () => {
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
  ])('at %f s after the start, waits for %f ms at the usual interval', (seconds, ms) => {
    expect(create(10_000)(seconds * 1000)).toBeCloseTo(ms, 3);
  });

  it('follows the poll interval, with pauses of at least a second', () => {
    expect(create(300_000)(100_000)).toBeCloseTo(30 * create(10_000)(100_000), 3);
    expect(create(1_000)(20_000)).toBe(1_000);
    expect(create(1_000, 0)(20_000)).toBe(1_000);
  });

  it.each([
    [0, 0.7, 0.95],
    [1, 1.3, 1.05],
  ])(
    'with random %f, multiplies the first delay by %f and others by %f',
    (random, first, other) => {
      const spread = create(10_000, random);
      const usual = create(10_000)(MINUTE);
      expect(spread(MINUTE)).toBeCloseTo(first * usual, 3);
      expect(spread(MINUTE)).toBeCloseTo(other * usual, 3);
    },
  );

  it('doubles the interval at most three times, for six minutes, and recovers step by step', () => {
    const delay = create(10_000);
    const at = 100_000;
    expect(delay(at)).toBeLessThan(10_000);
    delay(at, limit);
    expect(delay(at)).toBeCloseTo(20_000, 3);
    expect(delay(10_000)).toBeCloseTo(20_000, 3);
    for (let time = 0; time < 5; time += 1) {
      delay(at, limit);
    }
    delay(at + 6 * MINUTE - 1);
    expect(delay(at)).toBeCloseTo(80_000, 3);
    delay(at + 6 * MINUTE);
    expect(delay(at)).toBeCloseTo(74_400, 3);
    for (let time = 0; time < 40; time += 1) {
      delay(at + 6 * MINUTE);
    }
    expect(delay(at)).toBeLessThan(10_000);
  });

  it.each([
    [0, 0.7, 3],
    [1, 1.3, 9],
  ])(
    'with random %f, multiplies the interval by %f while it backs off for %i min',
    (random, by, minutes) => {
      const delay = create(10_000, random);
      delay(0, limit);
      expect(delay(0)).toBeCloseTo(by * 20_000, 3);
      delay(minutes * MINUTE - 1);
      expect(delay(0)).toBeCloseTo(by * 20_000, 3);
      delay(minutes * MINUTE);
      expect(delay(0)).toBeCloseTo(by * 18_600, 3);
    },
  );

  it('waits at most five minutes, and never shortens a long interval', () => {
    const minute = create(MINUTE);
    const long = create(300_000);
    for (const delay of [minute, minute, minute, long]) {
      delay(0, limit);
    }
    expect(minute(100_000)).toBe(5 * MINUTE);
    expect(long(MINUTE)).toBe(5 * MINUTE);
    expect(long(350_000)).toBeGreaterThan(5 * MINUTE);
  });

  it.each([
    [0, 14_000, 20_000, 26_000],
    [60_000, 60_000, 70_000, 86_000],
    [undefined, 40_000, 50_000, 66_000],
  ])(
    'pauses for at least %s ms or 40 s, plus up to an interval',
    (retryAfterMs, low, middle, high) => {
      const pause = { ...limit, retryAfterMs };
      expect(create(10_000, 0)(31_000, pause)).toBeCloseTo(low, 3);
      expect(create(10_000)(31_000, pause)).toBeCloseTo(middle, 3);
      expect(create(10_000, 1)(31_000, pause)).toBeLessThanOrEqual(high);
    },
  );
});
