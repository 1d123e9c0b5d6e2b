import { execFileSync } from 'node:child_process';
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
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createEmulator } from '../emulator/server.ts';
import { runAct } from './act.ts';
import { CommandError, findTool, root, runScript } from './tools.ts';
import { action, listScenarios, type Scenario, selfTest } from './workflow-scenarios.ts';

/**
 * Runs the self-test, the documentation workflow and every example of the documentation with act on this machine, and
 * reads what they leave. With ACTION_NODE, the path of another node, the endings run with that one, too.
 *
 * What act does otherwise than a runner: it checks nothing out but copies the working copy, which has its dependencies
 * as a link; it has no network here, so a stand-in that does nothing takes the place of actions/setup-node; and it
 * kills a cancelled step at once, where a runner sends SIGINT first.
 */
const CONCURRENCY = 4;

await runScript(async () => {
  if (process.platform === 'win32') {
    throw new CommandError(
      'This needs Linux or macOS, because the workflows run with bash and signals. In CI they run on all three systems.',
    );
  }
  const act = findTool('act');
  const temp = mkdtempSync(join(tmpdir(), 'workflows-'));
  const emulator = createEmulator();
  try {
    const baseUrl = await emulator.listen();
    const workspace = createWorkspace(temp);
    const readPrompts = (): string[] =>
      emulator.requests.flatMap(({ route, body }) =>
        route?.call === 'create' ? [(JSON.parse(body) as { prompt: string }).prompt] : [],
      );
    const otherNode = process.env['ACTION_NODE'];
    const jobIds = [emulator.addJob('quick').id, emulator.addJob('quick').id] as const;
    const scenarios = listScenarios({ workspace, baseUrl, jobIds, readPrompts, otherNode });
    const failures = await runAll(scenarios, act, workspace, createStandIns(temp));
    if (failures > 0)
      throw new CommandError(`${failures} of ${scenarios.length} runs are not as they should be.`);
  } finally {
    await emulator.close();
    rmSync(temp, { recursive: true, force: true });
  }
});

/** A working copy of all files that are in the repository or would be, as a checkout leaves it, and `npm ci`. */
function createWorkspace(temp: string): string {
  const workspace = join(temp, 'workspace');
  const list = git(root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z').split('\0');
  for (const file of list.filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    cpSync(join(root, file), join(workspace, file));
  }
  writeFileSync(join(workspace, 'tag.json'), JSON.stringify({ ref: 'refs/tags/v1.2.0' }));
  writeFileSync(join(workspace, 'main.json'), JSON.stringify({ ref: 'refs/heads/main' }));
  symlinkSync(join(root, 'node_modules'), join(workspace, 'node_modules'));
  // act takes the repository and the commit of the run from git.
  git(workspace, 'init', '--quiet', '--initial-branch', 'main');
  git(workspace, 'remote', 'add', 'origin', 'https://github.com/acme/docs-agent-action.git');
  const author = ['-c', 'user.name=self-test', '-c', 'user.email=self-test@example.invalid'];
  git(workspace, ...author, 'commit', '--quiet', '--allow-empty', '--message', 'Self-test');
  return workspace;
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}

/** Arguments of act that put the working copy, or an action that does nothing, in the place of remote actions. */
function createStandIns(temp: string): string[] {
  const folder = join(temp, 'stand-in');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'action.yml'),
    'name: Stand-in\nruns:\n  using: composite\n  steps:\n    - run: exit 0\n      shell: bash\n',
  );
  const setups = readFileSync(join(root, selfTest), 'utf8').matchAll(
    /uses: (actions\/setup-node@[0-9a-f]{40})/g,
  );
  const standIns = [...new Set([...setups].map(([, uses]) => `${uses}=${folder}`))];
  return [...standIns, `${action}@v1=${join(temp, 'workspace')}`].flatMap((pair) => [
    '--local-repository',
    pair,
  ]);
}

/** Runs the scenarios, some at once; says how each went and returns how many are not as they should be. */
async function runAll(
  scenarios: readonly Scenario[],
  act: string,
  workspace: string,
  standIns: readonly string[],
): Promise<number> {
  const waiting = [...scenarios];
  let failures = 0;
  const work = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      const { name, node = process.execPath, args, onEvent, check } = scenario;
      const startMs = performance.now();
      const run = await runAct({
        act,
        node,
        workspace,
        args: [...args, ...standIns],
        ...(onEvent && { onEvent }),
      });
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
      try {
        check(run);
        console.log(`ok    ${name} (${seconds} s)`);
      } catch (error) {
        failures += 1;
        console.log(`WRONG ${name} (${seconds} s)\n${error}\n${run.log}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return failures;
}
