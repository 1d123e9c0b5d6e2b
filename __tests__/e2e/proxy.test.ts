import { describe, expect, it } from 'vitest';
import type { ActionOptions } from '../../harness/action.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  connectProxy,
  faultServer,
  faults,
  type ProxyMode,
  scriptedService,
} from '../helpers/servers.ts';
import {
  authority,
  BUSY_MS,
  begin,
  cancelled,
  endBy,
  expectFiveAttempts,
  key,
  none,
  notStarted,
  opened,
  success,
  trusting,
} from './scenario.ts';

const host = 'api.example.test';
const tls = authority.issue([host]);
const nowhere = { [host]: 'ENOTFOUND' };
const here = { [host]: '127.0.0.1' };
const refused = notStarted('proxy-refused');

/** Starts a service that only the proxy can reach, and a run that uses the proxy. */
async function setUp(
  modes: ProxyMode | ProxyMode[],
  options: ActionOptions = {},
  toAddress?: (port: number) => string,
) {
  const service = await scriptedService({ get: [opened] }, { tls });
  const proxy = await connectProxy(modes, service.port);
  const env = { HTTPS_PROXY: toAddress?.(proxy.port) ?? proxy.url };
  const scenario = begin(`https://${host}`, { ...trusting, hosts: nowhere, env, ...options });
  return { service, proxy, ...scenario };
}

describe.concurrent('a proxy', () => {
  it('may lack a scheme, and gets its password but no part of the request', async () => {
    const address = (port: number) => `user:p%40ss-of-proxy@localhost:${port}`;
    const { service, proxy, end } = await setUp('tunnel', {}, address);
    const { stdout, summary, outputText } = await end(service, success);
    const proxyAuthorization = `Basic ${btoa('user:p@ss-of-proxy')}`;
    expect(proxy.connects[0]).toMatchObject({ target: `${host}:443`, proxyAuthorization });
    expect(`${stdout}${summary}${outputText}`).not.toMatch(/p(%40|@)ss-of-proxy/);
    expect(JSON.stringify([proxy.connects, proxy.otherRequests])).not.toContain(key);
    expect(service.seen('create')[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  it('is never bypassed if its address is invalid', async () => {
    const service = await scriptedService({ get: [opened] }, { tls });
    const options = { ...trusting, hosts: here, env: { HTTPS_PROXY: 'socks5://localhost:1080' } };
    const { end } = begin(`https://${host}:${service.port}`, options);
    const { annotations } = await end(service, refused);
    expect(annotations.errors[0]).toContain('HTTPS_PROXY');
    expect(service.connections).toBe(0);
  });

  it('is asked five times if it hangs up or answers 503', async () => {
    const { service, proxy, end } = await setUp(['hang-up', 503], { timeScale: 3 });
    expectFiveAttempts(await end(service, refused), proxy.connects.length);
    expect(service.connections).toBe(0);
  });
});

it('a proxy over TLS does not delay cancellation in the handshake of the tunnel', async () => {
  const server = await faultServer(faults.silence, { onAccept: true });
  const proxy = await connectProxy('tunnel', server.port, { tls: authority.issue(['localhost']) });
  const env = { HTTPS_PROXY: proxy.url };
  const { action, end } = begin(`https://${host}`, { ...trusting, timeScale: 1, env });
  await eventually(() => expect(server.connections).toBe(1), action);
  expect(await endBy(action, 'SIGINT')).toBeLessThan(BUSY_MS);
  await end(none, { ...cancelled, ...none });
});
