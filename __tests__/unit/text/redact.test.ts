import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/text/redact.ts';

const KEY = 'mint_ab+cd/ef~gh.ij-kl=';
const redact = (text: string): string => createRedactor(KEY)(text);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('createRedactor', () => {
  it.each([
    ['as it is', KEY],
    ['behind Bearer', `Bearer ${KEY}`],
    ['in another case', KEY.toUpperCase()],
    ['percent-encoded', encodeURIComponent(KEY)],
    ['percent-encoded in lower case', encodeURIComponent(KEY).toLowerCase()],
    ['percent-encoded throughout', Buffer.from(KEY).toString('hex').replace(/../g, '%$&')],
    ['in hex', Buffer.from(KEY).toString('hex')],
    ['in base64', base64(KEY)],
    ['in base64 behind Bearer', base64(`Bearer ${KEY}`)],
    ['in base64 between others', base64(`a:${KEY} and more`)],
    ['in base64url', Buffer.from(`${KEY}?`).toString('base64url')],
  ])('takes out a key %s', (_, form) => {
    const text = redact(`before ${form} after ${form}`);
    expect(text).toMatch(/^before .*\*\*\*.* after .*\*\*\*.*$/);
    expect(text).not.toContain(form);
  });

  it.each([0, 1, 2])('takes out every digit of base64url, behind %i bytes', (lead) => {
    const secret = '~?'.repeat(10);
    const form = Buffer.from(`${'x'.repeat(lead)}${secret}xx`).toString('base64url');
    expect(form).toMatch(/-.*_|_.*-/);
    expect(createRedactor(secret)(form)).toMatch(/^.{0,3}\*\*\*.{0,4}$/);
  });

  it('takes out a key that is no valid one either', () => {
    for (const secret of ['geheimer Schlüssel', 'ένας μυστικός κωδικόΣ', 'a tab\tand a line\n']) {
      expect(createRedactor(secret)(`${secret}x`)).toBe('***x');
      for (const form of [secret, encodeURIComponent(secret), base64(secret)]) {
        expect(createRedactor(secret)(`a ${form} b`)).toMatch(/^a \S*\*\*\*\S* b$/);
      }
    }
  });

  it('takes out each of several keys, and only those', () => {
    const other = 'ghs_0123456789abcdef';
    const several = createRedactor(KEY, '', other);
    expect(several(`1 ${KEY} 2 ${other} 3 100 % 4`)).toBe('1 *** 2 *** 3 100 % 4');
    expect(several(`${base64(other)}`)).toContain('***');
  });

  it('leaves everything else alone', () => {
    const text = 'mint_ab, cd/ef~gh.ij and 6d696e74';
    expect(redact(text)).toBe(text);
  });

  it('does nothing for a key that is too short to be one', () => {
    expect(createRedactor('')('text')).toBe('text');
    expect(createRedactor('short')('a short text, 100 %')).toBe('a short text, 100 %');
    expect(createRedactor('123456789012345')('123456789012345')).toBe('123456789012345');
    expect(createRedactor('1234567890123456')('1234567890123456')).toBe('***');
  });
});
