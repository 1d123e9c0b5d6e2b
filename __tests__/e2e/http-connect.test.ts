import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { interims } from '../helpers/legal-responses.ts';
import { connectProxy, createAuthority, faultServer, faults, scriptedService } from '../helpers/servers.ts';
import { begin, cancelled, notStarted, opened, success } from './faults-scenario.ts';

vi.setConfig({ maxConcurrency: 6 });

const host = 'api.example.test';
const authority = createAuthority();
const tls = authority.issue([host]);
const trusting = { extraCertificates: authority.cert };
const none = { creates: 0, jobs: 0 };

describe.concurrent('a proxy', () => {
  it.each(['localhost:PORT', '127.0.0.1:PORT', 'localhost:PORT/', 'user:p%40ss@localhost:PORT'])(
    'that is given as %s is one of http',
    async (address) => {
      const service = await scriptedService({ get: [opened] }, { tls });
      const proxy = await connectProxy('tunnel', service.port);
      const env = { HTTPS_PROXY: address.replace('PORT', String(proxy.port)) };
      await begin(`https://${host}`, { ...trusting, env }).end(service, success);
      expect(proxy.connects.map(({ target }) => target)).toContain(`${host}:443`);
    },
  );

  it.each(['localhost:port', 'localhost/proxy', 'socks5://localhost:1080'])(
    'that is given as %s is never gone around',
    async (HTTPS_PROXY) => {
      const service = await scriptedService({ get: [opened] }, { tls });
      const options = { ...trusting, hosts: { [host]: '127.0.0.1' }, env: { HTTPS_PROXY } };
      await begin(`https://${host}:${service.port}`, options).end(service, notStarted('proxy-refused'));
      expect(service.connections).toBe(0);
    },
  );

  it('may send interim responses before it answers CONNECT, and the service before it answers', async () => {
    const bytes = interims[0]?.[1] ?? '';
    const service = await scriptedService(
      { create: [{ fault: faults.write(bytes) }], get: [opened] },
      { tls },
    );
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
  const hosts = { [host]: '127.0.0.1' };
  /** Small, since the process that looks up takes real time to start. */
  const timeScale = 3;

  it('that is unknown stands in the log', async () => {
    const { action, end } = begin(`https://${host}`, { hosts: { [host]: 'ENOTFOUND' }, timeScale: 1 });
    await action.waitForLog(`(ENOTFOUND ${host})`);
    action.signal('SIGINT');
    await end(none, { ...cancelled, ...none });
  });

  it('is looked up where only one address may be asked for', async () => {
    const service = await scriptedService({ get: [opened] }, { tls });
    const env = { NODE_OPTIONS: '--no-network-family-autoselection' };
    const options = { ...trusting, hosts, env, timeScale };
    await begin(`https://${host}:${service.port}`, options).end(service, success);
  });

  it.each([
    ['no process can be started', '/no/such/program'],
    ['the process ends without an answer', process.platform === 'win32' ? 'whoami' : '/bin/true'],
  ])('is looked up in this process where %s', async (_, program) => {
    const service = await scriptedService({ get: [opened] }, { tls });
    const preload = [fileURLToPath(new URL('../helpers/no-child.cjs', import.meta.url))];
    const options = { ...trusting, hosts, preload, env: { NO_CHILD: program }, timeScale };
    await begin(`https://${host}:${service.port}`, options).end(service, success);
  });
});
