import { expect, it } from 'vitest';
import { scriptedService } from '../helpers/servers.ts';
import { begin, faultInside, notStarted } from './scenario.ts';

it('a server gets at most five connections if each closes before the write', async () => {
  const service = await scriptedService();
  const options = { preload: [faultInside], env: { INSIDE: 'gone-socket' }, timeScale: 8 };
  await begin(service.url, options).end(service, notStarted('connect-failed'));
  expect(service.connections).toBeGreaterThan(0);
  expect(service.connections).toBeLessThanOrEqual(5);
});
