import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGitHubApi } from '../__tests__/github/api.ts';
import { createSampleRepositories, sampleToken } from '../__tests__/github/sample.ts';
import { type Project, proper } from '../emulator/behavior.ts';
import { listen } from '../emulator/listen.ts';
import { parseOptions } from '../emulator/options.ts';
import { standardProjects } from '../emulator/projects.ts';
import { createEmulator } from '../emulator/server.ts';
import { type ActRun, runAct } from './act.ts';
import { listExampleScenarios } from './example-scenarios.ts';
import { createGhServer } from './gh-server.ts';
import { mapInPool } from './pool.ts';
import { listReleaseScenarios } from './release-scenarios.ts';
import { action, type Play, type Scenario, type Scene } from './scenario.ts';
import { CommandError, findTool, root, runScript } from './tools.ts';
import { listWorkflowScenarios } from './workflow-scenarios.ts';
import { adaptWorkflows, commitAll, git } from './workspace.ts';

/**
 * Runs the workflows of this repository and every example of the documentation in act, and checks
 * their results. If ACTION_NODE is the path of another node, the self-test also runs with it.
 * Arguments select the scenarios whose names contain one of them.
 *
 * act differs from a runner: it copies the working copy instead of checking it out, ignores
 * `concurrency`, and kills a canceled step without a SIGINT. It has no network here: stand-ins
 * replace GitHub's API, `gh`, `npm`, and the actions that need it.
 */
const CONCURRENCY = 6;

/**
 * Its jobs stay active until the first poll, however late: after a follow-up, the action waits to
 * see the job at work.
 */
const observed: Project = {
  id: 'observed',
  description: 'opens a pull request as soon as a poll has seen the job at work',
  stages: [{ atSeconds: 0, status: 'completed', prLink: 'https://github.com/acme/docs/pull/128' }],
  replies: {
    get: [
      {
        kind: 'custom',
        answer: (response, record) => {
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ ...record, status: 'active', prLink: null }));
        },
      },
      proper,
    ],
  },
};

