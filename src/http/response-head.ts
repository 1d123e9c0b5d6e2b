import type { Socket } from 'node:net';

const MAX_HEAD_BYTES = 16 * 1024;
const MAX_INTERIM_BYTES = 1024 * 1024;
const HEAD_END = '\r\n\r\n';
const INTERIM_HEAD = /^HTTP\/1\.\d 1(\d\d)[ \r]/;
const INTERIM_HEAD_START_BYTES = 'HTTP/1.1 100 '.length;

/**
 * Makes the socket skip interim responses (1xx, RFC 9110 section 15.2) when it is read, and normalize the
 * Content-Length of the final one. undici's parser gives up at a 100 that it did not ask for, and takes a 103 for
 * the answer to CONNECT. For a connection that carries one request.
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
      if (result instanceof Error) {
        socket.destroy(result);
        return null;
      }
      if (result !== undefined) {
        socket.read = read;
        return result;
      }
    }
    return null;
  };
}

/** Collects bytes up to the end of the first head that is not an interim response. */
export class HeadReader {
  #bytes = Buffer.alloc(0);
  #skipped = 0;

  /** Returns the bytes to pass on, undefined if more are needed, or an error. */
  add(chunk: Buffer): Buffer | Error | undefined {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      if (this.#bytes.length < INTERIM_HEAD_START_BYTES) {
        return undefined;
      }
      const start = this.#bytes.toString('latin1', 0, INTERIM_HEAD_START_BYTES);
      if (!start.startsWith('HTTP/')) {
        return this.#bytes;
      }
      const end = this.#bytes.indexOf(HEAD_END);
      if (end < 0) {
        return this.#bytes.length > MAX_HEAD_BYTES ? this.#bytes : undefined;
      }
      const head = this.#bytes.toString('latin1', 0, end);
      const rest = this.#bytes.subarray(end);
      const [, interim] = INTERIM_HEAD.exec(start) ?? [];
      if (interim === undefined || /(?<!\r)\n/.test(head)) {
        return Buffer.concat([Buffer.from(normalizeContentLength(head), 'latin1'), rest]);
      }
      if (interim === '01') {
        return new Error('the server switched to another protocol (HTTP 101)');
      }
      this.#skipped += end + HEAD_END.length;
      if (this.#skipped > MAX_INTERIM_BYTES) {
        return new Error('more than 1 MiB of interim responses');
      }
      this.#bytes = rest.subarray(HEAD_END.length);
    }
  }
}

/**
 * One plain Content-Length in place of several equal ones (RFC 9110 section 8.6), or of one with tabs around it, which
 * undici's parser refuses. Other values stay as they are.
 */
function normalizeContentLength(head: string): string {
  const fields = [...head.matchAll(/\r\ncontent-length:([^\r\n]*)/gi)].map(([, value = '']) => value);
  const values = new Set(
    fields.flatMap((value) => value.split(',')).map((text) => /^[ \t]*(\d+)[ \t]*$/.exec(text)?.[1]),
  );
  const [length] = values;
  if (values.size !== 1 || length === undefined) {
    return head;
  }
  return `${head.replaceAll(/\r\ncontent-length:[^\r\n]*/gi, '')}\r\ncontent-length: ${length}`;
}
