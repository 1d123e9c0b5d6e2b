import { type ChildProcess, spawn } from 'node:child_process';

export interface ProcessOptions {
  /** The node binary; the one that runs this unless given. */
  readonly node?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** How a process ended. Times are on the clock of `performance.now()`. */
export interface Ended {
  readonly exitCode: number | null;
  readonly exitedAtMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProcess {
  readonly child: ChildProcess;
  /** Just before the process was spawned. */
  readonly startedAtMs: number;
  /** Rejects when the process does not end in time; it is killed then. */
  readonly ended: Promise<Ended>;
}

const LIMIT_MS = 300_000;

/** Starts node with pipes for its output, as a runner does. */
export function startProcess(options: ProcessOptions): RunningProcess {
  const startedAtMs = performance.now();
  const child = spawn(options.node ?? process.execPath, options.args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  let exitedAtMs = Number.NaN;
  child.once('exit', () => {
    exitedAtMs = performance.now();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the process did not end within ${LIMIT_MS / 1000} s:\n${output.stdout}`));
    }, LIMIT_MS);
    child.once('error', reject);
    child.once('close', (exitCode) => {
      clearTimeout(timer);
      resolve({ exitCode, exitedAtMs, ...output });
    });
  });
  return { child, startedAtMs, ended };
}
