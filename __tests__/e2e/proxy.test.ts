import { expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { bareServer, connectProxy, faults, scriptedService } from '../helpers/servers.ts';
import {
  authority,
  BUSY_MS,
  begin,
  cancelled,
  endBy,
  key,
  none,
  notStarted,
  opened,
  success,
  trusting,
} from './scenario.ts';

const host = 'api.example.test';
const tls = authority.issue([host]);

it('a proxy may lack a scheme, and gets its password but no part of the request', async () => {
  const service = await scriptedService({ get: [opened] }, { tls });
  const proxy = await connectProxy('tunnel', service.port);
  const env = { HTTPS_PROXY: `user:p%40ss-of-proxy@localhost:${proxy.port}` };
  const { end } = begin(`https://${host}`, { ...trusting, env });
  const { stdout, summary, outputText } = await end(service, success);
  const proxyAuthorization = `Basic ${btoa('user:p@ss-of-proxy')}`;
  expect(proxy.connects[0]).toMatchObject({ target: `${host}:443`, proxyAuthorization });
  expect(`${stdout}${summary}${outputText}`).not.toMatch(/p(%40|@)ss-of-proxy/);
  expect(JSON.stringify(proxy.connects)).not.toContain(key);
  expect(service.seen('create')[0]?.headers['proxy-authorization']).toBeUndefined();
});

it('a proxy is never bypassed if its address is invalid', async () => {
  // An address of this machine that isn't loopback, which would need no proxy.
  const local = '0.0.0.0';
  const service = await scriptedService({ get: [opened] }, { tls: authority.issue([local]) });
  const env = { HTTPS_PROXY: 'socks5://localhost:1080' };
  const { end } = begin(`https://${local}:${service.port}`, { ...trusting, env });
  const { annotations } = await end(service, notStarted('proxy-refused'));
  expect(annotations.errors[0]).toContain('HTTPS_PROXY');
  expect(service.connections).toBe(0);
});

it('a proxy over TLS does not delay cancellation in the handshake of the tunnel', async () => {
  const server = await bareServer(faults.silence);
  const proxy = await connectProxy('tunnel', server.port, { tls: authority.issue(['localhost']) });
  const env = { HTTPS_PROXY: proxy.url };
  const { action, end } = begin(`https://${host}`, { ...trusting, timeScale: 1, env });
  await eventually(() => expect(server.connections).toBe(1), action);
  expect(await endBy(action, 'SIGINT')).toBeLessThan(BUSY_MS);
  await end(none, { ...cancelled, ...none });
});
