import { strict as assert } from 'node:assert';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGitHubApi } from '../__tests__/github/api.ts';
import { createSampleRepositories, sampleToken } from '../__tests__/github/sample.ts';
import { adminKey } from '../emulator/keys.ts';
import { close, listen } from '../emulator/listen.ts';
import { parseOptions } from '../emulator/options.ts';
import { createEmulator } from '../emulator/server.ts';
import { runAct } from './act.ts';
import { readOrigin } from './examples.ts';
import { serveAtServiceAddress } from './service-address.ts';
import { CommandError, findTool, root, runScript } from './tools.ts';
import { listTests, type Play, readWorkflows, type Test } from './workflow-tests.ts';
import { createWorkspace, git, removeUnknownKeys } from './workspace.ts';

/**
 * Runs the workflows of this repository and every example in act, and checks their results. The
 * emulator answers at the address of the service. act differs from a runner: it copies the working copy instead of checking it out,
 * and ignores `concurrency`. It has no network here: stand-ins replace GitHub's API, `gh`, `npm`,
 * and the actions that need it.
 */
const usage = `Runs the workflows and the examples in act.

Usage: npm run test:workflows -- [word …]

Words select the scenarios whose names contain one of them (default: all).`;

const CONCURRENCY = 6;
const standIns = join(root, 'scripts', 'stand-ins');

await runScript(async () => {
  const { values, positionals: words } = parseOptions({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  if (process.platform === 'win32') {
    throw new CommandError('This needs Linux or macOS, because the workflows run with bash.');
  }
  const act = findTool('act');
  const folder = mkdtempSync(join(tmpdir(), 'workflows-'));
  const servers = await startServers(folder);
  try {
    const tests = listTests(servers.emulator, servers.chatUrl, createPlay(act, folder, servers));
    const chosen = tests.filter(
      ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
    );
    if (chosen.length === 0) {
      throw new CommandError(`No scenario has ${words.join(' or ')}.`);
    }
    const failures = await runTests(chosen);
    if (failures > 0) {
      throw new CommandError(`${failures} of ${chosen.length} scenarios failed.`);
    }
    console.log(`${chosen.length} scenarios passed`);
  } finally {
    await servers.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

type Servers = Awaited<ReturnType<typeof startServers>>;

async function startServers(folder: string) {
  const workspace = createWorkspace(folder);
  // Where the example of the caller expects it.
  const called = join(workspace, '.github', 'workflows', 'docs-agent.yml');
  copyFileSync(join(root, 'examples', 'organization.yml'), called);
  const emulator = createEmulator({ speed: 20 });
  const { 'acme/widgets': widgets, ...others } = createSampleRepositories();
  assert.ok(widgets);
  // act takes the commit of the run from git.
  const branches = { main: git(workspace, 'rev-parse', 'HEAD').trim() };
  const repositories = { ...others, 'acme/widgets': { ...widgets, branches } };
  const github = createGitHubApi({ repositories, token: sampleToken });
  const chat = createServer(async (request, response) => {
    const message = await text(request);
    response.writeHead(message.includes('v1.2.0: pull-request-opened https://') ? 200 : 400).end();
  });
  const service = await serveAtServiceAddress(emulator.handler);
  const certificateFile = join(folder, 'certificate.pem');
  writeFileSync(certificateFile, service.certificate);
  const [apiUrl, chatUrl] = await Promise.all([github.listen(), listen(chat)]);
  return {
    workspace,
    emulator,
    chatUrl,
    variables: {
      GITHUB_API_URL: apiUrl,
      HTTPS_PROXY: service.proxyUrl,
      NODE_EXTRA_CA_CERTS: certificateFile,
    },
    close: () => Promise.all([service.close(), github.close(), close(chat)]),
  };
}

function createPlay(act: string, folder: string, { workspace, variables }: Servers): Play {
  const replacements = listReplacements(workspace);
  let runs = 0;
  return (workflow, { event, project = 'quick', args = [] }) => {
    runs += 1;
    const file = join(folder, 'events', `${runs}.json`);
    mkdirSync(join(folder, 'events'), { recursive: true });
    const [name = '', payload = '{}', ...inputs] = event;
    writeFileSync(file, payload);
    const path = join(workspace, '.github', 'workflows', `run-${runs}.yml`);
    writeFileSync(path, removeUnknownKeys(workflow));
    const options = [
      ...(name === 'workflow_dispatch' ? inputs : ['-e', file]),
      ...['-W', path],
      ...Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      // act gives all runs the same id.
      ...['--env', `GITHUB_RUN_ID=${1_000 + runs}`],
      ...['--var', `DOCS_PROJECT_ID=${project}`],
      ...['--secret', `DOCS_AGENT_API_KEY=${adminKey}`, '--secret', `GITHUB_TOKEN=${sampleToken}`],
    ];
    return runAct({
      act,
      workspace,
      programs: standIns,
      args: [name, ...options, ...args, ...replacements],
    });
  };
}

/** Returns the arguments of act that replace remote actions with the working copy or a stand-in. */
function listReplacements(workspace: string): string[] {
  const folders: Readonly<Record<string, string>> = {
    'actions/setup-node': 'nothing',
    'actions/create-github-app-token': 'app-token',
    'changesets/action': 'changesets',
    'cycjimmy/semantic-release-action': 'semantic-release',
    'googleapis/release-please-action': 'release-please',
  };
  const pinned = [...readWorkflows().values()].flatMap(
    (workflow) => workflow.match(/(?<=uses: )\S+@[0-9a-f]{40}/g) ?? [],
  );
  const pairs = pinned.flatMap((uses) => {
    const standIn = folders[uses.split('@')[0] ?? ''];
    return standIn === undefined ? [] : [`${uses}=${join(standIns, standIn)}`];
  });
  const { owner, version } = readOrigin(root);
  const own = [
    `${owner}/docs-agent-action@${version}=${workspace}`,
    `${owner}/workflows@v1=${workspace}`,
  ];
  return [...new Set([...pairs, ...own])].flatMap((pair) => ['--local-repository', pair]);
}

/** Runs the tests, several at a time. Prints each result and returns the number of failures. */
async function runTests(tests: readonly Test[]): Promise<number> {
  let failures = 0;
  const left = tests.values();
  async function work(): Promise<void> {
    for (const { name, run } of left) {
      const error: unknown = await run().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      console.log(error === undefined ? `ok     ${name}` : `FAILED ${name}\n${error}\n`);
      if (error !== undefined) {
        failures += 1;
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return failures;
}
