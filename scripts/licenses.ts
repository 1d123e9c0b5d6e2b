import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../emulator/options.ts';

interface Module {
  /** Path of the file. */
  readonly nameForCondition?: string | null;
  /** The modules that were joined into this one. */
  readonly modules?: readonly Module[];
}

/**
 * Returns the folders of the packages that a bundle is built from, given the statistics of the
 * bundler.
 */
export function findPackages({ modules = [] }: Module): string[] {
  const folders = modules.flatMap((module) => {
    const [folder] =
      /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module.nameForCondition ?? '') ??
      [];
    return [...(folder === undefined ? [] : [folder]), ...findPackages(module)];
  });
  return [...new Set(folders)];
}

/**
 * Returns name, version, and license of each package. Throws a `CommandError` if a package comes
 * without its license.
 */
export function renderLicenses(folders: readonly string[]): string {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const file = readdirSync(folder).find((entry) =>
      /^(?:licen[cs]e|copying)(?:\.\w+)?$/i.test(entry),
    );
    const text =
      file === undefined
        ? ''
        : readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
    if (text === '') {
      throw new CommandError(`${name} is bundled, but has no license file: ${folder}`);
    }
    return `${name} ${version}\n${license}\n${text}\n`;
  });
  return [...new Set(texts)].sort().join('\n');
}
