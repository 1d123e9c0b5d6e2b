import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { jobRecord } from './job-record.ts';

/** Acts on a connection after a request. `tcp` is the socket below a TLS socket. */
export type Fault = (socket: Socket, tcp?: Socket) => void | Promise<void>;

const recordBytes = Buffer.from(JSON.stringify(jobRecord()));
const halfOfRecord = recordBytes.subarray(0, recordBytes.length / 2);
const recordAsChunk = [`${recordBytes.length.toString(16)}\r\n`, recordBytes, '\r\n'];

const toLength = (bytes: number): string => `content-length: ${bytes}`;

function toHead(status: string, ...headers: string[]): string {
  return [`HTTP/1.1 ${status}`, 'content-type: application/json', ...headers, '', ''].join('\r\n');
}

/** Answers with these bytes, and leaves the connection open. */
export function write(...parts: (string | Buffer)[]): Fault {
  return (socket) => {
    for (const part of parts) {
      socket.write(part);
    }
  };
}

/** Answers with these bytes, then closes the connection. */
export function writeAndClose(...parts: (string | Buffer)[]): Fault {
  return (socket) => {
    socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))));
  };
}

/** Resets the connection. */
export const reset: Fault = (socket, tcp = socket) => {
  tcp.resetAndDestroy();
};

/** Closes the connection without a response. */
export const close: Fault = (socket) => {
  socket.end();
};

/** Never answers, and leaves the connection open. */
export const silence: Fault = () => {};

/** Sends endless headers, a byte at a time. */
export function dripHeaders(intervalMs: number): Fault {
  return async (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    while (!socket.destroyed) {
      for (const byte of 'x-drip: 1\r\n') {
        socket.write(byte);
        await sleep(intervalMs);
      }
    }
  };
}

/** Sends half of the body, then nothing. */
export const stallBody = write(toHead('200 OK', toLength(recordBytes.length)), halfOfRecord);

/** Sends a whole record that is ten bytes shorter than its announced length. */
export const shortLength = writeAndClose(
  toHead('200 OK', toLength(recordBytes.length + 10)),
  recordBytes,
);

/** Sends half a record without a length, so that only the close ends the body. */
export const cutBody = writeAndClose(toHead('200 OK', 'connection: close'), halfOfRecord);

/** Sends a valid response with both a length and chunks, as in request smuggling. */
export const lengthAndChunked = writeAndClose(
  toHead('200 OK', toLength(recordBytes.length), 'transfer-encoding: chunked'),
  ...recordAsChunk,
  '0\r\n\r\n',
);

/** Sends endless chunks as fast as the client reads them. */
export const endlessChunks: Fault = (socket) => {
  const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  const generate = function* (): Generator<string> {
    yield toHead('200 OK', 'transfer-encoding: chunked');
    while (true) {
      yield chunk;
    }
  };
  return pipeline(Readable.from(generate()), socket);
};

/** Sends a valid record, gzipped without a request for it: 100 KB that inflate to 100 MB. */
export const gzipBomb: Fault = (socket) => {
  const [start = '', end = ''] = JSON.stringify(jobRecord({ padding: '|' })).split('|');
  const million = gzipSync('a'.repeat(1_000_000));
  const bytes = Buffer.concat([
    gzipSync(start),
    ...Array<Buffer>(100).fill(million),
    gzipSync(end),
  ]);
  return write(toHead('200 OK', 'content-encoding: gzip', toLength(bytes.length)), bytes)(socket);
};
