import { getProxyUrl } from '@actions/http-client/lib/proxy';
import type { ProxyServer } from './connect.ts';

/**
 * The proxy for a URL by the toolkit's rules (`https_proxy`, `no_proxy`, upper case too), undefined where
 * there is none; loopback is never proxied. Throws where a proxy variable is no URL.
 */
export function readProxy(target: URL): ProxyServer | undefined {
  const url = getProxyUrl(target);
  if (url === undefined) {
    return undefined;
  }
  const user = url.username === '' && url.password === '' ? undefined : `${url.username}:${url.password}`;
  return {
    origin: url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol,
    authorization: user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
  };
}
