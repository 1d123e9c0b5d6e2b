import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CommandError, runScript } from '../emulator/options.ts';
import { locateInstalled, runProgram, type Tool, tools, toolsFolder } from './tools.ts';

/** Installs the tools of tools.ts in `.tools`, side by side, unless the right version is there. */
await runScript(async () => {
  await Promise.all(
    tools.map(async (tool) => {
      if (isInstalled(tool)) {
        console.log(`${tool.name} ${tool.version} is installed`);
        return;
      }
      console.log(`Installing ${tool.name} ${tool.version}`);
      await install(tool);
      if (!isInstalled(tool)) {
        throw new CommandError(
          `${locateInstalled(tool.name)} was installed, but is not ${tool.version}`,
        );
      }
    }),
  );
  console.log(`They are in ${dirname(locateInstalled('act'))}, which isn't on the PATH.`);
});

function isInstalled({ name, version }: Tool): boolean {
  const file = locateInstalled(name);
  if (!existsSync(file)) {
    return false;
  }
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] === version;
}

/** Builds a tool with Go, or takes it from its Python package with pip. */
async function install({ version, source, name }: Tool): Promise<void> {
  const file = locateInstalled(name);
  if ('go' in source) {
    const env = { GOBIN: dirname(file) };
    await runProgram('go', ['install', `${source.go}@v${version}`], env);
    return;
  }
  const python = process.platform === 'win32' ? 'python' : 'python3';
  // pip replaces the whole bin folder of its target, so the package gets its own target.
  const target = join(toolsFolder, 'python');
  const options = ['--quiet', '--upgrade', '--no-deps', '--only-binary', ':all:'];
  await runProgram(
    python,
    ['-m', 'pip', 'install', ...options, '--target', target, `${source.pypi}==${version}`],
    { PIP_ROOT_USER_ACTION: 'ignore' },
  );
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(join(target, 'bin', basename(file)), file);
}
