import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createEnvironment,
  type FileState,
  projectRoot,
  type RunFolder,
  readDefinition,
  toInputVariables,
  type WorkflowEvent,
  writeFiles,
} from './action-environment.ts';

export interface ActionOptions {
  inputs?: Record<string, string>;
  /** Whether inputs that are not given take the defaults of action.yml; by default they do. */
  applyDefaults?: boolean;
  /** Variables to add or, with `undefined`, to take away. */
  env?: Record<string, string | undefined>;
  /** The node to run; by default the one in the variable ACTION_NODE, else that of the tests. */
  node?: string;
  /** The script to run; by default the committed bundle. */
  entry?: string;
  /** The action.yml to take defaults from; by default the project's. */
  definition?: string;
  /** Paths of modules to preload with `--import`. */
  preload?: string[];
  /** How many times faster time runs inside the process; see scaled-time.mjs. */
  timeScale?: number;
  /** Sets the wall clock of the process, once, so many scaled milliseconds after its start. */
  clockJump?: { afterMs: number; byMs: number };
  /** What host names mean: an IPv4 address or the code of an error; see fake-hosts.mjs. */
  hosts?: Record<string, string>;
  /** Certificates that the process trusts besides its own, as PEM (NODE_EXTRA_CA_CERTS). */
  extraCertificates?: string;
  /** Files in the workspace. */
  files?: Record<string, string | Buffer>;
  outputFile?: FileState;
  summaryFile?: FileState;
  event?: WorkflowEvent;
  /** After so long the process is killed, which `killedLate` tells; 60 s by default. */
  limitMs?: number;
}

/** The arguments of node for a run that reports its memory to the given file. */
export function toArguments(options: ActionOptions, maxRssFile: string): string[] {
  const probe = new URL('probe.mjs', import.meta.url);
  probe.searchParams.set('report', maxRssFile);
  const modules = [
    probe.href,
    ...(options.timeScale || options.clockJump ? [new URL('scaled-time.mjs', import.meta.url).href] : []),
    ...(options.hosts ? [new URL('fake-hosts.mjs', import.meta.url).href] : []),
    ...(options.preload ?? []).map((path) => pathToFileURL(path).href),
  ];
  return [
    ...modules.flatMap((url) => ['--import', url]),
    options.entry ?? join(projectRoot, 'dist', 'index.js'),
  ];
}

/** All environment variables of a run in the given folder. */
export function toVariables(options: ActionOptions, folder: RunFolder): Record<string, string | undefined> {
  const { inputs = {}, timeScale, clockJump, hosts, extraCertificates } = options;
  const definition = options.applyDefaults === false ? undefined : readDefinition(options.definition);
  if (extraCertificates) writeFiles(folder.root, { 'extra.pem': extraCertificates });
  return {
    ...createEnvironment(folder, options.event ?? { name: 'workflow_dispatch', payload: { inputs: {} } }),
    ...toInputVariables(inputs, definition),
    TIME_SCALE: timeScale?.toString(),
    TIME_JUMP: clockJump && `${clockJump.afterMs},${clockJump.byMs}`,
    FAKE_HOSTS: hosts && JSON.stringify(hosts),
    NODE_EXTRA_CA_CERTS: extraCertificates && join(folder.root, 'extra.pem'),
    ...options.env,
  };
}
