import { getErrorText } from '../errors.ts';

/**
 * Thrown if a connection couldn't be opened, so nothing was sent. A retry helps only with a
 * transient error.
 */
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

/** Codes of a rejected certificate ("X509 certificate error codes" in Node's documentation). */
const CERTIFICATE_CODE = /CERT|CRL|SIGNATURE|ISSUER|INVALID_|PATH_LENGTH|HOSTNAME_MISMATCH/;
/** What the usual codes mean. */
const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'is from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'is from an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'is from an unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  CERT_HAS_EXPIRED: 'has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host',
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
  const isCertificate = CERTIFICATE_CODE.test(String(code)) && !String(code).startsWith('ERR_SSL_');
  const isFinal = isCertificate || FINAL_TLS_REASON.test(String(reason));
  const host = syscall === 'getaddrinfo' ? url.hostname : formatAuthority(url);
  const isOwn = typeof code !== 'string' || code.startsWith('UND_ERR_');
  const problem = CERTIFICATE_PROBLEMS[String(code)];
  const words = problem === undefined ? '' : `the certificate ${problem}: `;
  const detail = isOwn ? getErrorText(error) : `${words}${code} ${host}`;
  return new ConnectError(isFinal ? 'tls-failed' : 'connect-failed', detail, !isFinal);
}
