import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseOptions } from '../emulator/options.ts';
import {
  CommandError,
  locateInstalled,
  runProgram,
  runScript,
  type Tool,
  tools,
  toolsFolder,
} from './tools.ts';

/** Installs the tools of tools.ts in `.tools`, side by side, unless the right version is there. */
await runScript(async () => {
  const { values } = parseOptions({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    const names = tools.map(({ name, version }) => `${name} ${version}`).join(', ');
    console.log(`Installs ${names} in .tools.\n\nUsage: npm run tools`);
    return;
  }
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
});

function isInstalled({ name, version }: Tool): boolean {
  const file = locateInstalled(name);
  if (!existsSync(file)) return false;
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] === version;
}

/** Builds a tool with Go, or takes it from its Python package with pip. */
async function install({ version, source, name, homepage }: Tool): Promise<void> {
  if ('go' in source) {
    requireProgram(
      'go',
      ['version'],
      `Install Go (https://go.dev/dl/), or get ${name} from ${homepage}.`,
    );
    await runProgram('go', ['install', `${source.go}@v${version}`], {
      GOBIN: join(toolsFolder, 'bin'),
    });
    return;
  }
  const python = process.platform === 'win32' ? 'python' : 'python3';
  const advice = `Install Python with pip, or get ${name} from ${homepage}.`;
  requireProgram(python, ['-m', 'pip', '--version'], advice);
  const requirement = `${source.pypi}==${version}`;
  // pip replaces the whole bin folder of its target, so each tool gets its own target.
  const target = join(toolsFolder, 'python');
  const options = [
    '--quiet',
    '--upgrade',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--target',
    target,
  ];
  await runProgram(python, ['-m', 'pip', 'install', ...options, requirement], {
    PIP_ROOT_USER_ACTION: 'ignore',
  });
  const file = locateInstalled(name);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(join(target, 'bin', basename(file)), file);
}

function requireProgram(program: string, args: readonly string[], advice: string): void {
  if (spawnSync(program, args).status !== 0)
    throw new CommandError(`${program} does not run. ${advice}`);
}
