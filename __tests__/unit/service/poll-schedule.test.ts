import { describe, expect, it } from 'vitest';
import { createPollSchedule } from '../../../src/service/poll-schedule.ts';
import { MINUTE } from '../fixtures.ts';

/** Without other numbers, random parts are in the middle. */
function create(intervalMs: number, random = 0.5) {
  return createPollSchedule(intervalMs, () => random);
}

const limit = { reason: 'rate-limited' } as const;

describe('createPollSchedule', () => {
  it.each([
    [0, 9_000],
    [0.5, 10_000],
    [1, 11_000],
  ])('with random %f, waits for %i ms of an interval of 10 seconds', (random, delayMs) => {
    const getDelay = create(10_000, random);
    expect([getDelay(), getDelay()].map(Math.round)).toEqual([delayMs, delayMs]);
  });

  it.each([
    [0, 60_000],
    [1, 80_000],
  ])('with random %f, waits for %i ms after a limit of a minute', (random, delayMs) => {
    expect(create(10_000, random)({ ...limit, retryAfterMs: MINUTE })).toBe(delayMs);
  });

  it('waits for 40 seconds or more if a limit does not say how long it lasts', () => {
    expect(create(10_000, 0)(limit)).toBe(40_000);
  });

  it('doubles the interval at each rate limit', () => {
    const getDelay = create(10_000);
    const afterLimit = [1, 2, 3].map(() => {
      getDelay(limit);
      return getDelay();
    });
    // Each call without a pause shrinks the interval by a tenth.
    expect(afterLimit.map(Math.round)).toEqual([18_000, 32_400, 58_320]);
  });

  it('returns to the usual interval step by step', () => {
    const getDelay = create(10_000);
    getDelay(limit);
    const delays = Array.from({ length: 8 }, () => Math.round(getDelay()));
    expect(delays).toEqual([18_000, 16_200, 14_580, 13_122, 11_810, 10_629, 10_000, 10_000]);
  });

  it.each([
    [MINUTE, 4, 4.5 * MINUTE, 'at most five minutes, less a tenth'],
    [6 * MINUTE, 1, 6 * MINUTE, 'never less than a longer interval'],
  ])(
    'with an interval of %i ms, after %i rate limits, waits for %i ms: %s',
    (intervalMs, limits, delayMs) => {
      const getDelay = create(intervalMs);
      for (let count = 0; count < limits; count += 1) getDelay({ ...limit, retryAfterMs: 0 });
      expect(getDelay()).toBe(delayMs);
    },
  );
});
