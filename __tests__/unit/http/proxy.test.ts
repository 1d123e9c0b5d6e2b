import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readProxy } from '../../../src/http/proxy.ts';

const target = new URL('https://api.example.com/v1');

beforeEach(() => {
  for (const name of ['https_proxy', 'http_proxy', 'no_proxy']) {
    vi.stubEnv(name, '');
    vi.stubEnv(name.toUpperCase(), '');
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

function read(value: string): ReturnType<typeof readProxy> {
  vi.stubEnv('HTTPS_PROXY', value);
  return readProxy(target);
}

it.each([
  ['http://proxy.corp:3128', 'http://proxy.corp:3128'],
  ['localhost:3128', 'http://localhost:3128'],
  [' proxy:3128 ', 'http://proxy:3128'],
  ['user:secret@proxy:3128', 'http://proxy:3128'],
])('reads the address %s', (value, origin) => {
  expect(read(value)).toMatchObject({ origin });
});

const wrong = ['socks5://proxy:1080', 'file:///proxy', 'proxy:99999', '//', ' ', 'proxy/path'];
it.each(wrong)('fails for "%s" instead of bypassing the proxy', (value) => {
  expect(() => read(value)).toThrow('HTTPS_PROXY');
});

it.each([
  ['us%3Aer:p%40ss', 'us:er:p@ss'],
  ['user:\u00e9', 'user:\u00c3\u00a9'],
  [':password', ':password'],
])('decodes the user and the password %s', (given, decoded) => {
  vi.stubEnv('https_proxy', `${given}@proxy:3128`);
  expect(readProxy(target)).toMatchObject({ authorization: `Basic ${btoa(decoded)}` });
});

it('returns no proxy if the variables are not set or exclude the host', () => {
  expect(readProxy(target)).toBeUndefined();
  vi.stubEnv('HTTP_PROXY', 'http://proxy:3128');
  expect(readProxy(target)).toBeUndefined();
  vi.stubEnv('HTTPS_PROXY', 'http://proxy:3128');
  expect(readProxy(new URL('https://localhost'))).toBeUndefined();
  expect(readProxy(new URL('https://127.0.0.1:8443'))).toBeUndefined();
  expect(readProxy(new URL('https://[::1]'))).toBeUndefined();
  expect(readProxy(new URL('https://127.0.0.1.example'))).toBeDefined();
  vi.stubEnv('NO_PROXY', 'example.com');
  expect(readProxy(target)).toBeUndefined();
});
