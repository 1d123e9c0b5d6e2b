import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { createGitHubApi } from '../__tests__/github/api.ts';
import { createSampleRepositories, sampleToken } from '../__tests__/github/sample.ts';
import { adminKey } from '../emulator/keys.ts';
import { close, listen } from '../emulator/listen.ts';
import { parseOptions } from '../emulator/options.ts';
import { createEmulator } from '../emulator/server.ts';
import { type ActRun, runAct } from './act.ts';
import { readExamples } from './examples.ts';
import { listScenarios, type Scenario } from './scenarios.ts';
import { CommandError, findTool, root, runScript } from './tools.ts';
import { adaptWorkflow, createWorkspace, git } from './workspace.ts';

/**
 * Runs the workflows of this repository and every example of the documentation in act, and checks
 * their results. act differs from a runner: it copies the working copy instead of checking it out,
 * and ignores `concurrency`. It has no network here: stand-ins replace GitHub's API, `gh`, `npm`,
 * and the actions that need it.
 */
const usage = `Runs the workflows and the examples in act.

Usage: npm run test:workflows -- [word …]

Words select the scenarios whose names contain one of them (default: all). If ACTION_NODE is the path of
another node, the self-test also runs with it.`;

const CONCURRENCY = 6;
const push = ['push', JSON.stringify({ ref: 'refs/tags/v1.2.0' })];
const standIns = join(root, 'scripts', 'stand-ins');

/** A test by its name. */
interface Test {
  readonly name: string;
  /** Rejects if a result is wrong. */
  readonly run: () => Promise<void>;
}

/** Runs the text of a workflow for an event. */
type Play = (text: string, options: PlayOptions) => Promise<ActRun>;

