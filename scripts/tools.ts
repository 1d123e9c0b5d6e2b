import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../emulator/options.ts';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The folder of `npm run tools`. Not part of the repository. */
export const toolsFolder = join(root, '.tools');

/** Returns the workflows that people copy as they stand. Paths are relative to the root. */
export function readExamples(): { path: string; text: string }[] {
  return readdirSync(join(root, 'examples')).map((name) => ({
    path: `examples/${name}`,
    text: readFileSync(join(root, 'examples', name), 'utf8'),
  }));
}

/** Returns the recipe for release tools, once for each other tool in the documentation. */
export function readReleaseTools(): { path: string; text: string }[] {
  const recipe = readFileSync(join(root, 'examples', 'release-tool.yml'), 'utf8');
  const page = readFileSync(join(root, 'docs', 'recipes.md'), 'utf8');
  const parts = page.matchAll(/^```yaml\n( {4}outputs:[\s\S]*?- id: (\S+)[\s\S]*?)^```$/gm);
  return [...parts].map(([, part = '', tool]) => ({
    path: `release-tool.yml with ${tool}`,
    text: recipe.replace(/^ {4}outputs:[\s\S]*?(?=^ {2}docs:)/m, () => part),
  }));
}

/** Returns the path of a tool that `npm run tools` has installed, or throws a `CommandError`. */
export function findTool(name: 'act' | 'actionlint' | 'zizmor'): string {
  const file = join(toolsFolder, 'bin', name);
  if (!existsSync(file)) {
    throw new CommandError(`${name} is missing. Run "npm run tools", which needs Go and Python.`);
  }
  return file;
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
