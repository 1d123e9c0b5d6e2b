import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { BodyBuffer } from '../../../src/http/body-buffer.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const MIB = 1024 * 1024;

/** Returns how many bytes of buffers stay in use after a function has run. */
function measure(run: () => unknown): number {
  collectGarbage();
  const before = process.memoryUsage().arrayBuffers;
  const kept = run();
  collectGarbage();
  const growth = process.memoryUsage().arrayBuffers - before;
  expect(kept).toBeDefined();
  return growth;
}

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
    const growth = measure(() => {
      const body = new BodyBuffer(16 * MIB);
      body.add(Buffer.alloc(MIB));
      return body;
    });
    expect(growth).toBeGreaterThan(MIB / 2);
    expect(growth).toBeLessThan(2 * MIB + 100_000);
  });

  it('keeps no packet for the sake of a chunk of one byte', () => {
    const chunks = 500;
    const addAll = (add: (chunk: Buffer) => void): void => {
      for (let index = 0; index < chunks; index += 1) add(Buffer.alloc(64 * 1024).subarray(0, 1));
    };
    const kept = measure(() => {
      const list: Buffer[] = [];
      addAll((chunk) => list.push(chunk));
      return list;
    });
    // The measurement sees what a list of the chunks would keep.
    expect(kept).toBeGreaterThan(30 * MIB);
    const copied = measure(() => {
      const body = new BodyBuffer(MIB);
      addAll((chunk) => body.add(chunk));
      return body;
    });
    expect(copied).toBeLessThan(MIB);
  });
});
