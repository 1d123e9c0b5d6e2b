import type { Socket } from 'node:net';

const MAX_HEAD_BYTES = 16 * 1024;
/** Not 101, which switches to another protocol. */
const STATUS = /HTTP\/1\.\d 1(?!01)\d\d(?=[ \r\n])/.source;
const START = 'HTTP/1.1 100 ';
const INTERIM_START = new RegExp(`^${STATUS}`);
const INTERIM_HEADS = new RegExp(`^(?:${STATUS}[^\\n]*\\n(?:[^\\r\\n][^\\n]*\\n)*\\r?\\n)*`);

/**
 * Makes the socket skip interim responses (1xx, RFC 9110 section 15.2) when it is read. undici
 * fails on an unexpected 100, and mistakes a 103 for the response to CONNECT. Only for connections
 * that carry a single request.
 */
export function skipInterimResponses(socket: Socket): void {
  const { read } = socket;
  let bytes = '';
  socket.read = (size?: number) => {
    if (size !== undefined) {
      return read.call(socket, size);
    }
    for (let chunk = read.call(socket); chunk !== null; chunk = read.call(socket)) {
      bytes = `${bytes}${chunk.toString('latin1')}`.replace(INTERIM_HEADS, '');
      const start = bytes.slice(0, START.length);
      if (!INTERIM_START.test(start + START.slice(start.length)) || bytes.length > MAX_HEAD_BYTES) {
        socket.read = read;
        return Buffer.from(bytes, 'latin1');
      }
    }
    return null;
  };
}
