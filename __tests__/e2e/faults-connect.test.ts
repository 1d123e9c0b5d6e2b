import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../helpers/faults.ts';
import {
  connectProxy,
  createAuthority,
  createSelfSigned,
  faultServer,
  faults,
  type ProxyMode,
  relay,
  reservePort,
  scriptedService,
} from '../helpers/servers.ts';
import { listen } from '../helpers/sockets.ts';
import {
  begin,
  countCreates,
  key,
  lost,
  notStarted,
  opened,
  startUnknown,
  success,
} from './faults-scenario.ts';

const authority = createAuthority();
const local = authority.issue(['localhost', '127.0.0.1']);
const trusting = { extraCertificates: authority.cert };

const none = { creates: 0, jobs: 0 };
const retryLine = /couldn't connect/g;

/** Never answers a TLS handshake; counts the handshakes, and the sockets that clients leave open. */
function countHellos(): { fault: Fault; readonly hellos: number; readonly leaks: number } {
  const sockets: Socket[] = [];
  let hellos = 0;
  let leaks = 0;
  const fault = (socket: Socket): void => {
    const earlier = [...sockets];
    sockets.push(socket);
    socket.once('data', (data) => {
      if (data[0] === 0x16) hellos += 1;
      // Only later, so that what was closed before this connection was made has surely been noticed.
      setTimeout(() => {
        setImmediate(() => {
          leaks += earlier.filter(({ destroyed }) => !destroyed).length;
        });
      }, 100);
    });
  };
  return {
    fault,
    get hellos() {
      return hellos;
    },
    get leaks() {
      return leaks;
    },
  };
}

