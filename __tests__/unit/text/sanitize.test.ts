import { expect, it, vi } from 'vitest';
import { parseJob } from '../../../src/service/job.ts';
import { message, toMarkdown } from '../../../src/text/message.ts';
import { sanitize, showLines, truncate } from '../../../src/text/sanitize.ts';

it.each([
  ['plain text – ünïcode 📖', 'plain text – ünïcode 📖'],
  ['::set-output name=a::b', ': :set-output name=a: :b'],
  ['###[x', '## #[x'],
  ['a\nb\r\nc', 'a\\nb\\r\\nc'],
  ['a\u0000b', 'a<U+0000>b'],
  ['\u001b[31m', '<U+001B>[31m'],
  ['a\u202eb', 'a<U+202E>b'],
  ['a:\u200b:b', 'a:<U+200B>:b'],
  ['a\u2028b\u2029', 'a<U+2028>b<U+2029>'],
  ['\u{e0041}\u{e0100}\u{e0fff}', '<U+E0041><U+E0100><U+E0FFF>'],
  ['\u034f\u061c\u180b\u180f\u2065\ufff0', '<U+034F><U+061C><U+180B><U+180F><U+2065><U+FFF0>'],
  ['⚠\ufe0f 📖\ufe0f', '⚠\ufe0f 📖\ufe0f'],
  ['⚠\ufe0f\ufe0f⚠\ufe0e a\ufe0f1\ufe0f', '⚠\ufe0f<U+FE0F>⚠<U+FE0E> a<U+FE0F>1<U+FE0F>'],
  ['\ud800', '\ufffd'],
])('shows %o as %o', (text, shown) => {
  expect(sanitize(text)).toBe(shown);
});

it('cuts to 500 characters, or to the limit', () => {
  expect(sanitize('x'.repeat(500))).toBe('x'.repeat(500));
  expect(sanitize('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`);
  expect(sanitize('abcdef', 4)).toBe('abc…');
});

it.each([
  ['abcde', 4, 'abc…'],
  ['ab📖def', 4, 'ab…'],
  ['a📖def', 4, 'a📖…'],
  ['a📖b', 3, 'a…'],
])('truncate cuts %o at %i characters to %o', (text, limit, cut) => {
  expect(truncate(text, limit)).toBe(cut);
});

it('only the start of a huge text is redacted', () => {
  const redactShort = vi.fn((text: string) => text);
  const huge = 'x'.repeat(1_000_000);
  expect(showLines(huge, redactShort, 9, 1)).toEqual(['xxxxxxxxx', expect.stringContaining('…')]);
  expect(toMarkdown(message`${huge}`, redactShort)).toMatch(/^x{299}…$/);
  const reply = { id: 'job_1', status: huge, prLink: huge };
  expect(parseJob(reply, redactShort)?.status).toMatch(/^x{255}…$/);
  const lengths = redactShort.mock.calls.map(([text]) => text.length);
  expect(Math.max(...lengths)).toBeLessThan(40_000);
});

const redact = (text: string): string => text.replaceAll('secret', '***');
it.each([
  ['keeps the lines apart and sanitizes each', 'a\n::b\r\nc\rd', 100, ['a', ': :b', 'c', 'd']],
  ['adds the length of a text that it cuts', '123456', 5, ['12345', '… (6 characters in total)']],
  ['cuts to a number of lines', 'a\n'.repeat(5), 100, [...'aaaa', '… (10 characters in total)']],
  ['redacts before it cuts', 'secretsecretbc', 7, ['******b', '… (14 characters in total)']],
])('showLines %s', (_, text, limit, lines) => {
  expect(showLines(text, redact, limit, 4)).toEqual(lines);
});
