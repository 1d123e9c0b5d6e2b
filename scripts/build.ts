import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, runScript } from '../emulator/options.ts';
import { root, runPackage } from './tools.ts';

/**
 * `npm run build`: checks the types of everything, then bundles the action into dist/, and the
 * action of the emulator into dist/emulator/.
 */
await runScript(async () => {
  const [build, dist] = [join(root, 'build'), join(root, 'dist')];
  for (const folder of [build, dist]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  const compile = ['--noEmit', 'false', '--rootDir', '.', '--outDir', build, '--removeComments'];
  await runPackage('typescript/bin/tsc', ...compile);
  // src/packages.ts imports from `../node_modules`.
  symlinkSync(join(root, 'node_modules'), join(build, 'node_modules'), 'junction');
  // Compiled modules without a type become a CommonJS bundle, which node starts sooner than a
  // module.
  writeFileSync(join(build, 'package.json'), '{}\n');
  writeFileSync(join(build, 'emulator', 'package.json'), '{\n  "type": "module"\n}\n');
  await Promise.all([
    bundle(join(build, 'src', 'main.js'), dist),
    bundle(join(build, 'emulator', 'background.js'), join(dist, 'emulator')),
  ]);
  writeFileSync(join(dist, 'package.json'), '{\n  "type": "commonjs"\n}\n');
  writeFileSync(join(dist, 'licenses.txt'), renderLicenses());
});

function bundle(entry: string, folder: string): Promise<void> {
  const options = ['--out', folder, '--no-cache', '--quiet'];
  return runPackage('@vercel/ncc/dist/ncc/cli.js', 'build', entry, ...options);
}

/** Returns name, version, and license of each dependency. A test finds others in the bundle. */
function renderLicenses(): string {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const texts = Object.keys(dependencies).map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.\w+)?$/i.test(entry));
    if (file === undefined) {
      throw new CommandError(`${name} has no license file: ${folder}`);
    }
    const text = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
    return `${name} ${version}\n${license}\n${text}\n`;
  });
  return texts.join('\n');
}
