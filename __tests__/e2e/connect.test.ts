import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { connectProxy, faultServer, faults, relay, scriptedService } from '../helpers/servers.ts';
import { listen } from '../helpers/sockets.ts';
import {
  begin,
  countCreates,
  expectBounded,
  faultInside,
  local,
  none,
  notStarted,
  opened,
  type Scenario,
  startUnknown,
  success,
  trusting,
} from './scenario.ts';

const retryLine = /couldn't connect/g;

/**
 * Never answers a TLS handshake. Counts the handshakes, and the sockets that clients leave open.
 */
function countHellos() {
  const sockets: Socket[] = [];
  const counts = { hellos: 0, leaks: 0 };
  const fault = (socket: Socket): void => {
    const earlier = [...sockets];
    sockets.push(socket);
    socket.once('data', (data) => {
      if (data[0] === 0x16) counts.hellos += 1;
      // Wait until the server has noticed that earlier connections were closed.
      setTimeout(() => {
        setImmediate(() => {
          counts.leaks += earlier.filter(({ destroyed }) => !destroyed).length;
        });
      }, 100);
    });
  };
  return { fault, counts };
}

describe.concurrent('a connection that fails before anything is sent', () => {
  it('is tried five times if the host name is unknown', async () => {
    const hosts = { 'api.example.test': 'ENOTFOUND' };
    const { end } = begin('https://api.example.test', { hosts, timeScale: 6 });
    const result = await end(none, notStarted('connect-failed'));
    expect(result.stdout.match(retryLine)).toHaveLength(4);
    expect(result.stdout).toContain("couldn't connect (ENOTFOUND api.example.test)");
    expect(result.annotations.errors[0]).toContain('ENOTFOUND api.example.test');
  });

  // Without WebAssembly, undici has no parser. Without ciphers, there is no TLS.
  it.each([
    ['WebAssembly', { INSIDE: 'no-wasm', INSIDE_MESSAGE: 'no memory' }],
    ['ciphers', { INSIDE: 'none', NODE_OPTIONS: '--tls-cipher-list=none' }],
  ])('starts no job without %s', async (_title, env) => {
    const service = await scriptedService({}, { tls: local });
    await begin(service.url, { ...trusting, preload: [faultInside], env, timeScale: 6 }).end(
      service,
      notStarted('connect-failed'),
    );
    expect(service.requests).toEqual([]);
  });

  it('is given up after ten seconds of silence in the handshake', async () => {
    const { fault, counts } = countHellos();
    const server = await faultServer(fault, { onAccept: true });
    const { end } = begin(`https://127.0.0.1:${server.port}`, { ...trusting, timeScale: 15 });
    const result = await end(none, notStarted('connect-failed'));
    expect(result.stdout.match(retryLine)).toHaveLength(4);
    expectBounded(server.connections);
    expectBounded(counts.hellos);
    expect(counts.leaks).toBe(0);
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(50);
  });

  it('is tried again after a reset and a delay in the handshake', async () => {
    const timeScale = 5;
    const holdMs = 2_500;
    const script = { get: [...Array.from({ length: 5 }, () => ({})), opened] };
    const service = await scriptedService(script, { tls: local });
    const gate = await relay(service.port, {
      refuse: (number) => (number === 1 ? 'reset' : undefined),
      holdFirst: { connections: 2, ms: holdMs },
    });
    const startMs = performance.now();
    const { end } = begin(`https://localhost:${gate.port}`, { ...trusting, timeScale });
    const { stdout } = await end(service, success);
    expect(stdout).toContain("couldn't connect (ECONNRESET ");
    expect(stdout).toContain("couldn't connect (no connection to ");
    expect(gate.connections).toBe(3 + service.seen('get').length);
    expect(service.seen('create')[0]?.atMs).toBeGreaterThan(startMs + 10_000 / timeScale);
    expect(service.seen('get').at(-1)?.atMs).toBeGreaterThan(startMs + holdMs);
  });

  it('is tried again after a TLS alert in the handshake of a create request and of a poll', async () => {
    const answer = Buffer.from('15030300020250', 'hex');
    const service = await scriptedService({ get: [{}, opened] }, { tls: local });
    const refuse = (number: number) => (number === 1 || number === 3 ? answer : undefined);
    const gate = await relay(service.port, { refuse });
    const { stdout } = await begin(`https://localhost:${gate.port}`, trusting).end(
      service,
      success,
    );
    expect(stdout).toContain("couldn't connect (ERR_SSL_");
    expect(stdout).toContain('a poll failed (ERR_SSL_');
  });
});

describe.concurrent('a server that accepts each connection and ends it', () => {
  const bounded = { timeScale: 8 };
  /**
   * Expects at most one create request. The connection may end before or after the action writes
   * it.
   */
  async function expectOneCreate({ action, end }: Scenario): Promise<void> {
    const isWritten = (await action.ended).outputs['outcome'] === 'start-unknown';
    const unknown = { ...startUnknown, jobs: 0 };
    await end(isWritten ? unknown : none, isWritten ? unknown : notStarted('connect-failed'));
  }

  it('gets at most five connections if it closes them after the TLS handshake', async () => {
    const { port } = await listen(createTlsServer(local, (socket) => socket.end()));
    const gate = await relay(port);
    await expectOneCreate(begin(`https://localhost:${gate.port}`, { ...trusting, ...bounded }));
    expectBounded(gate.connections);
  });

  it('gets at most five connections if each closes before the write', async () => {
    const server = await faultServer(faults.silence);
    const options = { preload: [faultInside], env: { INSIDE: 'gone-socket' }, ...bounded };
    await begin(server.url, options).end(countCreates(server), notStarted('connect-failed'));
    expectBounded(server.connections);
  });

  it('gets at most five tunnels behind a proxy', async () => {
    const server = await faultServer(faults.close, { onAccept: true });
    const proxy = await connectProxy('tunnel', server.port);
    const options = { ...trusting, env: { HTTPS_PROXY: proxy.url }, ...bounded };
    const { end } = begin('https://api.example.test', options);
    await end(countCreates(server), notStarted('connect-failed'));
    expectBounded(proxy.connects.length);
    expectBounded(server.connections);
  });

  it('gets the create request at most once if it resets the connections in plain HTTP', async () => {
    const server = await faultServer(faults.reset, { onAccept: true });
    await expectOneCreate(begin(server.url, bounded));
    expectBounded(server.connections);
  });
});
