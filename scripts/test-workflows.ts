import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { adminKey } from '../emulator/keys.ts';
import { createEmulator } from '../emulator/server.ts';
import { type ActOptions, type ActRun, runAct } from './act.ts';
import { readExamples } from './examples.ts';
import { CommandError, findTool, root, runScript } from './tools.ts';

/**
 * Runs the self-test and the documentation workflow, and the README's example of it, with act on this machine, and
 * reads what they leave. With ACTION_NODE, the path of another node, the endings run with that one, too.
 *
 * What act does otherwise than a runner: it checks nothing out but copies the working copy, which has its dependencies
 * as a link; it has no network here, so a stand-in that does nothing takes the place of actions/setup-node; and it
 * kills a cancelled step at once, where a runner sends SIGINT first.
 */
interface Scenario {
  readonly name: string;
  readonly node?: string;
  readonly args: readonly string[];
  readonly onEvent?: ActOptions['onEvent'];
  /** Throws if the run is not as it should be. */
  readonly check: (run: ActRun) => void;
}

const CONCURRENCY = 4;
const selfTest = '.github/workflows/self-test.yml';
const action = 'OWNER/docs-agent-action';

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
    const scenarios = [
      ...listSelfTests(workspace),
      ...listDocs(baseUrl, readPrompts),
      ...listExamples(workspace, baseUrl),
    ];
    const failures = await runAll(scenarios, act, workspace, createStandIns(temp));
    if (failures > 0)
      throw new CommandError(`${failures} of ${scenarios.length} runs are not as they should be.`);
  } finally {
    await emulator.close();
    rmSync(temp, { recursive: true, force: true });
  }
});

