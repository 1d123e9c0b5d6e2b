import type { Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { type HttpRequest, sendRequest } from '../../../src/http/request.ts';
import { createFullPort } from '../../helpers/full-port.ts';
import { closeServers, faultServer, faults, scriptedService } from '../../helpers/servers.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(closeServers);

function toRequest(url: string, change: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'GET',
    url: new URL(url),
    headers: {},
    body: undefined,
    timeoutMs: 20_000,
    maxBodyBytes: 1_048_576,
    proxy: undefined,
    signal: new AbortController().signal,
    ...change,
  };
}

/** Connections that are being opened in this process. */
function countConnecting(): number {
  return process.getActiveResourcesInfo().filter((name) => name.endsWith('ConnectWrap')).length;
}

describe('sendRequest through a proxy that does not let it through', () => {
  const timeout = (detail: RegExp) => ({
    kind: 'not-sent',
    failure: 'connect-timeout',
    detail: expect.stringMatching(detail),
  });

  it('stops connecting when the time is over', async ({ skip }) => {
    const { port, close } = await createFullPort();
    try {
      if (port === undefined) {
        skip('this system refuses connections that it has no room for');
      }
      const before = countConnecting();
      const proxy = { origin: `http://127.0.0.1:${port}`, authorization: undefined };
      const result = sendRequest(toRequest('https://api.example.test', { proxy, timeoutMs: 2_000 }));
      await expect.poll(countConnecting, { interval: 5 }).toBe(before + 1);
      expect(await result).toEqual(timeout(/^no connection to api\.example\.test:443 within 2 s$/));
      await expect.poll(countConnecting, { timeout: 2_000 }).toBe(before);
    } finally {
      close();
    }
  });

  it.each([
    ['is silent in the handshake', 'https', faults.silence, true],
    ['is silent after CONNECT', 'http', faults.silence, false],
    ['answers CONNECT in drips', 'http', faults.dripHeaders(5), false],
    ['sends interim responses for ever', 'http', dripContinue, false],
  ] as const)('closes the connection to one that %s', async (_, protocol, fault, onAccept) => {
    const sockets: Socket[] = [];
    const keep = (socket: Socket): void | Promise<void> => {
      sockets.push(socket);
      return fault(socket);
    };
    const server = await faultServer(keep, { onAccept });
    const proxy = { origin: `${protocol}://127.0.0.1:${server.port}`, authorization: undefined };
    const result = await sendRequest(toRequest('https://api.example.test', { proxy, timeoutMs: 500 }));
    expect(result).toEqual(timeout(/^no connection to api\.example\.test:443 within 0\.5 s$/));
    expect(sockets).toHaveLength(1);
    if (onAccept) sockets[0]?.resume();
    await expect.poll(() => sockets[0]?.destroyed || sockets[0]?.readableEnded).toBe(true);
  });
});

async function dripContinue(socket: Socket): Promise<void> {
  while (!socket.destroyed) {
    socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('sendRequest', () => {
  it.each([
    ['3 ', '3'],
    ['\t3', '3'],
    [['3', '3'], '3'],
    [['3', '4'], undefined],
  ])('reads the field %j as %j', async (sent, value) => {
    const service = await scriptedService({ get: [{ headers: { 'Retry-After': sent } }] });
    const result = await sendRequest(toRequest(`${service.url}/v2/agent/p/job/1`));
    if (result.kind !== 'response') throw new Error(result.kind);
    expect(result.response.header('retry-after')).toBe(value);
    expect(result.response.header('Retry-After')).toBe(value);
    expect(result.response.header('constructor')).toBeUndefined();
  });

  it.each(['gzip', 'identity, br', 'x'])('does not read a body with the coding %s', async (coding) => {
    const service = await scriptedService({ get: [{ headers: { 'content-encoding': coding } }] });
    const result = await sendRequest(toRequest(`${service.url}/v2/agent/p/job/1`));
    if (result.kind !== 'response') throw new Error(result.kind);
    expect(result.response.body).toBeUndefined();
  });

  it.each([
    ['101', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', /HTTP 101/],
    ['more than 1 MiB of 1xx', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(45_000), /1 MiB/],
  ])('takes %s for no response', async (_, text, detail) => {
    const server = await faultServer(faults.write(text));
    const result = await sendRequest(toRequest(server.url));
    expect(result).toEqual({ kind: 'no-response', detail: expect.stringMatching(detail) });
  });

  it('gives up in rounded seconds', async () => {
    const server = await faultServer(faults.silence);
    const result = await sendRequest(toRequest(server.url, { timeoutMs: 299.934_689_8 }));
    expect(result).toEqual({ kind: 'no-response', detail: 'no complete response within 0.3 s' });
  });
});
