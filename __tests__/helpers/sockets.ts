import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { closeAtEnd } from '../../harness/at-end.ts';

/** Something that listens on a loopback port until it is closed. */
export interface Listener {
  port: number;
  close(): Promise<void>;
}

export interface ListenOptions {
  /** A port of `reservePort`; any free one if not given. */
  port?: number;
  /** The port refuses connections for this time. */
  openAfterMs?: number;
}

const listeners = new Set<Listener>();

/** Closes everything that listens. Every file of tests ends with it. */
export async function closeServers(): Promise<void> {
  await Promise.all([...listeners].map((listener) => listener.close()));
}

/** Makes a server of node listen on 127.0.0.1; closing it destroys its connections. */
export async function listen(server: Server, options: ListenOptions = {}): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  const port = options.port ?? (options.openAfterMs === undefined ? 0 : await reservePort());
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });

  let timer: NodeJS.Timeout | undefined;
  if (options.openAfterMs === undefined) await open();
  else timer = setTimeout(() => void open(), options.openAfterMs);

  const listener: Listener = {
    port: port || (server.address() as AddressInfo).port,
    async close() {
      clearTimeout(timer);
      listeners.delete(listener);
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  listeners.add(listener);
  closeAtEnd(closeServers);
  return listener;
}

/**
 * A loopback port that refuses connections until something listens on it. It is below the range from which systems
 * take a free port, so nothing else gets it meanwhile.
 */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const isFree = await listen(createServer(), { port }).then(
      ({ close }) => close().then(() => true),
      () => false,
    );
    if (isFree) return port;
  }
}

/** A gate that is closed at first: what waits for `opened` goes on after `open`. */
export function createGate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Resolves once the socket is closed or the time is over, whichever comes first: a sleep that leaves no timer. */
export function sleepWhileOpen(socket: Socket, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      socket.removeListener('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    socket.once('close', done);
  });
}
