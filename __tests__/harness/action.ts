import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import {
  createEnvironment,
  createRunFolder,
  type FileState,
  projectRoot,
  type RunFolder,
  toInputVariables,
  type WorkflowEvent,
  writeFiles,
} from './action-environment.ts';
import { type ActionResult, collectResult, readPairs } from './action-result.ts';
import { closeAtEnd } from './at-end.ts';
import { showOnFailure } from './failure-report.ts';
import { startProcess } from './process.ts';

export type { ActionResult };

export interface ActionOptions {
  inputs?: Record<string, string>;
  /** Variables to add, or with `undefined` to remove. */
  env?: Record<string, string | undefined>;
  /** The node to run. Default: `ACTION_NODE`, or the node of this process. */
  node?: string;
  /** The script to run. Default: the committed bundle. */
  entry?: string;
  /** Preloads no helper, and opens no channel for messages. */
  isBare?: boolean;
  /** The paths of CommonJS modules to preload. */
  preload?: string[];
  /** How many times faster time passes in the process (scaled-time.cjs). */
  timeScale?: number;
  /** More certificates to trust, as PEM (`NODE_EXTRA_CA_CERTS`). */
  extraCertificates?: string;
  /** Files in the workspace. */
  files?: Record<string, string | Buffer>;
  outputFile?: FileState;
  summaryFile?: FileState;
  event?: WorkflowEvent;
  /** Kills the process after this time, and sets `killedLate`. Default: 60 s. */
  timeoutMs?: number;
}

export type RunningAction = ReturnType<typeof runAction>;

/**
 * A start takes two thirds of the CPU time without V8's optimizing compiler for WebAssembly, which
 * would compile undici's parser of HTTP. With one thread for V8's own work, processes start sooner
 * if there are more of them than cores.
 */
const CHEAP_START = ['--liftoff-only', '--v8-pool-size=1'];

const running = new Set<{ child: ChildProcess; ended: Promise<unknown> }>();

/** Kills the running actions, and waits for their end. */
export async function closeActions(): Promise<void> {
  for (const action of running) {
    action.child.kill('SIGKILL');
  }
  await Promise.all([...running].map((action) => action.ended));
}

/**
 * Starts the built action in a process as a runner does, with a clean environment and a new folder.
 */
export function runAction(options: ActionOptions = {}) {
  const folder = createRunFolder({
    GITHUB_OUTPUT: options.outputFile,
    GITHUB_STEP_SUMMARY: options.summaryFile,
  });
  writeFiles(folder.workspace, options.files ?? {});
  const maxRssFile = join(folder.root, 'max-rss');
  const { child, output, ended } = startProcess({
    node: options.node ?? process.env['ACTION_NODE'],
    args: getArguments(options),
    env: { PROBE_REPORT: maxRssFile, ...getVariables(options, folder) },
    cwd: folder.workspace,
    hasChannel: !options.isBare,
    timeoutMs: options.timeoutMs,
  });
  let result: ActionResult | undefined;
  const action = {
    child,
    /** Resolves when the process has ended and its folder is removed. Never rejects. */
    ended: ended.then((end) => {
      running.delete(action);
      result = collectResult(end, folder.files, maxRssFile);
      folder.remove();
      return result;
    }),
    /** The outputs written so far. */
    get outputs() {
      return readPairs(folder.files['GITHUB_OUTPUT']);
    },
    /** Sends a signal, and resolves when its handlers have run or the process has ended. */
    signal: (name: NodeJS.Signals): Promise<void> => sendSignal(action, name),
  };
  running.add(action);
  closeAtEnd(closeActions);
  showOnFailure('options', () => options);
  showOnFailure('log', () => output.stdout + output.stderr);
  showOnFailure('result', () => result ?? 'The process was still running.');
  return action;
}

/**
 * Returns the arguments of node for a run. They preload with `--require`, since `--import` takes
 * twice as long.
 */
function getArguments(options: ActionOptions): string[] {
  const helpers = [
    ...(options.isBare ? [] : ['probe.cjs']),
    ...(options.timeScale ? ['scaled-time.cjs'] : []),
  ].map((name) => fileURLToPath(new URL(name, import.meta.url)));
  return [
    ...(options.isBare ? [] : CHEAP_START),
    ...[...helpers, ...(options.preload ?? [])].flatMap((path) => ['--require', path]),
    options.entry ?? join(projectRoot, 'dist', 'index.js'),
  ];
}

/** Returns the environment variables of a run in this folder. */
export function getVariables(
  options: ActionOptions,
  folder: RunFolder,
): Record<string, string | undefined> {
  const { inputs = {}, timeScale, extraCertificates } = options;
  const { event = { name: 'workflow_dispatch', payload: { inputs: {} } } } = options;
  if (extraCertificates) {
    writeFiles(folder.root, { 'extra.pem': extraCertificates });
  }
  return {
    ...createEnvironment(folder, event),
    ...toInputVariables(inputs),
    TIME_SCALE: timeScale?.toString(),
    NODE_EXTRA_CA_CERTS: extraCertificates && join(folder.root, 'extra.pem'),
    ...options.env,
  };
}

type Target = Pick<RunningAction, 'child' | 'ended'>;

/**
 * Sends a signal. SIGBREAK, and on Windows any signal but SIGKILL, is emitted inside the process
 * instead.
 */
async function sendSignal({ child, ended }: Target, name: NodeJS.Signals): Promise<void> {
  const received = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      if (isDeepStrictEqual(message, { received: name })) {
        resolve();
      }
    });
  });
  if (name === 'SIGBREAK' || (process.platform === 'win32' && name !== 'SIGKILL')) {
    child.send({ signal: name }, () => {});
  } else {
    child.kill(name);
  }
  if (['SIGINT', 'SIGTERM', 'SIGBREAK'].includes(name)) {
    await Promise.race([received, ended]);
  }
}
