import { expect, it } from 'vitest';
import { createPollSchedule } from '../../../src/time/retry.ts';
import { MINUTE } from '../fixtures.ts';

/** Without other numbers, random parts are in the middle. */
function create(intervalMs: number, random = 0.5) {
  return createPollSchedule(intervalMs, () => random);
}

const limit = { reason: 'rate-limited' } as const;

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

it('halves the rate of polls at each rate limit, down to an eighth', () => {
  const getDelay = create(10_000);
  const delays = [1, 2, 3, 4].map(() => getDelay({ ...limit, retryAfterMs: 0 }));
  expect(delays).toEqual([20_000, 40_000, 80_000, 80_000]);
});

it('returns to the usual rate in equal steps', () => {
  const getDelay = create(10_000);
  getDelay(limit);
  const delays = Array.from({ length: 52 }, () => getDelay());
  expect(delays.map((delayMs) => Math.round(1_000_000 / delayMs))).toEqual(
    Array.from({ length: 52 }, (_, index) => Math.min(100, 51 + index)),
  );
});

it.each([
  [MINUTE, 5 * MINUTE, 'at most five minutes'],
  [6 * MINUTE, 6 * MINUTE, 'never less than a longer interval'],
])('with an interval of %i ms, after four rate limits, waits for %i ms: %s', (intervalMs, ms) => {
  const getDelay = create(intervalMs, 0);
  const delays = [1, 2, 3, 4].map(() => getDelay({ ...limit, retryAfterMs: 0 }));
  expect(delays.at(-1)).toBe(ms);
});
