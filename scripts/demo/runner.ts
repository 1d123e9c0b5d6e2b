import { createInterface } from 'node:readline';
import { releaseSha } from '../../__tests__/github/sample.ts';
import { type ActionOptions, runAction as startAction } from '../../harness/action.ts';
import { projectRoot } from '../../harness/action-environment.ts';

export interface ActionRun {
  /** Path of the node binary. */
  readonly node: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** Variables in addition to the runner's. */
  readonly env?: Readonly<Record<string, string>>;
  readonly apiUrl: string;
  readonly debug: boolean;
  /**
   * Cancels the run as a runner does: SIGINT, SIGTERM after 7.5 seconds, SIGKILL after 2.5 more.
   */
  readonly cancelSignal: AbortSignal;
  /** Called with every line of stdout and stderr as it arrives. */
  readonly onLine: (line: string) => void;
}

export interface ActionResult {
  readonly exitCode: number;
  /** The contents of the step's output file at the end. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The job summary's Markdown. */
  readonly summary: string;
}

/** Longer than any timeout that the action accepts. */
const NO_LIMIT_MS = 7 * 60 * 60_000;

/**
 * Runs dist/index.js in its own process as a runner would; rejects if the process cannot be
 * started.
 */
export async function runAction(run: ActionRun): Promise<ActionResult> {
  const { child, ended } = startAction(getOptions(run));
  for (const input of [child.stdout, child.stderr]) {
    if (input)
      createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', run.onLine);
  }
  const timers: NodeJS.Timeout[] = [];
  run.cancelSignal.addEventListener('abort', () => {
    if (process.platform !== 'win32') child.kill('SIGINT');
    timers.push(setTimeout(() => child.kill('SIGTERM'), 7_500));
    timers.push(setTimeout(() => child.kill('SIGKILL'), 10_000));
  });
  const { exitCode, outputs, summary = '', spawnError } = await ended;
  for (const timer of timers) clearTimeout(timer);
  if (spawnError !== undefined) throw spawnError;
  return { exitCode: exitCode ?? 1, outputs, summary };
}

function getOptions({ node, inputs, env, apiUrl, debug }: ActionRun): ActionOptions {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(INPUT|STATE|GITHUB|ACTIONS|RUNNER|npm)_/i.test(name),
  );
  return {
    isBare: true,
    // In its own process group, so that Ctrl+C in the terminal arrives only once. Windows can't
    // pass on such a signal.
    detached: process.platform !== 'win32',
    timeoutMs: NO_LIMIT_MS,
    node,
    workspace: projectRoot,
    inputs,
    event: { name: 'push', payload: { ref: 'refs/tags/v1.2.0' } },
    env: {
      ...Object.fromEntries(inherited),
      GITHUB_API_URL: apiUrl,
      GITHUB_REF: 'refs/tags/v1.2.0',
      GITHUB_REF_NAME: 'v1.2.0',
      GITHUB_REF_TYPE: 'tag',
      GITHUB_SHA: releaseSha,
      RUNNER_DEBUG: debug ? '1' : undefined,
      ...env,
    },
  };
}
