import { spawn } from 'node:child_process';

interface ProcessOptions {
  /** The node binary. Default: the node of this process. */
  readonly node?: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Whether the process accepts messages. */
  readonly hasChannel?: boolean;
  /** Kills the process after this time. Default: 60 s. */
  readonly timeoutMs?: number | undefined;
}

/** The end of a process. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it was killed by the time limit. */
  readonly killedLate: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** From the spawn to the end of the output. */
  readonly durationMs: number;
}

/**
 * Starts node with pipes for its output, as a runner does. `ended` resolves once the process has
 * ended and all output was read. `startedAtMs` is on the clock of `performance.now()`.
 */
export function startProcess(options: ProcessOptions) {
  const output = { stdout: '', stderr: '' };
  const startedAtMs = performance.now();
  const child = spawn(options.node ?? process.execPath, options.args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.hasChannel ? (['ipc'] as const) : [])],
    windowsHide: true,
  });
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  let killedLate = false;
  const limit = setTimeout(() => {
    killedLate = true;
    child.kill('SIGKILL');
  }, options.timeoutMs ?? 60_000);
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (exitCode, signal) => {
      clearTimeout(limit);
      const durationMs = performance.now() - startedAtMs;
      resolve({ exitCode, signal, killedLate, ...output, durationMs });
    });
  });
  return { child, startedAtMs, output, ended };
}
