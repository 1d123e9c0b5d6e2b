import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from '../emulator/options.ts';
import { findPackages, renderLicenses } from './licenses.ts';
import { root, runPackage } from './tools.ts';

/**
 * `npm run build`: compiles and bundles the action into dist/, and the action of the emulator into
 * dist/emulator/.
 */

const build = join(root, 'build');
const dist = join(root, 'dist');

/** Bundles an entry and returns the folders of the packages in it. */
async function bundle(entry: string, folder: string): Promise<string[]> {
  const stats = join(build, `${entry}.stats.json`);
  const options = ['--out', folder, '--no-cache', '--quiet', '--stats-out', stats];
  await runPackage('@vercel/ncc/dist/ncc/cli.js', 'build', join(build, entry), ...options);
  return findPackages(JSON.parse(readFileSync(stats, 'utf8')));
}

async function buildAction(): Promise<string[]> {
  // Compiled modules without a type become a CommonJS bundle, which node starts sooner than a
  // module.
  writeFileSync(join(build, 'package.json'), '{}\n');
  await runPackage('typescript/bin/tsc', '-p', 'tsconfig.build.json');
  const packages = await bundle('index.js', dist);
  writeFileSync(join(dist, 'package.json'), '{\n  "type": "commonjs"\n}\n');
  return packages;
}

async function buildEmulator(): Promise<string[]> {
  writeFileSync(join(build, 'emulator', 'package.json'), '{\n  "type": "module"\n}\n');
  await runPackage('typescript/bin/tsc', '-p', 'emulator');
  return bundle(join('emulator', 'background.js'), join(dist, 'emulator'));
}

await runScript(async () => {
  for (const folder of [build, dist]) {
    rmSync(folder, { recursive: true, force: true });
  }
  mkdirSync(join(build, 'emulator'), { recursive: true });
  const packages = await Promise.all([buildAction(), buildEmulator()]);
  writeFileSync(join(dist, 'licenses.txt'), renderLicenses(packages.flat()));
});
