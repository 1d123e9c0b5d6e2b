import { describe, expect, it } from 'vitest';
import { getSingleValue, isEncoded } from '../../../src/http/header-field.ts';

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
  it.each([
    [undefined],
    [''],
    [' '],
    ['identity'],
    ['Identity'],
    [' IDENTITY\t'],
    ['identity, identity'],
    [', ,identity,'],
    [['identity', 'identity']],
    [['', 'Identity, identity']],
  ])('is false for %j', (lines) => {
    expect(isEncoded(lines)).toBe(false);
  });

  it.each([
    ['gzip'],
    ['GZip'],
    ['br'],
    ['identity, gzip'],
    ['gzip, identity'],
    ['identity gzip'],
    ['identity;q=1'],
    ['x'],
    ['none'],
    [['identity', 'gzip']],
  ])('is true for %j', (lines) => {
    expect(isEncoded(lines)).toBe(true);
  });
});