await runScript(async () => {
  const { values, positionals: words } = parseOptions({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) {
    console.log(
      'Runs the workflows and the examples in act.\n\nUsage: npm run test:workflows -- [word …]\n\n' +
        'Words select the scenarios whose names contain one of them (default: all).',
    );
    return;
  }
  if (process.platform === 'win32') {
    throw new CommandError(
      'This needs Linux or macOS, because the workflows run with bash and signals. In CI they run on all three systems.',
    );
  }
  const act = findTool('act');
  const temp = mkdtempSync(join(tmpdir(), 'workflows-'));
  const emulator = createEmulator({ speed: 20, projects: [...standardProjects, observed] });
  const { 'acme/widgets': widgets, ...others } = createSampleRepositories();
  if (widgets === undefined) throw new Error('The sample has no acme/widgets');
  const workspace = createWorkspace(temp);
  // act takes the commit of the run from git.
  const branches: Record<string, string> = { main: git(workspace, 'rev-parse', 'HEAD').trim() };
  const repositories = { ...others, 'acme/widgets': { ...widgets, branches } };
  const github = createGitHubApi({ repositories, token: sampleToken });
  const gh = createGhServer();
  const chatMessages: string[] = [];
  const chat = createServer(async (request, response) => {
    chatMessages.push(await text(request));
    response.end('ok');
  });
  try {
    const [baseUrl, githubUrl, ghUrl] = await Promise.all([
      emulator.listen(),
      github.listen(),
      gh.listen(),
    ]);
    const chatUrl = await listen(chat);
    const scene: Scene = {
      temp,
      workspace,
      baseUrl,
      token: sampleToken,
      gh,
      chat: { url: chatUrl, messages: chatMessages },
      addBranch: (name, commit) => {
        branches[name] = commit;
      },
      addJob: (projectId = 'quick') => emulator.addJob(projectId).id,
      readPrompts: () =>
        emulator.requests.flatMap(({ route, body }) =>
          route?.call === 'create' ? [(JSON.parse(body) as { prompt: string }).prompt] : [],
        ),
      otherNode: process.env['ACTION_NODE'],
    };
    const common = [
      ...listStandIns(workspace),
      ...['--secret', `GITHUB_TOKEN=${sampleToken}`],
      ...['--env', `GITHUB_API_URL=${githubUrl}`, '--env', `GH_STAND_IN=${ghUrl}`],
    ];
    const all = [
      ...listWorkflowScenarios(scene),
      ...listExampleScenarios(scene),
      ...listReleaseScenarios(scene),
    ];
    const scenarios = all.filter(
      ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
    );
    if (scenarios.length === 0)
      throw new CommandError(`No scenario has a name with ${words.join(' or ')}.`);
    let runId = 1_000;
    const play: Play = ({ args, node = process.execPath, ...options }) => {
      runId += 1;
      return runAct({
        act,
        node,
        programs: join(root, 'scripts', 'stand-ins'),
        workspace,
        ...options,
        // act gives all runs the same id.
        args: [...args.slice(0, 1), '--env', `GITHUB_RUN_ID=${runId}`, ...args.slice(1), ...common],
      });
    };
    const failures = await playAll(scenarios, play);
    if (failures > 0)
      throw new CommandError(`${failures} of ${scenarios.length} scenarios failed.`);
    console.log(`${scenarios.length} scenarios passed`);
  } finally {
    chat.close();
    await Promise.all([emulator.close(), github.close(), gh.close()]);
    rmSync(temp, { recursive: true, force: true });
  }
});

/**
 * Returns a working copy, as after a checkout and `npm ci`. It lacks folders that no workflow job
 * reads, and git's objects are in one pack, because act copies everything for each job.
 */
function createWorkspace(temp: string): string {
  const workspace = join(temp, 'workspace');
  const unread = ['__tests__', 'bench', 'docs', 'src'].map((folder) => `:(exclude)${folder}`);
  const options = ['--cached', '--others', '--exclude-standard', '-z', '--', ...unread];
  const list = git(root, 'ls-files', ...options).split('\0');
  for (const file of list.filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    cpSync(join(root, file), join(workspace, file));
  }
  adaptWorkflows(workspace);
  symlinkSync(join(root, 'node_modules'), join(workspace, 'node_modules'));
  // act takes the repository and the commit of the run from git.
  git(workspace, 'init', '--quiet', '--initial-branch', 'main');
  git(workspace, 'remote', 'add', 'origin', 'https://github.com/acme/widgets.git');
  // `.gitignore` names the folder, not a link. act doesn't copy ignored files.
  const excludes = join(temp, 'excludes');
  writeFileSync(excludes, 'node_modules\n');
  git(workspace, 'config', 'core.excludesFile', excludes);
  commitAll(workspace, 'Release v1.2.0');
  git(workspace, 'repack', '-a', '-d', '--quiet');
  return workspace;
}

/** Returns the arguments of act that replace remote actions with the working copy or a stand-in. */
function listStandIns(workspace: string): string[] {
  const standIns: Readonly<Record<string, string>> = {
    'actions/setup-node': 'nothing',
    'actions/attest': 'attest',
    'actions/create-github-app-token': 'app-token',
    'changesets/action': 'changesets',
    'cycjimmy/semantic-release-action': 'semantic-release',
    'googleapis/release-please-action': 'release-please',
  };
  const files = git(
    root,
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '.github',
    'docs',
  ).trim();
  const texts = files.split('\n').map((file) => readFileSync(join(root, file), 'utf8'));
  const pairs = Object.entries(standIns).flatMap(([name, folder]) => {
    const uses = texts.flatMap((text) => [
      ...text.matchAll(new RegExp(`uses: (${name}@[0-9a-f]{40})`, 'g')),
    ]);
    return uses.map(([, pinned]) => `${pinned}=${join(root, 'scripts', 'stand-ins', folder)}`);
  });
  return [...new Set([...pairs, `${action}@v1=${workspace}`])].flatMap((pair) => [
    '--local-repository',
    pair,
  ]);
}

/**
 * Plays the scenarios, several at a time. Prints each result and returns the number of failures.
 */
async function playAll(scenarios: readonly Scenario[], play: Play): Promise<number> {
  const results = await mapInPool(scenarios, CONCURRENCY, async (scenario) => {
    const runs: ActRun[] = [];
    const startMs = performance.now();
    const getSeconds = (): string => ((performance.now() - startMs) / 1_000).toFixed(0);
    try {
      await scenario.play(async (options) => {
        const run = await play(options);
        runs.push(run);
        return run;
      });
      console.log(`ok     ${scenario.name} (${getSeconds()} s)`);
      return true;
    } catch (error) {
      console.log(`FAILED ${scenario.name} (${getSeconds()} s)\n${error}\n${runs.at(-1)?.log}\n`);
      return false;
    }
  });
  return results.filter((isPassed) => !isPassed).length;
}
