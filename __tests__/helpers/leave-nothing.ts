import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives the tests a temporary folder of their own, and fails the run if a test leaves something in it or a process
 * behind. The caches of compiled code that are kept there do not count.
 */
export default function setUp(): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'docs-agent-tests-')));
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  process.env['QUICK_START'] = join(folder, 'quick-start');
  mkdirSync(process.env['QUICK_START']);
  return () => {
    const processes = listProcesses(folder);
    const names = readdirSync(folder).filter(
      (name) => !/^(?:tsx-.*|node-compile-cache|quick-start)$/.test(name),
    );
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (names.length > 0 || processes.length > 0) {
      process.exitCode = 1;
      throw new Error(`The tests left behind: ${[...names, ...processes].join(', ')}`);
    }
  };
}

/** The processes whose environment names the folder, except the workers of Vitest; only Linux lists them. */
function listProcesses(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  const read = (id: string, file: string): string => {
    try {
      return readFileSync(`/proc/${id}/${file}`, 'utf8').replaceAll('\0', ' ').trim();
    } catch {
      // The process has ended meanwhile, or belongs to somebody else.
      return '';
    }
  };
  return (
    readdirSync('/proc')
      .filter((id) => /^\d+$/.test(id) && id !== String(process.pid) && read(id, 'environ').includes(folder))
      .map((id) => ({ id, command: read(id, 'cmdline') }))
      // A process that is just ending has no command line any more.
      .filter(({ command }) => command !== '' && !command.includes('/vitest/'))
      .map(({ id, command }) => `process ${id} (${command})`)
  );
}
