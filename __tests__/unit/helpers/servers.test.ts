import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  closeServers,
  faultServer,
  faults,
  jobRecord,
  reservePort,
  scriptedService,
} from '../../helpers/servers.ts';

afterEach(closeServers);

/** Sends a create with fetch and reads the whole answer; gives the code of the error if there is none. */
async function create(
  url: string,
  timeoutMs = 300,
): Promise<{ status?: number; text?: string; error?: string }> {
  try {
    const response = await fetch(`${url}/v2/agent/docs/job`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"prompt":"Write."}',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    return { error: toCode(error) };
  }
}

function toCode(error: unknown): string {
  const { name, code, cause } = error as { name: string; code?: unknown; cause?: unknown };
  if (name === 'HTTPParserError') return name;
  if (typeof code === 'string') return code;
  return cause ? toCode(cause) : name;
}

describe('scriptedService', () => {
  const record = JSON.stringify(jobRecord());

  it('answers each call by its own list of steps and records what it saw', async () => {
    const service = await scriptedService({
      create: [{ status: 429, headers: { 'retry-after': '1' }, body: { error: 'slow down' } }, {}],
      get: [{ body: jobRecord({ status: 'active' }) }, { body: jobRecord({ status: 'completed' }) }],
      followUp: [{ body: Buffer.from('bytes') }],
    });
    expect(await create(service.url)).toEqual({ status: 429, text: '{"error":"slow down"}' });
    expect(service.jobs).toBe(0);
    expect(await create(`${service.url}/prefix`)).toEqual({ status: 201, text: record });
    const job = `${service.url}/v2/agent/docs/job/7`;
    for (const status of ['active', 'completed', 'completed']) {
      expect(await (await fetch(job)).json()).toMatchObject({ status });
    }
    expect(await (await fetch(`${job}/message`, { method: 'POST' })).text()).toBe('bytes');
    expect((await fetch(`${job}/other`)).status).toBe(404);
    expect((await fetch(`${service.url}/v2/agent/docs/job`)).status).toBe(404);

    expect(service).toMatchObject({ creates: 2, jobs: 1 });
    expect(service.requests.map(({ call }) => call)).toEqual([
      ...['create', 'create', 'get', 'get', 'get', 'follow-up', 'other', 'other'],
    ]);
    expect(service.seen('create')[1]).toMatchObject({
      method: 'POST',
      path: '/prefix/v2/agent/docs/job',
      headers: { 'content-type': 'application/json' },
      rawHeaders: expect.arrayContaining(['content-type', 'application/json']),
      body: Buffer.from('{"prompt":"Write."}'),
      connection: expect.any(Number),
    });
  });

  it('delays, stays silent, resets and closes', async () => {
    const service = await scriptedService({
      create: [{ delayMs: 100 }, { fault: faults.silence }, { fault: faults.reset }, { fault: faults.close }],
    });
    const start = performance.now();
    expect(await create(service.url)).toMatchObject({ status: 201 });
    expect(performance.now() - start).toBeGreaterThan(90);
    expect(await create(service.url)).toEqual({ error: 'TimeoutError' });
    expect(await create(service.url)).toEqual({ error: 'ECONNRESET' });
    expect(await create(service.url)).toEqual({ error: 'UND_ERR_SOCKET' });
    expect(service).toMatchObject({ creates: 4, jobs: 4 });
  });

  it('counts jobs as a step says', async () => {
    const service = await scriptedService({
      create: [{ status: 502, madeJob: true }, { fault: faults.reset, madeJob: false }, { status: 307 }],
    });
    for (let count = 0; count < 3; count += 1) await create(service.url);
    expect(service).toMatchObject({ creates: 3, jobs: 1 });
  });

  it('closes connections after an answer or while they are idle', async () => {
    const service = await scriptedService({ create: [{ closeAfter: true }, {}] }, { idleMs: 50 });
    await create(service.url);
    await create(service.url);
    expect(service.connections).toBe(2);
    const socket = connect(service.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
  });

  it('opens its port after a while', async () => {
    const service = await scriptedService({}, { openAfterMs: 150 });
    expect(await create(service.url)).toEqual({ error: 'ECONNREFUSED' });
    await expect.poll(() => create(service.url)).toMatchObject({ status: 201 });
  });

  it('sends 204 and other content types as they are', async () => {
    const service = await scriptedService({
      create: [{ status: 204 }, { headers: { 'content-type': 'text/html' }, body: '<p>' }],
    });
    expect(await create(service.url)).toEqual({ status: 204, text: '' });
    expect(await create(service.url)).toEqual({ status: 201, text: '<p>' });
  });
});

describe('faults', () => {
  const text = JSON.stringify(jobRecord());

  it.each([
    ['reset', faults.reset, { error: 'ECONNRESET' }],
    ['close', faults.close, { error: 'UND_ERR_SOCKET' }],
    ['silence', faults.silence, { error: 'TimeoutError' }],
    ['dripHeaders', faults.dripHeaders(10), { error: 'TimeoutError' }],
    ['dripBody', faults.dripBody(10), { error: 'TimeoutError' }],
    ['stallBody', faults.stallBody, { error: 'TimeoutError' }],
    ['shortLength', faults.shortLength, { error: 'UND_ERR_SOCKET' }],
    ['badChunk', faults.badChunk, { error: 'HTTPParserError' }],
    ['cutBody', faults.cutBody, { status: 200, text: text.slice(0, text.length / 2) }],
    ['notHttp', faults.notHttp, { error: 'HTTPParserError' }],
    ['hugeHeaders', faults.hugeHeaders, { error: 'UND_ERR_HEADERS_OVERFLOW' }],
    ['lengthAndChunked', faults.lengthAndChunked, { error: 'HTTPParserError' }],
    ['earlyHints', faults.earlyHints(1000), { status: 201, text }],
    ['endlessChunks', faults.endlessChunks, { error: 'TimeoutError' }],
  ])('%s', async (_name, fault, outcome) => {
    const server = await faultServer(fault);
    expect(await create(server.url)).toEqual(outcome);
    expect(server.requests.length).toBe(1);
    expect(String(server.requests[0])).toMatch(
      /^POST \/v2\/agent\/docs\/job HTTP\/1.1\r\n[\s\S]*{"prompt":"Write."}$/,
    );
  });

  it('send a record of 10 MB', async () => {
    const { url } = await faultServer(faults.hugeBody);
    const { text: body = '' } = await create(url, 5_000);
    expect(body.length).toBeGreaterThan(10_000_000);
    expect(JSON.parse(body)).toMatchObject(jobRecord());
  });

  it('send a gzip bomb', async () => {
    const server = await faultServer(faults.gzipBomb);
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\n\r\n');
    const [head] = await once(socket, 'data');
    expect(String(head)).toMatch(
      /^HTTP\/1.1 200 OK\r\n[\s\S]*content-encoding: gzip\r\ncontent-length: \d{5,6}\r\n/,
    );
    const { text: body = '' } = await create(server.url, 5_000);
    expect(body.length).toBeGreaterThan(100_000_000);
  });

  it('drip a byte at a time', async () => {
    const server = await faultServer(faults.dripHeaders(20));
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\n\r\n');
    const sizes: number[] = [];
    socket.on('data', (data) => sizes.push(data.length));
    await expect.poll(() => sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes.slice(1))).toBeLessThan(4);
    socket.destroy();
  });

  it('write what they are told', async () => {
    const server = await faultServer(
      faults.writeAndClose('HTTP/1.1 201 Created\r\n\r\n', Buffer.from('raw')),
    );
    expect(await create(server.url)).toEqual({ status: 201, text: 'raw' });
  });

  it('can strike before anything was read', async () => {
    const server = await faultServer(faults.reset, { onAccept: true });
    expect(await create(server.url)).toEqual({ error: 'ECONNRESET' });
    expect(server).toMatchObject({ connections: 1, requests: [] });
  });
});

describe('listeners', () => {
  it('refuse connections once they are closed', async () => {
    const service = await scriptedService();
    const idle = connect(service.port, '127.0.0.1');
    await once(idle, 'connect');
    await closeServers();
    await once(idle, 'close');
    expect(await create(service.url)).toEqual({ error: 'ECONNREFUSED' });
  });

  it('have a port that is reserved for them', async () => {
    const port = await reservePort();
    expect(await create(`http://127.0.0.1:${port}`)).toEqual({ error: 'ECONNREFUSED' });
    const service = await scriptedService({}, { port });
    expect(service.port).toBe(port);
    expect(await create(service.url)).toMatchObject({ status: 201 });
  });
});
