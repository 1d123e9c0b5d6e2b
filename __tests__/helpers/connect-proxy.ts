import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { showOnFailure } from '../harness/failure-report.ts';
import type { ServiceOptions } from './scripted-service.ts';
import { listen } from './sockets.ts';

/** The reaction to a CONNECT: open a tunnel, hang up, or answer with a status. */
export type ProxyMode = 'tunnel' | 'hang-up' | number;

/**
 * Starts an HTTP proxy. Its `url` is for HTTPS_PROXY. Every tunnel leads to `targetPort` on this
 * machine.
 */
export async function connectProxy(
  mode: ProxyMode,
  targetPort: number,
  { tls }: ServiceOptions = {},
) {
  /** The requested hosts and ports. */
  const connects: { target: string; proxyAuthorization: string | undefined }[] = [];
  const refuse: RequestListener = (_request, response) => void response.writeHead(501).end();
  const server = tls ? createTlsServer(tls, refuse) : createServer(refuse);
  server.on('connect', (request, client: Socket, head) => {
    const { url: target = '', headers } = request;
    connects.push({ target, proxyAuthorization: headers['proxy-authorization'] });
    if (mode === 'tunnel') {
      openTunnel(client, head, targetPort);
    } else {
      client.end(mode === 'hang-up' ? '' : `HTTP/1.1 ${mode} No\r\n\r\n`);
    }
  });
  const port = await listen(server);
  showOnFailure(`proxy on port ${port}`, () => connects);
  return { port, url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`, connects };
}

function openTunnel(client: Socket, head: Buffer, targetPort: number): void {
  const target = connect(targetPort, '127.0.0.1');
  target.on('error', () => client.destroy());
  target.on('close', () => client.destroy());
  client.on('close', () => target.destroy());
  target.once('connect', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.write(head);
    client.pipe(target).pipe(client);
  });
}
