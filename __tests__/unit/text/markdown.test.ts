import { expect, it } from 'vitest';
import { escapeMarkdown } from '../../../src/text/markdown.ts';

/** Returns a secret in the forms that the runner masks, besides its encodings in base64 and URLs. */
function getMasks(secret: string): string[] {
  const entities: string[][] = [
    ['&', '&amp;'],
    ['<', '&lt;'],
    ['>', '&gt;'],
    ['"', '&quot;'],
    ["'", '&apos;'],
  ];
  const xml = entities.reduce((text, [from = '', to = '']) => text.replaceAll(from, to), secret);
  return [secret, xml];
}

it.each(['ghp_0aB_c1', "it's_1", 'a"b', 'R&D', `<a&b>"c'd`, 'a.b-c/d+e=='])(
  'the runner finds the secret %s in text that is escaped',
  (secret) => {
    for (const text of [secret, `say ${secret}, or <b> & 'more'`]) {
      const escaped = escapeMarkdown(text);
      expect(getMasks(secret).some((mask) => escaped.includes(mask))).toBe(true);
    }
  },
);

// property/text.test.ts shows that escaped text renders as text.
it.each([
  ['Add *all* the _things_', 'Add \\*all\\* the \\_things\\_'],
  ['snake_case __init__', 'snake_case \\_\\_init\\_\\_'],
  ["it's <b>", 'it&apos;s &lt;b&gt;'],
  ['<a href="x">&amp;</a>', '&lt;a href=&quot;x&quot;&gt;&amp;amp;&lt;/a&gt;'],
  [`it's "b"`, `it's "b"`],
  ['- no list', '\\- no list'],
  ['https://x.y', 'https<span>:</span>//x.y'],
  ['a\nb', 'a\\\\nb'],
  // A dollar sign never starts a formula.
  ['$x^2$', '<span>$</span>x^2<span>$</span>'],
  ['$`x`$', '<span>$</span>\\`x\\`<span>$</span>'],
])('escapeMarkdown writes %o as %o', (text, escaped) => {
  expect(escapeMarkdown(text)).toBe(escaped);
});