interface PlayOptions {
  /** The name and the payload of the event, and further arguments of act. */
  readonly event: readonly string[];
  readonly project?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly node?: string;
}

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
    const tests = listTests(servers, createPlay(act, folder, servers));
    const chosen = tests.filter(
      ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
    );
    if (chosen.length === 0) throw new CommandError(`No scenario has ${words.join(' or ')}.`);
    const failures = await runTests(chosen);
    if (failures > 0) throw new CommandError(`${failures} of ${chosen.length} scenarios failed.`);
    console.log(`${chosen.length} scenarios passed`);
  } finally {
    await servers.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

type Servers = Awaited<ReturnType<typeof startServers>>;

async function startServers(folder: string) {
  const workspace = createWorkspace(folder);
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
  const [baseUrl, apiUrl, chatUrl] = await Promise.all([
    emulator.listen(),
    github.listen(),
    listen(chat),
  ]);
  return {
    ...{ workspace, emulator, baseUrl, apiUrl, chatUrl },
    close: () => Promise.all([emulator.close(), github.close(), close(chat)]),
  };
}

function createPlay(act: string, folder: string, { workspace, baseUrl, apiUrl }: Servers): Play {
  const replacements = listReplacements(workspace);
  let runs = 0;
  return (workflow, { event, project = 'quick', args = [], node = process.execPath }) => {
    runs += 1;
    const file = join(folder, 'events', `${runs}.json`);
    mkdirSync(join(folder, 'events'), { recursive: true });
    const [name = '', payload = '{}', ...inputs] = event;
    writeFileSync(file, payload);
    const path = join(workspace, '.github', 'workflows', `run-${runs}.yml`);
    writeFileSync(path, adaptWorkflow(workflow));
    const options = [
      ...(name === 'workflow_dispatch' ? inputs : ['-e', file]),
      ...['-W', path, '--env', `GITHUB_API_URL=${apiUrl}`],
      // act gives all runs the same id.
      ...['--env', `GITHUB_RUN_ID=${1_000 + runs}`],
      ...['--var', `EMULATOR_URL=${baseUrl}`, '--var', `DOCS_PROJECT_ID=${project}`],
      ...['--secret', `DOCS_AGENT_API_KEY=${adminKey}`, '--secret', `GITHUB_TOKEN=${sampleToken}`],
    ];
    return runAct({
      ...{ act, node, workspace, programs: standIns },
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
  const texts = [...readExamples(root), ...listOwnWorkflows()].map((workflow) => workflow.text);
  const pinned = texts.flatMap((workflow) => workflow.match(/(?<=uses: )\S+@[0-9a-f]{40}/g) ?? []);
  const pairs = pinned.flatMap((uses) => {
    const standIn = folders[uses.split('@')[0] ?? ''];
    return standIn === undefined ? [] : [`${uses}=${join(standIns, standIn)}`];
  });
  return [...new Set([...pairs, `OWNER/docs-agent-action@v1=${workspace}`])].flatMap((pair) => [
    '--local-repository',
    pair,
  ]);
}

function listOwnWorkflows() {
  return ['docs', 'self-test'].map((name) => {
    const path = `.github/workflows/${name}.yml`;
    return { name: path, file: path, text: readFileSync(join(root, path), 'utf8') };
  });
}

function listTests({ emulator, chatUrl }: Servers, play: Play): Test[] {
  const examples = readExamples(root);
  const workflows = [...examples, ...listOwnWorkflows()];
  const find = (name: string): string => {
    const found = workflows.find((workflow) => workflow.name === name);
    assert.ok(found, `there is no workflow ${name}`);
    return found.text;
  };
  const readPrompts = (): string[] =>
    emulator.requests.flatMap(({ route, body }) =>
      route?.call === 'create' ? [JSON.parse(body).prompt as string] : [],
    );
  const played = ['one-job.yml', 'slim.yml'];
  const usual = examples.map(({ name }) => name).filter((name) => !played.includes(name));
  const scenarios = listScenarios(usual, {
    jobId: emulator.addJob('quick').id,
    slowJobId: emulator.addJob('slow').id,
    chatUrl,
  });
  const other = process.env['ACTION_NODE'];
  return [
    playTwoTriggers(find('one-job.yml'), play),
    playReRun(find('slim.yml'), play),
    ...scenarios.map((scenario) => toTest(scenario, find(scenario.workflow), play, readPrompts)),
    ...scenarios
      .filter(({ runsOnBothNodes }) => runsOnBothNodes && other !== undefined)
      .map((scenario) => toTest(scenario, find(scenario.workflow), play, readPrompts, other)),
  ];
}

function toTest(
  scenario: Scenario,
  workflow: string,
  play: Play,
  readPrompts: () => string[],
  node?: string,
): Test {
  const { title = '', replace, inputs, isPrerelease = false, project, args } = scenario;
  const { jobs = ['success'], outcomes = ['pull-request-opened'], check } = scenario;
  return {
    name: `${scenario.workflow} ${title}${node === undefined ? '' : `, with ${node}`}`.trim(),
    async run() {
      const changed = replace === undefined ? workflow : replaceOnce(workflow, ...replace);
      const event = inputs === undefined ? toEvent(workflow, isPrerelease) : toDispatch(inputs);
      const run = await play(changed, { event, project, args, ...(node && { node }) });
      if (jobs !== 'any') assert.deepEqual(run.jobs, jobs, run.log);
      if (outcomes !== 'any') assert.deepEqual(run.outcomes, outcomes, run.log);
      assert.ok(!run.log.includes(adminKey), 'the key is in the log');
      check?.(run, readPrompts());
    },
  };
}

function replaceOnce(workflow: string, from: string, to: string): string {
  assert.ok(workflow.includes(from), `the workflow has no ${from}`);
  return workflow.replace(from, to);
}

/**
 * Returns the name and the payload of the first of: a published release, a pushed tag, a push to
 * main, a dispatch without inputs.
 */
function toEvent(workflow: string, isPrerelease = false): string[] {
  const { on } = parse(workflow) as { on: Record<string, { tags?: unknown } | null> };
  if ('release' in on) {
    const release = { tag_name: 'v1.2.0', prerelease: isPrerelease };
    return ['release', JSON.stringify({ action: 'published', release })];
  }
  if (on['push'] === undefined) return toDispatch([]);
  const isTag = on['push']?.tags !== undefined;
  return isTag ? push : ['push', JSON.stringify({ ref: 'refs/heads/main' })];
}

function toDispatch(inputs: readonly string[]): string[] {
  return ['workflow_dispatch', '{}', ...inputs.flatMap((input) => ['--input', input])];
}

/** Two runs for one tag at the same moment. */
function playTwoTriggers(workflow: string, play: Play): Test {
  return {
    name: 'one-job.yml starts one job for a tag and its release',
    async run() {
      // Not the prompt of the other examples, which leave records for the same tag.
      const changed = replaceOnce(workflow, 'for this release.', 'for this tag.');
      const project = 'slow';
      const runs = await Promise.all([
        play(changed, { event: push, project }),
        play(changed, { event: toEvent(workflow), project }),
      ]);
      for (const { outcomes, log } of runs)
        assert.deepEqual(outcomes, ['pull-request-opened'], log);
      const [first = {}, second = {}] = runs.map((run) => run.outputs('docs'));
      assert.equal(first['job-id'], second['job-id']);
      assert.deepEqual([first['reused'], second['reused']].sort(), ['false', 'true']);
    },
  };
}

/** A run that times out, and its re-run, which finds the record of the job. */
function playReRun(workflow: string, play: Play): Test {
  return {
    name: 'slim.yml waits for the same job in a re-run',
    async run() {
      const short = replaceOnce(workflow, 'timeout-minutes: 13', 'timeout-minutes: 0.05');
      const playAttempt = (changed: string, attempt: number): Promise<ActRun> => {
        const args = ['--env', 'GITHUB_RUN_ID=77', '--env', `GITHUB_RUN_ATTEMPT=${attempt}`];
        return play(changed, { event: push, project: 'slow', args });
      };
      const first = await playAttempt(short, 1);
      assert.deepEqual(first.outcomes, ['timed-out'], first.log);
      const second = await playAttempt(workflow, 2);
      assert.deepEqual(second.outcomes, ['pull-request-opened'], second.log);
      assert.equal(second.outputs('docs')['job-id'], first.outputs('docs')['job-id']);
      assert.equal(second.outputs('docs')['reused'], 'true');
    },
  };
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
      if (error !== undefined) failures += 1;
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return failures;
}
