import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { getErrorText } from '../errors.ts';

/** Why a connection couldn't be opened. `tls` and `proxy-refused` are permanent, the others transient. */
export type ConnectFailure = 'unreachable' | 'tls' | 'proxy-unavailable' | 'proxy-refused';

/** Thrown if a connection couldn't be opened, so nothing was sent. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly failure: ConnectFailure;

  constructor(failure: ConnectFailure, detail: string) {
    super(detail);
    this.failure = failure;
  }
}

/** Returns the host and port of a URL. */
export function formatAuthority({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/**
 * Failures of the handshake that a retry would not change: a refused certificate, or no common TLS version. Anything else
 * may be a balancer that restarts.
 */
const FINAL_TLS_REASON = /certificate|unknown ca|protocol version|unsupported protocol|version too low/i;

/** Turns an error of Node, OpenSSL, or undici into a `ConnectError`. `socket` says if it refused a certificate. */
export function toConnectError(error: unknown, url: URL, socket?: Socket): ConnectError {
  if (error instanceof ConnectError) {
    return error;
  }
  const { code, reason, syscall }: Record<string, unknown> = Object(error);
  const isCertificate = socket instanceof TLSSocket && Boolean(socket.authorizationError);
  const isFinal = isCertificate || FINAL_TLS_REASON.test(String(reason));
  const host = syscall === 'getaddrinfo' ? url.hostname : formatAuthority(url);
  const isOwn = typeof code !== 'string' || code.startsWith('UND_ERR_');
  const detail = isOwn ? getErrorText(error) : `${code} ${host}`;
  return new ConnectError(isFinal ? 'tls' : 'unreachable', detail);
}
