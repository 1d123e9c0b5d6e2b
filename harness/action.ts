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
  /** Resolves when the process has ended; the folder of the run is gone by then. Never rejects. */
  readonly ended: Promise<ActionResult>;
  /** Resolves once the text of either stream matches; rejects if the process ends or the time is over before. */
  waitForLog(pattern: RegExp | string, timeoutMs?: number): Promise<void>;
  /** Resolves once an output has a value; rejects if the process ends or 60 s pass before. */
  waitForOutput(name: string): Promise<void>;
  /**
   * Sends a signal. SIGBREAK, and on Windows any but SIGKILL, is emitted inside the process instead, which is what
   * its handlers see of the real one. Resolves when the handlers were called, or the process has ended.
   */
  signal(name: NodeJS.Signals): Promise<void>;
}

const cancelSignals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGBREAK'];
const running = new Set<RunningAction>();

/** Kills the actions that still run and waits for their end. Every file of tests ends with it. */
export async function closeActions(): Promise<void> {
  for (const action of running) action.child.kill('SIGKILL');
  await Promise.all([...running].map((action) => action.ended));
}

/** Starts the built action in a process of its own as a runner does, in a clean environment and a fresh folder. */
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
  const watchers = new Set<() => void>();
  const notify = (): void => {
    for (const watch of watchers) watch();
  };
  const { child, startedAtMs, output, ended } = startProcess({
    node: options.node ?? process.env['ACTION_NODE'],
    args: getArguments(options),
    env: getVariables(options, { ...folder, workspace }),
    cwd: workspace,
    hasChannel: !options.isBare,
    detached: options.detached ?? false,
    timeoutMs: options.timeoutMs,
    onText: notify,
  });
  const action: RunningAction = {
    child,
    startedAtMs,
    workspace,
    files: folder.files,
    ended: ended.then((end) => {
      running.delete(action);
      const result = collectResult(end, folder.files, getMaxRssFile(folder));
      folder.remove();
      notify();
      return result;
    }),
    get outputs() {
      return readPairs(folder.files['GITHUB_OUTPUT']);
    },
    get summary() {
      return readIfFile(folder.files['GITHUB_STEP_SUMMARY']);
    },
    waitForLog(pattern, timeoutMs = 30_000) {
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(timer);
          watchers.delete(watch);
        };
        const fail = (reason: string): void => {
          stop();
          reject(new Error(`${reason} before the log matched ${pattern}:\n${output.stdout}${output.stderr}`));
        };
        const watch = (): void => {
          if (matches(output.stdout, pattern) || matches(output.stderr, pattern)) {
            stop();
            resolve();
          } else if (!running.has(action)) {
            fail('The action ended');
          }
        };
        const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
        watchers.add(watch);
        watch();
      });
    },
    async waitForOutput(name) {
      const deadline = performance.now() + 60_000;
      while (!action.outputs[name]) {
        if (!running.has(action)) throw new Error(`The action ended without the output ${name}`);
        if (performance.now() > deadline) throw new Error(`No output ${name} within 60 s`);
        await sleep(10);
      }
    },
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
  showOnFailure('scenario (what differs from the defaults)', () => ({
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

function matches(text: string, pattern: RegExp | string): boolean {
  return typeof pattern === 'string' ? text.includes(pattern) : text.search(pattern) >= 0;
}
