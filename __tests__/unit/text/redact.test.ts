import { expect, it } from 'vitest';
import { createRedactor, holdsSecret, redactStart } from '../../../src/text/redact.ts';
import { JWT_HEADER } from '../../github/token.ts';
import { TOKEN } from '../fixtures.ts';

const KEY = 'mint_ab+cd/ef~gh.ij-kl=';
const redact = createRedactor(KEY);

function encodeAll(text: string): string {
  return Buffer.from(text).toString('hex').replace(/../g, '%$&');
}

// property/text.test.ts shows secrets in every form, at every place, and cut anywhere.
const mixed = KEY.slice(0, 6) + encodeAll(KEY.slice(6, 9)) + KEY.slice(9);
it.each([
  ['a key that is percent-encoded in lower case', 'mint_ab%2bcd%2fef~gh.ij-kl%3d', '***'],
  ['a key that is percent-encoded throughout', `x${encodeAll(KEY)}y`, 'x%6d%69%6e%74%5f***y'],
  ['a key that is percent-encoded in some characters', mixed, '***'],
  ['a key without its prefix in any encoding', `x${encodeAll(KEY.slice(5))}y`, 'x***y'],
  ['a key without its prefix in base64', `x ${btoa(KEY.slice(5))}`, 'x ***'],
  ['pieces of eight characters', `${KEY.slice(5, 13)} ${KEY.slice(-8)}`, '*** ***'],
  ['a key in JSON, with or without escapes', KEY.replace('/', '\\/'), '***'],
  ['no piece of seven characters', KEY.slice(5, 12), KEY.slice(5, 12)],
  ['no piece that begins in the prefix', 'mint_ab+cd/e', 'mint_ab+cd/e'],
])('redacts %s', (_, text, redacted) => {
  expect(redact(text)).toBe(redacted);
});

it('does not redact a known prefix, because ids and messages also contain it', () => {
  const key = 'mint_emulator_admin_0123456789';
  const text = 'mint_emulator_admin_012 in the emulator of the administrator';
  expect(createRedactor(key)(text)).toBe(text);
  expect(createRedactor(key)('mint_emulator_admin_01234567 8')).toBe('mint_emulator_admin_*** 8');
  expect(createRedactor(key)(`x ${key}`)).toBe('x ***');
  expect(createRedactor('mint_Abcdefgh_0123456789')('Abcdefgh')).toBe('***');
});

it('redacts lower-case letters that are not a known prefix', () => {
  expect(createRedactor('mint_kqzjxvwphtbn_0123456789')('id kqzjxvwphtbn.')).toBe('id ***.');
});

it('redacts a secret with characters of any kind', () => {
  const secret = 'pass $^ä📖(word)[1]|\\d{';
  const several = [secret, encodeURIComponent(secret), encodeAll(secret), btoa('x')].join(' ');
  expect(createRedactor(secret)(several)).toBe(`*** *** *** ${btoa('x')}`);
});

it('redacts several secrets and their pieces', () => {
  // The start of another one.
  expect(createRedactor(TOKEN.slice(0, 40), TOKEN)(TOKEN)).toBe('***');
  const several = createRedactor(KEY, '', TOKEN);
  expect(several(`1 ${KEY} 2 ${TOKEN} 3 100 % 4`)).toBe('1 *** 2 *** 3 100 % 4');
  expect(several(KEY.slice(0, -1))).toBe('mint_***');
});

it.each([TOKEN, TOKEN.slice(4), `x ${btoa(TOKEN)}`, `x${encodeAll(TOKEN)}`])(
  'redacts a token in the form %o as a whole',
  (form) => {
    const whole = /^Bearer (?:\S ?.{0,12})?\*\*\*.{0,4}$/;
    expect(createRedactor(KEY, TOKEN)(`Bearer ${form}`)).toMatch(whole);
  },
);

it('keeps other JWTs, which begin like the token', () => {
  const sample = `Authorization: Bearer ${JWT_HEADER}.eyJzdWIiOiIxIn0.c2lnbmF0dXJl`;
  expect(createRedactor(KEY, TOKEN)(sample)).toBe(sample);
});

it.each(['a', '%41', KEY, KEY.slice(5, 13)])('takes linear time for 512 KiB of %o', (unit) => {
  // Quadratic time would exceed the time limit of the test.
  const shown = redact(unit.repeat((512 * 1024) / unit.length));
  expect(new Set(shown.match(/a+|(?:%41)+|\*+/g)).size).toBe(1);
});

it.each(['', '語', '😀😀😀'])(
  'removes a text that is too long for one pattern, with %o',
  (character) => {
    const numbers = Array.from({ length: 3_000 }, (_, index) => `${index}${character}`);
    const secret = numbers.join('-');
    expect(createRedactor('', secret)(`a ${secret} b`)).toMatch(/^a [*]+ b$/);
    expect(createRedactor(secret)(`a ${encodeAll(secret)} b`)).toMatch(/^a [*]+ b$/);
    expect(holdsSecret(`a ${secret}`, secret)).toBe(true);
    expect(holdsSecret(`a ${secret.slice(1)} b`, secret)).toBe(false);
  },
);

const both = createRedactor(KEY, TOKEN);
it('returns all of a short text', () => {
  expect(redactStart(`a ${KEY}`, 1, both)).toBe('a ***');
});

it.each([KEY, TOKEN, btoa(TOKEN), encodeAll(TOKEN)])(
  'shows no part of a secret at a cut',
  (form) => {
    // Wherever the text is cut, a form of the secret is there.
    for (let shift = 0; shift < form.length; shift += 1 + Math.floor(form.length / 40)) {
      const text = 'x'.repeat(shift) + form.repeat(60_000 / form.length);
      expect(redactStart(text, 2_000, both)).not.toContain(form.slice(-10, -2));
      expect(redactStart(text, 2_000, both)).not.toContain(form.slice(20, 28));
    }
  },
);

it('takes no longer for a huge text', () => {
  const huge = 'mint_ab+'.repeat(2 * 1024 * 1024);
  expect(redactStart(huge, 2_000, both).length).toBeGreaterThan(2_000);
}, 1_000);

it.each([
  [KEY.slice(0, -1), KEY],
  [KEY.slice(6), KEY],
  ['', ''],
  ['123456789012345', '123456789012345'],
])('holdsSecret does not find in the piece %o the key %o', (text, key) => {
  expect(holdsSecret(text, key)).toBe(false);
  expect(createRedactor('123456789012345')(text)).toBe(text);
});
