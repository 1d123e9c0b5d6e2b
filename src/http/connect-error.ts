import type { Socket } from 'node:net';

/** Why no request was written to a connection. */
export type ConnectFailure =
  | 'unreachable'
  | 'connect-timeout'
  | 'tls'
  | 'proxy-unavailable'
  | 'proxy-refused'
  | 'proxy-invalid';

/** A connection that was never made ready for a request, so nothing was sent. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly failure: ConnectFailure;

  constructor(failure: ConnectFailure, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.failure = failure;
  }
}

/** The parts of a URL, or of undici's options, that say where a connection goes. */
export interface Destination {
  readonly hostname: string;
  readonly port: string;
  readonly protocol: string;
}

/** The host and port, as a CONNECT request and a message for people name them. */
export function formatAuthority({ hostname, port, protocol }: Destination): string {
  const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  return `${host}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** Milliseconds in seconds: whole ones, below ten with one decimal. */
export function formatSeconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(ms < 9_950 ? 1 : 0))} s`;
}

/** Says that a connection was not ready in time. */
export function describeConnectTimeout(destination: Destination, timeoutMs: number): string {
  return `no connection to ${formatAuthority(destination)} within ${formatSeconds(timeoutMs)}`;
}

/** The error of a connection that ended before anything was written to it. */
export function createLostError(): ConnectError {
  return new ConnectError('unreachable', 'the connection was closed before the request was sent');
}

const TLS_CODE = /^ERR_(?:SSL|TLS)_|^EPROTO$/;

/**
 * What an error of node, OpenSSL or undici means. A certificate that was refused is told by the socket rather than
 * by one of OpenSSL's codes, so that none of them can be missed.
 */
export function toConnectError(error: unknown, destination: Destination, socket?: Socket): ConnectError {
  if (error instanceof ConnectError) {
    return error;
  }
  const code = getText(error, 'code');
  const isTls = TLS_CODE.test(code) || getText(socket, 'authorizationError') !== '';
  return new ConnectError(isTls ? 'tls' : 'unreachable', describe(error, code, destination), {
    cause: error,
  });
}

function describe(error: unknown, code: string, destination: Destination): string {
  if (code === '' || code.startsWith('UND_ERR_')) {
    return getText(error, 'message') || String(error);
  }
  const isLookup = getText(error, 'syscall') === 'getaddrinfo';
  return `${code} ${isLookup ? destination.hostname : formatAuthority(destination)}`;
}

/** A property that holds text, or ''. */
function getText(value: unknown, name: string): string {
  const property = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof property === 'string' ? property : '';
}
