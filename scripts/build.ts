import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm run build` does: compiles and bundles the action into dist/, and the emulator's into dist/emulator/. */

const root = fileURLToPath(new URL('../', import.meta.url));
const build = join(root, 'build');
const dist = join(root, 'dist');

function run(tool: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [join(root, 'node_modules', tool), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
}

function bundle(entry: string, folder: string, ...options: readonly string[]): void {
  run(
    '@vercel/ncc/dist/ncc/cli.js',
    'build',
    join(build, entry),
    '--out',
    folder,
    '--no-cache',
    '--quiet',
    ...options,
  );
}

rmSync(build, { recursive: true, force: true });
mkdirSync(build);
for (const name of readdirSync(dist).filter((file) => file.endsWith('.index.js'))) {
  rmSync(join(dist, name));
}

// Compiled modules that say nothing of their type become a CommonJS bundle, which node starts sooner than a module.
writeFileSync(join(build, 'package.json'), '{}\n');
run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
bundle('index.js', dist, '--license', 'licenses.txt');
writeFileSync(join(dist, 'package.json'), '{\n  "type": "commonjs"\n}\n');

rmSync(join(build, 'package.json'));
run('typescript/bin/tsc', '-p', 'emulator');
bundle(join('emulator', 'background.js'), join(dist, 'emulator'));
