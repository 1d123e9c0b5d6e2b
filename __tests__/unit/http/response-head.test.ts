import { describe, expect, it } from 'vitest';
import { HeadReader } from '../../../src/http/response-head.ts';

const final = 'HTTP/1.1 201 Created\r\nserver: x\r\ncontent-length: 2\r\n\r\n{}';

/** Returns the text as the reader passes it on when it arrives in pieces of this size. */
function readInPieces(text: string, size: number): string | undefined {
  const reader = new HeadReader();
  for (let at = 0; at < text.length; at += size) {
    const result = reader.add(Buffer.from(text.slice(at, at + size), 'latin1'));
    if (result !== undefined) {
      return result.toString('latin1') + text.slice(at + size);
    }
  }
  return undefined;
}

// legal-responses.test.ts shows the usual cases. These are the edges.
describe.each([1, 2, 7, 16, 100_000])('HeadReader with pieces of %i bytes', (size) => {
  const read = (text: string): string | undefined => readInPieces(text, size);

  it.each([
    ['no interim response', ''],
    ['a 100 without a space at its end', 'HTTP/1.1 100\r\n\r\n'],
    ['a 100 of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
    ['a hundred 100', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)],
  ])('skips %s', (_, interim) => {
    expect(read(interim + final)).toBe(final);
  });

  it.each([
    ['bytes of another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['an interim response with a bare line feed', `HTTP/1.1 100 Continue\n\n${final}`],
    ['a status of four digits', `HTTP/1.1 1000 x\r\n\r\n${final}`],
    ['another major version', `HTTP/2.0 100 x\r\n\r\n${final}`],
  ])('does not change %s', (_, text) => {
    expect(read(text)).toBe(text);
  });

  it.each([
    ['a status that is not 1xx', 'HTTP/1.1 2'],
    ['another protocol', 'SSH'],
    ['a switch to another protocol', 'HTTP/1.1 101'],
    ['a line feed', '\n'],
    ['a status line with a bare line feed', 'HTTP/1.1 100\n'],
    ['a field with a bare line feed', 'HTTP/1.1 103 Early Hints\r\nlink: x\n'],
    ['a head of more than 16 KiB', `HTTP/1.1 100 Continue\r\nx: ${'a'.repeat(17_000)}`],
  ])('does not hold back %s', (_, text) => {
    expect(read(text)).toBe(text);
  });
});

describe('HeadReader', () => {
  it('waits for the rest of what may be an interim response', () => {
    for (const text of [
      '',
      'HTTP/1.1 1',
      'HTTP/1.1 100 Continue\r',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 ',
    ]) {
      expect(readInPieces(text, 100)).toBeUndefined();
    }
  });

  it('keeps bytes that are not ASCII', () => {
    const text = 'HTTP/1.1 200 \u00e4\r\nx: \u00ff\r\n\r\n\u00fe';
    expect(readInPieces(text, 3)).toBe(text);
  });
});
