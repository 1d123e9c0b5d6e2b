import { checkBypass } from '../packages.ts';
import { isLoopback, parseUrl } from '../text/link.ts';
import { ConnectError } from './connect-error.ts';

/** A proxy that reaches `https` origins through CONNECT. */
export type ProxyServer = Readonly<NonNullable<ReturnType<typeof readProxy>>>;

const WITHOUT_SCHEME = /^(?!https?:\/)[^/?#\s]+\/?$/i;

/**
 * Returns the proxy for a URL by the toolkit's rules (`https_proxy`, `no_proxy`, also in upper
 * case). Loopback addresses never use the proxy, and only they may use `http`. An address without a
 * scheme means `http`, as for most tools. Throws if the address is invalid, because the proxy may
 * be there to prevent direct connections.
 */
export function readProxy(target: URL) {
  const value = process.env['https_proxy'] || process.env['HTTPS_PROXY'] || '';
  // The toolkit treats every name that begins with `127.` as loopback.
  const isBypassed =
    isLoopback(target) || (!target.hostname.startsWith('127.') && checkBypass(target));
  if (value === '' || isBypassed) {
    return undefined;
  }
  const address = value.trim();
  const url = parseUrl(WITHOUT_SCHEME.test(address) ? `http://${address}` : address);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const detail = 'HTTPS_PROXY is not an http:// or https:// address';
    throw new ConnectError('proxy-refused', detail, false);
  }
  // A percent sign without two hex digits stays as it is.
  const decoded = `${url.username}:${url.password}`.replace(/%([\da-f]{2})/gi, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return {
    origin: url.origin,
    /** The value of `Proxy-Authorization`, if the proxy's URL has credentials. */
    authorization: decoded === ':' ? undefined : `Basic ${btoa(decoded)}`,
  };
}
