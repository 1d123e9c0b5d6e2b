import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';

/** What action.yml declares. */
export interface ActionMetadata {
  /** Every input with its default; an input without one has the empty string, as on a runner. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly outputs: readonly string[];
}

/** Reads action.yml. A default that is an expression becomes empty: there is no context here to take it from. */
export async function readMetadata(root: string): Promise<ActionMetadata> {
  const { inputs, outputs } = parse(await readFile(join(root, 'action.yml'), 'utf8')) as {
    inputs: Record<string, { default?: unknown }>;
    outputs: Record<string, unknown>;
  };
  const defaults = Object.entries(inputs).map(([name, input]): [string, string] => {
    const value = String(input.default ?? '');
    return [name, value.includes('${{') ? '' : value];
  });
  return { inputs: new Map(defaults), outputs: Object.keys(outputs) };
}

export interface ActionRun {
  /** The repository root: holds action.yml and dist/, and is the workspace of the run. */
  readonly root: string;
  /** Path of the node binary. */
  readonly node: string;
  readonly inputs: ReadonlyMap<string, string>;
  readonly apiUrl: string;
  readonly debug: boolean;
  /** Cancels the run as a runner does: SIGINT, SIGTERM after 7.5 seconds, SIGKILL after 2.5 more. */
  readonly cancelSignal: AbortSignal;
  /** Called with every line of stdout and stderr as it comes. */
  readonly onLine: (line: string) => void;
}

export interface ActionResult {
  readonly exitCode: number;
  /** As the step's output file has them at the end. */
  readonly outputs: ReadonlyMap<string, string>;
  /** The job summary's Markdown. */
  readonly summary: string;
}

/** Runs dist/index.js in its own process as a runner would; rejects if the process cannot be started. */
export async function runAction(run: ActionRun): Promise<ActionResult> {
  const temp = await mkdtemp(join(tmpdir(), 'docs-agent-action-'));
  const fileOf = (name: string): string => join(temp, name);
  try {
    for (const name of ['output', 'summary', 'state', 'env', 'path']) await writeFile(fileOf(name), '');
    await writeFile(fileOf('event.json'), JSON.stringify({ ref: 'refs/tags/v1.2.0' }));
    const child = spawn(run.node, [join(run.root, 'dist', 'index.js')], {
      cwd: run.root,
      env: toEnvironment(run, temp, fileOf),
      stdio: ['ignore', 'pipe', 'pipe'],
      // Away from the terminal's Ctrl+C, so that it arrives once; Windows has no such signal to send on.
      detached: process.platform !== 'win32',
    });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', run.onLine);
    }
    const timers: NodeJS.Timeout[] = [];
    run.cancelSignal.addEventListener('abort', () => {
      if (process.platform !== 'win32') child.kill('SIGINT');
      timers.push(setTimeout(() => child.kill('SIGTERM'), 7_500));
      timers.push(setTimeout(() => child.kill('SIGKILL'), 10_000));
    });
    const [exitCode] = (await once(child, 'close')) as [number | null];
    for (const timer of timers) clearTimeout(timer);
    return {
      exitCode: exitCode ?? 1,
      outputs: parseOutputs(await readFile(fileOf('output'), 'utf8')),
      summary: await readFile(fileOf('summary'), 'utf8'),
    };
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

function toEnvironment(
  { inputs, root, apiUrl, debug }: ActionRun,
  temp: string,
  fileOf: (name: string) => string,
): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(INPUT|STATE|GITHUB|ACTIONS|RUNNER|npm)_/i.test(name),
  );
  const given = [...inputs].map(([name, value]) => [
    `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
    value,
  ]);
  return {
    ...Object.fromEntries([...inherited, ...given]),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: '__self',
    GITHUB_ACTOR: 'octocat',
    GITHUB_API_URL: apiUrl,
    GITHUB_ENV: fileOf('env'),
    GITHUB_EVENT_NAME: 'push',
    GITHUB_EVENT_PATH: fileOf('event.json'),
    GITHUB_JOB: 'docs',
    GITHUB_OUTPUT: fileOf('output'),
    GITHUB_PATH: fileOf('path'),
    GITHUB_REF: 'refs/tags/v1.2.0',
    GITHUB_REF_NAME: 'v1.2.0',
    GITHUB_REF_TYPE: 'tag',
    GITHUB_REPOSITORY: 'acme/widgets',
    GITHUB_REPOSITORY_OWNER: 'acme',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: '7012345678',
    GITHUB_RUN_NUMBER: '12',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_SHA: '5f2c9a0d6b1e4c7f8a3d2e1b0c9f8e7d6a5b4c3d',
    GITHUB_STATE: fileOf('state'),
    GITHUB_STEP_SUMMARY: fileOf('summary'),
    GITHUB_WORKFLOW: 'Documentation',
    GITHUB_WORKSPACE: root,
    RUNNER_ENVIRONMENT: 'self-hosted',
    RUNNER_NAME: 'demo',
    RUNNER_TEMP: temp,
    ...(debug && { RUNNER_DEBUG: '1' }),
  };
}

/** Reads `name=value` and `name<<delimiter` entries as a runner does; of two of a name the last one counts. */
function parseOutputs(text: string): Map<string, string> {
  const outputs = new Map<string, string>();
  const lines = text.split(/\r?\n/);
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, name = '', operator, rest = ''] = /^(.+?)(=|<<)(.*)$/.exec(line) ?? [];
    if (operator === '=') outputs.set(name, rest);
    if (operator === '<<') {
      const end = lines.indexOf(rest);
      outputs.set(
        name,
        lines
          .splice(0, end + 1)
          .slice(0, -1)
          .join('\n'),
      );
    }
  }
  return outputs;
}
