import { describe, expect, it } from 'vitest';
import { BodyBuffer } from '../../../src/http/body-buffer.ts';

const MIB = 1024 * 1024;

/** Returns how many bytes of memory a body keeps. */
const getKeptBytes = (body: BodyBuffer): number => body.bytes.buffer.byteLength;

describe('BodyBuffer', () => {
  it('joins chunks of any size, up to the limit', () => {
    const chunks = ['', 'a', 'b'.repeat(20_000), 'c'.repeat(300), 'd'.repeat(100_000)];
    const whole = chunks.join('');
    const body = new BodyBuffer(whole.length);
    expect(chunks.map((chunk) => body.add(Buffer.from(chunk)))).toEqual(Array(5).fill(true));
    expect(body.bytes.toString()).toBe(whole);
    expect(body.add(Buffer.from('e'))).toBe(false);
    expect(body.bytes.toString()).toBe(whole);
  });

  it('takes no more room than twice the body, whatever the limit is', () => {
    const body = new BodyBuffer(16 * MIB);
    body.add(Buffer.alloc(MIB));
    body.add(Buffer.alloc(1));
    expect(getKeptBytes(body)).toBe(2 * MIB);
  });

  it('keeps no packet for the sake of a chunk of one byte', () => {
    const body = new BodyBuffer(MIB);
    const packets = Array.from({ length: 500 }, () => Buffer.alloc(64 * 1024, 'x'));
    for (const packet of packets) {
      body.add(packet.subarray(0, 1));
    }
    expect(body.bytes.toString()).toBe('x'.repeat(500));
    expect(packets.map(({ buffer }) => buffer)).not.toContain(body.bytes.buffer);
    expect(getKeptBytes(body)).toBe(16 * 1024);
  });
});
