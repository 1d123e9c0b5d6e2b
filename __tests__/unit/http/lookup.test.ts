import { promises } from 'node:dns';
import { expect, it, vi } from 'vitest';
import { expectNameServer } from '../../../src/http/lookup.ts';

it.each([
  ['after a cancel', 'git.example.test', AbortSignal.abort()],
  ['for an IP address', '192.0.2.1', new AbortController().signal],
  ['for this machine', 'git.localhost', new AbortController().signal],
])('asks no name server %s', async (_title, host, signal) => {
  const ask = vi.spyOn(promises.Resolver.prototype, 'resolve4').mockClear().mockResolvedValue([]);
  await expectNameServer(host, 1_000, signal);
  expect(ask).not.toHaveBeenCalled();
});
