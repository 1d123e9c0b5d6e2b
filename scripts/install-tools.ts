import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runScript } from '../emulator/options.ts';
import { locateInstalled, runProgram, type Tool, tools, toolsFolder } from './tools.ts';

/** Installs the tools of tools.ts in `.tools`, side by side, unless the right version is there. */
await runScript(async () => {
  await Promise.all(
    tools.map(async (tool) => {
      const file = locateInstalled(tool.name);
      const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
      if (/\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0] !== tool.version) {
        console.log(`Installing ${tool.name} ${tool.version}`);
        await install(tool, file);
      }
      console.log(`${tool.name} ${tool.version} is at ${file}`);
    }),
  );
});

/** Builds a tool with Go, or takes it from its Python package with pip. */
async function install({ name, version, module }: Tool, file: string): Promise<void> {
  if (module !== undefined) {
    await runProgram('go', ['install', `${module}@v${version}`], { GOBIN: dirname(file) });
    return;
  }
  const python = process.platform === 'win32' ? 'python' : 'python3';
  // pip replaces the whole bin folder of its target, so the package gets its own target.
  const target = join(toolsFolder, 'python');
  const options = ['--quiet', '--upgrade', '--no-deps', '--only-binary', ':all:'];
  await runProgram(
    python,
    ['-m', 'pip', 'install', ...options, '--target', target, `${name}==${version}`],
    { PIP_ROOT_USER_ACTION: 'ignore' },
  );
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(join(target, 'bin', basename(file)), file);
}
