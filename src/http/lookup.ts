import { type LookupAddress, lookup as lookUpHost, promises } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { ConnectError } from './connect-error.ts';

/** RFC 6761 section 6.3: these names always mean this machine, so no name server decides where a secret goes. */
const LOCALHOST = /^(?:.+\.)?localhost\.?$/i;
const LOOPBACK_ADDRESSES: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
const NAME_SERVER_TIMEOUT_MS = 1_000;
const KEPT_MS = 10_000;

const lookups = new Map<string, Promise<LookupAddress[]>>();

/**
 * `dns.lookup` with one look-up for each host. getaddrinfo can't be stopped, and holds one of the few threads that node
 * has for it, so the next attempt takes over the look-up of one that gave up. A result is kept for ten seconds, because
 * it may come just after that.
 */
export const lookup: LookupFunction = (hostname, options, callback) => {
  let addresses = LOCALHOST.test(hostname) ? Promise.resolve(LOOPBACK_ADDRESSES) : lookups.get(hostname);
  if (addresses === undefined) {
    addresses = new Promise((resolve, reject) => {
      lookUpHost(hostname, { ...options, all: true }, (error, found) => {
        setTimeout(() => lookups.delete(hostname), error === null ? KEPT_MS : 0).unref();
        return error === null ? resolve(found) : reject(error);
      });
    });
    lookups.set(hostname, addresses);
  }
  addresses.then(
    (found) =>
      options.all === true
        ? callback(null, found)
        : callback(null, found[0]?.address ?? '', found[0]?.family),
    (error: NodeJS.ErrnoException) => callback(error, ''),
  );
};

/**
 * Rejects with a `ConnectError` if no name server answers in time, for reads that must not hold up the end of the
 * process. c-ares, which asks here, can be stopped, but knows no hosts file, so any answer counts. A canceled read asks
 * no server.
 */
export async function expectNameServer(host: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || isIP(host) !== 0 || LOCALHOST.test(host)) {
    return;
  }
  // Each server is asked twice: a packet may be lost.
  const resolver = new promises.Resolver({ timeout: NAME_SERVER_TIMEOUT_MS, tries: 2 });
  const cancel = (): void => resolver.cancel();
  const timer = setTimeout(cancel, timeoutMs);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await resolver.resolve4(host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ETIMEOUT' || code === 'ECANCELLED') {
      throw new ConnectError('unreachable', `no name server answered for ${host}`);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}
