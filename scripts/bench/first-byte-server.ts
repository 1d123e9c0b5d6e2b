import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { KeyPair } from '../../__tests__/harness/certificates.ts';

export interface FirstByteServer {
  readonly url: string;
  /** Resolves to the time of the first byte of the next request, by `performance.now()`. */
  nextFirstByte(): Promise<number>;
  close(): void;
}

/** Starts an https server at `localhost` that never responds. */
export async function startFirstByteServer(pair: KeyPair): Promise<FirstByteServer> {
  let onFirstByte = (_atMs: number): void => {};
  const server = createServer(pair, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => onFirstByte(performance.now()));
  });
  server.on('tlsClientError', () => {});
  await once(server.listen(0), 'listening');
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    nextFirstByte: () =>
      new Promise((resolve) => {
        onFirstByte = resolve;
      }),
    close: () => server.close(),
  };
}
