import { expect, it } from 'vitest';
import { formatDuration } from '../../../src/text/duration.ts';

it.each([
  [0, '0 s'],
  [499, '0 s'],
  [500, '1 s'],
  [59_500, '1 min'],
  [61_000, '1 min 1 s'],
  [1_800_000, '30 min'],
  [3_599_000, '59 min 59 s'],
  [3_600_000, '1 h'],
])('formatDuration formats %i ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
