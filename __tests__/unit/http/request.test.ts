import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import {
  type HttpRequest,
  type HttpResponse,
  type HttpResult,
  sendRequest,
} from '../../../src/http/request.ts';
import { eventually } from '../../helpers/eventually.ts';
import { bareServer, faults, jobRecord, scriptedService } from '../../helpers/servers.ts';

function send(url: string, change: Partial<HttpRequest> = {}): Promise<HttpResult> {
  return sendRequest({
    url: new URL(url),
    token: '',
    body: undefined,
    timeoutMs: 20_000,
    maxBodyBytes: 1_048_576,
    signal: new AbortController().signal,
    ...change,
  });
}

async function getResponse(headers: Record<string, string | string[]>): Promise<HttpResponse> {
  const service = await scriptedService({ get: [{ headers }] });
  const result = await send(`${service.url}/v2/agent/p/job/1`);
  if (result.kind !== 'response') {
    throw new Error(result.kind);
  }
  return result.response;
}

describe.concurrent('sendRequest, through a proxy,', () => {
  it.for([
    ['is silent in the handshake', 'https', faults.silence],
    ['is silent after CONNECT', 'http', faults.silence],
    ['drips its answer to CONNECT', 'http', faults.dripHeaders(5)],
  ] as const)('closes the connection if the proxy %s', async ([, protocol, fault], { expect }) => {
    const sockets: Socket[] = [];
    const { port } = await bareServer((socket) => {
      sockets.push(socket);
      socket.once('data', () => void fault(socket));
    });
    vi.stubEnv('HTTPS_PROXY', `${protocol}://127.0.0.1:${port}`);
    const sending = send('https://api.example.test', { timeoutMs: 3_000 });
    vi.unstubAllEnvs();
    const detail = 'no connection to api.example.test:443 within 3 s';
    const timeout = { kind: 'not-sent', code: 'connect-failed', isTransient: true, detail };
    expect(await sending).toEqual(timeout);
    expect(sockets).toHaveLength(1);
    await eventually(() => expect(sockets[0]?.destroyed || sockets[0]?.readableEnded).toBe(true));
  });
});

const body = Buffer.from(JSON.stringify(jobRecord({ title: 'Grüße \u{1f600}' })));
const length = `content-length: ${body.length}`;
const toHead = (...lines: string[]): string => [...lines, '', ''].join('\r\n');
const answer = (...lines: string[]): Buffer => Buffer.concat([Buffer.from(toHead(...lines)), body]);
const processing = Buffer.from(toHead('HTTP/1.1 102 Processing').repeat(10));

