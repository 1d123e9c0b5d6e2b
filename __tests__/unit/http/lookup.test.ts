import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLookup, forgetAddresses, parseAnswer } from '../../../src/http/lookup.ts';
import { eventually } from '../../helpers/eventually.ts';
import { closeServers, scriptedService } from '../../helpers/servers.ts';
import { send } from './send.ts';

const v4 = { address: '192.0.2.1', family: 4 };
const v6 = { address: 'fe80::1%eth0', family: 6 };

describe('parseAnswer', () => {
  const toLine = (address: string, family?: number) => `${JSON.stringify([{ address, family }])}\n`;

  it.each([
    ['addresses', `${JSON.stringify([v4, v6])}\n`, [v4, v6]],
    ['the code of an error', '"ENOTFOUND"\n', 'ENOTFOUND'],
    ['the last of several lines', `(node) warning\n"EAI_AGAIN"\n${JSON.stringify([v4])}\n`, [v4]],
  ])('reads %s', (_, output, answer) => {
    expect(parseAnswer(output)).toEqual(answer);
  });

  it.each([
    ['a line that is empty or may go on', ['', '\n', '"ENOTFOUND"']],
    ['what is neither a list nor a code', ['ENOTFOUND\n', '"not found"\n', '7\n']],
    ['a list without addresses, or an address without a list', ['[]\n', `${JSON.stringify(v4)}\n`]],
    ['a name for an address', [toLine('example.com', 4), toLine('example.com', 0)]],
    ['a wrong family, or none', [toLine('192.0.2.1', 6), toLine('192.0.2.1')]],
    ['one wrong address among right ones', [`${JSON.stringify([v4, null])}\n`]],
  ])('does not take %s for an answer', (_, outputs) => {
    for (const output of outputs) expect(parseAnswer(output), output).toBeUndefined();
  });
});

const host = 'api.example.test';
const secret = 'mint_4f9c2b7e6d1a8350';
let flags: string[] = [];
let folder = '';

beforeEach(() => {
  flags = [...process.execArgv];
  folder = mkdtempSync(join(tmpdir(), 'lookup-'));
  vi.stubEnv('CHILD_RECORD', join(folder, 'children'));
  preload('record-children.cjs');
});

afterEach(async () => {
  // No lookup leaves its process behind.
  await eventually(() => expect(readChildren().filter(({ pid }) => isAlive(pid))).toEqual([]));
  process.execArgv.splice(0, process.execArgv.length, ...flags);
  vi.unstubAllEnvs();
  forgetAddresses(host);
  rmSync(folder, { recursive: true });
  await closeServers();
});

/** A module that is preloaded into the processes that look up, not into this one. */
function preload(name: string): void {
  process.execArgv.push(
    '--require',
    fileURLToPath(
      new URL(
        name,
        new URL(name === 'fake-hosts.cjs' ? '../../../harness/' : '../../helpers/', import.meta.url),
      ),
    ),
  );
}

/** What the processes find for the host: an address, or the code of an error. */
function setAnswer(answer: string): void {
  vi.stubEnv('FAKE_HOSTS', JSON.stringify({ [host]: answer }));
}

/** The processes that have looked up. */
function readChildren(): { pid: number; env: Record<string, string> }[] {
  const text = readFileSync(join(folder, 'children'), { encoding: 'utf8', flag: 'a+' });
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function lookUp(hostname: string, signal = new AbortController().signal): Promise<unknown> {
  const lookup: LookupFunction = createLookup(signal);
  return promisify(lookup)(hostname, { all: true });
}

describe('createLookup', () => {
  it.each(['localhost', 'LOCALHOST', 'localhost.', 'a.b.localhost'])('asks nobody about %s', async (name) => {
    expect(await lookUp(name)).toEqual([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(readChildren()).toEqual([]);
  });

  it('kills the process once nobody waits any more', async () => {
    preload('stuck-lookup.cjs');
    const [first, second] = [new AbortController(), new AbortController()];
    const lookups = [first, second].map(({ signal }) => lookUp('api.stuck.test', signal));
    await eventually(() => expect(readChildren()).toHaveLength(1));
    const pid = readChildren()[0]?.pid ?? 0;
    first.abort();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAlive(pid)).toBe(true);
    second.abort();
    await Promise.all(lookups.map((lookup) => expect(lookup).rejects.toMatchObject({ code: 'ECANCELED' })));
  });
});

describe('createLookup, in a process with the same preloaded modules', () => {
  const addresses = [{ address: '127.0.0.9', family: 4 }];

  beforeEach(() => {
    preload('fake-hosts.cjs');
    setAnswer('127.0.0.9');
  });

  it('answers as dns.lookup does, also where one address is asked for', async () => {
    expect(await lookUp(host)).toEqual(addresses);
    const callback = vi.fn();
    createLookup(new AbortController().signal)(host, {}, callback);
    await eventually(() => expect(callback.mock.calls).toEqual([[null, '127.0.0.9', 4]]));
  });

  it('fails as dns.lookup does, and does not keep the error', async () => {
    setAnswer('EAI_AGAIN');
    const error = { code: 'EAI_AGAIN', syscall: 'getaddrinfo', hostname: host };
    await expect(lookUp(host)).rejects.toMatchObject(error);
    setAnswer('127.0.0.9');
    expect(await lookUp(host)).toEqual(addresses);
  });

  it('hands on neither inputs nor credentials', async () => {
    const secrets = ['INPUT_API-KEY', 'INPUT_PROMPT', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY', 'HTTPS_PROXY'];
    for (const name of secrets) vi.stubEnv(name, secret);
    vi.stubEnv('RES_OPTIONS', 'attempts:1');
    await lookUp(host);
    const [child] = readChildren();
    expect(child?.env['RES_OPTIONS']).toBe('attempts:1');
    expect(JSON.stringify(child)).not.toContain(secret);
  });

  it('looks a host up once for all who ask at the same time, and for a while', async () => {
    await Promise.all([lookUp(host), lookUp(host), lookUp(host)]);
    await lookUp(host);
    expect(readChildren()).toHaveLength(1);
    forgetAddresses(host);
    await lookUp(host);
    expect(readChildren()).toHaveLength(2);
  });
});

describe('sendRequest to a host whose addresses are known', () => {
  const request = (port: number) => send(`http://${host}:${port}/v2/agent/p/job/1`);
  const notFound = { kind: 'not-sent', failure: 'unreachable', detail: `ENOTFOUND ${host}` };

  beforeEach(() => {
    preload('fake-hosts.cjs');
    setAnswer('127.0.0.1');
  });

  it('uses them again after a response', async () => {
    const service = await scriptedService();
    expect((await request(service.port)).kind).toBe('response');
    setAnswer('ENOTFOUND');
    expect((await request(service.port)).kind).toBe('response');
  });

  it.each([
    ['a response that says the server is broken', { status: 503 }],
    ['no response', { fault: (socket: { destroy(): unknown }) => void socket.destroy() }],
  ])('looks it up again after %s', async (_, step) => {
    const service = await scriptedService({ get: [step] });
    await request(service.port);
    setAnswer('ENOTFOUND');
    expect(await request(service.port)).toEqual(notFound);
  });

  it('looks it up again after a connection that failed', async () => {
    const { port, close } = await scriptedService();
    await close();
    const detail = `ECONNREFUSED ${host}:${port}`;
    expect(await request(port)).toMatchObject({ kind: 'not-sent', detail });
    setAnswer('ENOTFOUND');
    expect(await request(port)).toEqual(notFound);
  });
});
