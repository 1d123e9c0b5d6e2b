import { expect, it } from 'vitest';
import {
  code,
  link,
  type Message,
  message,
  toMarkdown,
  toPlainText,
} from '../../../src/text/message.ts';

const LINK = 'https://x/1';
const show = (text: Message) => [toPlainText(text, String), toMarkdown(text, String)];

it.each<[string, Message, string, string]>([
  ['our own text', message`Set it to 5.`, 'Set it to 5.', 'Set it to 5.'],
  ['code', message`${code('job-id')} is *set*.`, '`job-id` is *set*.', '`job-id` is \\*set\\*.'],
  ['a link', message`See ${link(LINK)}.`, `See ${LINK}.`, `See <${LINK}>.`],
  ['untrusted text', message`It said: ${'*no* `'}.`, "It said: *no* '.", "It said: \\*no\\* '."],
  ['code that ends a code span', code('a`*b*'), "`a'*b*`", "`a'*b*`"],
  ['code that ends a table cell', code('a|*'), '`a|*`', 'a\\|\\*'],
  ['invisible code', code('a\u{e0100}'), '`a<U+E0100>`', '`a<U+E0100>`'],
  ['long code', code('x'.repeat(101)), `\`${'x'.repeat(101)}\``, 'x'.repeat(101)],
  ['empty code', code(''), '``', ''],
])('a message shows %s in a log and in Markdown', (_, given, plain, markdown) => {
  expect(show(given)).toEqual([plain, markdown]);
});

it('a message cuts untrusted text to 300 characters', () => {
  const long = 'x'.repeat(301);
  const cut = `${'x'.repeat(299)}…`;
  expect(show(message`${long}`)).toEqual([cut, cut]);
  expect(show(code(long))).toEqual([`\`${cut}\``, cut]);
});

it('a message is redacted before it is escaped or cut', () => {
  const redact = (text: string): string => text.replaceAll('a_b', '***');
  expect(toMarkdown(message`${'a_b'} ${code('a_b')} ${'x'.repeat(298)}${'a_b'}`, redact)).toBe(
    `\\*\\*\\* \`***\` ${'x'.repeat(298)}\\*\\*\\*`,
  );
});
