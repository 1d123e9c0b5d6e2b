import { describe, expect, it } from 'vitest';
import {
  code,
  joinMessages,
  link,
  type Message,
  message,
  toMarkdown,
  toPlainText,
} from '../../../src/text/message.ts';

const LINK = 'https://x/1';

describe('a message', () => {
  it.each<[string, Message, string, string]>([
    ['our own text', message`Set it to 5.`, 'Set it to 5.', 'Set it to 5.'],
    ['code', message`${code('job-id')} is *set*.`, '`job-id` is *set*.', '`job-id` is \\*set\\*.'],
    ['a link', message`See ${link(LINK)}.`, `See ${LINK}.`, `See [https:\u2060//x/1](${LINK}).`],
    ['untrusted text', message`It said: ${'*no* `'}.`, "It said: *no* '.", "It said: \\*no\\* '."],
    ['untrusted lines', message`(${' a\n##[debug]b '})`, '(a\\n# #[debug]b)', '(a\\\\n\\# \\#\\[debug\\]b)'],
    ['another message', message`a ${message`b ${code('c')}`} d`, 'a b `c` d', 'a b `c` d'],
    ['nothing', message`${[]}`, '', ''],
    ['text between two insertions', message`${code('a')} ${code('b')}`, '`a` `b`', '`a` `b`'],
    ['code that ends a code span', code('a`*b*'), "`a'*b*`", "a'\\*b\\*"],
    ['long code', code('x'.repeat(101)), `\`${'x'.repeat(101)}\``, 'x'.repeat(101)],
    ['code of 100 characters', code('x'.repeat(100)), `\`${'x'.repeat(100)}\``, `\`${'x'.repeat(100)}\``],
    ['empty code', code(''), '``', ''],
    ['several sentences', joinMessages(message`A.`, message`B.`, message`C.`), 'A. B. C.', 'A. B. C.'],
  ])('shows %s in a log and in Markdown', (_, given, plain, markdown) => {
    expect([toPlainText(given), toMarkdown(given)]).toEqual([plain, markdown]);
  });

  it('cuts untrusted text to 300 characters', () => {
    const long = 'x'.repeat(301);
    const cut = `${'x'.repeat(299)}…`;
    expect([toPlainText(message`${long}`), toMarkdown(message`${long}`)]).toEqual([cut, cut]);
    expect([toPlainText(code(long)), toMarkdown(code(long))]).toEqual([`\`${cut}\``, cut]);
  });
});
