import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm run build` does: compiles and bundles the action into dist/, and the emulator's into dist/emulator/. */

const root = fileURLToPath(new URL('../', import.meta.url));
const build = join(root, 'build');
const dist = join(root, 'dist');

async function run(tool: string, ...args: readonly string[]): Promise<void> {
  const path = join(root, 'node_modules', tool);
  const child = spawn(process.execPath, [path, ...args], { cwd: root, stdio: 'inherit' });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) throw new Error(`${tool} ${args.join(' ')} failed`);
}

async function bundle(entry: string, folder: string, ...options: readonly string[]): Promise<void> {
  const ncc = '@vercel/ncc/dist/ncc/cli.js';
  await run(ncc, 'build', join(build, entry), '--out', folder, '--no-cache', '--quiet', ...options);
}

async function buildAction(): Promise<void> {
  // Compiled modules that say nothing of their type become a CommonJS bundle, which node starts sooner than a module.
  writeFileSync(join(build, 'package.json'), '{}\n');
  await run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
  await bundle('index.js', dist, '--license', 'licenses.txt');
  writeFileSync(join(dist, 'package.json'), '{\n  "type": "commonjs"\n}\n');
}

async function buildEmulator(): Promise<void> {
  writeFileSync(join(build, 'emulator', 'package.json'), '{\n  "type": "module"\n}\n');
  await run('typescript/bin/tsc', '-p', 'emulator');
  await bundle(join('emulator', 'background.js'), join(dist, 'emulator'));
}

rmSync(build, { recursive: true, force: true });
mkdirSync(join(build, 'emulator'), { recursive: true });
for (const name of readdirSync(dist).filter((file) => file.endsWith('.index.js'))) {
  rmSync(join(dist, name));
}
await Promise.all([buildAction(), buildEmulator()]);
