import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The commit of the run: the value of GITHUB_SHA. */
export const headSha = '0123456789abcdef0123456789abcdef01234567';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** The contents of action.yml. */
export const definition: {
  inputs: Record<string, { default?: unknown }>;
  outputs: Record<string, unknown>;
} = parse(readFileSync(join(projectRoot, 'action.yml'), 'utf8'));

/**
 * Returns the `INPUT_*` variables that a runner sets: one for each declared input, with its
 * default, or empty. Names are upper-cased, spaces become `_`, and hyphens stay. The token is empty
 * by default.
 */
export function toInputVariables(inputs: Record<string, string>): Record<string, string> {
  const values = { ...inputs };
  for (const [name, input] of Object.entries(definition.inputs)) {
    const value = String(input.default ?? '');
    values[name] ??= value.includes('github.token') ? '' : value;
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
      value,
    ]),
  );
}

/**
 * The state of a file that the runner provides. `full` is a full disk (Linux only), `pipe` a pipe
 * that nobody reads. For users who may write anywhere, such as root, `read-only` is a directory.
 */
export type FileState = 'read-only' | 'full' | 'pipe';

/** The folder of one run, as a runner prepares it. */
export type RunFolder = ReturnType<typeof createRunFolder>;

const runnerFiles = 'GITHUB_OUTPUT GITHUB_STEP_SUMMARY GITHUB_STATE GITHUB_ENV GITHUB_PATH';

/**
 * Makes a temporary folder with an empty workspace and the runner's files, which are empty and
 * writable unless they have a state.
 */
export function createRunFolder(states: Record<string, FileState | undefined> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'action-')));
  const workspace = join(root, 'work');
  const commands = join(root, 'temp', '_runner_file_commands');
  mkdirSync(workspace);
  mkdirSync(commands, { recursive: true });
  const files = runnerFiles.split(' ').map((variable) => {
    const path = join(commands, variable.toLowerCase());
    return [variable, createFile(path, states[variable])] as const;
  });
  return {
    root,
    workspace,
    /** The paths of the runner's files by variable, such as `GITHUB_OUTPUT`. */
    files: Object.fromEntries<string>(files),
    remove: (): void => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function createFile(path: string, state: FileState | undefined): string {
  if (state === 'full') {
    return '/dev/full';
  }
  if (state === 'pipe') {
    execFileSync('mkfifo', [path]);
  } else {
    writeFileSync(path, '', { mode: state === 'read-only' ? 0o444 : 0o644 });
  }
  if (state === 'read-only' && isWritable(path)) {
    rmSync(path);
    mkdirSync(path);
  }
  return path;
}

function isWritable(path: string): boolean {
  try {
    appendFileSync(path, '');
    return true;
  } catch {
    return false;
  }
}

/** Writes files into a folder. Their names may be paths. */
export function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** The event that triggered the workflow run. */
export interface WorkflowEvent {
  name: string;
  payload: unknown;
}

/**
 * Returns the variables that a runner sets for a run in this folder, as far as anything may read
 * them. GitHub's API is a port that refuses connections.
 */
export function createEnvironment(folder: RunFolder, event: WorkflowEvent) {
  const eventPath = join(folder.root, 'temp', 'event.json');
  writeFileSync(eventPath, JSON.stringify(event.payload));
  const { PATH, HOME, SystemRoot } = process.env;
  return {
    ...{ PATH, HOME, SystemRoot },
    ...folder.files,
    CI: 'true',
    GITHUB_ACTION: '__self',
    // Empty for a local action, as `uses: ./`.
    GITHUB_ACTION_REF: '',
    GITHUB_ACTION_REPOSITORY: '',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: 'octocat',
    GITHUB_API_URL: 'http://127.0.0.1:9',
    GITHUB_EVENT_NAME: event.name,
    GITHUB_EVENT_PATH: eventPath,
    GITHUB_GRAPHQL_URL: 'http://127.0.0.1:9/graphql',
    GITHUB_JOB: 'docs',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_NAME: 'main',
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REPOSITORY: 'acme/widgets',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: '1234567890',
    GITHUB_RUN_NUMBER: '42',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_SHA: headSha,
    GITHUB_WORKFLOW: 'Documentation',
    GITHUB_WORKSPACE: folder.workspace,
    RUNNER_TEMP: join(folder.root, 'temp'),
  };
}
