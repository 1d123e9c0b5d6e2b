import { connect as connectTcp, isIP, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  DEFAULT_MIN_VERSION,
  type SecureContext,
} from 'node:tls';
import type { buildConnector } from 'undici';
import { getErrorText } from '../errors.ts';
import { ConnectError, formatAuthority, toConnectError } from './connect-error.ts';
import { lookup } from './lookup.ts';
import type { ProxyServer } from './proxy.ts';
import { skipInterimResponses } from './response-head.ts';
import { Client, connect } from './undici.ts';

/** Where a connection goes, and through which proxy. */
export interface Destination {
  readonly url: URL;
  readonly proxy: ProxyServer | undefined;
}

/**
 * Opens a connection that is ready for a request: TCP, the proxy's CONNECT, and TLS. Rejects with a `ConnectError`.
 * Aborting the signal closes every open socket, the returned one, too.
 */
export async function openConnection({ url, proxy }: Destination, signal: AbortSignal): Promise<Socket> {
  try {
    signal.throwIfAborted();
    const tunnel = proxy && (await openTunnel(url, proxy, signal));
    return await openSocket(url, signal, tunnel);
  } catch (error) {
    throw signal.aborted ? new ConnectError('unreachable', getErrorText(signal.reason)) : error;
  }
}

/** A connector for an undici client that hands it this open socket, once: the client can never write a request twice. */
export class SocketConnector {
  readonly #socket: Socket;
  /** True from the moment the client has the socket, and so may have written the request. */
  isUsed = false;

  constructor(socket: Socket) {
    skipInterimResponses(socket);
    this.#socket = socket;
  }

  readonly connect: buildConnector.connector = (_, callback) => {
    // undici sends nothing if it is called back at once.
    queueMicrotask(() => {
      if (this.isUsed || this.#socket.destroyed) {
        const reason = 'the connection was closed before the request was sent';
        callback(new ConnectError('unreachable', reason), null);
      } else {
        this.isUsed = true;
        callback(null, this.#socket);
      }
    });
  };
}

let secureContext: SecureContext | undefined;

/** Reading the root certificates takes a third of the start, so they are read once. */
function getSecureContext(): SecureContext {
  secureContext ??= createSecureContext({
    minVersion: DEFAULT_MIN_VERSION === 'TLSv1.3' ? 'TLSv1.3' : 'TLSv1.2',
  });
  return secureContext;
}

/** Opens a socket, with TLS for an `https` URL, through the tunnel if there is one. */
async function openSocket(url: URL, signal: AbortSignal, tunnel?: Socket): Promise<Socket> {
  const socket = tunnel ?? (await openTcp(url, signal));
  return url.protocol === 'https:' ? openTls(url, socket, signal) : socket;
}

async function openTcp(url: URL, signal: AbortSignal): Promise<Socket> {
  const isTls = url.protocol === 'https:';
  const port = Number(url.port || (isTls ? 443 : 80));
  const socket = connectTcp({ host: toHost(url), port, lookup, noDelay: true });
  if (isTls) {
    // While the answer of the server is on its way.
    socket.once('connectionAttempt', () => setImmediate(getSecureContext));
  }
  return expectReady(socket, 'connect', url, signal);
}

/** Always verifies the certificate, even if the environment turns that off. */
async function openTls(url: URL, socket: Socket, signal: AbortSignal): Promise<Socket> {
  // Otherwise, Node warns that nothing is verified.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  const host = toHost(url);
  const secured = connectTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '',
    secureContext: getSecureContext(),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  return expectReady(secured, 'secureConnect', url, signal);
}

function toHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function expectReady(socket: Socket, event: string, url: URL, signal: AbortSignal): Promise<Socket> {
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  return new Promise((resolve, reject) => {
    socket.on('error', (error) => reject(toConnectError(error, url, socket)));
    socket.once('close', () =>
      reject(new ConnectError('unreachable', `connection closed by ${formatAuthority(url)}`)),
    );
    socket.once(event, () => resolve(socket));
  });
}

/** Opens a connection to the proxy and asks it once for a tunnel to the host. */
async function openTunnel(url: URL, proxy: ProxyServer, signal: AbortSignal): Promise<Socket> {
  if (proxy.origin === '') {
    throw new ConnectError('proxy-refused', 'HTTPS_PROXY is not an http:// or https:// address');
  }
  const authority = formatAuthority(url);
  const { statusCode, socket } = await sendConnect(authority, proxy, signal).catch((error: unknown) => {
    const { failure, message } = toConnectError(error, new URL(proxy.origin));
    throw new ConnectError(failure === 'tls' ? 'tls' : 'proxy-unavailable', `proxy: ${message}`);
  });
  if (statusCode >= 200 && statusCode < 300) {
    return socket as Socket;
  }
  socket.destroy();
  const isTransient = statusCode >= 500 || statusCode === 408 || statusCode === 429;
  throw new ConnectError(
    isTransient ? 'proxy-unavailable' : 'proxy-refused',
    `the proxy returned HTTP ${statusCode} for CONNECT`,
  );
}

async function sendConnect(authority: string, { origin, authorization }: ProxyServer, signal: AbortSignal) {
  const connector = new SocketConnector(await openSocket(new URL(origin), signal));
  return connect.call(new Client(origin, { connect: connector.connect }), {
    origin,
    path: authority,
    headers: { host: authority, 'proxy-authorization': authorization },
  });
}
