import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runPackage, runScript } from './tools.ts';

/** What `npm run build` does: compiles and bundles the action into dist/, and the emulator's into dist/emulator/. */

const build = join(root, 'build');
const dist = join(root, 'dist');

async function bundle(entry: string, folder: string, ...options: readonly string[]): Promise<void> {
  const args = ['build', join(build, entry), '--out', folder, '--no-cache', '--quiet', ...options];
  await runPackage('@vercel/ncc/dist/ncc/cli.js', ...args);
}

async function buildAction(): Promise<void> {
  // Compiled modules that say nothing of their type become a CommonJS bundle, which node starts sooner than a module.
  writeFileSync(join(build, 'package.json'), '{}\n');
  await runPackage('typescript/bin/tsc', '-p', 'tsconfig.build.json');
  await bundle('index.js', dist, '--license', 'licenses.txt');
  writeFileSync(join(dist, 'package.json'), '{\n  "type": "commonjs"\n}\n');
}

async function buildEmulator(): Promise<void> {
  writeFileSync(join(build, 'emulator', 'package.json'), '{\n  "type": "module"\n}\n');
  await runPackage('typescript/bin/tsc', '-p', 'emulator');
  await bundle(join('emulator', 'background.js'), join(dist, 'emulator'));
}

await runScript(async () => {
  rmSync(build, { recursive: true, force: true });
  mkdirSync(join(build, 'emulator'), { recursive: true });
  for (const name of readdirSync(dist).filter((file) => file.endsWith('.index.js'))) {
    rmSync(join(dist, name));
  }
  await Promise.all([buildAction(), buildEmulator()]);
});
