import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { showOnFailure } from '../../harness/failure-report.ts';
import type { ServiceOptions } from './scripted-service.ts';
import { listen } from './sockets.ts';

/** The reaction to a CONNECT: open a tunnel, hang up, or answer with a status. */
export type ProxyMode = 'tunnel' | 'hang-up' | number;

interface SeenConnect {
  /** The requested host and port. */
  target: string;
  proxyAuthorization: string | undefined;
}

/**
 * Starts an HTTP proxy. Its `url` is for HTTPS_PROXY. Every tunnel leads to `targetPort` on this
 * machine. For a proxy that refuses connections, use `reservePort`.
 */
export async function connectProxy(
  mode: ProxyMode,
  targetPort: number,
  options: ServiceOptions = {},
) {
  const connects: SeenConnect[] = [];
  /** The request lines of requests other than CONNECT. The proxy answers each with 501. */
  const otherRequests: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    otherRequests.push(`${request.method} ${request.url}`);
    response.writeHead(501).end();
  };
  const server = options.tls ? createTlsServer(options.tls, answer) : createServer(answer);
  server.on('connect', (request, client: Socket, head) => {
    connects.push({
      target: request.url ?? '',
      proxyAuthorization: request.headers['proxy-authorization'],
    });
    if (mode === 'tunnel') {
      openTunnel(client, head, targetPort);
    } else {
      client.end(typeof mode === 'number' ? toRefusal(mode) : '');
    }
  });
  const { port, close } = await listen(server, options);
  showOnFailure(`proxy on port ${port}`, () => ({ connects, otherRequests }));
  const url = options.tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  return { port, close, url, connects, otherRequests };
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

function toRefusal(status: number): string {
  const challenge = status === 407 ? 'proxy-authenticate: Basic realm="proxy"\r\n' : '';
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${challenge}content-length: 0\r\nconnection: close\r\n\r\n`;
}
