import { describe, expect, it } from 'vitest';
import { quote, sanitize, sanitizeLines, showInvisible, truncate } from '../../../src/text/sanitize.ts';

describe('sanitize', () => {
  it.each([
    ['plain text – ünïcode 📖', 'plain text – ünïcode 📖'],
    ['::set-output name=a::b', ': :set-output name=a: :b'],
    [':::', ': : :'],
    ['##[add-mask]x', '# #[add-mask]x'],
    ['###[x', '## #[x'],
    ['a\nb\r\nc', 'a\\nb\\r\\nc'],
    ['a\tb', 'a b'],
    ['a\u0000b', 'a<U+0000>b'],
    ['\u001b[31m', '<U+001B>[31m'],
    ['a\u202eb', 'a<U+202E>b'],
    ['a:\u200b:b', 'a:<U+200B>:b'],
    ['a\u2028b\u2029', 'a<U+2028>b<U+2029>'],
    ['a\u{e0041}b', 'a<U+E0041>b'],
    ['\u3164', '<U+3164>'],
    ['\ud800', '\ufffd'],
  ])('shows %o as %o', (text, shown) => {
    expect(sanitize(text)).toBe(shown);
  });

  it('cuts to 500 characters, or to the limit', () => {
    expect(sanitize('x'.repeat(500))).toBe('x'.repeat(500));
    expect(sanitize('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`);
    expect(sanitize('abcdef', 4)).toBe('abc…');
  });
});

describe('showInvisible', () => {
  it('keeps one line, of any length, and everything that can be seen', () => {
    expect(showInvisible(`::a\n${'x'.repeat(600)}`)).toBe(`::a\\n${'x'.repeat(600)}`);
  });
});

describe('truncate', () => {
  it.each([
    ['abcd', 4, 'abcd'],
    ['abcde', 4, 'abc…'],
    ['ab📖def', 4, 'ab…'],
    ['a📖def', 4, 'a📖…'],
    ['a📖b', 3, 'a…'],
    ['ab', 1, '…'],
  ])('cuts %o at %i to %o, but never through a character', (text, limit, cut) => {
    expect(truncate(text, limit)).toBe(cut);
  });
});

describe('quote', () => {
  it('returns text for the middle of a sentence: trimmed, cut, and without backticks', () => {
    expect(quote(' a `b` c\n', 100)).toBe("a 'b' c");
    expect(quote('abcdef', 4)).toBe('abc…');
  });
});

describe('sanitizeLines', () => {
  it('keeps the lines apart and sanitizes each', () => {
    expect(sanitizeLines('a\n::b\r\nc\rd', 100, 10)).toEqual(['a', ': :b', 'c', 'd']);
    expect(sanitizeLines('12345', 5, 1)).toEqual(['12345']);
  });

  it('says how long the text was that it cuts', () => {
    expect(sanitizeLines('123456', 5, 10)).toEqual(['12345', '… (6 characters in all)']);
    expect(sanitizeLines('a\nb\nc', 100, 2)).toEqual(['a', 'b', '… (5 characters in all)']);
  });
});