describe.concurrent('a connection that fails', () => {
  it.each(['ENOTFOUND', 'EAI_AGAIN'])('the name is not resolved (%s)', async (code) => {
    const hosts = { 'api.example.test': code };
    const { end } = begin('https://api.example.test', { hosts, timeScale: 4 });
    const result = await end(none, notStarted('connect-failed'));
    expect(result.stdout.match(retryLine)).toHaveLength(4);
    expect(result.annotations.errors[0]).toMatch(new RegExp(`${code}.*api\\.example\\.test`));
  });

  it('refused at first', async () => {
    const port = await reservePort();
    const { action, end } = begin(`http://127.0.0.1:${port}`, { timeScale: 5 });
    await action.waitForLog('ECONNREFUSED');
    const service = await scriptedService({ get: [opened] }, { port });
    await end(service, success);
  });

  it('refused forever', async () => {
    const { end } = begin(`http://127.0.0.1:${await reservePort()}`, { timeScale: 30 });
    const result = await end(none, notStarted('connect-failed'));
    expect(result.stdout.match(retryLine)).toHaveLength(4);
    expect(result.annotations.errors[0]).toContain('ECONNREFUSED');
    expect(Number(result.outputs['elapsed-seconds'])).toBeLessThan(240);
  });

  it('silence in the handshake', async () => {
    const counter = countHellos();
    const server = await faultServer(counter.fault, { onAccept: true });
    const { end } = begin(`https://localhost:${server.port}`, { ...trusting, timeScale: 10 });
    const result = await end(none, notStarted('connect-failed'));
    expect(server.connections).toBe(5);
    expect(counter).toMatchObject({ hellos: 5, leaks: 0 });
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(50);
  });

  it('the handshake is delayed past the connect limit, then let through', async () => {
    const timeScale = 5;
    const holdMs = 2_500;
    const script = { get: [...Array.from({ length: 5 }, () => ({})), opened] };
    const service = await scriptedService(script, { tls: local });
    const gate = await relay(service.port, { holdFirst: { connections: 1, ms: holdMs } });
    const startMs = performance.now();
    const { end } = begin(`https://localhost:${gate.port}`, { ...trusting, timeScale });
    await end(service, success);
    expect(gate.connections).toBe(2 + service.seen('get').length);
    expect(service.seen('create')[0]?.atMs).toBeGreaterThan(startMs + 10_000 / timeScale);
    expect(service.seen('get').at(-1)?.atMs).toBeGreaterThan(startMs + holdMs);
  });

  it('reset in the handshake once', async () => {
    const service = await scriptedService({ get: [opened] }, { tls: local });
    const gate = await relay(service.port, { resetFirst: 1 });
    const options = { ...trusting, timeScale: 4 };
    const result = await begin(`https://localhost:${gate.port}`, options).end(service, success);
    expect(result.stdout).toMatch(/couldn't connect \(ECONNRESET /);
    expect(gate.connections).toBe(3);
  });

  it('reset in the handshake forever', async () => {
    const service = await scriptedService({}, { tls: local });
    const gate = await relay(service.port, { resetFirst: Number.POSITIVE_INFINITY });
    const { end } = begin(`https://localhost:${gate.port}`, { ...trusting, timeScale: 10 });
    await end(service, notStarted('connect-failed'));
    expect(gate.connections).toBe(5);
    expect(gate.bytesUp).toBeGreaterThan(5 * 100);
  });
});

describe.concurrent('a server that accepts and closes before the request, forever', () => {
  // Five, or fewer where the machine is so busy that a connection takes too long.
  function expectBounded(connections: number): void {
    expect(connections).toBeGreaterThan(0);
    expect(connections).toBeLessThanOrEqual(5);
  }

  it.each([
    ['closes', faults.close],
    ['resets', faults.reset],
  ])('over TLS (%s): a bounded number of connections', async (_title, fault) => {
    const server = await faultServer(fault, { onAccept: true });
    const { end } = begin(`https://localhost:${server.port}`, { ...trusting, timeScale: 8 });
    await end(countCreates(server), notStarted('connect-failed'));
    expectBounded(server.connections);
  });

  it('over TLS, right after the handshake: a bounded number of connections', async () => {
    const server = createTlsServer(local, (socket) => socket.end());
    const { port } = await listen(server);
    const gate = await relay(port);
    const { action, end } = begin(`https://localhost:${gate.port}`, { ...trusting, timeScale: 8 });
    const isWritten = (await action.ended).outputs['outcome'] === 'start-unknown';
    const creates = isWritten ? 1 : 0;
    await end({ creates, jobs: 0 }, isWritten ? { ...startUnknown, jobs: 0 } : notStarted('connect-failed'));
    expectBounded(gate.connections);
  });

  it('in plain HTTP, in the moment before the write: a bounded number of connections', async () => {
    const server = await faultServer(faults.silence);
    const preload = [fileURLToPath(new URL('./faults-inside.cjs', import.meta.url))];
    const options = { preload, env: { INSIDE: 'gone-socket' }, timeScale: 8 };
    await begin(server.url, options).end(countCreates(server), notStarted('connect-failed'));
    expectBounded(server.connections);
  });

  it('behind a proxy: a bounded number of tunnels', async () => {
    const server = await faultServer(faults.close, { onAccept: true });
    const proxy = await connectProxy('tunnel', server.port);
    const env = { HTTPS_PROXY: proxy.url };
    const { end } = begin('https://api.example.test', { ...trusting, env, timeScale: 8 });
    await end(countCreates(server), notStarted('connect-failed'));
    expectBounded(proxy.connects.length);
    expectBounded(server.connections);
  });

  it.each([
    ['closes', faults.close],
    ['resets', faults.reset],
  ])(
    'in plain HTTP (%s): what was written may have arrived, so it is written once',
    async (_title, fault) => {
      const server = await faultServer(fault, { onAccept: true });
      const { action, end } = begin(server.url, { timeScale: 8 });
      const isWritten = (await action.ended).outputs['outcome'] === 'start-unknown';
      const creates = isWritten ? 1 : 0;
      await end(
        { creates, jobs: 0 },
        isWritten ? { ...startUnknown, jobs: 0 } : notStarted('connect-failed'),
      );
      expectBounded(server.connections);
    },
  );
});

describe.concurrent('a connection that is not secure', () => {
  const refused = notStarted('tls-failed');

  it.each([
    ['self-signed', createSelfSigned(['localhost']), {}],
    ['by an authority that is not trusted', local, {}],
    ['expired', authority.issue(['localhost'], -1), trusting],
    ['for another host name', authority.issue(['example.test']), trusting],
  ])('%s: refused once, with a hint', async (_title, tls, options) => {
    const service = await scriptedService({}, { tls });
    const gate = await relay(service.port);
    const result = await begin(`https://localhost:${gate.port}`, { ...options, timeScale: 1 }).end(
      service,
      refused,
    );
    expect(gate.connections).toBe(1);
    expect(gate.bytesUp).toBeGreaterThan(100);
    expect(result.annotations.errors[0]).toMatch(/NODE_EXTRA_CA_CERTS/);
    expect(service.requests).toEqual([]);
  });

  it('self-signed, and trusted by NODE_EXTRA_CA_CERTS', async () => {
    const tls = createSelfSigned(['localhost']);
    const service = await scriptedService({ get: [opened] }, { tls });
    await begin(service.url, { extraCertificates: tls.cert, timeScale: 3 }).end(service, success);
    expect(service.connections).toBe(2);
  });

  it('a plain server on https', async () => {
    const service = await scriptedService();
    const gate = await relay(service.port);
    await begin(`https://localhost:${gate.port}`, { timeScale: 1 }).end(service, refused);
    expect(gate.connections).toBe(1);
    expect(gate.bytesUp).toBeGreaterThan(100);
  });

  it('a server that speaks nothing newer than TLS 1.1', async () => {
    const server = createTlsServer({
      ...local,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const { port } = await listen(server);
    const gate = await relay(port);
    await begin(`https://localhost:${gate.port}`, { ...trusting, timeScale: 1 }).end(none, refused);
    expect(gate.connections).toBe(1);
    expect(gate.bytesUp).toBeGreaterThan(100);
  });

  it('becomes insecure during the wait: the job is lost, with its id', async () => {
    const service = await scriptedService({}, { tls: local, port: await reservePort() });
    const { action, end } = begin(service.url, { ...trusting, timeScale: 2 });
    await action.waitForOutput('job-id');
    await service.close();
    const impostor = await scriptedService(
      { get: [opened] },
      { tls: createSelfSigned(['localhost']), port: service.port },
    );
    const result = await end(service, lost);
    expect(impostor.connections).toBe(1);
    expect(impostor.requests).toEqual([]);
    expect(result.outputs['status']).toBe('active');
  });
});

describe.concurrent('a proxy', () => {
  const host = 'api.example.test';
  const tls = authority.issue([host]);

  /** A service that only the proxy can reach, and a run that uses the proxy. */
  async function setUp(modes: ProxyMode | ProxyMode[], env: Record<string, string> = {}, timeScale = 6) {
    const service = await scriptedService({ get: [opened] }, { tls });
    const proxy = await connectProxy(modes, service.port);
    const variables = { HTTPS_PROXY: proxy.url, ...env };
    const hosts = { [host]: 'ENOTFOUND' };
    const scenario = begin(`https://${host}`, { ...trusting, hosts, timeScale, env: variables });
    return { service, proxy, ...scenario };
  }

  it('refused', async () => {
    const env = { HTTPS_PROXY: `http://127.0.0.1:${await reservePort()}` };
    const { service, proxy, end } = await setUp('tunnel', env);
    const result = await end(service, notStarted('proxy-refused'));
    expect(proxy.connects).toEqual([]);
    expect(result.stdout.match(retryLine)).toHaveLength(4);
    expect(result.annotations.errors[0]).toContain('ECONNREFUSED');
  });

  it.each(['http://127.0.0.1:99999', 'http://user:%zz@127.0.0.1', 'http://[', 'socks://127.0.0.1', '//'])(
    'an address that is not a proxy: %s',
    async (HTTPS_PROXY) => {
      const { service, proxy, end } = await setUp('tunnel', { HTTPS_PROXY });
      const result = await end(service, notStarted('proxy-refused'));
      expect([service.connections, proxy.connects]).toEqual([0, []]);
      expect(result.annotations.errors[0]).toContain('HTTPS_PROXY');
    },
  );

  it.each([403, 407] as const)('answers %i, once', async (status) => {
    const { service, proxy, end } = await setUp(status, {}, 1);
    const result = await end(service, notStarted('proxy-refused'));
    expect(proxy.connects).toHaveLength(1);
    expect(result.annotations.errors[0]).toContain(`${status}`);
  });

  it.each([502, 504, 'hang-up'] as const)('%s forever, five times', async (mode) => {
    const { service, proxy, end } = await setUp(mode);
    await end(service, notStarted('proxy-refused'));
    expect(proxy.connects).toHaveLength(5);
    expect(service.connections).toBe(0);
  });

  it('an address without a scheme', async () => {
    const service = await scriptedService({ get: [opened] }, { tls });
    const proxy = await connectProxy('tunnel', service.port);
    const env = { HTTPS_PROXY: proxy.url.replace('http://', '') };
    await begin(`https://${host}`, { ...trusting, hosts: { [host]: 'ENOTFOUND' }, env }).end(
      service,
      success,
    );
    expect(proxy.connects.length).toBeGreaterThan(0);
  });

  it('502, a hang-up, then a tunnel', async () => {
    const { service, proxy, end } = await setUp([502, 'hang-up', 'tunnel'], {}, 2);
    await end(service, success);
    expect(proxy.connects.length).toBe(4);
    expect(new Set(proxy.connects.map(({ target }) => target))).toEqual(new Set([`${host}:443`]));
  });

  it('silence on CONNECT, until our own limit', async () => {
    const { service, proxy, end } = await setUp('silence', {}, 10);
    const result = await end(service, notStarted('connect-failed'));
    expect(proxy.connects).toHaveLength(5);
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(50);
  });

  it('NO_PROXY names the host', async () => {
    const service = await scriptedService({ get: [opened] }, { tls });
    const proxy = await connectProxy('tunnel', service.port);
    const env = { HTTPS_PROXY: proxy.url, NO_PROXY: `other.test,${host}` };
    const hosts = { [host]: '127.0.0.1' };
    await begin(`https://${host}:${service.port}`, { ...trusting, hosts, env }).end(service, success);
    expect(proxy).toMatchObject({ connects: [], otherRequests: [] });
  });

  it('loopback is never proxied', async () => {
    const service = await scriptedService({ get: [opened] });
    const proxy = await connectProxy('tunnel', service.port);
    const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
    await begin(service.url, { env }).end(service, success);
    expect(proxy).toMatchObject({ connects: [], otherRequests: [] });
  });

  it('takes the user and password of its address, which stay out of sight', async () => {
    const service = await scriptedService({ get: [opened] }, { tls });
    const proxy = await connectProxy('tunnel', service.port);
    const env = { https_proxy: proxy.url.replace('//', '//user:p%40ss-of-proxy@') };
    const result = await begin(`https://${host}`, { ...trusting, env }).end(service, success);
    expect(proxy.connects[0]?.proxyAuthorization).toBe(`Basic ${btoa('user:p@ss-of-proxy')}`);
    expect(`${result.stdout}${result.summary}${result.outputText}`).not.toMatch(/p(%40|@)ss-of-proxy/);
  });

  it('sees nothing of the request', async () => {
    const { proxy, service, end } = await setUp('tunnel', {}, 10);
    await end(service, success);
    expect(JSON.stringify([proxy.connects, proxy.otherRequests])).not.toContain(key);
    expect(service.seen('create')[0]?.headers['proxy-authorization']).toBeUndefined();
  });
});
