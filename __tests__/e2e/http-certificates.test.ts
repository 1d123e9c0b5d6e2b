import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { createRefusedCertificates } from '../helpers/refused-certificates.ts';
import {
  connectProxy,
  createAuthority,
  createSelfSigned,
  faults,
  scriptedService,
} from '../helpers/servers.ts';
import { listen } from '../helpers/sockets.ts';
import { begin, notStarted, opened, success } from './faults-scenario.ts';

vi.setConfig({ maxConcurrency: 6 });

const authority = createAuthority();
const local = authority.issue(['localhost', '127.0.0.1']);
const trusting = { extraCertificates: authority.cert };
const none = { creates: 0, jobs: 0 };
const refused = notStarted('tls-failed');
const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };

describe.concurrent('a certificate', () => {
  it.each(createRefusedCertificates('localhost'))(
    '$title is refused once, with $code',
    async ({ tls, authority: trusted, code }) => {
      const service = await scriptedService({}, { tls });
      const { end } = begin(service.url, { extraCertificates: trusted, timeScale: 1 });
      const result = await end(service, refused);
      expect(result.annotations.errors[0]).toMatch(new RegExp(`${code}\\w* localhost:${service.port}`));
      expect(service.connections).toBe(1);
      expect(service.requests).toEqual([]);
    },
  );
});

describe.concurrent('with NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
  it.each([
    ['that nobody signed', createSelfSigned(['localhost'])],
    ['for another host', authority.issue(['other.example'])],
  ])('a certificate %s is refused, without a warning that it is not', async (_, tls) => {
    const service = await scriptedService({}, { tls });
    await begin(service.url, { ...trusting, env: unverified, timeScale: 1 }).end(service, refused);
    expect(service.requests).toEqual([]);
  });

  it('a certificate that is good is accepted, without a warning', async () => {
    const service = await scriptedService({ get: [opened] }, { tls: local });
    await begin(service.url, { ...trusting, env: unverified }).end(service, success);
  });

  it('the certificate of a proxy is refused, before it gets the password', async () => {
    const proxy = await scriptedService({}, { tls: createSelfSigned(['localhost']) });
    const env = { ...unverified, HTTPS_PROXY: proxy.url.replace('//', '//user:password@') };
    const { end } = begin('https://api.example.test', { env, timeScale: 1 });
    await end(none, refused);
    expect(proxy.connections).toBe(1);
    expect(proxy.requests).toEqual([]);
  });

  it('the certificate of a service behind a proxy is refused', async () => {
    const service = await scriptedService({}, { tls: createSelfSigned(['api.example.test']) });
    const proxy = await connectProxy('tunnel', service.port);
    const env = { ...unverified, HTTPS_PROXY: proxy.url };
    await begin('https://api.example.test', { env, timeScale: 1 }).end(service, refused);
    expect(proxy.connects).toHaveLength(1);
    expect(service.requests).toEqual([]);
  });

  it('the certificate of the API of GitHub is refused, and it does not get the token', async () => {
    const service = await scriptedService({ get: [opened] });
    const api = await scriptedService({}, { tls: createSelfSigned(['localhost']) });
    const { end } = begin(service.url, {
      inputs: { 'github-token': 'ghs_ZyXwVuTsRqPoNmLkJiHgFeDcBaZyXwVuTsRq' },
      env: { ...unverified, GITHUB_API_URL: api.url },
      timeScale: 3,
    });
    await end(service, success);
    expect(api.connections).toBeGreaterThan(0);
    expect(api.requests).toEqual([]);
  });
});

describe.concurrent('with NODE_OPTIONS', () => {
  it('--tls-min-v1.0: TLS 1.1 is refused all the same', async () => {
    const ciphers = 'DEFAULT@SECLEVEL=0';
    const server = createTlsServer({ ...local, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers });
    const { port } = await listen(server);
    const env = { NODE_OPTIONS: `--tls-min-v1.0 --tls-cipher-list=${ciphers}` };
    await begin(`https://localhost:${port}`, { ...trusting, env, timeScale: 1 }).end(none, refused);
  });

  it('--insecure-http-parser: a response that is not HTTP is not believed', async () => {
    const service = await scriptedService({ create: [{ fault: faults.lengthAndChunked }] });
    const env = { NODE_OPTIONS: '--insecure-http-parser' };
    const { end } = begin(service.url, { env, timeScale: 1 });
    await end(service, { outcome: 'start-unknown', code: 'start-unknown', creates: 1, jobs: 1 });
  });
});
