import type { Socket } from 'node:net';
import type { buildConnector as Connector } from 'undici';
import { buildConnector, Client, connect } from '../packages.ts';
import { ConnectError, formatAuthority, toConnectError } from './connect-error.ts';
import { type ProxyServer, readProxy } from './proxy.ts';

/** Node's default of 250 ms is shorter than some round trips. */
const ADDRESS_TIMEOUT_MS = 2_500;

/**
 * Returns a connector for a client of undici that makes a single request to this URL, through the
 * proxy of the environment if there is one. It always verifies certificates, and fails with a
 * `ConnectError`. Aborting the signal closes all of its sockets, even those opened later.
 */
export function createConnector(url: URL, signal: AbortSignal): Connector.connector {
  return connectOnce(url, async (options) => {
    const proxy = readProxy(url);
    const httpSocket = proxy && (await openTunnel(proxy, url, signal));
    // A proxied `http` URL does not exist: only loopback addresses use `http`.
    return open(httpSocket === undefined ? options : { ...options, httpSocket }, signal);
  });
}

/**
 * Returns a connector that connects at most once. Otherwise, undici would connect again, without
 * end, whenever a server closes a new connection.
 */
function connectOnce(
  url: URL,
  openSocket: (options: Connector.Options) => Promise<Socket>,
): Connector.connector {
  let isUsed = false;
  return (options, callback) => {
    const opened = isUsed
      ? Promise.reject(new Error(`connection closed by ${formatAuthority(url)}`))
      : openSocket(options);
    isUsed = true;
    opened.then(
      (socket) => callback(null, socket),
      (error) => callback(toConnectError(error, url), null),
    );
  };
}

function open(options: Connector.Options, signal: AbortSignal): Promise<Socket> {
  const connector = buildConnector({
    rejectUnauthorized: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    signal,
    // The request has a time limit of its own.
    timeout: 0,
  });
  return new Promise((resolve, reject) => {
    connector(options, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });
}

async function openTunnel(
  { origin, authorization }: ProxyServer,
  url: URL,
  signal: AbortSignal,
): Promise<Socket> {
  const proxyUrl = new URL(origin);
  const client = new Client(origin, {
    // Without a server name, undici takes the proxy's own, and not the one of the host header.
    connect: connectOnce(proxyUrl, ({ servername: _, ...options }) => open(options, signal)),
    headersTimeout: 0,
  });
  const path = formatAuthority(url);
  const headers = { host: path, 'proxy-authorization': authorization };
  const response = connect.call(client, { path, headers, signal });
  const { statusCode, socket } = await response.catch((error: unknown) => {
    const { message, isTransient } = toConnectError(error, proxyUrl);
    const code = isTransient ? 'proxy-refused' : 'tls-failed';
    throw new ConnectError(code, `proxy: ${message}`, isTransient);
  });
  if (statusCode >= 200 && statusCode < 300) {
    return socket as Socket;
  }
  socket.on('error', () => {}).destroy();
  const isTransient = statusCode >= 500 || statusCode === 408 || statusCode === 429;
  const detail = `the proxy returned HTTP ${statusCode} for CONNECT`;
  throw new ConnectError('proxy-refused', detail, isTransient);
}