describe.concurrent('sendRequest reads', () => {
  // A record that it couldn't read would be a lost job.
  it.each<[string, Buffer]>([
    ['with an unknown status of success', answer('HTTP/1.1 299 Fine', length)],
    ['with an identity coding', answer('HTTP/1.1 201 A', length, 'content-encoding: Identity')],
    ['after interim responses', Buffer.concat([processing, answer('HTTP/1.1 201', length)])],
    ['without a length', answer('HTTP/1.1 201 Created')],
  ])('a legal response %s', async (_, bytes) => {
    const server = await scriptedService({ other: [{ fault: faults.writeAndClose(bytes) }] });
    const result = await send(server.url, { body: '{}' });
    expect(result).toMatchObject({ kind: 'response', response: { body } });
    expect(server.requests).toHaveLength(1);
  });

  it('the first line of a header, and the longest time to wait', async () => {
    const { header } = await getResponse({ 'Retry-After': [' 3 \t', '4'] });
    expect([header('retry-after'), header('location')]).toEqual(['3', undefined]);
    const fields = { 'retry-after': ['2', '9'], date: ['a', 'b'] };
    expect((await getResponse(fields)).retryAfterMs).toBe(9_000);
    const location = Buffer.from('/\u200bü').toString('latin1');
    expect((await getResponse({ location })).header('location')).toBe('/\u200bü');
  });

  it('a small body without room for the largest one', async () => {
    const service = await scriptedService();
    const maxBodyBytes = 256 * 1024 * 1024;
    const before = process.memoryUsage().arrayBuffers;
    const result = await send(`${service.url}/v2/agent/p/job/1`, { maxBodyBytes });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(maxBodyBytes / 2);
    expect(result).toMatchObject({ kind: 'response', response: { httpStatus: 200 } });
  });

  it('a body in chunks of any size, up to the limit', async () => {
    const chunks = ['a', 'b'.repeat(20_000), 'c'.repeat(300), 'd', 'e'.repeat(100_000)];
    const coded = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
    const head = toHead('HTTP/1.1 200 OK', 'transfer-encoding: chunked');
    const fault = faults.writeAndClose(`${head}${coded}0\r\n\r\n`);
    const server = await scriptedService({ other: [{ fault }] });
    const whole = Buffer.from(chunks.join(''));
    const fits = await send(server.url, { maxBodyBytes: whole.length });
    expect(fits).toMatchObject({ kind: 'response', response: { body: whole, received: whole } });
    const cut = await send(server.url, { maxBodyBytes: whole.length - 1 });
    expect(cut).toMatchObject({ kind: 'response', response: { body: undefined } });
  });

  it.each([
    ['a final head with bare line feeds', 'HTTP/1.1 201 Created\ncontent-length: 2\n\n{}'],
    ['a 100 that nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['a 101', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ])('nothing after %s', async (_, bytes) => {
    const server = await scriptedService({ other: [{ fault: faults.write(bytes) }] });
    const result = await send(server.url);
    // It doesn't wait for the time limit.
    const detail = expect.not.stringContaining('within');
    expect(result).toMatchObject({ kind: 'no-response', detail });
  });
});

/** Starts a server that counts the bytes it gets, and then acts on the connection. */
async function countingServer(act: (socket: Socket) => void = () => {}) {
  const seen: Buffer[] = [];
  const sockets: Socket[] = [];
  const { port } = await bareServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).on('data', (bytes) => seen.push(bytes));
    act(socket);
  });
  return { port, sockets, getBytes: () => Buffer.concat(seen) };
}

describe.concurrent('sendRequest, to a server that counts bytes,', () => {
  it.for([
    ['the signal', 'signal'],
    ['the signal for requests that are not sent', 'beforeSendSignal'],
  ] as const)('sends nothing if %s is aborted in the handshake', async ([, option], { expect }) => {
    const server = await countingServer();
    const controller = new AbortController();
    const change = { [option]: controller.signal, onSend: () => expect.fail('sent') };
    const sending = send(`https://127.0.0.1:${server.port}`, change);
    await eventually(() => expect(server.getBytes().length).toBeGreaterThan(0));
    controller.abort();
    const unsent = { kind: 'not-sent', isTransient: true, detail: 'the step ended' };
    expect(await sending).toMatchObject(unsent);
    // The type of a TLS record for the handshake (RFC 8446, section 5.1).
    expect(server.getBytes()[0]).toBe(22);
    expect(server.getBytes().includes('HTTP/1.1')).toBe(false);
    expect(server.sockets).toHaveLength(1);
    // Nothing can be sent later.
    await eventually(() => expect(server.sockets[0]?.destroyed).toBe(true));
  });

  it('says that it may try again after a reset in the handshake', async () => {
    const end = (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy());
    const server = await countingServer(end);
    const result = await send(`https://127.0.0.1:${server.port}`);
    const refused = { kind: 'not-sent', code: 'connect-failed', isTransient: true };
    expect(result).toMatchObject(refused);
    expect(server.sockets).toHaveLength(1);
  });

  it.for<[string, (socket: Socket) => void]>([
    ['at once', (socket) => void socket.end()],
    ['with a reset', (socket) => void setImmediate(() => socket.resetAndDestroy())],
    ['after the first bytes', (socket) => void socket.once('data', () => socket.destroy())],
  ])(
    'never says that nothing was sent when a byte has arrived, if the server ends %s',
    async ([, end], { expect }) => {
      for (let round = 0; round < 10; round += 1) {
        const server = await countingServer(end);
        let isSent = false;
        const onSend = (): void => {
          isSent = true;
        };
        const result = await send(`http://127.0.0.1:${server.port}`, { body: '{}', onSend });
        expect(result.kind).toBe(isSent ? 'no-response' : 'not-sent');
        expect(server.getBytes().length === 0 || isSent).toBe(true);
        // On a busy machine, the time to connect may be over before the server sees the connection.
        await eventually(() => expect(server.sockets).toHaveLength(1));
      }
    },
  );
});
