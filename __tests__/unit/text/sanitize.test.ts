import { describe, expect, it } from 'vitest';
import {
  escapeHtml,
  escapeMarkdown,
  formatDuration,
  isSecureOrigin,
  parsePullRequestNumber,
  quote,
  sanitize,
  sanitizeLines,
  sanitizeLink,
} from '../../../src/text/sanitize.ts';

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

  it('cuts to 500 characters, or to the limit, and never through a character', () => {
    expect(sanitize('x'.repeat(500))).toBe('x'.repeat(500));
    expect(sanitize('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`);
    expect(sanitize('abcdef', 4)).toBe('abc…');
    expect(sanitize('ab📖def', 4)).toBe('ab…');
    expect(sanitize('a📖def', 4)).toBe('a📖…');
  });
});

describe('quote', () => {
  it('leaves no backtick', () => {
    expect(quote('a `b` c', 100)).toBe("a 'b' c");
    expect(quote('abcdef', 4)).toBe('abc…');
  });
});

describe('sanitizeLines', () => {
  it('keeps the lines apart', () => {
    expect(sanitizeLines('a\n::b\r\nc\rd', 100, 10)).toEqual(['a', ': :b', 'c', 'd']);
    expect(sanitizeLines('12345', 5, 1)).toEqual(['12345']);
  });

  it('tells the length of what it cuts', () => {
    expect(sanitizeLines('123456', 5, 10)).toEqual(['12345', '… (6 characters in all)']);
    expect(sanitizeLines('a\nb\nc', 100, 2)).toEqual(['a', 'b', '… (5 characters in all)']);
  });
});

describe('escapeHtml', () => {
  it('escapes what HTML acts on, also in attributes', () => {
    expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
      '&#60;a href=&#34;x&#34; title=&#39;y&#39;&#62;&#38;amp;&#60;/a&#62;',
    );
  });
});

describe('escapeMarkdown', () => {
  it.each([
    ['Add *all* the _things_', 'Add \\*all\\* the \\_things\\_'],
    ['- no list', '\\- no list'],
    ['+ no list', '\\+ no list'],
    ['= no heading', '\\= no heading'],
    ['1. no list', '1\\. no list'],
    ['12) no list', '12\\) no list'],
    ['1234567890. text', '1234567890. text'],
    ['a - b + c = d', 'a - b + c = d'],
    ['https://x.y', 'https:\u2060//x.y'],
    ['WWW.x.y', 'WWW\u2060.x.y'],
    ['a|b', 'a\\|b'],
    ['~~a~~', '\\~\\~a\\~\\~'],
    ['# a', '\\# a'],
    ['> a', '\\> a'],
    ['<b> &amp; `c` [d] \\', '\\<b\\> \\&amp; \\`c\\` \\[d\\] \\\\'],
    ['me@example.com', 'me@\u2060example.com'],
    ['  a   b  ', 'a b'],
    ['The end.', 'The end.'],
    ['Time: now', 'Time: now'],
  ])('writes %o as %o', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });
});

describe('sanitizeLink', () => {
  it.each([
    ['https://github.com/acme/docs/pull/1', 'https://github.com/acme/docs/pull/1'],
    ['HTTPS://GitHub.com:443/a/../b', 'https://github.com/b'],
    ['https://git.example.com:8443/x?y=1#z', 'https://git.example.com:8443/x?y=1#z'],
    ['https://x/a(b)', 'https://x/a%28b%29'],
    ["https://x/$(id)'`;|*!", 'https://x/%24%28id%29%27%60%3B%7C%2A%21'],
    ['https://x/"<>', 'https://x/%22%3C%3E'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    [`https://x/${'a'.repeat(2038)}`, `https://x/${'a'.repeat(2038)}`],
  ])('cleans %o', (link, clean) => {
    expect(sanitizeLink(link)).toBe(clean);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://github.com/a',
    'https://me@github.com/a',
    'https://me:pw@github.com/a',
    'https://:pw@github.com/a',
    'https://x/a b',
    'https://x/a\n::error::b',
    'https://x/\u202ea',
    'https://x\\y',
    '//x/a',
    'https://',
    'https://!/a',
    'https://[::1]/a',
    '',
    'https://[::1]/a',
    'https://(x/a',
    'https://x(/a',
    ['https://x/a'],
    `https://x/${'a/../'.repeat(500)}`,
    `https://x/${'a'.repeat(2039)}`,
    `https://x/${'ä'.repeat(700)}`,
    7,
    null,
    undefined,
    {},
  ])('takes %o for no link', (link) => {
    expect(sanitizeLink(link)).toBeUndefined();
  });
});

describe('isSecureOrigin', () => {
  it.each([
    ['https://api.example.com', true],
    ['http://localhost:8080/a', true],
    ['http://127.0.0.1', true],
    ['http://127.10.255.3', true],
    ['http://[::1]:8080', true],
    ['http://api.example.com', false],
    ['http://localhost.example.com', false],
    ['http://notlocalhost', false],
    ['http://127.0.0.1.example.com', false],
    ['ftp://localhost', false],
  ])('of %s', (url, isSafe) => {
    expect(isSecureOrigin(new URL(url))).toBe(isSafe);
  });
});

describe('parsePullRequestNumber', () => {
  it.each([
    ['https://github.com/acme/docs/pull/123', '123'],
    ['https://git.example.com/acme/docs/pull/7/files', '7'],
    ['https://github.com/acme/docs/pull/7?a=b', '7'],
    ['https://github.com/acme/docs/pull/7#top', '7'],
    ['https://gitlab.com/a/b/c/-/merge_requests/42', '42'],
    ['https://github.com/acme/docs/pull/', undefined],
    ['https://github.com/acme/docs/pull/12x', undefined],
    ['https://github.com/acme/docs/pulls/12', undefined],
    ['https://github.com/acme/docs/issues/12', undefined],
    ['https://gitlab.com/a/b/merge_requests/42', undefined],
    ['https://github.com/acme/docs/pull/1234567890123', undefined],
    ['https://github.com/acme/docs/issues/5?x=/pull/1', undefined],
    ['https://github.com/acme/docs/issues/5#/pull/1', undefined],
    ['', undefined],
  ])('reads %s', (link, number) => {
    expect(parsePullRequestNumber(link)).toBe(number);
  });
});

describe('formatDuration', () => {
  it.each([
    [-5, '0 s'],
    [0, '0 s'],
    [499, '0 s'],
    [500, '1 s'],
    [59_400, '59 s'],
    [59_500, '1 min'],
    [61_000, '1 min 1 s'],
    [252_000, '4 min 12 s'],
    [1_800_000, '30 min'],
    [3_599_000, '59 min 59 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [21_600_000, '6 h'],
  ])('says %i ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
