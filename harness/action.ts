import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { actionPlatform, createRunFolder, writeFiles } from './action-environment.ts';
import { type ActionOptions, getArguments, getMaxRssFile, getVariables } from './action-options.ts';
import { type ActionResult, collectResult, readIfFile, readPairs } from './action-result.ts';
import { closeAtEnd } from './at-end.ts';
import { showOnFailure } from './failure-report.ts';
import { startProcess } from './process.ts';

export type { ActionOptions, ActionResult };

export interface RunningAction {
  readonly child: ChildProcess;
  /** Just before the process was spawned, on the clock of `performance.now()`. */
  readonly startedAtMs: number;
  readonly workspace: string;
  /** Paths of the runner's files by the name of their variable. */
  readonly files: Readonly<Record<string, string>>;
  /** The outputs written so far. */
  readonly outputs: Record<string, string>;
  /** The summary written so far. */
  readonly summary: string | undefined;
  /** Resolves when the process has ended and its folder is removed. Never rejects. */
  readonly ended: Promise<ActionResult>;
  /** Resolves once stdout or stderr matches. Rejects if the process ends first, or after 60 s. */
  waitForLog(pattern: RegExp | string): Promise<void>;
  /** Resolves once an output has a value. Rejects if the process ends first, or after 60 s. */
  waitForOutput(name: string): Promise<void>;
  /**
   * Sends a signal, and resolves when its handlers have run or the process has ended. SIGBREAK, and
   * on Windows any signal but SIGKILL, is emitted inside the process instead.
   */
  signal(name: NodeJS.Signals): Promise<void>;
}

const cancelSignals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGBREAK'];
const WAIT_MS = 60_000;
const POLL_MS = 5;
const running = new Set<RunningAction>();

/** Kills the running actions, and waits for their end. */
export async function closeActions(): Promise<void> {
  for (const action of running) action.child.kill('SIGKILL');
  await Promise.all([...running].map((action) => action.ended));
}

/**
 * Starts the built action in a process as a runner does, with a clean environment and a new folder.
 */
export function runAction(options: ActionOptions = {}): RunningAction {
  const folder = createRunFolder({
    GITHUB_OUTPUT: options.outputFile ?? 'file',
    GITHUB_STEP_SUMMARY: options.summaryFile ?? 'file',
    GITHUB_STATE: 'file',
    GITHUB_ENV: 'file',
    GITHUB_PATH: 'file',
  });
  const workspace = options.workspace ?? folder.workspace;
  writeFiles(workspace, options.files ?? {});
  const { child, startedAtMs, output, ended } = startProcess({
    node: options.node ?? process.env['ACTION_NODE'],
    args: getArguments(options),
    env: getVariables(options, { ...folder, workspace }),
    cwd: workspace,
    hasChannel: !options.isBare,
    detached: options.detached ?? false,
    timeoutMs: options.timeoutMs,
  });
  async function waitFor(goal: string, isReached: () => boolean): Promise<void> {
    const deadline = performance.now() + WAIT_MS;
    while (!isReached()) {
      const isLate = performance.now() > deadline;
      if (isLate || !running.has(action)) {
        const log = output.stdout + output.stderr;
        throw new Error(
          `${isLate ? `After ${WAIT_MS} ms` : 'At the end'} still not ${goal}:\n${log}`,
        );
      }
      await sleep(POLL_MS);
    }
  }
  const action: RunningAction = {
    child,
    startedAtMs,
    workspace,
    files: folder.files,
    ended: ended.then((end) => {
      running.delete(action);
      const result = collectResult(end, folder.files, getMaxRssFile(folder));
      folder.remove();
      return result;
    }),
    get outputs() {
      return readPairs(folder.files['GITHUB_OUTPUT']);
    },
    get summary() {
      return readIfFile(folder.files['GITHUB_STEP_SUMMARY']);
    },
    waitForLog: (pattern) =>
      waitFor(`in the log: ${pattern}`, () =>
        [output.stdout, output.stderr].some((text) =>
          typeof pattern === 'string' ? text.includes(pattern) : text.search(pattern) >= 0,
        ),
      ),
    waitForOutput: (name) => waitFor(`set: ${name}`, () => Boolean(action.outputs[name])),
    async signal(name) {
      const received = new Promise<void>((resolve) => {
        const onMessage = (message: unknown): void => {
          if (!isDeepStrictEqual(message, { received: name })) return;
          child.off('message', onMessage);
          resolve();
        };
        child.on('message', onMessage);
      });
      const isEmitted = name === 'SIGBREAK' || (actionPlatform === 'win32' && name !== 'SIGKILL');
      if (isEmitted) child.send({ signal: name }, () => {});
      else child.kill(name);
      const isHandled = cancelSignals.includes(name);
      if (isHandled) await Promise.race([received, action.ended]);
    },
  };
  running.add(action);
  closeAtEnd(closeActions);
  showRunOnFailure(options, action, output);
  return action;
}

function showRunOnFailure(
  options: ActionOptions,
  { ended }: RunningAction,
  output: { readonly stdout: string; readonly stderr: string },
): void {
  let result: ActionResult | undefined;
  void ended.then((value) => {
    result = value;
  });
  const { files, ...scenario } = options;
  showOnFailure('scenario (differences from the defaults)', () => ({
    ...scenario,
    ...(files && { files: Object.keys(files) }),
  }));
  showOnFailure('log', () => output.stdout + output.stderr);
  showOnFailure('result', () => {
    if (result === undefined) return 'The process was still running.';
    const { exitCode, signal, killedLate, durationMs, outputs } = result;
    return { exitCode, signal, killedLate, durationMs: Math.round(durationMs), outputs };
  });
  showOnFailure('summary', () => result?.summary ?? '(none)');
}
