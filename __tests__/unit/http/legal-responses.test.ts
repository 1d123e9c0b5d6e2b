import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { faultServer, jobRecord } from '../../helpers/servers.ts';
import { send } from './send.ts';

// Every legal form of a response to a create request (RFC 9110, RFC 9112), and its bytes, except a
// 100 that the request didn't ask for. A response combines all forms that don't exclude each other.

const body = Buffer.from(JSON.stringify(jobRecord({ title: 'Grüße \u{1f600}' })));
const length = `content-length: ${body.length}`;

const toHead = (...lines: string[]): string => [...lines, '', ''].join('\r\n');

/** Returns a response with these lines in its head. */
function answer(...lines: string[]): Buffer {
  return Buffer.concat([Buffer.from(toHead(...lines), 'latin1'), body]);
}

const created = (...fields: string[]): Buffer => answer('HTTP/1.1 201 Created', ...fields);

/** Returns interim responses, then the final one. */
const after = (...interims: string[]): Buffer =>
  Buffer.concat([Buffer.from(interims.join('')), created(length)]);

/** Returns the response in chunks (RFC 9112, section 7.1). */
function chunked(
  field: string,
  size: number,
  end: string,
  format: (size: number) => string,
): Buffer {
  const parts: (string | Buffer)[] = [toHead('HTTP/1.1 201 Created', field)];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    parts.push(`${format(chunk.length)}\r\n`, chunk, '\r\n');
  }
  return Buffer.concat([...parts, `${end}\r\n`].map((part) => Buffer.from(part)));
}

const processing = toHead('HTTP/1.1 102 Processing');
const hints = toHead('HTTP/1.1 103 Early Hints', 'link: </a.css>; rel=preload', 'link: </b.js>');
const unknown = toHead('HTTP/1.1 199 Whatever', 'retry-after: 9');
const bytesInChunks = chunked('transfer-encoding: chunked', 1, '0\r\n', () => '1');
const extension = ';a=1;b="x;y \\" z";c';

/** Responses whose end is in their bytes. */
const open: [string, Buffer][] = [
  ['no reason phrase and no space', answer('HTTP/1.1 201', length)],
  ['a long reason phrase', answer(`HTTP/1.1 201 Cr\u00e9\u00e9\t!${'x'.repeat(4_000)}`, length)],
  ['HTTP/1.0 and a length', answer('HTTP/1.0 201 Created', length)],
  ['an unknown status of success', answer('HTTP/1.1 299 Fine', length)],
  [
    'fields of any form',
    created(
      ...['CONTENT-TYPE: APPLICATION/JSON', `Content-Length:   000${body.length}  `, 'x-empty:'],
      ...[
        'content-encoding: \t identity \t',
        'Content-Encoding: Identity, IDENTITY',
        'x-latin: \u00e4\u00ff',
      ],
      ...[
        "!#$%&'*+-.^_`|~0aZ: 1",
        '__proto__: 1',
        'constructor: 2',
        'set-cookie: a=1',
        'set-cookie: b=2',
      ],
      ...['location: /elsewhere', 'vary: a', 'vary: b', 'connection: Keep-Alive, x', 'x: 1'],
      ...Array.from({ length: 90 }, (_, n) => `x-${n}: ${n}`),
    ),
  ],
  [
    'no space after the colon, and an empty coding',
    created(length.replace(' ', ''), 'content-encoding:'),
  ],
  ['fields of 12 KB', created(length, `x-long: ${'a'.repeat(12_000)}`)],
  ['an upgrade that is offered', created(length, 'upgrade: h2c', 'connection: upgrade')],
  ['a byte in each chunk', bytesInChunks],
  [
    'chunks of any form',
    chunked(
      'Transfer-Encoding:\tCHUNKED ',
      0xab,
      `000${extension}\r\nx-checksum: 1\r\nretry-after: 9\r\n`,
      (size) => `${size.toString(16).toUpperCase().padStart(8, '0')}${extension}`,
    ),
  ],
  ['interim responses', after(processing.repeat(10), unknown, hints)],
  ['a thousand interim responses', after(processing.repeat(1_000))],
  ['an interim response before chunks', Buffer.concat([Buffer.from(processing), bytesInChunks])],
];

/** Responses that the close of the connection may end. */
const closing: [string, Buffer][] = [
  ['no length', created()],
  ['no length and Connection: CLOSE', created('Connection: CLOSE')],
  ['a length and Connection: close', created(length, 'connection: close')],
  ['HTTP/1.0, no fields, no reason phrase', answer('HTTP/1.0 201')],
];

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
  expect(result).toMatchObject({ kind: 'response', response: { body } });
  expect(server.requests).toHaveLength(1);
}

describe.each([1, 1_000_000])(
  'sendRequest reads a legal response in pieces of %i bytes',
  (size) => {
    it.each(open.filter(([, bytes]) => bytes.length / size < 4_000))('with %s', (_, bytes) =>
      expectBody(bytes, size, false),
    );

    it.each(closing)('with %s, ended by the close', (_, bytes) => expectBody(bytes, size, true));
  },
);
