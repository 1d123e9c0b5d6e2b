import { getErrorText } from '../errors.ts';

/** Why no connection was ready for a request. `tls` and `proxy-refused` stay as they are; the others may pass. */
export type ConnectFailure = 'unreachable' | 'tls' | 'proxy-unavailable' | 'proxy-refused';

/** A connection that was never ready for a request, so nothing was sent. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly failure: ConnectFailure;

  constructor(failure: ConnectFailure, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.failure = failure;
  }
}

/** Returns the host and port of a URL, as a CONNECT request and a message for people name them. */
export function formatAuthority({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/**
 * A handshake that another attempt would not change: a certificate that either side refuses, and TLS versions that don't
 * overlap. Anything else may be a balancer that restarts.
 */
const FINAL_TLS_REASON = /certificate|unknown ca|protocol version|unsupported protocol|version too low/i;

/** Turns an error of node or OpenSSL into a `ConnectError`. `socket` says if it refused a certificate. */
export function toConnectError(error: unknown, url: URL, socket?: object): ConnectError {
  if (error instanceof ConnectError) {
    return error;
  }
  const isCertificate = getText(socket, 'authorizationError') !== '';
  const isFinal = isCertificate || FINAL_TLS_REASON.test(getText(error, 'reason'));
  return new ConnectError(isFinal ? 'tls' : 'unreachable', describe(error, url), { cause: error });
}

function describe(error: unknown, url: URL): string {
  const code = getText(error, 'code');
  if (code === '' || code.startsWith('UND_ERR_')) {
    return getErrorText(error);
  }
  const isLookup = getText(error, 'syscall') === 'getaddrinfo';
  return `${code} ${isLookup ? url.hostname : formatAuthority(url)}`;
}

/** The value of a text property, or ''. */
function getText(value: unknown, name: string): string {
  const property = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof property === 'string' ? property : '';
}
