import { checkBypass } from '@actions/http-client/lib/proxy';

/** A proxy that reaches `https` origins through CONNECT. */
export interface ProxyServer {
  /** Empty if the variable is not an address. */
  readonly origin: string;
  /** The value of `Proxy-Authorization`, if the proxy's URL has credentials. */
  readonly authorization: string | undefined;
}

/**
 * The proxy for a URL by the toolkit's rules (`https_proxy`, `no_proxy`, upper case too), or undefined if
 * there is none. Loopback is never proxied. An address without a scheme means `http`, as for most tools. A value that
 * is not an address blocks every request, because the proxy may be there to prevent direct connections.
 */
export function readProxy(target: URL): ProxyServer | undefined {
  const name = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const value = process.env[name] || process.env[name.toUpperCase()] || '';
  return value === '' || checkBypass(target) ? undefined : parseProxy(value.trim());
}

const WITHOUT_SCHEME = /^(?!https?:\/)[^/?#\s]+\/?$/i;
const INVALID: ProxyServer = { origin: '', authorization: undefined };

function parseProxy(value: string): ProxyServer {
  try {
    const url = new URL(WITHOUT_SCHEME.test(value) ? `http://${value}` : value);
    const user = decodeURIComponent(`${url.username}:${url.password}`);
    const authorization = user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
    return /^https?:$/.test(url.protocol) ? { origin: url.origin, authorization } : INVALID;
  } catch {
    return INVALID;
  }
}
