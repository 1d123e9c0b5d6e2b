import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { HttpResponse, HttpResult } from '../../../src/http/request.ts';
import { eventually } from '../../helpers/eventually.ts';
import { createFullPort } from '../../helpers/full-port.ts';
import {
  connectProxy,
  faultServer,
  faults,
  type ProxyMode,
  scriptedService,
} from '../../helpers/servers.ts';
import { send } from './send.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Sends a request, and returns a response with these header fields. */
async function getResponse(headers: Record<string, string | string[]>): Promise<HttpResponse> {
  const service = await scriptedService({ get: [{ headers }] });
  const result = await send(`${service.url}/v2/agent/p/job/1`);
  if (result.kind !== 'response') throw new Error(result.kind);
  return result.response;
}

/** Counts the connections that this process is opening. */
function countConnecting(): number {
  return process.getActiveResourcesInfo().filter((name) => name.endsWith('ConnectWrap')).length;
}

/** The result of a request through a proxy that is silent for half a second. */
const timeout = {
  kind: 'not-sent',
  code: 'connect-failed',
  isTransient: true,
  detail: 'no connection to api.example.test:443 within 3 s',
};

function sendThrough(origin: string, timeoutMs = 20_000): Promise<HttpResult> {
  vi.stubEnv('HTTPS_PROXY', origin);
  const result = send('https://api.example.test', { timeoutMs });
  vi.unstubAllEnvs();
  return result;
}

/** Returns a port that doesn't answer until the end of the test, or skips the test. */
async function openFullPort(skip: (reason: string) => never): Promise<number> {
  const { port, close } = await createFullPort();
  onTestFinished(close);
  return port ?? skip('this system refuses connections that it has no room for');
}

// Not concurrent with the other tests, since they open connections, too.
it('sendRequest stops connecting to a proxy when the time is over', async ({ skip }) => {
  const port = await openFullPort(skip);
  const before = countConnecting();
  const result = sendThrough(`http://127.0.0.1:${port}`, 3_000);
  await eventually(() => expect(countConnecting()).toBe(before + 1));
  expect(await result).toEqual(timeout);
  await eventually(() => expect(countConnecting()).toBe(before));
});

it('sendRequest gives each address of a host more time than a long round trip', async ({
  skip,
}) => {
  const port = await openFullPort(skip);
  const server = createServer((_, response) => response.end('here'));
  server.listen(port, '127.0.0.2');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  answerLookups(['127.0.0.1', '127.0.0.2']);
  const startMs = performance.now();
  expect(await send(`http://two.test:${port}`)).toMatchObject({ kind: 'response' });
  expect(performance.now() - startMs).toBeGreaterThan(2_000);
});

it('sendRequest looks up the host again after a connection to its address failed', async () => {
  const service = await scriptedService({ other: [{}] });
  answerLookups(['127.0.0.2'], ['127.0.0.1']);
  expect(await send(`http://moved.test:${service.port}`)).toMatchObject({ kind: 'not-sent' });
  expect(await send(`http://moved.test:${service.port}`)).toMatchObject({ kind: 'response' });
});

/** Replaces the next lookups of host names by these addresses. */
function answerLookups(...answers: string[][]): void {
  const lookup = vi.spyOn(dns, 'lookup');
  for (const addresses of answers) {
    lookup.mockImplementationOnce(((_host: string, _options: object, callback: Callback) => {
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    }) as never);
  }
}
type Callback = (error: null, addresses: { address: string; family: number }[]) => void;

