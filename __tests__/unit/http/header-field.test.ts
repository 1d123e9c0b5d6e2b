import { describe, expect, it } from 'vitest';
import { type FieldLines, getSingleValue, isEncoded } from '../../../src/http/header-field.ts';

describe('getSingleValue', () => {
  it.each([
    ['3', '3'],
    [' \t3 \t ', '3'],
    ['a \t b', 'a \t b'],
    [' \t ', ''],
    [['3'], '3'],
    [['3', '3 ', '\t3'], '3'],
    // White space that is not optional stays.
    ['\u00a03\u000b', '\u00a03\u000b'],
    [['3', '4'], undefined],
    [[], undefined],
    [undefined, undefined],
  ])('reads %j as %j', (lines, value) => {
    expect(getSingleValue(lines)).toBe(value);
  });

  it('trims a run of white space in the middle of a long value in linear time', () => {
    const value = `a${' '.repeat(1_000_000)}b`;
    const startMs = performance.now();
    expect(getSingleValue(value)).toBe(value);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });
});

describe('isEncoded', () => {
  it.each<[string, boolean, FieldLines[]]>([
    ['nothing', false, [undefined, '', ' ']],
    ['identity in any letter case', false, ['identity', 'Identity', ' IDENTITY\t']],
    ['identity in a list', false, ['identity, identity', ', ,identity,']],
    [
      'identity on several lines',
      false,
      [
        ['identity', 'identity'],
        ['', 'Identity, identity'],
      ],
    ],
    ['a coding', true, ['gzip', 'GZip', 'br', 'x', 'none']],
    ['a coding besides identity', true, ['identity, gzip', 'gzip, identity', ['identity', 'gzip']]],
    ['identity with something behind it', true, ['identity gzip', 'identity;q=1']],
  ])('%s: %o', (_, expected, fields) => {
    for (const lines of fields) expect(isEncoded(lines), String(lines)).toBe(expected);
  });
});
