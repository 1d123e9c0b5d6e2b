import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { interims } from '../helpers/legal-responses.ts';
import {
  connectProxy,
  faultServer,
  faults,
  type ProxyMode,
  reservePort,
  type Script,
  scriptedService,
} from '../helpers/servers.ts';
import {
  authority,
  begin,
  cancelled,
  key,
  none,
  notStarted,
  opened,
  success,
  TIME_SCALE,
  trusting,
} from './faults-scenario.ts';

const host = 'api.example.test';
const tls = authority.issue([host]);
const nowhere = { [host]: 'ENOTFOUND' };
const here = { [host]: '127.0.0.1' };

describe.concurrent('a proxy', () => {
  const refused = notStarted('proxy-refused');

  /** A service that only the proxy can reach, and a run that uses the proxy. */
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

  it.each(['localhost:PORT', '127.0.0.1:PORT', 'localhost:PORT/', 'user:p%40ss-of-proxy@localhost:PORT'])(
    'that is given as %s is one of http; its password stays out of sight',
    async (address) => {
      const toAddress = (port: number): string => address.replace('PORT', String(port));
      const { service, proxy, end } = await setUp('tunnel', TIME_SCALE, toAddress);
      const { stdout, summary, outputText } = await end(service, success);
      const user = address.includes('user') ? `Basic ${btoa('user:p@ss-of-proxy')}` : undefined;
      expect(proxy.connects[0]).toMatchObject({ target: `${host}:443`, proxyAuthorization: user });
      expect(`${stdout}${summary}${outputText}`).not.toMatch(/p(%40|@)ss-of-proxy/);
    },
  );

  it.each([
    ...['localhost:port', 'localhost/proxy', 'socks5://localhost:1080', 'http://user:%zz@127.0.0.1'],
    ...['http://127.0.0.1:99999', 'http://[', 'socks://127.0.0.1', '//'],
  ])('that is given as %s is never gone around', async (HTTPS_PROXY) => {
    const service = await scriptedService({ get: [opened] }, { tls });
    const { end } = begin(`https://${host}:${service.port}`, {
      ...trusting,
      hosts: here,
      env: { HTTPS_PROXY },
    });
    const { annotations } = await end(service, refused);
    expect(annotations.errors[0]).toContain('HTTPS_PROXY');
    expect(service.connections).toBe(0);
  });

  it('refuses connections', async () => {
    const port = await reservePort();
    const { service, proxy, end } = await setUp('tunnel', 6, () => `http://127.0.0.1:${port}`);
    const { stdout, annotations } = await end(service, refused);
    expect(proxy.connects).toEqual([]);
    expect(stdout.match(/couldn't connect/g)).toHaveLength(4);
    expect(annotations.errors[0]).toContain('ECONNREFUSED');
  });

  it.each<[ProxyMode, number, number]>([
    [403, 1, 1],
    [407, 1, 1],
    [502, 5, 6],
    [504, 5, 6],
    ['hang-up', 5, 6],
  ])('answers %s: %i times', async (mode, times, timeScale) => {
    const { service, proxy, end } = await setUp(mode, timeScale);
    const { annotations } = await end(service, refused);
    expect(proxy.connects).toHaveLength(times);
    expect(service.connections).toBe(0);
    if (typeof mode === 'number') expect(annotations.errors[0]).toContain(`${mode}`);
  });

  it('502, a hang-up, then a tunnel', async () => {
    const { service, proxy, end } = await setUp([502, 'hang-up', 'tunnel'], 2);
    await end(service, success);
    expect(proxy.connects.map(({ target }) => target)).toEqual(Array(4).fill(`${host}:443`));
  });

  it('silence on CONNECT, until our own limit', async () => {
    const { service, proxy, end } = await setUp('silence', 15);
    const { outputs } = await end(service, notStarted('connect-failed'));
    expect(proxy.connects).toHaveLength(5);
    expect(Number(outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(50);
  });

  it('sees nothing of the request', async () => {
    const { proxy, service, end } = await setUp('tunnel', 10);
    await end(service, success);
    expect(JSON.stringify([proxy.connects, proxy.otherRequests])).not.toContain(key);
    expect(service.seen('create')[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  it.each([
    ['for a host that NO_PROXY names', host, { tls }],
    ['for loopback', '127.0.0.1', {}],
  ])('is not used %s', async (_, name, transport) => {
    const service = await scriptedService({ get: [opened] }, transport);
    const proxy = await connectProxy('tunnel', service.port);
    const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url, NO_PROXY: `other.test,${host}` };
    const url = `${name === host ? 'https' : 'http'}://${name}:${service.port}`;
    await begin(url, { ...trusting, hosts: here, env }).end(service, success);
    expect(proxy).toMatchObject({ connects: [], otherRequests: [] });
  });

  it('may send interim responses before it answers CONNECT, and the service before it answers', async () => {
    const script: Script = { create: [{ fault: faults.write(interims[0]?.[1] ?? '') }], get: [opened] };
    const service = await scriptedService(script, { tls });
    const proxy = await faultServer((client: Socket) => {
      const target = connect(service.port, '127.0.0.1');
      target.on('error', () => client.destroy());
      client.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n');
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.removeAllListeners('data').pipe(target).pipe(client);
    });
    const env = { HTTPS_PROXY: proxy.url };
    await begin(`https://${host}`, { ...trusting, env }).end(service, success);
    expect(proxy.requests.length).toBeGreaterThan(1);
  });
});

describe.concurrent('a host name', () => {
  it('that is unknown stands in the log', async () => {
    const { action, end } = begin(`https://${host}`, { hosts: nowhere, timeScale: 1 });
    await action.waitForLog(`(ENOTFOUND ${host})`);
    void action.signal('SIGINT');
    await end(none, { ...cancelled, ...none });
  });

  const preload = [fileURLToPath(new URL('../helpers/no-child.cjs', import.meta.url))];
  const noAnswer = process.platform === 'win32' ? 'whoami' : '/bin/true';

  it.each([
    ['only one address may be asked for', { env: { NODE_OPTIONS: '--no-network-family-autoselection' } }],
    ['no process can be started, so in this one', { preload, env: { NO_CHILD: '/no/such/program' } }],
    ['a process ends without an answer, so in this one', { preload, env: { NO_CHILD: noAnswer } }],
  ])('is looked up where %s', async (_, options) => {
    const service = await scriptedService({ get: [opened] }, { tls });
    // A small scale, since the process that looks up takes real time to start.
    const { end } = begin(`https://${host}:${service.port}`, {
      ...trusting,
      hosts: here,
      timeScale: 3,
      ...options,
    });
    await end(service, success);
  });
});
