import { checkBypass, getProxyUrl } from '@actions/http-client/lib/proxy';
import type { ProxyServer } from './connection.ts';

/**
 * The proxy for a URL by the toolkit's rules (`https_proxy`, `no_proxy`, upper case too), undefined where
 * there is none; loopback is never proxied. Where the variable is no URL, the toolkit would do without a proxy;
 * here it is one that cannot be connected to, since a direct way may be what the proxy is to prevent.
 */
export function readProxy(target: URL): ProxyServer | undefined {
  const url = findUrl(target);
  if (url === undefined) {
    return isProxied(target) ? { origin: '', authorization: undefined } : undefined;
  }
  const user = url.username === '' && url.password === '' ? undefined : `${url.username}:${url.password}`;
  return {
    origin: url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol,
    authorization: user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
  };
}

function findUrl(target: URL): URL | undefined {
  try {
    return getProxyUrl(target);
  } catch {
    return undefined;
  }
}

function isProxied(target: URL): boolean {
  const name = target.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const value = process.env[name] || process.env[name.toUpperCase()] || '';
  return value !== '' && !checkBypass(target);
}
