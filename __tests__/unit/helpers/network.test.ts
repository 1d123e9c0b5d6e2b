import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as sendHttp } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeActions, runAction } from '../../helpers/action.ts';
import {
  closeServers,
  connectProxy,
  createAuthority,
  createSelfSigned,
  faultServer,
  faults,
  jobRecord,
  relay,
  scriptedService,
} from '../../helpers/servers.ts';

const authority = createAuthority();
const local = authority.issue(['localhost', '127.0.0.1']);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helpers-'));
});
afterEach(async () => {
  await closeActions();
  await closeServers();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Sends a create from a process that trusts the given certificates; gives the status or the code of the error. */
async function createFromChild(url: string, extraCertificates?: string): Promise<string> {
  const entry = join(folder, 'client.mjs');
  writeFileSync(
    entry,
    `const signal = AbortSignal.timeout(2000);
    const result = await fetch(process.env.TARGET + '/v2/agent/docs/job', { method: 'POST', signal }).then(
      ({ status }) => status,
      (error) => error.cause?.code ?? error.name,
    );
    console.log(String(result));`,
  );
  const certificates = extraCertificates === undefined ? {} : { extraCertificates };
  const action = runAction({ entry, applyDefaults: false, env: { TARGET: url }, ...certificates });
  return (await action.ended).stdout.trim();
}

describe('certificates', () => {
  it('are issued by the authority for their names', () => {
    const leaf = new X509Certificate(local.cert);
    const root = new X509Certificate(authority.cert);
    expect(leaf.verify(root.publicKey)).toBe(true);
    expect(leaf.checkIssued(root)).toBe(true);
    expect([root.ca, leaf.ca]).toEqual([true, false]);
    expect(leaf.checkHost('localhost')).toBe('localhost');
    expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(leaf.checkHost('example.test')).toBeUndefined();
  });

  it.each([
    ['nobody trusts the authority', local, undefined, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['the authority is trusted', local, authority.cert, '201'],
    ['another authority is trusted', local, createAuthority().cert, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    [
      'the host name is another',
      authority.issue(['example.test']),
      authority.cert,
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
    ['the certificate has expired', authority.issue(['localhost'], -1), authority.cert, 'CERT_HAS_EXPIRED'],
  ])('when %s', async (_title, pair, trusted, outcome) => {
    const service = await scriptedService({}, { tls: pair });
    expect(await createFromChild(service.url, trusted)).toBe(outcome);
    expect(service.creates).toBe(outcome === '201' ? 1 : 0);
  });

  it('may be self-signed', async () => {
    const pair = createSelfSigned(['localhost']);
    const service = await scriptedService({}, { tls: pair });
    expect(await createFromChild(service.url)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(await createFromChild(service.url, pair.cert)).toBe('201');
  });
});

describe('TLS', () => {
  it('is not spoken by a plain server', async () => {
    const service = await scriptedService();
    expect(await createFromChild(service.url.replace('http:', 'https:'))).toMatch(/^ERR_SSL_/);
    expect(service.creates).toBe(0);
  });

  it('may be met with silence', async () => {
    const server = await faultServer(faults.silence, { onAccept: true });
    const socket = connectTls({ port: server.port, host: '127.0.0.1', ca: authority.cert });
    const events: string[] = [];
    for (const name of ['secureConnect', 'error', 'close']) socket.on(name, () => events.push(name));
    await once(socket, 'connect');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(events).toEqual([]);
    socket.destroy();
  });

  it('may be reset in the handshake at first', async () => {
    const service = await scriptedService({}, { tls: local });
    const gate = await relay(service.port, { resetFirst: 1 });
    const url = `https://localhost:${gate.port}`;
    expect(await createFromChild(url, authority.cert)).toBe('ECONNRESET');
    expect(gate.bytesUp).toBeGreaterThan(100);
    expect(service.connections).toBe(0);
    expect(await createFromChild(url, authority.cert)).toBe('201');
    expect(gate.connections).toBe(2);
  });

  it('may take long in the handshake', async () => {
    const service = await scriptedService({}, { tls: local });
    const gate = await relay(service.port, { holdFirst: { connections: 1, ms: 200 } });
    const times: number[] = [];
    for (let count = 0; count < 2; count += 1) {
      const start = performance.now();
      const socket = connectTls({ port: gate.port, host: '127.0.0.1', ca: authority.cert });
      await once(socket, 'secureConnect');
      times.push(performance.now() - start);
      socket.destroy();
    }
    expect(times[0]).toBeGreaterThan(190);
    expect(times[1]).toBeLessThan(150);
  });

  it('carries faults', async () => {
    const service = await scriptedService({ create: [{ fault: faults.reset }, {}] }, { tls: local });
    expect(await createFromChild(service.url, authority.cert)).toBe('ECONNRESET');
    expect(await createFromChild(service.url, authority.cert)).toBe('201');
    expect(service.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });
});

describe('relay', () => {
  it('delays both directions and carries half-closed connections', async () => {
    const service = await scriptedService();
    const { port } = await relay(service.port, { upMs: 100, downMs: 100 });
    const start = performance.now();
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end('POST /v2/agent/docs/job HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const answer = Buffer.concat(await socket.toArray()).toString();
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1.1 201 [\s\S]*}$/);
    expect(performance.now() - start).toBeGreaterThan(190);
  });

  it('hangs up when its target is gone', async () => {
    const service = await scriptedService();
    const gate = await relay(service.port);
    await service.close();
    const socket = connect(gate.port, '127.0.0.1');
    await once(socket.resume(), 'close');
    expect(gate.connections).toBe(1);
  });
});

describe('connectProxy', () => {
  /** Sends a CONNECT; gives the socket and the status, or 0 if the proxy hangs up. */
  const open = (port: number, host = 'api.example.test:443'): Promise<{ status: number; socket?: Socket }> =>
    new Promise((resolve) => {
      const headers = { 'proxy-authorization': 'Basic dXNlcjpwYXNz' };
      const request = sendHttp({ port, host: '127.0.0.1', method: 'CONNECT', path: host, headers });
      request.on('connect', ({ statusCode = 0 }, socket) => resolve({ status: statusCode, socket }));
      request.on('error', () => resolve({ status: 0 }));
      request.end();
    });

  it('leads to the local server whatever host is asked for', async () => {
    const service = await scriptedService({}, { tls: authority.issue(['api.example.test']) });
    const proxy = await connectProxy('tunnel', service.port);
    const { status, socket } = await open(proxy.port);
    expect(status).toBe(200);
    if (!socket) throw new Error('No tunnel');
    const secure = connectTls({ socket, servername: 'api.example.test', ca: authority.cert });
    secure.write('POST /v2/agent/docs/job HTTP/1.1\r\nhost: api.example.test\r\nconnection: close\r\n\r\n');
    expect(Buffer.concat(await secure.toArray()).toString()).toContain(JSON.stringify(jobRecord()));
    expect(service.creates).toBe(1);
    expect(proxy.connects).toEqual([
      { target: 'api.example.test:443', proxyAuthorization: 'Basic dXNlcjpwYXNz', atMs: expect.any(Number) },
    ]);
  });

  it('refuses with a status, hangs up or lets through, one mode after the other', async () => {
    const service = await scriptedService();
    const proxy = await connectProxy([407, 403, 502, 503, 504, 'hang-up', 'tunnel'], service.port);
    const statuses: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      const { status, socket } = await open(proxy.port);
      statuses.push(status);
      socket?.destroy();
    }
    expect(statuses).toEqual([407, 403, 502, 503, 504, 0, 200, 200]);
    expect(proxy.connects).toHaveLength(8);
    expect((await fetch(`${proxy.url}/plain`)).status).toBe(501);
    expect(proxy.otherRequests).toEqual(['GET /plain']);
  });

  it('may stay silent', async () => {
    const proxy = await connectProxy('silence', 9);
    const late = new Promise((resolve) => setTimeout(resolve, 150, 'silent'));
    expect(await Promise.race([open(proxy.port), late])).toBe('silent');
    expect(proxy.connects).toHaveLength(1);
  });
});
