import { describe, expect, it } from 'vitest';
import { connectProxy, createSelfSigned, faults, scriptedService } from '../helpers/servers.ts';
import { authority, begin, none, notStarted, play, startUnknown } from './scenario.ts';

const refused = notStarted('tls-failed');
const selfSigned = createSelfSigned(['localhost']);
const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
// In real time, because limits in scaled time could end a handshake on a busy machine.
const timeScale = 1;

it.each([
  ['for another host', 'ERR_TLS_CERT_ALTNAME_INVALID', authority.issue(['other.example'])],
  ['that signs itself', 'DEPTH_ZERO_SELF_SIGNED_CERT', selfSigned],
])(
  'a certificate %s is rejected with %s, even if the environment turns checks off',
  async (_, code, tls) => {
    const options = { env: unverified, timeScale };
    const { service, result } = await play({}, refused, options, { tls });
    expect(result.annotations.errors[0]).toContain(`${code} localhost:${service.port}`);
    expect(result.annotations.errors[0]).toContain('NODE_EXTRA_CA_CERTS');
    expect(service).toMatchObject({ connections: 1, requests: [] });
  },
);

it('a server without TLS receives nothing, and is tried five times', async () => {
  const service = await scriptedService();
  const { end } = begin(`https://localhost:${service.port}`, { timeScale: 4 });
  const result = await end(service, notStarted('connect-failed'));
  expect(result.stdout.match(/couldn't connect \(the server doesn't use TLS/g)).toHaveLength(4);
  // A server sees fewer attempts if some of them took too long on a busy machine.
  expect(service.connections).toBeGreaterThan(0);
  expect(service.connections).toBeLessThanOrEqual(5);
  expect(service.requests).toEqual([]);
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
});

it('with --insecure-http-parser, a malformed response does not start a second job', async () => {
  const env = { NODE_OPTIONS: '--insecure-http-parser' };
  await play({ create: [{ fault: faults.lengthAndChunked }] }, startUnknown, { env, timeScale });
});
