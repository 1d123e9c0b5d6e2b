import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Project } from './behavior.ts';

/** A mistake in the command line. The message says how to correct it. */
export class UsageError extends Error {}

/** Parses the command line. Throws a `UsageError` if an option is unknown. */
export function parseOptions<T extends ParseArgsConfig>(
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ');
    const names = Object.keys(config.options ?? {}).map((name) => `--${name}`);
    throw new UsageError(`${reason}. Options: ${names.join(', ')}.`);
  }
}

/** Returns the value as a number above 0; throws a `UsageError` otherwise. */
export function parseSpeed(value: string): number {
  const speed = value.trim() === '' ? Number.NaN : Number(value);
  if (speed > 0 && Number.isFinite(speed)) {
    return speed;
  }
  throw new UsageError(`--speed must be a number above 0, not "${value}".`);
}

/** Runs a command; a `UsageError` becomes one line on stderr and exit code 2. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    console.error(`error: ${error.message}`);
    process.exitCode = 2;
  }
}

/** Returns the pairs as lines of two aligned columns. */
export function formatTable(rows: readonly (readonly [string, string])[], indent: string): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${indent}${name.padEnd(width)}  ${text}`).join('\n');
}

/** Returns a table of the projects and their behavior. */
export function formatProjects(projects: readonly Project[]): string {
  return formatTable(
    projects.map(({ id, description }) => [id, description]),
    '  ',
  );
}
