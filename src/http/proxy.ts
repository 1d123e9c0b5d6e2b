import { checkBypass } from '@actions/http-client/lib/proxy';
import { isLoopback, parseUrl } from '../text/link.ts';

/** A proxy that reaches `https` origins through CONNECT. */
export interface ProxyServer {
  readonly origin: string;
  /** The value of `Proxy-Authorization`, if the proxy's URL has credentials. */
  readonly authorization: string | undefined;
}

/**
 * Returns the proxy for a URL by the toolkit's rules (`https_proxy`, `no_proxy`, also in upper case). Loopback addresses
 * never use the proxy. An address without a scheme means `http`, as for most tools. An `invalid` address blocks every
 * request, because the proxy may be there to prevent direct connections.
 */
export function readProxy(target: URL): ProxyServer | 'invalid' | undefined {
  const name = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const value = process.env[name] || process.env[name.toUpperCase()] || '';
  // The toolkit treats every name that begins with `127.` as loopback.
  const isBypassed = isLoopback(target) || (!target.hostname.startsWith('127.') && checkBypass(target));
  return value === '' || isBypassed ? undefined : parseProxy(value.trim());
}

const WITHOUT_SCHEME = /^(?!https?:\/)[^/?#\s]+\/?$/i;

function parseProxy(value: string): ProxyServer | 'invalid' {
  const url = parseUrl(WITHOUT_SCHEME.test(value) ? `http://${value}` : value);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return 'invalid';
  }
  // A percent sign without two hex digits stays as it is.
  const decoded = `${url.username}:${url.password}`.replace(/%([\da-f]{2})/gi, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const authorization = decoded === ':' ? undefined : `Basic ${btoa(decoded)}`;
  return { origin: url.origin, authorization };
}
