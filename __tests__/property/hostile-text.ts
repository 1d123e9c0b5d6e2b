import fc from 'fast-check';

const spaces = ['\n', '\r', '\r\n', '\t', ' ', '    ', '\0', '\u001b[31m', '\u2028', '\ufeff'];
const commands = [
  '::set-output name=a::b',
  '##[add-mask]x',
  '::stop-commands::t',
  '::error file=a::x',
];
const addresses = 'https://evil.example www.evil.example me@evil.example mailto:a@b.c http://';
const lines = ['# ', '> ', '- ', '+ ', '1. ', '1) ', '- [ ] '];
const markup =
  ':: ##[ %0A %3A%3A * _ ` `code` ``` ~~ | < > & &#60; \\ ! ( ) ](x) ![a](b) [a](b) --- *** <b> </details> <!-- <script> [x]: [^1] @everyone #1 :smile:';
const characters =
  ': # [ . , - + = { } $ $$ $x^2$ \' " a Z 0 ٣ é ﬁ 📖 \u0301 \ud800 \udc00 \u202e \u200b';
const pieces = [
  ...spaces,
  ...commands,
  ...lines,
  ...`${addresses} ${markup} ${characters}`.split(' '),
];

const piece = fc.constantFrom(...pieces);
/** Any code point. The unit `binary` would take half a second to list them all. */
const codePoint = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));

/** Text of any kind, with many characters that are special to parsers. */
export const hostileText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: piece, maxLength: 24 }),
  fc.string({ unit: fc.oneof(piece, fc.string({ unit: codePoint, maxLength: 4 })), maxLength: 24 }),
);
