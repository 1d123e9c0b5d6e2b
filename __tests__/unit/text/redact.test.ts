import { describe, expect, it } from 'vitest';
import { createRedactor, holdsSecret } from '../../../src/text/redact.ts';
import { TOKEN } from '../fixtures.ts';

const KEY = 'mint_ab+cd/ef~gh.ij-kl=';
const redact = createRedactor(KEY);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const hex = Buffer.from(KEY).toString('hex');

// property/text.test.ts shows secrets in every form, at every place, and cut anywhere.
describe('createRedactor', () => {
  it.each([
    ['a key after Bearer', `Bearer ${KEY}`, 'Bearer ***'],
    ['base64 of a key after Bearer', base64(`Bearer ${KEY}`), 'QmVhcmVyIG***'],
    ['two keys', `${KEY}${KEY}`, '***'],
    ['a key after letters that grow in another case', `İß${KEY} `, 'İß*** '],
    [
      'pieces that overlap or adjoin',
      `${KEY.slice(1, 9)}${KEY.slice(1, 9)}.${KEY.slice(4, 12)}`,
      '***.***',
    ],
    [
      'no piece of seven characters',
      `${KEY.slice(1, 8)} ${KEY.slice(-7)}`,
      `${KEY.slice(1, 8)} ${KEY.slice(-7)}`,
    ],
    ['no word of a prefix', 'mint_ab+', 'mint_ab+'],
  ])('redacts %s', (_, text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  it('does not redact a known prefix, because ids and messages also contain it', () => {
    const key = 'mint_emulator_admin_0123456789';
    const text = 'mint_emulator_admin_012 in the emulator of the administrator';
    expect(createRedactor(key)(text)).toBe(text);
    expect(createRedactor(key)('mint_emulator_admin_0123 4')).toBe('mint_emulator_ad*** 4');
    expect(createRedactor(key)(`x ${key}`)).toBe('x ***');
    expect(createRedactor('mint_Abcdefgh_0123456789')('Abcdefgh')).toBe('***');
  });

  it.each([
    'mint_kqzjxvwphtbn_0123456789',
    'kqzjxvwphtbn_0123456789',
    'a_kqzjxvwphtbn_c_0123456789',
  ])('redacts the lower-case letters of %s, which are not a known prefix', (secret) => {
    expect(createRedactor(secret)('id kqzjxvwphtbn.')).toBe('id ***.');
  });

  it.each([
    ['100%41c55aa9', '100%***'],
    ['100%41c55aa907 and %41', '100%*** and %41'],
    ['x%34%31c55%61a9y', 'x***y'],
    ['100%%341c55aa9 %34', '100%*** %34'],
  ])('redacts a piece that begins with two digits, after a percent sign: %s', (text, redacted) => {
    expect(createRedactor('mint_41c55aa9077e1f30')(text)).toBe(redacted);
  });

  const encoded = [...KEY].map((character) => `%${character.charCodeAt(0).toString(16)}`);
  it.each([
    ['a percent-encoded zero-width space', encoded.join('%E2%80%8B')],
    ['a percent-encoded backslash', encoded.join('%5C')],
    ['one that is itself split by others', encoded.join('%\u200bE2\u200b%8\u200b0\\%8B')],
    ['a zero-width space within each encoding', encoded.join('').replace(/[%\da-f]/g, '$&\u200b')],
  ])('redacts a percent-encoded key with %s between its characters', (_, text) => {
    expect(redact(`x ${text}y`)).toMatch(/^x \*\*\*\u200b?y$/);
  });

  it('redacts several secrets and their pieces', () => {
    const several = createRedactor(KEY, '', TOKEN);
    expect(several(`1 ${KEY} 2 ${TOKEN} 3 100 % 4`)).toBe('1 *** 2 *** 3 100 % 4');
    expect(several(TOKEN.slice(0, -1))).toBe('***');
  });

  it.each(['prose that ', 'a', '%41', '%\u200b', KEY, KEY.slice(0, 8), 'ü', '\u200b', 'a\\'])(
    'takes linear time for 512 KiB of %o',
    (unit) => {
      // Takes about 0.3 s. Quadratic time would exceed the time limit of the test.
      expect(redact(unit.repeat((512 * 1024) / unit.length))).not.toBe('');
    },
  );
});

describe('holdsSecret', () => {
  it.each([KEY, KEY.toUpperCase(), encodeURIComponent(KEY), hex, base64(`a:${KEY}`), KEY.slice(5)])(
    'finds a whole key in %s',
    (form) => {
      expect(holdsSecret(`before ${form} after`, KEY)).toBe(true);
      expect(holdsSecret(`%${Buffer.from(form).toString('hex')}`, form)).toBe(true);
    },
  );

  it.each([
    [KEY.slice(0, -1), KEY],
    [KEY.slice(6), KEY],
    ['', ''],
    ['123456789012345', '123456789012345'],
  ])('does not find in the piece %o the key %o', (text, key) => {
    expect(holdsSecret(text, key)).toBe(false);
    expect(createRedactor('123456789012345')(text)).toBe(text);
  });
});
