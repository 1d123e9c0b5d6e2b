import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runScript } from '../emulator/options.ts';
import { runProgram, toolsFolder } from './tools.ts';

/** The tools that are not npm packages: Go modules, or without a module, a package of Python. */
const tools = [
  { name: 'act', version: '0.2.89', module: 'github.com/nektos/act' },
  { name: 'actionlint', version: '1.7.12', module: 'github.com/rhysd/actionlint/cmd/actionlint' },
  { name: 'zizmor', version: '1.32.0' },
];
const folder = join(toolsFolder, 'bin');

/** Installs the tools in `.tools`, side by side, unless the right version is there. */
await runScript(async () => {
  mkdirSync(folder, { recursive: true });
  await Promise.all(
    tools.map(async ({ name, version, module }) => {
      const { stdout } = spawnSync(join(folder, name), ['--version'], { encoding: 'utf8' });
      if (/\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0] === version) {
        return;
      }
      console.log(`Installing ${name} ${version}`);
      await (module === undefined
        ? installFromPython(name, version)
        : runProgram('go', ['install', `${module}@v${version}`], { GOBIN: folder }));
    }),
  );
});

async function installFromPython(name: string, version: string): Promise<void> {
  // pip replaces the whole bin folder of its target, so the package gets its own target.
  const target = join(toolsFolder, 'python');
  const options = ['--quiet', '--upgrade', '--no-deps', '--only-binary', ':all:'];
  await runProgram(
    'python3',
    ['-m', 'pip', 'install', ...options, '--target', target, `${name}==${version}`],
    { PIP_ROOT_USER_ACTION: 'ignore' },
  );
  copyFileSync(join(target, 'bin', name), join(folder, name));
}
