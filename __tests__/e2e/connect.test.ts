import { describe, expect, it } from 'vitest';
import { faultServer, faults, relay, scriptedService } from '../helpers/servers.ts';
import {
  begin,
  countCreates,
  expectAtMostFive,
  faultInside,
  local,
  none,
  notStarted,
  opened,
  startUnknown,
  success,
  trusting,
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

  it('is tried again after a reset or a TLS alert, for a create request and for a poll', async () => {
    const alert = Buffer.from('15030300020250', 'hex');
    const refusals: Record<number, 'reset' | Buffer> = { 1: 'reset', 2: alert, 4: alert };
    const service = await scriptedService({ get: [{}, opened] }, { tls: local });
    const gate = await relay(service.port, { refuse: (number) => refusals[number] });
    const { end } = begin(`https://localhost:${gate.port}`, { ...trusting, timeScale: 2 });
    const { stdout } = await end(service, success);
    expect(stdout).toContain("couldn't connect (ECONNRESET ");
    expect(stdout).toContain("couldn't connect (ERR_SSL_");
    expect(stdout).toContain('a poll failed (ERR_SSL_');
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
