import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ActionOptions } from '../../harness/action.ts';
import { actionPlatform } from '../../harness/action-environment.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  hasNamespaces,
  type NameServers,
  relayTo,
  withNameServers,
} from '../helpers/name-servers.ts';
import { createGate, scriptedService } from '../helpers/servers.ts';
import {
  authority,
  begin,
  cancelled,
  type Ending,
  faultInside,
  jobId,
  link,
  local,
  none,
  notStarted,
  opened,
  type Scenario,
  success,
  timedOut,
  trusting,
} from './scenario.ts';

/** A run that waits for the resolver takes at least 20 s. */
const AT_ONCE_MS = 8_000;

const stuck: ActionOptions = {
  preload: [fileURLToPath(new URL('../helpers/stuck-lookup.cjs', import.meta.url))],
};
const host = 'https://api.stuck.test';
const unconnected = notStarted('connect-failed');
const attach = { prompt: '', 'job-id': jobId };
const short = { 'timeout-minutes': '0.05' };
const limit = /no connection to api\.stuck\.test:443 within [123](?:\.\d)? s/;

/** Cancels the run once the log has the line, and expects the end at once. */
async function cancel({ action, end }: Scenario, line: string): Promise<void> {
  await action.waitForLog(line);
  const startMs = performance.now();
  void action.signal('SIGINT');
  await end(none, { ...cancelled, ...none });
  expect(performance.now() - startMs).toBeLessThan(AT_ONCE_MS);
}

describe.concurrent('with a stuck resolver', () => {
  const start = (url: string, inputs: Record<string, string>, env: Record<string, string> = {}) =>
    begin(url, { ...stuck, env, inputs, timeScale: 1 });

  it.each([
    ['a create request', {}, unconnected],
    ['a wait for a job', attach, { ...timedOut, ...none }],
  ])('%s ends at the deadline', async (_title, inputs, ending) => {
    const { annotations } = await start(host, { ...inputs, ...short }).end(none, ending);
    if (ending === unconnected) expect(annotations.errors[0]).toMatch(limit);
  });

  it('a create request behind a proxy ends at the deadline', async () => {
    const env = { HTTPS_PROXY: 'http://proxy.stuck.test:3128' };
    await start('https://api.example.test', short, env).end(none, unconnected);
  });

  it.each([
    ['a create request', {}, 'starting a job'],
    ['a wait for a job', attach, 'waiting'],
  ])('%s ends at once on SIGINT', (_title, inputs, line) => cancel(start(host, inputs), line));
});

describe.concurrent('a log that nobody reads', () => {
  // Under Wine, standard output is a file.
  it.skipIf(actionPlatform === 'win32')('does not end the wait for the job', async () => {
    const gate = createGate();
    const service = await scriptedService({ get: [{ until: gate.opened, status: 500 }, opened] });
    const { action, end } = begin(service.url);
    await eventually(() => expect(service.seen('get')).toHaveLength(1));
    action.child.stdout?.destroy();
    gate.open();
    const { summary } = await end(service, success);
    expect(summary).toContain(link);
  });

  it('does not delay the end, even with a stuck resolver', async () => {
    const preload = [...(stuck.preload ?? []), faultInside];
    const { action } = begin(host, {
      preload,
      env: { INSIDE: 'full-log' },
      inputs: short,
      timeScale: 1,
    });
    const { killedLate, exitCode, outputs } = await action.ended;
    const ending = { killedLate, exitCode, code: outputs['error-code'] };
    expect(ending).toEqual({ killedLate: false, exitCode: 1, code: 'connect-failed' });
  });
});

const skipped = hasNamespaces()
  ? ''
  : " (SKIPPED: they need `unshare`, which can't make a network here)";
