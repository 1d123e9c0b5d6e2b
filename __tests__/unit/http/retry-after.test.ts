import { expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/http/retry-after.ts';

const DATE = 'Fri, 20 Nov 2026 18:30:00 GMT';
const NOW_MS = Date.parse('2026-11-20T18:29:00Z');

function parse(...fields: string[]): number | undefined {
  return parseRetryAfter(fields, DATE, NOW_MS);
}

it.each([
  ['0', 0],
  ['007', 7_000],
  ['9999999999', 9_999_999_999_000],
  ['9'.repeat(400), Number.POSITIVE_INFINITY],
  ['Fri, 20 Nov 2026 18:30:45 GMT', 45_000],
  ['Tue, 01 Dec 2026 18:30:00 GMT', 11 * 24 * 3_600_000],
  ['Fri, 20 Nov 2026 18:29:00 GMT', 0],
  ['Friday, 20-Nov-26 18:30:45 GMT', 45_000],
  ['Wednesday, 02-Dec-26 18:30:00 GMT', 12 * 24 * 3_600_000],
  ['Fri Nov 20 18:30:45 2026', 45_000],
  ['Tue Dec  1 18:30:00 2026', 11 * 24 * 3_600_000],
  ['Wed Dec 02 18:30:00 2026', 12 * 24 * 3_600_000],
])('reads %s as %d ms', (value, ms) => {
  expect(parse(value)).toBe(ms);
});

const numbers = [' 3', '3 ', '-1', '+3', '3.5', '1e3', '0x10', '3s', '3, 4', '３'];
const dates = [
  'Fri, 31 Feb 2026 18:30:45 GMT',
  'Thu, 20 Nov 2026 18:30:45 GMT',
  'Fri, 20 Nov 2026 18:30:45 +0000',
  'Fri, 20 Nov 2026 18:30:99 GMT',
  'fri, 20 nov 2026 18:30:45 gmt',
  'Thursday, 20-Nov-26 18:30:45 GMT',
  'Fri, 20-Nov-26 18:30:45 GMT',
  'Friday, 20-Nov-2026 18:30:45 GMT',
  'Friday, 20-Nov-26 18:30:45',
  'Thu Nov 20 18:30:45 2026',
  'Fri Nov 20 18:30:45 GMT 2026',
  'Tue Dec 1 18:30:00 2026',
  'Sat, 13 Sep 275760 00:00:00 GMT',
  '2026-11-20T18:30:45Z',
  'Invalid Date',
];
it.each(['', 'soon', ...numbers, ...dates])('ignores %o', (value) => {
  expect(parse(value)).toBeUndefined();
  expect(parse(value, '3')).toBe(3_000);
});

it('takes the longest of several fields', () => {
  expect(parse()).toBeUndefined();
  expect(parse('5', '60', '5')).toBe(60_000);
  expect(parse('5', 'Fri, 20 Nov 2026 18:30:45 GMT')).toBe(45_000);
});

it.each([undefined, '', 'now', '2026-11-20T18:30:00Z', 'Fri, 20-Nov-26 18:30:00 GMT'])(
  'compares a date with our clock if the response has the date %o',
  (other) => {
    const fields = ['Fri, 20 Nov 2026 18:30:45 GMT'];
    expect(parseRetryAfter(fields, other, NOW_MS)).toBe(105_000);
  },
);

it.each(['Friday, 20-Nov-26 18:30:00 GMT', 'Fri Nov 20 18:30:00 2026'])(
  'compares a date with the date %o of the response',
  (other) => {
    expect(parseRetryAfter(['Fri Nov 20 18:30:45 2026'], other, NOW_MS)).toBe(45_000);
  },
);
