import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Project } from './replies.ts';

/** An error of which users see only the message, without a stack. */
export class CommandError extends Error {}

/** Runs a script. A `CommandError` becomes one line on stderr and exit code 1. */
export async function runScript(script: () => void | Promise<void>): Promise<void> {
  try {
    await script();
  } catch (error) {
    if (!(error instanceof CommandError)) {
      throw error;
    }
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  }
}

/**
 * Runs a script with the arguments of the command line, or shows its usage for `--help`. An unknown
 * option is an error.
 */
export function runCommand<T extends ParseArgsConfig>(
  usage: string,
  config: T,
  command: (parsed: ReturnType<typeof parseArgs<T>>) => void | Promise<void>,
): Promise<void> {
  return runScript(() => {
    if (process.argv.slice(2).some((argument) => ['--help', '-h'].includes(argument))) {
      console.log(usage);
      return;
    }
    return command(parse(config));
  });
}

function parse<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ');
    const names = [...Object.keys(config.options ?? {}), 'help'].map((name) => `--${name}`);
    throw new CommandError(`${reason}. Options: ${names.join(', ')}.`);
  }
}

/** Returns the value as a number above 0; throws a `CommandError` otherwise. */
export function parseSpeed(value: string): number {
  const speed = Number(value);
  if (speed > 0 && Number.isFinite(speed)) {
    return speed;
  }
  throw new CommandError(`--speed must be a number above 0, not "${value}".`);
}

/** Returns the pairs as lines of two aligned columns. */
export function formatTable(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}

/** Returns a table of the projects and their behavior. */
export function formatProjects(projects: readonly Project[]): string {
  return formatTable(projects.map(({ id, description }) => [id, description]));
}
