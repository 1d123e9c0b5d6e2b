import { expect, it } from 'vitest';
import { escapeHtml, escapeMarkdown } from '../../../src/text/markdown.ts';

it('escapeHtml escapes the special characters of HTML, including quotes', () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
    '&#60;a href=&#34;x&#34; title=&#39;y&#39;&#62;&#38;amp;&#60;/a&#62;',
  );
});

// property/text.test.ts shows that escaped text renders as text.
it.each([
  ['Add *all* the _things_', 'Add \\*all\\* the \\_things\\_'],
  ['- no list', '\\- no list'],
  ['https://x.y', 'https:\u2060//x.y'],
  ['a\nb', 'a\\\\nb'],
  // A dollar sign never starts a formula.
  ['$x^2$', '<span>$</span>x^2<span>$</span>'],
  ['$`x`$', '<span>$</span>\\`x\\`<span>$</span>'],
])('escapeMarkdown writes %o as %o', (text, escaped) => {
  expect(escapeMarkdown(text)).toBe(escaped);
});
