import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { createAuthority } from '../harness/certificates.ts';
import { connectProxy } from './connect-proxy.ts';
import { listen } from './sockets.ts';

const SERVICE_HOST = 'api.mintlify.com';

/**
 * Lets a handler answer at the address of the service, until `closeServers`: for clients that use
 * the proxy and trust the certificate, which is PEM.
 */
export async function serveAtServiceAddress(handler: RequestListener) {
  const authority = createAuthority();
  const port = await listen(createServer(authority.issue([SERVICE_HOST]), handler));
  const { url } = await connectProxy('tunnel', port);
  return { proxyUrl: url, certificate: authority.cert };
}
