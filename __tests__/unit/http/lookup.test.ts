import { promises } from 'node:dns';
import { expect, it, vi } from 'vitest';
import { lookUp } from '../../../src/http/lookup.ts';

it.each([
  ['an IP address', '127.0.0.1'],
  ['an IPv6 address', '::1'],
  ['this machine', 'git.localhost'],
])('asks no name server for %s', async (_title, host) => {
  const ask = vi.spyOn(promises.Resolver.prototype, 'resolve4').mockClear().mockResolvedValue([]);
  const addresses = await lookUp(host, true, new AbortController().signal);
  expect(addresses.map(({ address }) => address)).toContain(host === '::1' ? '::1' : '127.0.0.1');
  expect(ask).not.toHaveBeenCalled();
});
