import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/http/retry-after.ts';

describe('parseRetryAfter', () => {
  const date = 'Fri, 20 Nov 2026 18:30:00 GMT';

  it.each([
    ['0', 0],
    ['3', 3_000],
    ['007', 7_000],
    ['999999999', 999_999_999_000],
    ['Fri, 20 Nov 2026 18:30:45 GMT', 45_000],
    ['Fri, 20 Nov 2026 18:29:00 GMT', 0],
    ['Sat, 21 Nov 2026 18:30:00 GMT', 86_400_000],
  ])('reads %s as %i ms', (value, ms) => {
    expect(parseRetryAfter(value, date)).toBe(ms);
  });

  it.each<[string, (string | undefined)[]]>([
    ['an empty field', [undefined, '']],
    [
      'a number of other characters than digits',
      [' 3', '3 ', '-1', '+3', '3.5', '1e3', '0x10', '3s', '3, 4', '３'],
    ],
    ['too many digits', ['1234567890']],
    ['another kind of text', ['soon', '2026-11-20T18:30:45Z']],
    ['a day that does not exist', ['Fri, 31 Feb 2026 18:30:45 GMT']],
    ['another weekday', ['Thu, 20 Nov 2026 18:30:45 GMT']],
    ['another time zone', ['Fri, 20 Nov 2026 18:30:45 +0000']],
    ['an obsolete form', ['Friday, 20-Nov-26 18:30:45 GMT', 'Fri Nov 20 18:30:45 2026']],
    ['a year of two digits', ['Fri, 20 Nov 26 18:30:45 GMT']],
    ['a year of six digits', ['Sat, 13 Sep 275760 00:00:00 GMT']],
    ['a date in lower case', ['fri, 20 nov 2026 18:30:45 gmt']],
  ])('ignores %s', (_, values) => {
    for (const value of values) expect(parseRetryAfter(value, date), value).toBeUndefined();
  });

  it.each([undefined, '', 'now', '2026-11-20T18:30:00Z', 'Fri Nov 20 18:30:00 2026'])(
    'does not compare a date with %o',
    (other) => {
      expect(parseRetryAfter('Fri, 20 Nov 2026 18:30:45 GMT', other)).toBeUndefined();
      expect(parseRetryAfter('5', other)).toBe(5_000);
    },
  );
});
