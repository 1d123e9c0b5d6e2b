import fc from 'fast-check';

const seed = process.env['PROPERTY_SEED'];

/**
 * How often each property is tried: PROPERTY_RUNS times, 200 if unset. A failure prints its seed; PROPERTY_SEED repeats
 * that run.
 */
export const parameters = {
  numRuns: Number(process.env['PROPERTY_RUNS'] ?? 200),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
};

const pieces = [
  ...['::', '##[', ':', '#', '[', '\n', '\r', '\r\n', '\t', ' ', '\0', '\u001b[31m', '\u202e', '\u200b'],
  ...['\u2028', '\ufeff', '::set-output name=a::b', '##[add-mask]x', '::stop-commands::t'],
  ...['::error file=a,line=1::x', '%0A', '%3A%3A', '*', '_', '`', '`code`', '```', '~~', '|', '<', '>'],
  ...['&', '&#60;', '\\', '!', '(', ')', '](x)', '![a](b)', '[a](b)', '---', '***', '# ', '> ', '- ', '+ '],
  ...['1. ', '1) ', '    ', '<b>', '</details>', '<!--', '<script>', '[x]: y', '[^1]', '- [ ] '],
  ...['https://evil.example', 'www.evil.example', 'me@evil.example', 'mailto:a@b.c', 'http://'],
  ...['@everyone', '#1', ':smile:', '\ud800', '\udc00', '📖', '́', 'é', 'ﬁ', 'a', 'Z', '0', '٣', '.', ','],
  ...['-', '+', '=', '{', '}', '$', '$$', '$x^2$', "'", '"'],
];

// The same as fast-check's unit `binary`, which first takes 0.7 s to list every character there is.
const unit = fc.integer({ min: 0, max: 0x10ffff }).map((codePoint) => String.fromCodePoint(codePoint));

/** Text of any kind, much of it made of what parsers act on. */
export const hostileText = fc.oneof(
  fc.string({ unit, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join('')),
  fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit, maxLength: 4 })), {
      maxLength: 24,
    })
    .map((parts) => parts.join('')),
);
