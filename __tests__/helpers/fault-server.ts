import { createServer, type Socket } from 'node:net';
import { showOnFailure } from '../../harness/failure-report.ts';
import type { Fault } from './faults.ts';
import { type ListenOptions, listen } from './sockets.ts';

interface Options extends ListenOptions {
  /** Shows the fault once a connection is accepted. */
  onAccept?: boolean;
}

/**
 * Starts a bare TCP server that shows the fault on every connection, by default after each whole
 * request.
 */
export async function faultServer(fault: Fault, options: Options = {}) {
  /** The bytes of each request. */
  const requests: Buffer[] = [];
  let connections = 0;
  const fail = (socket: Socket): void => {
    Promise.resolve(fault(socket)).catch(() => socket.destroy());
  };
  const server = createServer((socket) => {
    connections += 1;
    if (options.onAccept) {
      return fail(socket);
    }
    let received = Buffer.alloc(0);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      if (!isWholeRequest(received)) {
        return;
      }
      requests.push(received);
      received = Buffer.alloc(0);
      fail(socket);
    });
  });
  const { port, close } = await listen(server, options);
  showOnFailure(`bare server on port ${port}`, () => ({
    connections,
    requests: requests.map(String),
  }));
  return {
    port,
    close,
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
  };
}

function isWholeRequest(bytes: Buffer): boolean {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) {
    return false;
  }
  const length = /^content-length: *(\d+)/im.exec(bytes.toString('latin1', 0, headEnd))?.[1] ?? '0';
  return bytes.length >= headEnd + 4 + Number(length);
}
