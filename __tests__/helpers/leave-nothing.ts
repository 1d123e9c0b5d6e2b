import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives the tests their own temporary folder and no repository, and fails the run if a test leaves a file in it or a
 * process behind. Caches of compiled code don't count.
 */
export default function setUp(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'docs-agent-tests-')));
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) {
    process.env[name] = folder;
  }
  // A hook or a rebase names the repository, and git would use it in any folder.
  for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE']) {
    delete process.env[name];
  }
  return () => {
    const processes = listProcesses(folder);
    const names = readdirSync(folder).filter(
      (name) => !/^(?:tsx-.*|node-compile-cache)$/.test(name),
    );
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (names.length > 0 || processes.length > 0) {
      process.exitCode = 1;
      throw new Error(`The tests left behind: ${[...names, ...processes].join(', ')}`);
    }
  };
}

/**
 * Returns the processes with the folder in their environment or arguments, except the workers of
 * Vitest. Only Linux lists them.
 */
export function listProcesses(folder: string): string[] {
  if (process.platform !== 'linux') {
    return [];
  }
  const others = readdirSync('/proc').filter((id) => /^\d+$/.test(id) && id !== `${process.pid}`);
  return others.flatMap((id) => {
    const read = (file: string): string => readIfPossible(`/proc/${id}/${file}`);
    const command = read('cmdline').replaceAll('\0', ' ').trim();
    // A process that is ending no longer has a command line.
    const isOther = command !== '' && !command.includes('/vitest/');
    const isLeft = isOther && `${read('environ')} ${command}`.includes(folder);
    return isLeft ? [`process ${id} (${command})`] : [];
  });
}

/**
 * Returns the text of a file of `/proc`, or nothing if the process has ended meanwhile, or belongs
 * to another user.
 */
export function readIfPossible(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
