import { expect, it } from 'vitest';
import { faultServer, faults } from '../helpers/servers.ts';
import { begin, faultInside, none, notStarted } from './scenario.ts';

it('a server gets at most five connections if each closes before the write', async () => {
  const server = await faultServer(faults.silence);
  const options = { preload: [faultInside], env: { INSIDE: 'gone-socket' }, timeScale: 8 };
  await begin(server.url, options).end(none, notStarted('connect-failed'));
  expect(server.requests).toEqual([]);
  expect(server.connections).toBeGreaterThan(0);
  expect(server.connections).toBeLessThanOrEqual(5);
});
