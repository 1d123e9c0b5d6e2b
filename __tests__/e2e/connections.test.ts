import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import {
  bareServer,
  connectProxy,
  createSelfSigned,
  faults,
  scriptedService,
} from '../helpers/servers.ts';
import {
  authority,
  BUSY_MS,
  begin,
  cancelled,
  endBy,
  failInside,
  key,
  none,
  notStarted,
  opened,
  play,
  startUnknown,
  success,
  trusting,
} from './scenario.ts';

const refused = notStarted('tls-failed');
const selfSigned = createSelfSigned(['localhost']);
const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
const host = 'api.example.test';
const tls = authority.issue([host]);
// In real time, because limits in scaled time could end a handshake on a busy machine.
const timeScale = 1;

describe('a server', () => {
  it.each([
    ['for another host', 'ERR_TLS_CERT_ALTNAME_INVALID', authority.issue(['other.example'])],
    ['that signs itself', 'DEPTH_ZERO_SELF_SIGNED_CERT', selfSigned],
  ])('with a certificate %s is rejected, whatever the environment says', async (_, code, tls) => {
    const options = { env: unverified, timeScale };
    const { service, result } = await play({}, refused, options, { tls });
    expect(result.annotations.errors[0]).toContain(`${code} localhost:${service.port}`);
    expect(result.annotations.errors[0]).toContain('NODE_EXTRA_CA_CERTS');
    expect(service).toMatchObject({ connections: 1, requests: [] });
  });

  it.each([
    ['closes before the write', 'http', failInside('gone-socket'), ''],
    ['lacks TLS', 'https', {}, "the server doesn't use TLS"],
  ])('that %s receives nothing, and is tried five times', async (_, scheme, options, reason) => {
    const service = await scriptedService();
    const url = `${scheme}://localhost:${service.port}`;
    const { end } = begin(url, { timeScale: 4, ...options });
    const { stdout } = await end(service, notStarted('connect-failed'));
    expect(stdout.split(`couldn't connect (${reason}`)).toHaveLength(5);
    // A server sees fewer attempts if some of them took too long on a busy machine.
    expect(service.connections).toBeGreaterThan(0);
    expect(service.connections).toBeLessThanOrEqual(5);
    expect(service.requests).toEqual([]);
  });

  it('that answers with a malformed response gets no second request', async () => {
    const env = { NODE_OPTIONS: '--insecure-http-parser' };
    const create = [{ fault: faults.lengthAndChunked }];
    await play({ create }, startUnknown, { env, timeScale });
  });
});

describe.concurrent('a proxy', () => {
  it('with a bad certificate does not get its password', async () => {
    const proxy = await scriptedService({}, { tls: selfSigned });
    const env = { ...unverified, HTTPS_PROXY: proxy.url.replace('//', '//user:password@') };
    await begin(`https://${host}`, { env, timeScale }).end(none, refused);
    expect(proxy).toMatchObject({ connections: 1, requests: [] });
  });

  it('before a service with a bad certificate gets no request for it', async () => {
    const service = await scriptedService({}, { tls: createSelfSigned([host]) });
    const proxy = await connectProxy('tunnel', service.port);
    const env = { ...unverified, HTTPS_PROXY: proxy.url };
    await begin(`https://${host}`, { env, timeScale }).end(service, refused);
    expect(proxy.connects).toHaveLength(1);
    expect(service.requests).toEqual([]);
  });

  it('may lack a scheme, and gets its password but no part of the request', async () => {
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

  it('is never bypassed if its address is invalid', async () => {
    // An address of this machine that isn't loopback, which would need no proxy.
    const local = '0.0.0.0';
    const service = await scriptedService({ get: [opened] }, { tls: authority.issue([local]) });
    const env = { HTTPS_PROXY: 'socks5://localhost:1080' };
    const { end } = begin(`https://${local}:${service.port}`, { ...trusting, env });
    const { annotations } = await end(service, notStarted('proxy-refused'));
    expect(annotations.errors[0]).toContain('HTTPS_PROXY');
    expect(service.connections).toBe(0);
  });

  it('over TLS does not delay cancellation in the handshake of the tunnel', async () => {
    const server = await bareServer(faults.silence);
    const options = { tls: authority.issue(['localhost']) };
    const { url } = await connectProxy('tunnel', server.port, options);
    const env = { HTTPS_PROXY: url };
    const { action, end } = begin(`https://${host}`, { ...trusting, timeScale, env });
    await eventually(() => expect(server.connections).toBe(1));
    expect(await endBy(action, 'SIGINT')).toBeLessThan(BUSY_MS);
    await end(none, { ...cancelled, ...none });
  });
});
