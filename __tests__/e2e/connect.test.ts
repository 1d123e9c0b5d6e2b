import { describe, expect, it } from 'vitest';
import { faultServer, faults } from '../helpers/servers.ts';
import {
  begin,
  countCreates,
  expectAtMostFive,
  faultInside,
  none,
  notStarted,
  startUnknown,
} from './scenario.ts';

const connectFailed = notStarted('connect-failed');

describe.concurrent('a connection that fails before anything is sent', () => {
  it('is tried five times if the host name is unknown', async () => {
    const hosts = { 'api.example.test': 'ENOTFOUND' };
    const { end } = begin('https://api.example.test', { hosts, timeScale: 6 });
    const result = await end(none, connectFailed);
    expect(result.stdout.match(/couldn't connect \(ENOTFOUND api\.example\.test\)/g)).toHaveLength(
      4,
    );
    expect(result.annotations.errors[0]).toContain('ENOTFOUND api.example.test');
  });
});

describe.concurrent('a server that accepts each connection and ends it', () => {
  const timeScale = 8;

  it('gets the create request at most once if it resets the connections in plain HTTP', async () => {
    const server = await faultServer(faults.reset, { onAccept: true });
    const { action, end } = begin(server.url, { timeScale });
    // The connection may end before or after the action writes the request.
    const isWritten = (await action.ended).outputs['job-result'] === 'start-unknown';
    await end(
      isWritten ? { creates: 1, jobs: 0 } : none,
      isWritten ? { ...startUnknown, jobs: 0 } : connectFailed,
    );
    expectAtMostFive(server.connections);
  });

  it('gets at most five connections if each closes before the write', async () => {
    const server = await faultServer(faults.silence);
    const options = { preload: [faultInside], env: { INSIDE: 'gone-socket' }, timeScale };
    await begin(server.url, options).end(countCreates(server), connectFailed);
    expectAtMostFive(server.connections);
  });
});
