import { randomUUID } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';

/** Runs a script of the project in this process, in a test that is not concurrent. */
export async function runHere(path: string, ...args: string[]) {
  const { argv, exitCode } = process;
  onTestFinished(() => {
    vi.restoreAllMocks();
    Object.assign(process, { argv, exitCode });
  });
  const stdout = vi.spyOn(console, 'log').mockReturnValue();
  const stderr = vi.spyOn(console, 'error').mockReturnValue();
  process.argv = [...argv.slice(0, 2), ...args];
  process.exitCode = 0;
  // A module runs only once. The query makes it a new one.
  await import(`${new URL(`../../${path}`, import.meta.url)}?${randomUUID()}`);
  const [printed, failed] = [stdout, stderr].map(({ mock }) => mock.calls.join('\n'));
  return { stdout: printed, stderr: failed, exitCode: process.exitCode };
}
