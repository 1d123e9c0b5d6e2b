import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { closeAtEnd } from '../harness/at-end.ts';
import type { Fault } from './faults.ts';

const closers = new Set<() => Promise<unknown>>();

/** Closes every server. Every file of tests ends with it. */
export async function closeServers(): Promise<void> {
  const closing = [...closers].map((close) => close());
  closers.clear();
  await Promise.all(closing);
}

/**
 * Makes a server listen on a free port of 127.0.0.1, and returns the port. Closing it destroys its
 * connections.
 */
export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.add(() => {
    for (const socket of sockets) {
      socket.destroy();
    }
    return new Promise((resolve) => server.close(resolve));
  });
  closeAtEnd(closeServers);
  return (server.address() as AddressInfo).port;
}

/** Starts a bare TCP server that acts on every connection. */
export async function bareServer(act: Fault) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    Promise.resolve(act(socket)).catch(() => socket.destroy());
  });
  const port = await listen(server);
  return {
    port,
    get connections() {
      return connections;
    },
  };
}

/** Returns a closed gate. `opened` resolves after `open`. */
export function createGate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
