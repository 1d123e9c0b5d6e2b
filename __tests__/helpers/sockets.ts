import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { closeAtEnd } from '../../harness/at-end.ts';

/** A server on a loopback port. */
export interface Listener {
  port: number;
  close(): Promise<void>;
}

export interface ListenOptions {
  /** A port of `reservePort`. By default, a free port. */
  port?: number;
}

const listeners = new Set<Listener>();

/** Closes every server. Every file of tests ends with it. */
export async function closeServers(): Promise<void> {
  await Promise.all([...listeners].map((listener) => listener.close()));
}

/** Makes a server listen on 127.0.0.1. Closing it destroys its connections. */
export async function listen(server: Server, options: ListenOptions = {}): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });

  const listener: Listener = {
    port: (server.address() as AddressInfo).port,
    async close() {
      listeners.delete(listener);
      for (const socket of sockets) {
        socket.destroy();
      }
      if (server.listening) {
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
  listeners.add(listener);
  closeAtEnd(closeServers);
  return listener;
}

/**
 * Returns a loopback port that refuses connections until a server listens on it. It is below the
 * range of free ports that systems assign, so no other process gets it.
 */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const isFree = await listen(createServer(), { port }).then(
      ({ close }) => close().then(() => true),
      () => false,
    );
    if (isFree) {
      return port;
    }
  }
}

/** Returns a closed gate. `opened` resolves after `open`. */
export function createGate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Sleeps until the time is up or the socket is closed, and leaves no timer. */
export function sleepWhileOpen(socket: Socket, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) {
      return resolve();
    }
    const done = (): void => {
      clearTimeout(timer);
      socket.removeListener('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    socket.once('close', done);
  });
}