describe.skipIf(skipped !== '')(`with real name servers${skipped}`, { concurrent: true }, () => {
  const start = (nameServers: NameServers, inputs: Record<string, string>, timeScale = 1) =>
    begin(host, { ...withNameServers(nameServers), inputs, timeScale });

  it.each<[string, NameServers, Record<string, string>, Ending]>([
    ['a wait for a job', 'silent', attach, { ...timedOut, ...none }],
    ['a follow-up', 'garbled', { 'job-id': jobId }, unconnected],
  ])('%s ends at the deadline if they are %s', async (_title, nameServers, inputs, ending) => {
    await start(nameServers, { ...inputs, ...short }).end(none, ending);
  });

  it('a create request ends at once on SIGINT if they are silent', () =>
    cancel(start('silent', {}), 'starting a job'));

  it.each<[NameServers, string]>([
    ['empty', 'ENOTFOUND api.stuck.test'],
    ['failing', 'EAI_AGAIN api.stuck.test'],
  ])(
    'a create request names the host, starts no job, and ends without a kill if they are %s',
    async (nameServers, reason) => {
      const { action, end } = start(nameServers, {}, 5);
      const { annotations } = await end(none, unconnected);
      expect(annotations.errors[0]).toContain(reason);
      expect(action.child.signalCode).toBeNull();
    },
  );

  it('a create request waits for the answer of slow name servers', async () => {
    const tls = authority.issue(['api.example.test']);
    const service = await scriptedService({ get: [opened] }, { tls });
    const resolver = withNameServers('slow', await relayTo(service.port));
    const { end } = begin('https://api.example.test:8443', {
      ...resolver,
      ...trusting,
      timeScale: 1,
    });
    const { stdout } = await end(service, success);
    expect(stdout).not.toContain("couldn't connect");
  });

  const github = { 'github-token': 'ghs_ZyXwVuTsRqPoNmLkJiHgFeDcBaZyXwVuTsRq' };
  const facts = { ...github, reuse: 'never', 'release-context': 'true', 'release-tag': 'v1.0.0' };
  const nothingKnown = notStarted('reuse-unknown');
  const silence = 'no name server answered for api.stuck.test';
  const details = 'a read of pull request details';
  const proxied = {
    GITHUB_API_URL: 'https://git.example.test',
    HTTPS_PROXY: 'http://proxy.stuck.test:3128',
  };
  it.each<
    [string, NameServers, Record<string, string>, string, Ending, string, Record<string, string>?]
  >([
    // The time limit may end just before the look-up gives up on the name servers.
    [details, 'silent', github, '1', success, 'details of the pull request (no '],
    ['a read of release facts', 'silent', facts, '1', success, silence],
    // Only the first packet is lost.
    ['a search for an earlier job', 'lossy', github, '2', nothingKnown, 'ENOTFOUND'],
    [details, 'truncating', github, '1', success, 'ECONNREFUSED api.stuck.test:443'],
    // getaddrinfo asks for the name in the search domain first.
    [details, 'searching', github, '1', success, 'ECONNREFUSED api.stuck.test:443'],
    [
      `${details} through a proxy`,
      'silent',
      github,
      '1',
      success,
      'details of the pull request (',
      proxied,
    ],
  ])(
    '%s ends soon if they are %s',
    async (_title, nameServers, inputs, attempt, ending, reason, more) => {
      const service = await scriptedService({ get: [opened] }, { tls: local });
      const resolver = withNameServers(nameServers, await relayTo(service.port));
      const run = {
        GITHUB_API_URL: host,
        GITHUB_REPOSITORY: 'acme/app',
        GITHUB_RUN_ID: '7',
        GITHUB_RUN_ATTEMPT: attempt,
        RES_OPTIONS: nameServers === 'searching' ? 'ndots:5' : undefined,
        ...more,
      };
      const options = {
        ...trusting,
        ...resolver,
        env: { ...resolver.env, ...run },
        inputs,
        timeScale: 1,
      };
      const { action, end } = begin('https://localhost:8443', options);
      // A busy machine may take seconds to start the process.
      await action.waitForLog('::add-mask::');
      const startMs = performance.now();
      const { stdout } = await end(service, ending);
      expect(performance.now() - startMs).toBeLessThan(3 * AT_ONCE_MS);
      expect(stdout).toContain(reason);
    },
  );
});
