import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { close, listen } from '../emulator/listen.ts';
import { createAuthority } from '../harness/certificates.ts';

const SERVICE_HOST = 'api.mintlify.com';

/**
 * Lets a handler answer at the address of the service: for clients that use the proxy and trust the
 * certificate, which is PEM.
 */
export async function serveAtServiceAddress(handler: RequestListener) {
  const authority = createAuthority();
  const service = createTlsServer(authority.issue([SERVICE_HOST]), handler);
  const servicePort = Number(new URL(await listen(service)).port);
  const proxy = createServer().on('connect', (_, client) => {
    const server = connect(servicePort, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      server.pipe(client).pipe(server);
    });
    for (const end of [client, server]) {
      end.on('error', () => end.destroy());
    }
  });
  return {
    proxyUrl: await listen(proxy),
    certificate: authority.cert,
    close: () => Promise.all([close(service), close(proxy)]),
  };
}
