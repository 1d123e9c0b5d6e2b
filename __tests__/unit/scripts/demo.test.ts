import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { adminKey } from '../../../emulator/keys.ts';
import { startProcess } from '../../../harness/process.ts';
import { eventually } from '../../helpers/eventually.ts';

/** Runs the demo in a process, outside the folder of the project. */
function run(...args: string[]) {
  const path = fileURLToPath(new URL('../../../scripts/demo/demo.ts', import.meta.url));
  const node = ['--import', import.meta.resolve('tsx'), path];
  return startProcess({ args: [...node, ...args], env: process.env, cwd: '/' });
}

describe('the demo', { concurrent: true }, () => {
  const isWindows = process.platform === 'win32';

  it('runs the built action and shows its log, outputs, summary, and counts', async () => {
    const { stdout, stderr, exitCode } = await run('--speed', '5').ended;
    expect(stderr).toBe('');
    expect(stdout.match(/Update the documentation for this release\./g)).toHaveLength(1);
    expect(stdout).toMatch(/\n {2}job-result +pull-request-opened\n/);
    expect(stdout).toMatch(
      /── Job summary ─+\n## .*Documentation pull request opened\n[\s\S]*, open, \+43 −6 in 2 files\n/,
    );
    expect(stdout).toMatch(
      /\n1 create request \(1 job started\), \d polls?, 0 follow-ups, 0 refusals, 0 scripted/,
    );
    expect(stdout).not.toContain(adminKey);
    expect(exitCode).toBe(0);
  });

  it.skipIf(isWindows)('cancels the action on Ctrl+C and still shows its result', async () => {
    const { child, output, ended } = run('--project', 'endless');
    await eventually(() => expect(output.stdout).toContain('waiting'));
    child.kill('SIGINT');
    const { stdout, exitCode } = await ended;
    expect(stdout).toMatch(/\n {2}job-result +cancelled\n/);
    expect(stdout).toMatch(/── Job summary ─+\n## .*Canceled, .*\n/);
    expect(exitCode).toBe(1);
  });
});
