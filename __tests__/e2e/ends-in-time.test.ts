import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ActionOptions } from '../helpers/action.ts';
import { hasNamespaces, type NameServers, relayTo, withNameServers } from '../helpers/name-servers.ts';
import { scriptedService } from '../helpers/servers.ts';
import {
  authority,
  begin,
  cancelled,
  jobId,
  none,
  notStarted,
  opened,
  play,
  success,
  timedOut,
  trusting,
} from './faults-scenario.ts';

/** Far from what a resolver takes that is waited for: at least 20 s. */
const AT_ONCE_MS = 8_000;

const stuck: ActionOptions = {
  preload: [fileURLToPath(new URL('../helpers/stuck-lookup.cjs', import.meta.url))],
};
const resolvers: [string, ActionOptions][] = [['a resolver that is stuck', stuck]];
if (hasNamespaces()) resolvers.push(['name servers that are silent', withNameServers('silent')]);

describe.concurrent.each(resolvers)('with %s', (_, resolver) => {
  const host = 'https://api.stuck.test';
  const attach = { prompt: '', 'job-id': jobId };
  const unconnected = notStarted('connect-failed');
  const start = (url: string, inputs: Record<string, string>, env: Record<string, string> = {}) =>
    begin(url, { ...resolver, env: { ...resolver.env, ...env }, inputs, timeScale: 1 });

  it.each([
    ['a create', {}, unconnected],
    ['a wait for a job', attach, { ...timedOut, ...none }],
    ['a follow-up', { 'job-id': jobId }, unconnected],
  ])('%s ends at the deadline', async (_title, inputs, ending) => {
    const { end } = start(host, { ...inputs, 'timeout-minutes': '0.05' });
    const { annotations } = await end(none, ending);
    const limit = /no connection to api\.stuck\.test:443 within (?:3|2\.\d) s/;
    if (ending === unconnected) expect(annotations.errors[0]).toMatch(limit);
  });

  it('a create behind a proxy ends at the deadline', async () => {
    const env = { HTTPS_PROXY: 'http://proxy.stuck.test:3128' };
    const { end } = start('https://api.example.test', { 'timeout-minutes': '0.05' }, env);
    await end(none, unconnected);
  });

  it.each([
    ['a create', 'SIGINT', {}, 'starting a job'],
    ['a create', 'SIGTERM', {}, 'starting a job'],
    ['a wait for a job', 'SIGINT', attach, 'waiting'],
  ] as const)('%s ends at once on %s', async (_title, signal, inputs, line) => {
    const { action, end } = start(host, inputs);
    await action.waitForLog(line);
    const startMs = performance.now();
    void action.signal(signal);
    await end(none, { ...cancelled, ...none });
    expect(performance.now() - startMs).toBeLessThan(AT_ONCE_MS);
  });
});

describe.concurrent('with a resolver that is stuck for the API of GitHub alone', () => {
  it('a run that succeeded ends soon after', async () => {
    const inputs = { 'github-token': 'ghs_ZyXwVuTsRqPoNmLkJiHgFeDcBaZyXwVuTsRq' };
    const env = { GITHUB_API_URL: 'https://api.stuck.test' };
    const options = { ...stuck, inputs, env, timeScale: 1 };
    const { result } = await play({ get: [opened] }, success, options);
    expect(result.durationMs).toBeLessThan(30_000);
  });
});

describe.skipIf(!hasNamespaces())('with real name servers (needs namespaces)', { concurrent: true }, () => {
  it.each<[NameServers, string]>([
    ['ignorant', 'ENOTFOUND api.example.test'],
    ['failing', 'EAI_AGAIN api.example.test'],
    // They answer nonsense.
    ['babbling', 'api.example.test'],
  ])('that are %s: says "%s", and starts nothing', async (nameServers, reason) => {
    const { end } = begin('https://api.example.test', { ...withNameServers(nameServers), timeScale: 5 });
    const { annotations } = await end(none, notStarted('connect-failed'));
    expect(annotations.errors[0]).toContain(reason);
  });

  it('that are slow: waits for them', async () => {
    const tls = authority.issue(['api.example.test']);
    const service = await scriptedService({ get: [opened] }, { tls });
    const resolver = withNameServers('slow', await relayTo(service.port));
    const { end } = begin('https://api.example.test:8443', { ...resolver, ...trusting, timeScale: 1 });
    await end(service, success);
  });
});
