import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { body, closing, open } from '../../helpers/legal-responses.ts';
import { faultServer } from '../../helpers/servers.ts';
import { send } from './send.ts';

/** Writes pieces of this size, one after the other. */
async function writeInPieces(socket: Socket, bytes: Buffer, size: number): Promise<void> {
  socket.setNoDelay(true);
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    await new Promise((resolve) => {
      socket.write(bytes.subarray(at, at + size), resolve);
    });
    await new Promise(setImmediate);
  }
}

async function expectBody(bytes: Buffer, size: number, isEnded: boolean): Promise<void> {
  const server = await faultServer(async (socket) => {
    await writeInPieces(socket, bytes, size);
    if (isEnded) socket.end();
  });
  const result = await send(server.url, { body: '{}' });
  const text = result.kind === 'response' ? result.response.body?.toString() : result.detail;
  expect(text?.replace('\ufeff', '').trim()).toBe(body);
  expect(server.requests).toHaveLength(1);
}

describe.each([1, 1_000_000])('sendRequest reads a legal response in pieces of %i bytes', (size) => {
  it.each(open.filter(([, bytes]) => bytes.length / size < 2_000))('with %s', (_, bytes) =>
    expectBody(bytes, size, false),
  );

  it.each(closing)('with %s, ended by the close', (_, bytes) => expectBody(bytes, size, true));
});
