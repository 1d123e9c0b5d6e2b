import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { ifPossible } from '../errors.ts';
import { ConnectError, formatAuthority, toConnectError } from './connect-error.ts';
import { lookUp } from './lookup.ts';
import { type ProxyServer, readProxy } from './proxy.ts';
import { skipInterimResponses } from './response-head.ts';
import { Client } from './undici.ts';

export interface Destination {
  readonly url: URL;
  /** True if looking up the host must not delay the end of the process. */
  readonly isStoppable: boolean;
}

interface Opening extends Destination {
  readonly signal: AbortSignal;
  /** The newest socket, which carries the request. Closing it also closes the sockets below it. */
  outermost?: Socket;
}

/**
 * Opens a connection that is ready for a request. Aborting the signal closes it, and all sockets
 * below it.
 */
export async function openConnection(
  destination: Destination,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const opening: Opening = { ...destination, signal };
  // If the inner socket were destroyed first, Node would never close the TLS socket around it.
  signal.addEventListener('abort', () => opening.outermost?.destroy(), { once: true });
  const proxy = readProxy(opening.url);
  const tunnel = proxy && (await openTunnel(proxy, opening));
  return openSocket(opening.url, opening, tunnel);
}

const MAX_IDLE_MS = 5_000;

/** Takes over an early connection. Aborting the signal closes it. */
export type EarlyConnection = (signal: AbortSignal) => Promise<Socket>;

/**
 * Starts to connect before the request is known. The returned function connects again if the
 * connection was idle for too long, because the server may be closing it. An idle connection
 * doesn't keep the process alive.
 */
export function connectEarly(destination: Destination): EarlyConnection {
  const stop = new AbortController();
  const close = (): void => stop.abort();
  const opened = openConnection(destination, stop.signal);
  opened.then(
    (socket) => socket.unref().setTimeout(MAX_IDLE_MS, close),
    () => {},
  );
  return async (signal) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', close, { once: true });
    const socket = await opened;
    socket.ref().setTimeout(0);
    return stop.signal.aborted ? openConnection(destination, signal) : socket;
  };
}

/**
 * Returns a connector that hands this open socket to an undici client. It fails once the client has
 * written to the socket, so that the client can never write a request twice. `onSend` is called
 * before the first write.
 */
export function handOver(socket: Socket, onSend?: () => void): buildConnector.connector {
  skipInterimResponses(socket);
  const { write } = socket;
  socket.write = (...args: unknown[]) => {
    socket.write = write;
    onSend?.();
    return Reflect.apply(write, socket, args);
  };
  return (_, callback) => {
    // undici sends nothing if the callback runs synchronously.
    queueMicrotask(() => {
      const isSent = socket.write === write;
      if (isSent || socket.destroyed) {
        callback(new Error('the connection was closed before the request was sent'), null);
      } else {
        callback(null, socket);
      }
    });
  };
}

/**
 * Opens a socket, with TLS for `https`. Verifies the certificate, even if the environment turns
 * that off.
 */
async function openSocket(url: URL, opening: Opening, tunnel?: Socket): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const socket = tunnel ?? (await openTcp(url, host, opening));
  if (url.protocol !== 'https:') {
    return socket;
  }
  // Otherwise, Node warns that nothing is verified.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  const secured = connectTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  return untilReady(secured, 'secureConnect', url, opening);
}

async function openTcp(url: URL, host: string, opening: Opening): Promise<Socket> {
  const isTls = url.protocol === 'https:';
  const addresses = await lookUp(host, opening.isStoppable, opening.signal);
  const socket = connectTcp({
    host,
    port: Number(url.port || (isTls ? 443 : 80)),
    lookup: (_host, _options, callback) => callback(null, addresses),
    autoSelectFamily: true,
    // Leaves time for every address. Node's default is shorter than some round trips.
    autoSelectFamilyAttemptTimeout: Math.min(2_500, Math.ceil(9_000 / addresses.length)),
    noDelay: true,
  });
  if (isTls) {
    // Node reads its root certificates once, which takes a third of the start-up time. Do it while
    // waiting for the server.
    socket.once('connectionAttempt', () => setImmediate(() => ifPossible(createSecureContext)));
  }
  return untilReady(socket, 'connect', url, opening);
}

function untilReady(socket: Socket, event: string, url: URL, opening: Opening): Promise<Socket> {
  opening.outermost = socket;
  return new Promise((resolve, reject) => {
    socket.on('error', (error) => reject(toConnectError(error, url, socket)));
    socket.once('close', () => reject(new Error(`connection closed by ${formatAuthority(url)}`)));
    socket.once(event, () => resolve(socket));
  });
}

/** Connects to the proxy and sends a single CONNECT request for a tunnel to the host. */
async function openTunnel(
  { origin, authorization }: ProxyServer,
  opening: Opening,
): Promise<Socket> {
  const proxyUrl = new URL(origin);
  const path = formatAuthority(opening.url);
  const headers = { host: path, 'proxy-authorization': authorization };
  const response = openSocket(proxyUrl, opening).then((socket) =>
    new Client(origin, { connect: handOver(socket) }).connect({ path, headers }),
  );
  const { statusCode, socket } = await response.catch((error: unknown) => {
    const { message, isTransient } = toConnectError(error, proxyUrl);
    throw new ConnectError(
      isTransient ? 'proxy-refused' : 'tls-failed',
      `proxy: ${message}`,
      isTransient,
    );
  });
  if (statusCode >= 200 && statusCode < 300) {
    return socket as Socket;
  }
  const isTransient = statusCode >= 500 || statusCode === 408 || statusCode === 429;
  throw new ConnectError(
    'proxy-refused',
    `the proxy returned HTTP ${statusCode} for CONNECT`,
    isTransient,
  );
}
