import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../emulator/options.ts';

/** A tool that is not an npm package. */
export interface Tool {
  readonly name: 'act' | 'actionlint' | 'zizmor';
  readonly version: string;
  /** The Go module that it is built from. By default, the PyPI package of its name holds it. */
  readonly module?: string;
}

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The folder of `npm run tools`. Not part of the repository. */
export const toolsFolder = join(root, '.tools');

export const tools: readonly Tool[] = [
  { name: 'act', version: '0.2.89', module: 'github.com/nektos/act' },
  { name: 'actionlint', version: '1.7.12', module: 'github.com/rhysd/actionlint/cmd/actionlint' },
  { name: 'zizmor', version: '1.32.0' },
];

/** Returns the workflows that people copy as they stand. Paths are relative to the root. */
export function readExamples(): { path: string; text: string }[] {
  return readdirSync(join(root, 'examples')).map((name) => ({
    path: `examples/${name}`,
    text: readFileSync(join(root, 'examples', name), 'utf8'),
  }));
}

/** Returns the path of a tool: in `.tools`, or on the PATH. */
export function findTool(name: Tool['name']): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = [locateInstalled(name), ...folders.map((folder) => join(folder, name))];
  const found = paths.find((file) => existsSync(file));
  if (found === undefined) {
    throw new CommandError(`${name} is missing. Run "npm run tools", which needs Go and Python.`);
  }
  return found;
}

/** Returns the path that `npm run tools` installs a tool at. */
export function locateInstalled(name: Tool['name']): string {
  return join(toolsFolder, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
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
