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
  /** Variables to add or, with `undefined`, to take away. */
  env?: Record<string, string | undefined>;
  /** The node to run; by default the one in the variable ACTION_NODE, else that of the tests. */
  node?: string;
  /** The script to run; by default the committed bundle. */
  entry?: string;
  /** Nothing of the tests in the process: no helper is preloaded and there is no channel to it. */
  isBare?: boolean;
  /** The folder that the step works in; by default a fresh one. */
  workspace?: string;
  /** Whether the process is in a group of its own, away from the Ctrl+C of the terminal. */
  detached?: boolean;
  /** Paths of CommonJS modules to preload. */
  preload?: string[];
  /** How many times faster time runs inside the process; see scaled-time.cjs. */
  timeScale?: number;
  /** Sets the wall clock of the process once, this many scaled milliseconds after its start. */
  clockJump?: { afterMs: number; byMs: number };
  /** What host names mean: an IPv4 address or the code of an error; see fake-hosts.cjs. */
  hosts?: Record<string, string>;
  /** Certificates that the process trusts besides its own, as PEM (NODE_EXTRA_CA_CERTS). */
  extraCertificates?: string;
  /** Files in the workspace. */
  files?: Record<string, string | Buffer>;
  outputFile?: FileState;
  summaryFile?: FileState;
  event?: WorkflowEvent;
  /** The process is killed after this time, and `killedLate` says so; 60 s by default. */
  timeoutMs?: number;
}

/** The arguments of node for a run. Preloaded with `--require`, since `--import` doubles the time that a run takes. */
export function getArguments(options: ActionOptions): string[] {
  const helpers = [
    ...(options.isBare ? [] : ['probe.cjs']),
    ...(options.isBare || !process.env['QUICK_START'] ? [] : ['quick-start.cjs']),
    ...(options.timeScale || options.clockJump ? ['scaled-time.cjs'] : []),
    ...(options.hosts ? ['fake-hosts.cjs'] : []),
  ].map((name) => fileURLToPath(new URL(name, import.meta.url)));
  return [
    // One thread for V8's own work, which is quicker where more processes than cores start.
    ...(options.isBare ? [] : ['--v8-pool-size=1']),
    ...[...helpers, ...(options.preload ?? [])].flatMap((path) => ['--require', path]),
    options.entry ?? join(projectRoot, 'dist', 'index.js'),
  ];
}

/** Where a run in the given folder reports its memory. */
export function getMaxRssFile(folder: RunFolder): string {
  return join(folder.root, 'max-rss');
}

/** All environment variables of a run in the given folder. */
export function getVariables(options: ActionOptions, folder: RunFolder): Record<string, string | undefined> {
  const { inputs = {}, timeScale, clockJump, hosts, extraCertificates } = options;
  if (extraCertificates) writeFiles(folder.root, { 'extra.pem': extraCertificates });
  return {
    ...createEnvironment(folder, options.event ?? { name: 'workflow_dispatch', payload: { inputs: {} } }),
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
