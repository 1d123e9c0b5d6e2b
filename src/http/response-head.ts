import type { Socket } from 'node:net';

const MAX_HEAD_BYTES = 16 * 1024;
const HEAD_END = '\r\n\r\n';
/** Not 101, which switches to another protocol. */
const INTERIM_HEAD = /^HTTP\/1\.\d 1(?!01)\d\d[ \r]/;
const INTERIM_START = 'HTTP/1.1 100 ';
const BARE_LINE_FEED = /(?<!\r)\n/;

/**
 * Makes the socket skip interim responses (1xx, RFC 9110 section 15.2) when it is read. undici fails at an unexpected 100,
 * and takes a 103 for the response to CONNECT. For a connection that carries a single request.
 */
export function skipInterimResponses(socket: Socket): void {
  const read = socket.read;
  const reader = new HeadReader();
  socket.read = (size?: number) => {
    if (size !== undefined) {
      return read.call(socket, size);
    }
    for (let chunk = read.call(socket); chunk !== null; chunk = read.call(socket)) {
      const result = reader.add(chunk);
      if (result !== undefined) {
        socket.read = read;
        return result;
      }
    }
    return null;
  };
}

/** Skips interim responses. Passes on anything else as soon as it can't be an interim response. */
export class HeadReader {
  #bytes = Buffer.alloc(0);

  /** Returns the bytes to pass on, or undefined if more are needed. */
  add(chunk: Buffer): Buffer | undefined {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const start = this.#bytes.toString('latin1', 0, INTERIM_START.length);
      const end = this.#bytes.indexOf(HEAD_END);
      const head = this.#bytes.toString('latin1', 0, end < 0 ? undefined : end);
      const isInterim = INTERIM_HEAD.test(start + INTERIM_START.slice(start.length));
      if (!isInterim || BARE_LINE_FEED.test(head) || head.length > MAX_HEAD_BYTES) {
        return this.#bytes;
      }
      if (end < 0) {
        return undefined;
      }
      this.#bytes = this.#bytes.subarray(end + HEAD_END.length);
    }
  }
}
