import { describe, expect, it } from 'vitest';
import { createPollSchedule } from '../../../src/service/poll-schedule.ts';
import { MINUTE } from '../fixtures.ts';

const create = (intervalMs: number, random = 0.5) => createPollSchedule(intervalMs, () => random);

const limit = { reason: 'rate-limited' } as const;

describe('createPollSchedule', () => {
  it.each([
    [0, 0.7, 0.9],
    [0.5, 1, 1],
    [1, 1.3, 1.1],
  ])(
    'with random %f, waits for %f intervals before the first poll, and %f before others',
    (random, first, other) => {
      const getDelay = create(10_000, random);
      expect(getDelay()).toBeCloseTo(first * 10_000, 3);
      expect(getDelay()).toBeCloseTo(other * 10_000, 3);
    },
  );

  it('doubles the interval at each rate limit, up to eight times', () => {
    const getDelay = create(10_000);
    const afterLimit = [1, 2, 3, 4, 5].map(() => {
      getDelay(limit);
      return getDelay();
    });
    // Each call without a pause shrinks the interval by a tenth.
    expect(afterLimit.map(Math.round)).toEqual([18_000, 32_400, 58_320, 72_000, 72_000]);
  });

  it('returns to the usual interval step by step', () => {
    const getDelay = create(10_000);
    getDelay(limit);
    const delays = Array.from({ length: 7 }, () => Math.round(getDelay()));
    expect(delays).toEqual([18_000, 16_200, 14_580, 13_122, 11_810, 10_629, 10_000]);
  });

  it.each([
    [1_000, 0, 1_000, 'at least a second'],
    [MINUTE, 4, 5 * MINUTE, 'at most five minutes'],
    [6 * MINUTE, 1, 6 * MINUTE, 'never less than a longer interval'],
  ])(
    'with an interval of %i ms, after %i rate limits, waits for %i ms: %s',
    (intervalMs, limits, delayMs) => {
      const getDelay = create(intervalMs, limits === 0 ? 0 : 0.5);
      for (let count = 0; count < limits; count += 1) getDelay({ ...limit, retryAfterMs: 0 });
      expect(getDelay()).toBe(delayMs);
    },
  );
});
