import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type ActionOptions, closeActions } from '../helpers/action.ts';
import { hasNamespaces, relayTo, withNameServers } from '../helpers/name-servers.ts';
import { closeServers, createAuthority, scriptedService } from '../helpers/servers.ts';
import { begin, cancelled, jobId, notStarted, opened, success } from './faults-scenario.ts';

vi.setConfig({ maxConcurrency: 6 });

const closers: (() => Promise<void>)[] = [];

afterAll(async () => {
  await closeActions();
  await Promise.all(closers.map((close) => close()));
  await closeServers();
});

const authority = createAuthority();
const none = { creates: 0, jobs: 0 };
const soon = { 'timeout-minutes': '0.05' };
/** Far from what a resolver takes that is waited for: at least 20 s. */
const AT_ONCE_MS = 8_000;

const stuck: ActionOptions = {
  preload: [fileURLToPath(new URL('../helpers/stuck-lookup.cjs', import.meta.url))],
};
const resolvers: [string, ActionOptions][] = [
  ['a resolver that is stuck', stuck],
  ...(hasNamespaces()
    ? [['name servers that are silent', withNameServers('silent')] satisfies [string, ActionOptions]]
    : []),
];

describe.concurrent.each(resolvers)('with %s', (_, resolver) => {
  const host = 'https://api.stuck.test';
  const options = (inputs: Record<string, string> = {}, env: Record<string, string> = {}): ActionOptions => ({
    ...resolver,
    env: { ...resolver.env, ...env },
    inputs,
    timeScale: 1,
  });

  it('a create ends at the deadline', async () => {
    const result = await begin(host, options(soon)).end(none, notStarted('connect-failed'));
    expect(result.annotations.errors[0]).toMatch(
      /no connection to api\.stuck\.test:443 within (?:3|2\.\d) s/,
    );
  });

  it('a create behind a proxy ends at the deadline', async () => {
    const env = { HTTPS_PROXY: 'http://proxy.stuck.test:3128' };
    await begin('https://api.example.test', options(soon, env)).end(none, notStarted('connect-failed'));
  });

  it('a wait for a job ends at the deadline', async () => {
    const inputs = { ...soon, prompt: '', 'job-id': jobId };
    await begin(host, options(inputs)).end(none, {
      ...cancelled,
      ...none,
      outcome: 'timed-out',
      code: 'timed-out',
    });
  });

  it('a follow-up ends at the deadline', async () => {
    const inputs = { ...soon, 'job-id': jobId };
    await begin(host, options(inputs)).end(none, notStarted('connect-failed'));
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('a create ends at once on %s', async (signal) => {
    const { action, end } = begin(host, options());
    await action.waitForLog('starting a job');
    const startMs = performance.now();
    action.signal(signal);
    await end(none, { ...cancelled, ...none });
    expect(performance.now() - startMs).toBeLessThan(AT_ONCE_MS);
  });

  it('a wait for a job ends at once on SIGINT', async () => {
    const { action, end } = begin(host, options({ prompt: '', 'job-id': jobId }));
    await action.waitForLog('waiting');
    const startMs = performance.now();
    action.signal('SIGINT');
    await end(none, { ...cancelled, ...none });
    expect(performance.now() - startMs).toBeLessThan(AT_ONCE_MS);
  });
});

describe('with a resolver that is stuck for the API of GitHub alone', () => {
  it('a run that succeeded ends soon after', async () => {
    const service = await scriptedService({ get: [opened] });
    const { end } = begin(service.url, {
      ...stuck,
      inputs: { 'github-token': 'ghs_ZyXwVuTsRqPoNmLkJiHgFeDcBaZyXwVuTsRq' },
      env: { GITHUB_API_URL: 'https://api.stuck.test' },
      timeScale: 1,
    });
    const result = await end(service, success);
    expect(result.durationMs).toBeLessThan(30_000);
  });
});

describe.skipIf(!hasNamespaces())('with real name servers (needs namespaces)', { concurrent: true }, () => {
  const fail = async (nameServers: Parameters<typeof withNameServers>[0]): Promise<string> => {
    const { end } = begin('https://api.example.test', { ...withNameServers(nameServers), timeScale: 3 });
    const result = await end(none, notStarted('connect-failed'));
    return result.annotations.errors[0] ?? '';
  };

  it('that know no such name: says which', async () => {
    expect(await fail('ignorant')).toContain('ENOTFOUND api.example.test');
  });

  it('that fail: says for which name', async () => {
    expect(await fail('failing')).toContain('EAI_AGAIN api.example.test');
  });

  it('that answer nonsense: starts nothing', async () => {
    expect(await fail('babbling')).toContain('api.example.test');
  });

  it('that are slow: waits for them', async () => {
    const tls = authority.issue(['api.example.test']);
    const service = await scriptedService({ get: [opened] }, { tls });
    const { path, close } = await relayTo(service.port);
    closers.push(close);
    const { end } = begin('https://api.example.test:8443', {
      ...withNameServers('slow', path),
      extraCertificates: authority.cert,
      timeScale: 1,
    });
    await end(service, success);
  });
});
