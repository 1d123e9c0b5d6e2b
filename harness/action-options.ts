import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createEnvironment,
  type FileState,
  projectRoot,
  type RunFolder,
  toInputVariables,
  type WorkflowEvent,
  writeFiles,
} from './action-environment.ts';

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
  /** The working directory. Default: a new folder. */
  workspace?: string;
  /** Whether the process has its own group, so that Ctrl+C in the terminal does not reach it. */
  detached?: boolean;
  /** The paths of CommonJS modules to preload. */
  preload?: string[];
  /** How many times faster time passes in the process (scaled-time.cjs). */
  timeScale?: number;
  /** Moves the wall clock of the process once, in scaled time after its start. */
  clockJump?: { afterMs: number; byMs: number };
  /** An IPv4 address or an error code for each host name (fake-hosts.cjs). */
  hosts?: Record<string, string>;
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

/**
 * Returns the arguments of node for a run. They preload with `--require`, since `--import` takes
 * twice as long.
 */
export function getArguments(options: ActionOptions): string[] {
  const helpers = [
    ...(options.isBare ? [] : ['probe.cjs']),
    ...(options.isBare || !process.env['QUICK_START'] ? [] : ['quick-start.cjs']),
    ...(options.timeScale || options.clockJump ? ['scaled-time.cjs'] : []),
    ...(options.hosts ? ['fake-hosts.cjs'] : []),
  ].map((name) => fileURLToPath(new URL(name, import.meta.url)));
  return [
    // Processes start sooner with one thread for V8's own work, if there are more of them than
    // cores.
    ...(options.isBare ? [] : ['--v8-pool-size=1']),
    ...[...helpers, ...(options.preload ?? [])].flatMap((path) => ['--require', path]),
    options.entry ?? join(projectRoot, 'dist', 'index.js'),
  ];
}

/** Returns the file in which a run reports its memory. */
export function getMaxRssFile(folder: RunFolder): string {
  return join(folder.root, 'max-rss');
}

/** Returns the environment variables of a run in this folder. */
export function getVariables(
  options: ActionOptions,
  folder: RunFolder,
): Record<string, string | undefined> {
  const { inputs = {}, timeScale, clockJump, hosts, extraCertificates } = options;
  if (extraCertificates) writeFiles(folder.root, { 'extra.pem': extraCertificates });
  return {
    ...createEnvironment(
      folder,
      options.event ?? { name: 'workflow_dispatch', payload: { inputs: {} } },
    ),
    ...toInputVariables(inputs),
    QUICK_START: process.env['QUICK_START'],
    PROBE_REPORT: options.isBare ? undefined : getMaxRssFile(folder),
    TIME_SCALE: timeScale?.toString(),
    TIME_JUMP: clockJump && `${clockJump.afterMs},${clockJump.byMs}`,
    FAKE_HOSTS: hosts && JSON.stringify(hosts),
    NODE_EXTRA_CA_CERTS: extraCertificates && join(folder.root, 'extra.pem'),
    ...options.env,
  };
}
