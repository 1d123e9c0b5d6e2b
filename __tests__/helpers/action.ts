import { type ChildProcess, spawn } from 'node:child_process';
import { createRunFolder, writeFiles } from './action-environment.ts';
import { type ActionOptions, getMaxRssFile, toArguments, toVariables } from './action-options.ts';
import { type ActionResult, collectResult, readIfFile, readPairs } from './action-result.ts';

export type { ActionOptions, ActionResult };

export interface RunningAction {
  readonly child: ChildProcess;
  readonly workspace: string;
  readonly stdout: string;
  readonly stderr: string;
  /** The outputs written so far. */
  readonly outputs: Record<string, string>;
  /** The summary written so far. */
  readonly summary: string | undefined;
  /** Resolves when the process has ended; the folder of the run is gone by then. Never rejects. */
  readonly ended: Promise<ActionResult>;
  /** Resolves once the text of either stream matches; rejects if the process ends or the time is over before. */
  waitForLog(pattern: RegExp | string, timeoutMs?: number): Promise<void>;
  /**
   * Sends a signal. SIGBREAK, and on Windows any but SIGKILL, is emitted inside the process instead, which is what
   * its handlers see of the real one.
   */
  signal(name: NodeJS.Signals): void;
}

const running = new Set<RunningAction>();

/** Kills the actions that still run and waits for their end: for `afterEach`. */
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
  writeFiles(folder.workspace, options.files ?? {});
  const node = options.node ?? process.env['ACTION_NODE'] ?? process.execPath;
  const startMs = performance.now();
  const child = spawn(node, toArguments(options), {
    cwd: folder.workspace,
    env: toVariables(options, folder),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    windowsHide: true,
  });

  const streams = { stdout: '', stderr: '' };
  const watchers = new Set<() => void>();
  const notify = (): void => {
    for (const watch of watchers) watch();
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      streams[name] += text;
      notify();
    });
  }
  child.on('error', (error) => {
    streams.stderr += `${error}\n`;
  });

  let killedLate = false;
  const limit = setTimeout(() => {
    killedLate = true;
    child.kill('SIGKILL');
  }, options.timeoutMs ?? 60_000);
  const ended = new Promise<ActionResult>((resolve) => {
    child.once('close', (exitCode, signal) => {
      const durationMs = performance.now() - startMs;
      clearTimeout(limit);
      running.delete(action);
      notify();
      resolve(
        collectResult(
          { exitCode, signal, killedLate, ...streams, durationMs },
          folder.files,
          getMaxRssFile(folder),
        ),
      );
      folder.remove();
    });
  });

  const action: RunningAction = {
    child,
    workspace: folder.workspace,
    ended,
    get stdout() {
      return streams.stdout;
    },
    get stderr() {
      return streams.stderr;
    },
    get outputs() {
      return readPairs(folder.files['GITHUB_OUTPUT']);
    },
    get summary() {
      return readIfFile(folder.files['GITHUB_STEP_SUMMARY']);
    },
    waitForLog(pattern, timeoutMs = 10_000) {
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(timer);
          watchers.delete(watch);
        };
        const fail = (reason: string): void => {
          stop();
          reject(
            new Error(`${reason} before the log matched ${pattern}:\n${streams.stdout}${streams.stderr}`),
          );
        };
        const watch = (): void => {
          if (matches(streams.stdout, pattern) || matches(streams.stderr, pattern)) {
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
    signal(name) {
      const isEmitted = name === 'SIGBREAK' || (process.platform === 'win32' && name !== 'SIGKILL');
      if (isEmitted) child.send({ signal: name }, () => {});
      else child.kill(name);
    },
  };
  running.add(action);
  return action;
}

function matches(text: string, pattern: RegExp | string): boolean {
  return typeof pattern === 'string' ? text.includes(pattern) : text.search(pattern) >= 0;
}
