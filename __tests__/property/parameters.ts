import fc from 'fast-check';

const seed = process.env['PROPERTY_SEED'];

/**
 * How often each property is tried: PROPERTY_RUNS times, 50 if unset. A failure prints its seed;
 * PROPERTY_SEED repeats that run.
 */
export const parameters = {
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? 50),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
};

const pieces = [
  ...[
    '::',
    '##[',
    ':',
    '#',
    '[',
    '\n',
    '\r',
    '\r\n',
    '\t',
    ' ',
    '\0',
    '\u001b[31m',
    '\u202e',
    '\u200b',
  ],
  ...['\u2028', '\ufeff', '::set-output name=a::b', '##[add-mask]x', '::stop-commands::t'],
  ...[
    '::error file=a,line=1::x',
    '%0A',
    '%3A%3A',
    '*',
    '_',
    '`',
    '`code`',
    '```',
    '~~',
    '|',
    '<',
    '>',
  ],
  ...[
    '&',
    '&#60;',
    '\\',
    '!',
    '(',
    ')',
    '](x)',
    '![a](b)',
    '[a](b)',
    '---',
    '***',
    '# ',
    '> ',
    '- ',
    '+ ',
  ],
  ...['1. ', '1) ', '    ', '<b>', '</details>', '<!--', '<script>', '[x]: y', '[^1]', '- [ ] '],
  ...['https://evil.example', 'www.evil.example', 'me@evil.example', 'mailto:a@b.c', 'http://'],
  ...[
    '@everyone',
    '#1',
    ':smile:',
    '\ud800',
    '\udc00',
    '📖',
    '́',
    'é',
    'ﬁ',
    'a',
    'Z',
    '0',
    '٣',
    '.',
    ',',
  ],
  ...['-', '+', '=', '{', '}', '$', '$$', '$x^2$', "'", '"'],
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

const part = fc.string({ unit: 'grapheme', maxLength: 10 }).map(encodeURIComponent);

/** An address. `fc.webUrl` would list every code point, too. */
export const webAddress = fc
  .tuple(fc.constantFrom('http', 'https', 'https'), fc.domain(), fc.array(part), part, part)
  .map(
    ([scheme, domain, path, query, hash]) =>
      `${scheme}://${domain}/${path.join('/')}?${query}#${hash}`,
  );
