import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { KeyPair } from '../../harness/certificates.ts';

/** Instants on the clock of `performance.now()`. */
export interface Arrival {
  readonly connectedAtMs: number;
  /** Of the request. With TLS, after the handshake. */
  readonly firstByteAtMs: number;
}

export interface RawServer {
  readonly url: string;
  /** Resolves to the times of the next connection and of its first byte. */
  nextArrival(): Promise<Arrival>;
  close(): void;
}

const BODY = JSON.stringify({
  id: 'job_1',
  status: 'completed',
  source: { repository: 'https://github.com/acme/docs', ref: 'main' },
  model: 'docs-writer-2',
  prLink: 'https://github.com/acme/docs/pull/128',
  createdAt: '2026-08-01T12:00:00.000Z',
  archivedAt: null,
});

/** The host name and the certificate of an https server. */
export interface SecureHost {
  readonly name: string;
  readonly tls: KeyPair;
}

/**
 * A bare server that answers every request with a completed job, so that a run ends at its first
 * poll.
 */
export async function createRawServer(host?: SecureHost): Promise<RawServer> {
  const watchers: ((arrival: Arrival) => void)[] = [];
  let connectedAtMs = Number.NaN;
  const onSocket = (socket: Socket): void => {
    socket.on('error', () => {});
    socket.once('data', () => {
      const arrival = { connectedAtMs, firstByteAtMs: performance.now() };
      for (const watch of watchers.splice(0)) watch(arrival);
    });
    answerRequest(socket);
  };
  const server = host === undefined ? createServer(onSocket) : createTlsServer(host.tls, onSocket);
  server.on('connection', () => {
    connectedAtMs = performance.now();
  });
  await once(server.listen(0, host === undefined ? '127.0.0.1' : undefined), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the server has no port');
  }
  return {
    url:
      host === undefined
        ? `http://127.0.0.1:${address.port}`
        : `https://${host.name}:${address.port}`,
    nextArrival: () => new Promise((resolve) => watchers.push(resolve)),
    close: () => server.close(),
  };
}

function answerRequest(socket: Socket): void {
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('latin1');
    const headEnd = received.indexOf('\r\n\r\n');
    const length = Number(/^content-length: *(\d+)/im.exec(received)?.[1] ?? 0);
    if (headEnd < 0 || received.length < headEnd + 4 + length) {
      return;
    }
    const status = received.startsWith('POST') ? '201 Created' : '200 OK';
    const head = [
      'content-type: application/json',
      `content-length: ${BODY.length}`,
      'connection: close',
    ];
    socket.end([`HTTP/1.1 ${status}`, ...head, '', BODY].join('\r\n'));
  });
}