function listSelfTests(workspace: string): Scenario[] {
  const other = process.env['ACTION_NODE'];
  const failing = ['failed', 'timed-out', 'invalid-input', 'unauthorized', 'start-unknown', 'lost'];
  const endings = (node: string): Scenario => ({
    name: `self-test: every ending, node ${readVersion(node)}`,
    node,
    args: ['push', '-W', selfTest, '-j', 'outcomes', '--matrix', 'os:ubuntu-latest'],
    check(run) {
      assert.deepEqual(run.jobs, ['success']);
      const failed = [...run.steps].filter(([, result]) => result === 'failure').map(([id]) => id);
      assert.deepEqual(failed, failing);
      assert.match(run.log, new RegExp(`^Node v${readVersion(node)}$`, 'm'));
      assert.match(run.summary('pull-request'), /acme\/docs\\#128/);
      assert.match(
        run.summary('timed-out'),
        new RegExp(`^job-id: ${run.outputs('timed-out')['job-id']}$`, 'm'),
      );
      assert.ok(!run.log.includes(`${adminKey}\n`), 'the key is in the log');
    },
  });
  return [
    endings(process.execPath),
    ...(other === undefined ? [] : [endings(other)]),
    {
      name: 'self-test: several prompts, both declarations',
      ...(other !== undefined && { node: other }),
      args: ['push', '-W', selfTest, '-j', 'prompts'],
      check(run) {
        assert.deepEqual(run.jobs, ['success', 'success', 'success', 'success']);
        assert.ok(run.steps.has('node20') && run.steps.has('node24'));
      },
    },
    {
      name: 'self-test: a wrong output fails its workflow job',
      args: ['push', '-W', writeWrongSelfTest(workspace), '-j', 'prompts', '--matrix', 'kind:one line'],
      check(run) {
        assert.deepEqual(run.jobs, ['failure']);
        assert.match(run.log, /node20: outcome is "no-pull-request", not "archived"/);
      },
    },
    {
      name: 'self-test: a cancelled run leaves the id of its job',
      args: ['push', '-W', selfTest, '-j', 'cancelled'],
      // It says so once; a second signal would end act without the steps that follow.
      onEvent({ msg, stepID: [id] }, child) {
        if (id === 'cancelled' && msg.includes('  waiting, ')) child.kill('SIGINT');
      },
      check(run) {
        assert.equal(run.steps.get('cancelled'), 'failure');
        const { 'job-id': jobId = '' } = run.outputs('cancelled');
        assert.match(jobId, /^[\w-]+$/);
        assert.match(run.log, new RegExp(`job ${jobId} is started`));
        assert.match(run.summary('cancelled'), new RegExp(`^job-id: ${jobId}$`, 'm'));
        assert.match(run.log, new RegExp(`^cancelled: failure +${jobId}$`, 'm'), 'a later step reads it');
      },
    },
  ];
}

/** Writes the self-test with one expectation that is wrong; returns its path in the working copy. */
function writeWrongSelfTest(workspace: string): string {
  const text = readFileSync(join(workspace, selfTest), 'utf8');
  const wrong = text.replace('node20: { outcome: no-pull-request', 'node20: { outcome: archived');
  assert.notEqual(wrong, text);
  const path = '.github/workflows/wrong-self-test.yml';
  writeFileSync(join(workspace, path), wrong);
  return path;
}

function listDocs(baseUrl: string, readPrompts: () => string[]): Scenario[] {
  const workflow = '.github/workflows/docs.yml';
  const prompt = 'Explain `--speed`, "quoted" & $PATH.';
  const checkOpened = (run: ActRun): void => {
    assert.deepEqual(run.jobs, ['success']);
    assert.match(run.log, /^Review https:\/\/github\.com\/acme\/docs\/pull\/128$/m);
    assert.match(run.summary('docs'), /Pull request opened/);
    assert.ok(!run.log.includes(adminKey), 'the key is in the log');
  };
  return [
    {
      name: 'docs: a release tag',
      args: ['push', '-e', 'tag.json', '-W', workflow, ...toSettings(baseUrl, 'quick')],
      check(run) {
        checkOpened(run);
        const received = readPrompts().filter((text) => text.includes('the release v1.2.0 of'));
        assert.equal(received.length, 1);
        assert.match(received[0] ?? '', /https:\/\/github\.com\/acme\/docs-agent-action\b/);
      },
    },
    {
      name: 'docs: dispatched with a prompt',
      args: [
        'workflow_dispatch',
        '--input',
        `prompt=${prompt}`,
        '-W',
        workflow,
        ...toSettings(baseUrl, 'gitlab'),
      ],
      check(run) {
        assert.deepEqual(run.jobs, ['success']);
        assert.equal(run.outputs('docs')['pr-number'], '42');
        assert.equal(readPrompts().filter((text) => text === prompt).length, 1);
      },
    },
    {
      name: 'docs: a job that fails fails the run',
      args: ['push', '-e', 'tag.json', '-W', workflow, ...toSettings(baseUrl, 'failing')],
      check(run) {
        assert.deepEqual(run.jobs, ['failure']);
        assert.notEqual(run.exitCode, 0);
        assert.equal(run.outputs('docs')['outcome'], 'failed');
        assert.ok(!run.log.includes('Review '), 'a step after the failed one ran');
      },
    },
    {
      name: 'docs: without settings nothing is sent',
      args: ['push', '-e', 'tag.json', '-W', workflow],
      check(run) {
        assert.deepEqual(run.jobs, ['failure']);
        assert.equal(run.outputs('docs')['error-code'], 'invalid-input');
        assert.match(run.summary('docs'), /`api-key` is missing/);
      },
    },
  ];
}

/** The README's example as its reader copies it, but for the address, with either declaration of the action. */
function listExamples(workspace: string, baseUrl: string): Scenario[] {
  const example = readExamples(root).find(({ name }) => name === 'docs.yml');
  assert.ok(example, 'the README has no example docs.yml');
  return [`${action}@v1`, `${action}/node24@v1`].map((uses, index) => {
    const text = example.text
      .replaceAll(`${action}@v1`, uses)
      .replace(/with:(\n +)/, (start, space) => `${start}base-url: \${{ vars.DOCS_AGENT_BASE_URL }}${space}`);
    const path = `.github/workflows/example-${index}.yml`;
    writeFileSync(join(workspace, path), text);
    return {
      name: `${example.file}: ${example.name} with ${uses}`,
      args: ['push', '-e', 'tag.json', '-W', path, ...toSettings(baseUrl, 'quick')],
      check(run) {
        assert.deepEqual(run.jobs, ['success']);
        assert.match(run.log, /^Review https:\/\/github\.com\/acme\/docs\/pull\/128$/m);
      },
    };
  });
}

function toSettings(baseUrl: string, projectId: string): string[] {
  return [
    ...['--var', `DOCS_AGENT_BASE_URL=${baseUrl}`, '--var', `DOCS_PROJECT_ID=${projectId}`],
    ...['--secret', `DOCS_AGENT_API_KEY=${adminKey}`],
  ];
}

/** A working copy of all files that are in the repository or would be, as a checkout leaves it, and `npm ci`. */
function createWorkspace(temp: string): string {
  const workspace = join(temp, 'workspace');
  const list = git(root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z').split('\0');
  for (const file of list.filter((name) => name !== '')) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    cpSync(join(root, file), join(workspace, file));
  }
  writeFileSync(join(workspace, 'tag.json'), JSON.stringify({ ref: 'refs/tags/v1.2.0' }));
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

function readVersion(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1);
}
