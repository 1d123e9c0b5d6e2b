import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/http/retry-after.ts';

describe('parseRetryAfter', () => {
  const date = 'Fri, 20 Nov 2026 18:30:00 GMT';

  it.each([
    ['0', 0],
    ['3', 3_000],
    ['999999999', 999_999_999_000],
    ['Fri, 20 Nov 2026 18:30:45 GMT', 45_000],
    ['Fri, 20 Nov 2026 18:29:00 GMT', 0],
  ])('reads %s as %i ms', (value, ms) => {
    expect(parseRetryAfter(value, date)).toBe(ms);
  });

  const numbers = [' 3', '3 ', '-1', '+3', '3.5', '1e3', '0x10', '3s', '3, 4', '３', '1234567890'];
  const dates = [
    'Fri, 31 Feb 2026 18:30:45 GMT',
    'Thu, 20 Nov 2026 18:30:45 GMT',
    'Fri, 20 Nov 2026 18:30:45 +0000',
    'Friday, 20-Nov-26 18:30:45 GMT',
    'Sat, 13 Sep 275760 00:00:00 GMT',
  ];
  it.each([undefined, '', 'soon', ...numbers, ...dates])('ignores %o', (value) => {
    expect(parseRetryAfter(value, date)).toBeUndefined();
  });

  it.each([undefined, '', 'now', '2026-11-20T18:30:00Z', 'Fri Nov 20 18:30:00 2026'])(
    'does not compare a date with %o',
    (other) => {
      expect(parseRetryAfter('Fri, 20 Nov 2026 18:30:45 GMT', other)).toBeUndefined();
      expect(parseRetryAfter('5', other)).toBe(5_000);
    },
  );
});
