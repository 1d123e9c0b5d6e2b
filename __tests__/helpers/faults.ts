import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { jobRecord } from './job-record.ts';
import { sleepWhileOpen } from './sockets.ts';

/** What happens on a connection once a request was read from it; `tcp` is what lies below a TLS socket. */
export type Fault = (socket: Socket, tcp?: Socket) => void | Promise<void>;

const recordBytes = Buffer.from(JSON.stringify(jobRecord()));
const halfOfRecord = recordBytes.subarray(0, recordBytes.length / 2);
const recordAsChunk = [`${recordBytes.length.toString(16)}\r\n`, recordBytes, '\r\n'];

const toLength = (bytes: number): string => `content-length: ${bytes}`;

function toHead(status: string, ...headers: string[]): string {
  return [`HTTP/1.1 ${status}`, 'content-type: application/json', ...headers, '', ''].join('\r\n');
}

/** Answers the request with the given bytes and leaves the connection open. */
export function write(...parts: (string | Buffer)[]): Fault {
  return (socket) => {
    for (const part of parts) socket.write(part);
  };
}

/** Answers with the given bytes, then closes. */
export function writeAndClose(...parts: (string | Buffer)[]): Fault {
  return (socket) => {
    socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))));
  };
}

function drip(head: string, bytes: Buffer, intervalMs: number): Fault {
  return async (socket) => {
    socket.write(head);
    for (const byte of bytes) {
      if (socket.destroyed) return;
      socket.write(Buffer.of(byte));
      await sleepWhileOpen(socket, intervalMs);
    }
  };
}

/** The connection is reset; the request was read. */
export const reset: Fault = (socket, tcp = socket) => {
  tcp.resetAndDestroy();
};

/** The connection is closed without an answer. */
export const close: Fault = (socket) => {
  socket.end();
};

/** No answer ever; the connection stays open. */
export const silence: Fault = () => {};

/** The head arrives a byte at a time and never ends. */
export function dripHeaders(intervalMs: number): Fault {
  return drip('HTTP/1.1 200 OK\r\n', Buffer.from('x-drip: 1\r\n'.repeat(10_000)), intervalMs);
}

/** The body arrives a byte at a time, an hour's worth of them. */
export function dripBody(intervalMs: number): Fault {
  const size = Math.ceil(3_600_000 / intervalMs);
  return drip(toHead('200 OK', toLength(size)), Buffer.alloc(size, ' '), intervalMs);
}

/** Half of the body arrives, then nothing more. */
export const stallBody = write(toHead('200 OK', toLength(recordBytes.length)), halfOfRecord);

/** A whole record, ten bytes short of the announced length, then the end. */
export const shortLength = writeAndClose(toHead('200 OK', toLength(recordBytes.length + 10)), recordBytes);

/** A chunk whose size is no number. */
export const badChunk = writeAndClose(
  toHead('200 OK', 'transfer-encoding: chunked'),
  ...recordAsChunk,
  'zz\r\nrest\r\n0\r\n\r\n',
);

/** No length and half a record: only the close ends the body. */
export const cutBody = writeAndClose(toHead('200 OK', 'connection: close'), halfOfRecord);

/** Bytes of another protocol. */
export const notHttp = writeAndClose('SSH-2.0-OpenSSH_9.6\r\n');

/** A right answer below 64 KiB of headers. */
export const hugeHeaders = writeAndClose(
  toHead('200 OK', `x-pad: ${'a'.repeat(64 * 1024)}`, toLength(recordBytes.length)),
  recordBytes,
);

/** A right answer that announces a length and chunks at once, as in request smuggling. */
export const lengthAndChunked = writeAndClose(
  toHead('200 OK', toLength(recordBytes.length), 'transfer-encoding: chunked'),
  ...recordAsChunk,
  '0\r\n\r\n',
);

/** Early hints (103), then a right answer. */
export function earlyHints(count: number): Fault {
  return write(
    'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n'.repeat(count),
    toHead('201 Created', toLength(recordBytes.length)),
    recordBytes,
  );
}

/** Chunks without end, as fast as the client takes them. */
export const endlessChunks: Fault = (socket) => {
  const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  const generate = function* (): Generator<string> {
    yield toHead('200 OK', 'transfer-encoding: chunked');
    while (true) yield chunk;
  };
  return pipeline(Readable.from(generate()), socket);
};

/** A right record of 10 MB. */
export const hugeBody: Fault = (socket) => {
  const bytes = Buffer.from(JSON.stringify(jobRecord({ padding: 'a'.repeat(10_000_000) })));
  return write(toHead('200 OK', toLength(bytes.length)), bytes)(socket);
};

/** A right record, gzipped without being asked: some 100 KB that inflate to 100 MB. */
export const gzipBomb: Fault = (socket) => {
  const [start = '', end = ''] = JSON.stringify(jobRecord({ padding: '|' })).split('|');
  const million = gzipSync('a'.repeat(1_000_000));
  const bytes = Buffer.concat([gzipSync(start), ...Array<Buffer>(100).fill(million), gzipSync(end)]);
  return write(toHead('200 OK', 'content-encoding: gzip', toLength(bytes.length)), bytes)(socket);
};
