import { connect, createServer, type Socket } from 'node:net';
import { showOnFailure } from './failure-report.ts';
import { type Listener, type ListenOptions, listen, sleepWhileOpen } from './sockets.ts';

export interface RelayOptions extends ListenOptions {
  /** Delay of each piece of data from the client to the target. */
  upMs?: number;
  /** Delay of each piece of data from the target to the client. */
  downMs?: number;
  /** Resets so many connections at their first data: with TLS, in the middle of the handshake. */
  resetFirst?: number;
  /** Holds the first data of the first so many connections for a time, then lets it through. */
  holdFirst?: { connections: number; ms: number };
}

export interface Relay extends Listener {
  readonly connections: number;
  /** Bytes that clients sent, whether or not they went on to the target. */
  readonly bytesUp: number;
}

/** A TCP relay to a loopback port that delays, holds or resets what goes through it. */
export async function relay(targetPort: number, options: RelayOptions = {}): Promise<Relay> {
  let connections = 0;
  let bytesUp = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    connections += 1;
    const number = connections;
    client.on('data', (data) => {
      bytesUp += data.length;
    });
    const { resetFirst = 0, holdFirst } = options;
    if (number <= resetFirst) {
      client.once('data', () => client.resetAndDestroy());
      return;
    }
    const holdMs = holdFirst && number <= holdFirst.connections ? holdFirst.ms : 0;
    const target = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true });
    forward(client, target, holdMs, options.upMs ?? 0);
    forward(target, client, 0, options.downMs ?? 0);
  });
  const { port, close } = await listen(server, options);
  showOnFailure(`relay on port ${port} to port ${targetPort}`, () => ({ connections, bytesUp }));
  return {
    port,
    close,
    get connections() {
      return connections;
    },
    get bytesUp() {
      return bytesUp;
    },
  };
}

function forward(from: Socket, to: Socket, firstMs: number, everyMs: number): void {
  let last: Promise<unknown> = Promise.resolve();
  let waitMs = firstMs + everyMs;
  const later = (action: () => void): void => {
    const ms = waitMs;
    waitMs = everyMs;
    const wait = ms > 0 ? sleepWhileOpen(to, ms) : Promise.resolve();
    last = Promise.all([last, wait]).then(action);
  };
  from.on('data', (data) => later(() => to.write(data)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => {});
  from.on('close', () => {
    if (from.errored || !from.readableEnded) to.destroy();
  });
}
