import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export interface RawServer {
  readonly url: string;
  /** Resolves to the time of the next first byte of a connection, on the clock of `performance.now()`. */
  nextFirstByte(): Promise<number>;
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

/** A bare TCP server whose every answer is a job that has completed, so that a run ends at its first poll. */
export async function createRawServer(): Promise<RawServer> {
  const watchers: ((atMs: number) => void)[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      const atMs = performance.now();
      for (const watch of watchers.splice(0)) watch(atMs);
    });
    answerRequest(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the server has no port');
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    nextFirstByte: () => new Promise((resolve) => watchers.push(resolve)),
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
    const head = ['content-type: application/json', `content-length: ${BODY.length}`, 'connection: close'];
    socket.end([`HTTP/1.1 ${status}`, ...head, '', BODY].join('\r\n'));
  });
}
