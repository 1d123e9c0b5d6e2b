import { connect, createServer, type Socket } from 'node:net';
import { showOnFailure } from '../../harness/failure-report.ts';
import { type ListenOptions, listen, sleepWhileOpen } from './sockets.ts';

interface Options extends ListenOptions {
  /**
   * The reaction to the first data of a connection, counted from 1. With TLS, this is during the
   * handshake.
   */
  refuse?: (connection: number) => 'reset' | Buffer | undefined;
  /** Holds the first data of the first connection for a time, then passes it on. */
  holdFirstMs?: number;
}

/** Starts a TCP relay to a loopback port. It can delay or refuse connections. */
export async function relay(targetPort: number, options: Options = {}) {
  let connections = 0;
  let bytesUp = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    connections += 1;
    const number = connections;
    client.on('data', (data) => {
      bytesUp += data.length;
    });
    const refusal = options.refuse?.(number);
    if (refusal !== undefined) {
      client.once('data', () =>
        refusal === 'reset' ? client.resetAndDestroy() : client.end(refusal),
      );
      return;
    }
    const holdMs = number === 1 ? (options.holdFirstMs ?? 0) : 0;
    const target = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true });
    forward(client, target, holdMs);
    forward(target, client, 0);
  });
  const { port, close } = await listen(server, options);
  showOnFailure(`relay on port ${port} to port ${targetPort}`, () => ({ connections, bytesUp }));
  return {
    port,
    close,
    get connections() {
      return connections;
    },
    /** Bytes from clients, including those that did not reach the target. */
    get bytesUp() {
      return bytesUp;
    },
  };
}

/** Passes data on in order, after a delay of the first data. */
function forward(from: Socket, to: Socket, holdMs: number): void {
  let last: Promise<void> | undefined;
  const later = (action: () => void): void => {
    last ??= holdMs > 0 ? sleepWhileOpen(to, holdMs) : Promise.resolve();
    last = last.then(action);
  };
  from.on('data', (data) => later(() => to.write(data)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => {});
  from.on('close', () => {
    if (from.errored || !from.readableEnded) to.destroy();
  });
}