describe.concurrent('sendRequest', () => {
  it.for([
    ['is silent in the handshake', 'https', faults.silence, true],
    ['is silent after CONNECT', 'http', faults.silence, false],
    ['drips its answer to CONNECT', 'http', faults.dripHeaders(5), false],
  ] as const)(
    'closes the connection to a proxy that %s',
    async ([, protocol, fault, onAccept], { expect }) => {
      const sockets: Socket[] = [];
      const keep = (socket: Socket): void | Promise<void> => {
        sockets.push(socket);
        return fault(socket);
      };
      const { port } = await faultServer(keep, { onAccept });
      expect(await sendThrough(`${protocol}://127.0.0.1:${port}`, 3_000)).toEqual(timeout);
      expect(sockets).toHaveLength(1);
      if (onAccept) sockets[0]?.resume();
      await eventually(() => expect(sockets[0]?.destroyed || sockets[0]?.readableEnded).toBe(true));
    },
  );

  it.each<[ProxyMode, boolean]>([
    [403, false],
    [407, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
    ['hang-up', true],
  ])('asks a proxy that returns %s only once, and may retry: %s', async (mode, isTransient) => {
    const proxy = await connectProxy(mode, 9);
    const refused = { kind: 'not-sent', code: 'proxy-refused', isTransient };
    expect(await sendThrough(proxy.url)).toMatchObject(refused);
    expect(proxy.connects).toHaveLength(1);
  });

  it('treats equal lines of a header as one, and different lines as none', async () => {
    const { header } = await getResponse({ 'Retry-After': ['3', ' 3 \t'], date: ['a', 'b'] });
    expect([header('retry-after'), header('date')]).toEqual(['3', undefined]);
    const location = Buffer.from('/\u200bü').toString('latin1');
    expect((await getResponse({ location })).header('location')).toBe('/\u200bü');
  });

  // legal-responses.test.ts shows codings that change nothing.
  it.each<string | string[]>(['gzip', 'identity, br', ['identity', 'gzip']])(
    'does not read a body with the coding %j',
    async (coding) => {
      expect((await getResponse({ 'content-encoding': coding })).body).toBeUndefined();
    },
  );

  it.each([
    ['a final head with bare line feeds', 'HTTP/1.1 201 Created\ncontent-length: 2\n\n{}'],
    ['a 100 that nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 1000'],
    ['a 101', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ])('does not wait for more after %s', async (_, bytes) => {
    const server = await faultServer(faults.write(bytes));
    const result = await send(server.url);
    expect(result.kind).toBe('no-response');
    expect('detail' in result ? result.detail : '').not.toContain('within');
  });
});

/** Starts a server that counts the bytes it gets, and then acts on the connection. */
async function countingServer(act: (socket: Socket) => void) {
  const seen: Buffer[] = [];
  const count = (socket: Socket): void => {
    socket.on('error', () => {}).on('data', (bytes) => seen.push(bytes));
    act(socket);
  };
  const server = await faultServer(count, { onAccept: true });
  return {
    port: server.port,
    getBytes: () => Buffer.concat(seen),
    getConnections: () => server.connections,
  };
}

describe.concurrent('sendRequest, to a server that counts bytes,', () => {
  const silent = (): void => {};
  const given = { kind: 'not-sent', isTransient: true, detail: 'given up' };

  it.for([
    ['the signal', 'signal'],
    ['the signal for requests that are not sent', 'beforeSendSignal'],
  ] as const)('sends nothing if %s is aborted in the handshake', async ([, option], { expect }) => {
    const server = await countingServer(silent);
    const controller = new AbortController();
    const change = { [option]: controller.signal, onSend: () => expect.fail('sent') };
    const sending = send(`https://127.0.0.1:${server.port}`, change);
    await eventually(() => expect(server.getBytes().length).toBeGreaterThan(0));
    controller.abort();
    expect(await sending).toMatchObject(given);
    // The type of a TLS record for the handshake (RFC 8446, section 5.1).
    expect(server.getBytes()[0]).toBe(22);
    expect(server.getBytes().includes('HTTP/1.1')).toBe(false);
    expect(server.getConnections()).toBe(1);
  });

  it('sends nothing through a tunnel that stays silent', async ({ expect }) => {
    const server = await countingServer(silent);
    const proxy = await connectProxy('tunnel', server.port);
    expect(await sendThrough(proxy.url, 3_000)).toEqual(timeout);
    expect([proxy.connects.length, server.getConnections()]).toEqual([1, 1]);
    expect(server.getBytes().includes('HTTP/1.1')).toBe(false);
  });

  it('never says that nothing was sent when a byte has arrived', async ({ expect }) => {
    const ends: Record<string, (socket: Socket) => void> = {
      atOnce: (socket) => void socket.end(),
      soon: (socket) => void setImmediate(() => socket.end()),
      withReset: (socket) => void setImmediate(() => socket.resetAndDestroy()),
      afterBytes: (socket) => void socket.once('data', () => socket.destroy()),
    };
    for (const end of Object.values(ends)) {
      for (let round = 0; round < 10; round += 1) {
        const server = await countingServer(end);
        let isSent = false;
        const onSend = (): void => {
          isSent = true;
        };
        const result = await send(`http://127.0.0.1:${server.port}`, { body: '{}', onSend });
        expect(result.kind).toBe(isSent ? 'no-response' : 'not-sent');
        expect(server.getBytes().length === 0 || isSent).toBe(true);
        expect(server.getConnections()).toBe(1);
      }
    }
  });

  it('sends the request once in full, although no response comes', async ({ expect }) => {
    const server = await countingServer(silent);
    const url = `http://127.0.0.1:${server.port}/jobs`;
    const result = await send(url, { body: '{"prompt":"x"}', timeoutMs: 3_000 });
    expect(result).toMatchObject({ kind: 'no-response' });
    const text = server.getBytes().toString();
    expect(text.match(/POST \/jobs HTTP\/1\.1\r\n/g)).toHaveLength(1);
    expect(text.endsWith('\r\n\r\n{"prompt":"x"}')).toBe(true);
  });
});
