import { describe, expect, it } from 'vitest';
import type { ActionOptions } from '../../harness/action.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  connectProxy,
  faultServer,
  faults,
  type ProxyMode,
  reservePort,
  scriptedService,
} from '../helpers/servers.ts';
import {
  authority,
  begin,
  cancelled,
  endBy,
  expectBounded,
  key,
  none,
  notStarted,
  opened,
  success,
  TIME_SCALE,
  trusting,
} from './scenario.ts';

const host = 'api.example.test';
const tls = authority.issue([host]);
const nowhere = { [host]: 'ENOTFOUND' };
const here = { [host]: '127.0.0.1' };

describe.concurrent('a proxy', () => {
  const refused = notStarted('proxy-refused');

  /** Starts a service that only the proxy can reach, and a run that uses the proxy. */
  async function setUp(
    modes: ProxyMode | ProxyMode[],
    timeScale = TIME_SCALE,
    toAddress?: (port: number) => string,
  ) {
    const service = await scriptedService({ get: [opened] }, { tls });
    const proxy = await connectProxy(modes, service.port);
    const env = { HTTPS_PROXY: toAddress?.(proxy.port) ?? proxy.url };
    const options = { ...trusting, hosts: nowhere, timeScale, env };
    return { service, proxy, ...begin(`https://${host}`, options) };
  }

  it('may lack a scheme, and gets its password but no part of the request', async () => {
    const { service, proxy, end } = await setUp(
      'tunnel',
      TIME_SCALE,
      (port) => `user:p%40ss-of-proxy@localhost:${port}`,
    );
    const { stdout, summary, outputText } = await end(service, success);
    const proxyAuthorization = `Basic ${btoa('user:p@ss-of-proxy')}`;
    expect(proxy.connects[0]).toMatchObject({ target: `${host}:443`, proxyAuthorization });
    expect(`${stdout}${summary}${outputText}`).not.toMatch(/p(%40|@)ss-of-proxy/);
    expect(JSON.stringify([proxy.connects, proxy.otherRequests])).not.toContain(key);
    expect(service.seen('create')[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  it.each(['socks5://localhost:1080', '//'])(
    'is never bypassed if its address is %s',
    async (address) => {
      const service = await scriptedService({ get: [opened] }, { tls });
      const options = { ...trusting, hosts: here, env: { HTTPS_PROXY: address } };
      const { annotations } = await begin(`https://${host}:${service.port}`, options).end(
        service,
        refused,
      );
      expect(annotations.errors[0]).toContain('HTTPS_PROXY');
      expect(service.connections).toBe(0);
    },
  );

  it('is tried five times when it refuses connections', async () => {
    const port = await reservePort();
    const { service, proxy, end } = await setUp('tunnel', 6, () => `http://127.0.0.1:${port}`);
    const { stdout, annotations } = await end(service, refused);
    expect(proxy.connects).toEqual([]);
    expect(stdout.match(/couldn't connect/g)).toHaveLength(4);
    expect(annotations.errors[0]).toContain('ECONNREFUSED');
  });

  it.each<[string, ProxyMode[], number, number]>([
    ['once if it answers 407', [407], 1, 1],
    [
      'five times if it hangs up or answers 502, 503, or 504',
      ['hang-up', 502, 503, 'hang-up', 504],
      5,
      2,
    ],
  ])('is asked %s', async (_, modes, times, timeScale) => {
    const { service, proxy, end } = await setUp(modes, timeScale);
    const { annotations } = await end(service, refused);
    expect(proxy.connects).toHaveLength(times);
    expect(service.connections).toBe(0);
    expect(annotations.errors[0]).toContain(`${modes.at(-1)}`);
  });

  it('is given up after ten seconds of silence', async () => {
    const { service, proxy, end } = await setUp('silence', 15);
    const { outputs, stdout } = await end(service, notStarted('connect-failed'));
    expect(stdout.match(/couldn't connect/g)).toHaveLength(4);
    expectBounded(proxy.connects.length);
    expect(Number(outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(50);
  });

  it('is not used for a host that NO_PROXY names', async () => {
    const service = await scriptedService({ get: [opened] }, { tls });
    const proxy = await connectProxy('tunnel', service.port);
    const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NO_PROXY: `other.test,${host}` };
    const { end } = begin(`https://${host}:${service.port}`, { ...trusting, hosts: here, env });
    await end(service, success);
    expect(proxy).toMatchObject({ connects: [], otherRequests: [] });
  });
});

describe.concurrent('a proxy over TLS', () => {
  const proxyTls = authority.issue(['localhost']);
  const realTime = { ...trusting, timeScale: 1 };
  // A run that waits for a limit takes far longer.
  const AT_ONCE_MS = 15_000;

  /** Starts a run behind a proxy over TLS that leads to this port. */
  async function beginBehind(port: number, options: ActionOptions = realTime) {
    const proxy = await connectProxy('tunnel', port, { tls: proxyTls });
    return { proxy, ...begin(`https://${host}`, { ...options, env: { HTTPS_PROXY: proxy.url } }) };
  }

  it('carries a whole run, and a poll that stalls is given up', async () => {
    const service = await scriptedService({ get: [{ fault: faults.silence }, opened] }, { tls });
    const { end } = await beginBehind(service.port, trusting);
    const { stdout } = await end(service, success);
    expect(stdout).toContain('no complete response within 30 s');
  });

  it('does not delay cancellation during a poll', async () => {
    const service = await scriptedService({ get: [{ fault: faults.silence }] }, { tls });
    const { action, end } = await beginBehind(service.port);
    await eventually(() => expect(service.seen('get')).toHaveLength(1));
    expect(await endBy(action, 'SIGINT')).toBeLessThan(AT_ONCE_MS);
    await end(service, cancelled);
  });

  it.each([
    ['in the handshake of the tunnel', 0],
    ['while the proxy itself is silent', 1],
  ])('does not delay cancellation %s', async (_title, isSilent) => {
    const server = await faultServer(faults.silence, { onAccept: true });
    const env = { HTTPS_PROXY: `https://localhost:${server.port}` };
    const { action, end } = isSilent
      ? begin(`https://${host}`, { ...realTime, env })
      : await beginBehind(server.port);
    await eventually(() => expect(server.connections).toBe(1));
    expect(await endBy(action, 'SIGINT')).toBeLessThan(AT_ONCE_MS);
    await end(none, { ...cancelled, ...none });
  });

  it('is given up after ten seconds of silence in the handshake of the tunnel', async () => {
    const server = await faultServer(faults.silence, { onAccept: true });
    const { proxy, end } = await beginBehind(server.port, { ...trusting, timeScale: 15 });
    const { annotations, stdout } = await end(none, notStarted('connect-failed'));
    expect(annotations.errors[0]).toContain(`no connection to ${host}:443 within 10 s`);
    expect(stdout.match(/couldn't connect/g)).toHaveLength(4);
    expectBounded(proxy.connects.length);
  });
});

it('a host name is looked up with --no-network-family-autoselection', async () => {
  const service = await scriptedService({ get: [opened] }, { tls });
  const env = { NODE_OPTIONS: '--no-network-family-autoselection' };
  await begin(`https://${host}:${service.port}`, { ...trusting, hosts: here, env }).end(
    service,
    success,
  );
});
