import { expect, it } from 'vitest';
import { faultServer, faults } from '../helpers/servers.ts';
import { begin, none, notStarted, startUnknown } from './scenario.ts';

const connectFailed = notStarted('connect-failed');

it('a connection is tried five times if the host name is unknown', async () => {
  const hosts = { 'api.example.test': 'ENOTFOUND' };
  const { end } = begin('https://api.example.test', { hosts, timeScale: 6 });
  const { stdout, annotations } = await end(none, connectFailed);
  expect(stdout.match(/couldn't connect \(ENOTFOUND api\.example\.test\)/g)).toHaveLength(4);
  expect(annotations.errors[0]).toContain('ENOTFOUND api.example.test');
});

it('a server that resets each connection gets the create request at most once', async () => {
  const server = await faultServer(faults.reset, { onAccept: true });
  const { action, end } = begin(server.url, { timeScale: 8 });
  // The connection may end before or after the action writes the request.
  const isWritten = (await action.ended).outputs['job-result'] === 'start-unknown';
  await end(
    isWritten ? { creates: 1, jobs: 0 } : none,
    isWritten ? { ...startUnknown, jobs: 0 } : connectFailed,
  );
  expect(server.connections).toBeLessThanOrEqual(5);
});
