import { ADDRCONFIG, type LookupAddress, promises } from 'node:dns';
import { isIP } from 'node:net';

/**
 * These names always mean this machine (RFC 6761 section 6.3), so no name server decides where a
 * secret goes.
 */
const LOCALHOST = /^(?:.+\.)?localhost\.?$/i;
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'].map(toLookupAddress);
const NAME_SERVER_TIMEOUT_MS = 1_000;

/**
 * Returns the addresses of a host. getaddrinfo can't be stopped, so it may delay the end of the
 * process. A stoppable look-up asks the name servers first. If they know no address, it uses
 * getaddrinfo, which also reads the hosts file.
 */
export async function lookUp(
  host: string,
  isStoppable: boolean,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  if (LOCALHOST.test(host)) {
    return LOOPBACK_ADDRESSES;
  }
  const found = isStoppable && isIP(host) === 0 ? await askNameServers(host, signal) : [];
  if (found.length > 0) {
    return found;
  }
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', reject, { once: true });
  });
  const hints = process.platform === 'win32' ? 0 : ADDRCONFIG;
  return Promise.race([promises.lookup(host, { all: true, hints }), aborted]);
}

async function askNameServers(host: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const resolver = new promises.Resolver({ timeout: NAME_SERVER_TIMEOUT_MS, tries: 1 });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  signal.throwIfAborted();
  const addresses = answers.flatMap((answer) =>
    answer.status === 'fulfilled' ? answer.value : [],
  );
  const isSilent = answers.some(
    (answer) => answer.status === 'rejected' && answer.reason.code === 'ETIMEOUT',
  );
  if (addresses.length === 0 && isSilent) {
    throw new Error(`no name server answered for ${host}`);
  }
  return addresses.map(toLookupAddress);
}

function toLookupAddress(address: string): LookupAddress {
  return { address, family: isIP(address) };
}
