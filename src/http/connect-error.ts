import { getErrorText } from '../errors.ts';

/** Thrown if no connection could be opened, so nothing was sent. A transient error may pass. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  readonly code: 'connect-failed' | 'tls-failed' | 'proxy-refused';
  readonly isTransient: boolean;

  constructor(code: ConnectError['code'], detail: string, isTransient: boolean) {
    super(detail);
    this.code = code;
    this.isTransient = isTransient;
  }
}

/** Returns the host and port of a URL. */
export function formatAuthority({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/**
 * Codes of a rejected certificate ("X509 certificate error codes" in Node's documentation).
 * `UNSPECIFIED` stands for all others, such as a weak key, or a name that the authority may not
 * use.
 */
const CERTIFICATE_CODE =
  /CERT|CRL|SIGNATURE|ISSUER|INVALID_|PATH_LENGTH|HOSTNAME_MISMATCH|^UNSPECIFIED$/;
const UNKNOWN_AUTHORITY = 'the certificate is from an unknown authority';
const NO_TLS = "the server doesn't use TLS on this port";
const PROBLEMS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
};
/** Alerts that a retry won't fix. Anything else may be a load balancer that is restarting. */
const FINAL_TLS_REASON =
  /certificate|unknown ca|protocol version|unsupported protocol|version too low/i;

/** Turns an error of Node, OpenSSL, or undici into a `ConnectError`. */
export function toConnectError(error: unknown, url: URL): ConnectError {
  if (error instanceof ConnectError) {
    return error;
  }
  const { code, reason, syscall }: Record<string, unknown> = Object(error);
  const name = typeof code === 'string' ? code : '';
  const isCertificate = CERTIFICATE_CODE.test(name) && !name.startsWith('ERR_SSL_');
  const isFinal = isCertificate || FINAL_TLS_REASON.test(String(reason));
  const host = syscall === 'getaddrinfo' ? url.hostname : formatAuthority(url);
  const detail = describe(error, name, host);
  return new ConnectError(isFinal ? 'tls-failed' : 'connect-failed', detail, !isFinal);
}

function describe(error: unknown, code: string, host: string): string {
  const problem = PROBLEMS[code];
  if (problem !== undefined) {
    return `${problem}: ${code} ${host}`;
  }
  if (code === 'UNSPECIFIED') {
    return `the certificate was rejected: ${getErrorText(error)} ${host}`;
  }
  return code === '' || code.startsWith('UND_ERR_') ? getErrorText(error) : `${code} ${host}`;
}
