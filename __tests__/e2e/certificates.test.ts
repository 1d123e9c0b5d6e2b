import { describe, expect, it } from 'vitest';
import {
  connectProxy,
  createHolder,
  createSelfSigned,
  faults,
  reservePort,
  scriptedService,
  toKeyPair,
} from '../helpers/servers.ts';
import {
  authority,
  begin,
  expectFiveAttempts,
  local,
  lost,
  none,
  notStarted,
  opened,
  play,
  start,
  startUnknown,
  success,
} from './scenario.ts';

const refused = notStarted('tls-failed');
const selfSigned = createSelfSigned(['localhost']);
const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
// In real time, because limits in scaled time could end a handshake on a busy machine.
const timeScale = 1;

describe.concurrent('a certificate', () => {
  const root = createHolder();
  const expired = createHolder({ names: ['localhost'], days: -1 }, root);
  it.each([
    ['for another host', 'ERR_TLS_CERT_ALTNAME_INVALID', authority.issue(['other.example'])],
    ['that has expired', 'CERT_HAS_EXPIRED', toKeyPair(expired, [expired])],
    ['that signs itself', 'DEPTH_ZERO_SELF_SIGNED_CERT', selfSigned],
  ])(
    '%s is rejected once with %s, even if the environment turns checks off',
    async (_, code, tls) => {
      const extraCertificates = `${root.cert}\n${authority.cert}`;
      const options = { extraCertificates, env: unverified, timeScale };
      const { service, result } = await play({}, refused, options, { tls });
      expect(result.annotations.errors[0]).toContain(`${code} localhost:${service.port}`);
      expect(result.annotations.errors[0]).toContain('NODE_EXTRA_CA_CERTS');
      expect(service).toMatchObject({ connections: 1, requests: [] });
    },
  );

  it('that becomes invalid during the wait ends the run as lost', async () => {
    const transport = { tls: local, port: await reservePort() };
    const { service, action, end } = await start({}, { timeScale: 2 }, transport);
    await action.waitForOutput('job-id');
    await service.close();
    const impostor = await scriptedService(
      { get: [opened] },
      { tls: selfSigned, port: service.port },
    );
    const result = await end(lost);
    expect(impostor.connections).toBeGreaterThan(0);
    expect(impostor.requests).toEqual([]);
    expect(result.outputs['status']).toBe('active');
  });
});

describe.concurrent('a server without TLS 1.2 or later', () => {
  it('receives nothing and is tried again if it speaks plain HTTP', async () => {
    const service = await scriptedService();
    const { end } = begin(`https://localhost:${service.port}`, { timeScale: 4 });
    const result = await end(service, notStarted('connect-failed'));
    expect(result.stdout).toContain("couldn't connect (ERR_SSL_");
    expectFiveAttempts(result, service.connections);
    expect(service.requests).toEqual([]);
  });
});

describe.concurrent('with NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  it('a proxy with a bad certificate does not get its password', async () => {
    const proxy = await scriptedService({}, { tls: selfSigned });
    const env = { ...unverified, HTTPS_PROXY: proxy.url.replace('//', '//user:password@') };
    await begin('https://api.example.test', { env, timeScale }).end(none, refused);
    expect(proxy).toMatchObject({ connections: 1, requests: [] });
  });

  it('a service with a bad certificate behind a proxy gets no request', async () => {
    const service = await scriptedService({}, { tls: createSelfSigned(['api.example.test']) });
    const proxy = await connectProxy('tunnel', service.port);
    const env = { ...unverified, HTTPS_PROXY: proxy.url };
    await begin('https://api.example.test', { env, timeScale }).end(service, refused);
    expect(proxy.connects).toHaveLength(1);
    expect(service.requests).toEqual([]);
  });

  it('a GitHub API with a bad certificate does not get the token', async () => {
    const api = await scriptedService({}, { tls: selfSigned });
    const token = 'ghs_ZyXwVuTsRqPoNmLkJiHgFeDcBaZyXwVuTsRq';
    const inputs = { reuse: 'rerun', 'github-token': token };
    const env = { ...unverified, GITHUB_API_URL: api.url };
    await play({ get: [opened] }, success, { inputs, env, timeScale: 3 });
    expect(api.connections).toBeGreaterThan(0);
    expect(api.requests).toEqual([]);
  });
});

it('with --insecure-http-parser, a malformed response does not start a second job', async () => {
  const env = { NODE_OPTIONS: '--insecure-http-parser' };
  await play({ create: [{ fault: faults.lengthAndChunked }] }, startUnknown, { env, timeScale });
});
