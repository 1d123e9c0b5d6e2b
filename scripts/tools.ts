import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../emulator/options.ts';

export type ToolName = 'act' | 'actionlint' | 'zizmor';

/** A tool that is not an npm package. */
export interface Tool {
  readonly name: ToolName;
  readonly version: string;
  /** The Go module that it is built from, or the PyPI package that holds its binary. */
  readonly source: { readonly go: string } | { readonly pypi: string };
  /** The page to get it from without `npm run tools`. */
  readonly homepage: string;
}

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The folder of `npm run tools`. Not part of the repository. */
export const toolsFolder = join(root, '.tools');

export const tools: readonly Tool[] = [
  {
    name: 'act',
    version: '0.2.89',
    source: { go: 'github.com/nektos/act' },
    homepage: 'https://nektosact.com/installation/',
  },
  {
    name: 'actionlint',
    version: '1.7.12',
    source: { go: 'github.com/rhysd/actionlint/cmd/actionlint' },
    homepage: 'https://github.com/rhysd/actionlint/blob/main/docs/install.md',
  },
  {
    name: 'zizmor',
    version: '1.32.0',
    source: { pypi: 'zizmor' },
    homepage: 'https://docs.zizmor.sh/installation/',
  },
];

/**
 * Returns the path of a tool: in `.tools`, or on the PATH. Throws a `CommandError` that says how to
 * get it.
 */
export function findTool(name: ToolName): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = [locateInstalled(name), ...folders.map((folder) => join(folder, toFileName(name)))];
  const found = paths.find((file) => existsSync(file));
  if (found !== undefined) {
    return found;
  }
  const tool = tools.find((candidate) => candidate.name === name);
  throw new CommandError(
    `${name} is missing. Install it with "npm run tools" (needs Go and Python), or get version ` +
      `${tool?.version} from ${tool?.homepage} and put it on the PATH.`,
  );
}

/** Returns the path that `npm run tools` installs a tool at. */
export function locateInstalled(name: ToolName): string {
  return join(toolsFolder, 'bin', toFileName(name));
}

function toFileName(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}

/**
 * Runs a program to its end and shows its output. Rejects with a `CommandError` if it fails or
 * can't be run.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  const [status] = await once(child, 'close').catch((error: Error) => {
    throw new CommandError(`Can't run ${program}: ${error.message}`);
  });
  if (status !== 0) {
    throw new CommandError(`${program} ${args.join(' ')} ended with exit code ${status}`);
  }
}

/** Runs a script of an installed package as `runProgram` does. */
export function runPackage(script: string, ...args: readonly string[]): Promise<void> {
  return runProgram(process.execPath, [join(root, 'node_modules', script), ...args]);
}
