import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { adminKey } from '../../../emulator/keys.ts';
import { startProcess } from '../../harness/process.ts';

// Outside the folder of the project.
function runDemo(...options: string[]) {
  const path = fileURLToPath(new URL('../../../scripts/demo.ts', import.meta.url));
  const args = ['--import', import.meta.resolve('tsx'), path, '--speed', '5', ...options];
  return startProcess({ args, env: process.env, cwd: '/' }).ended;
}

it('the demo runs the built action and shows its log, outputs, summary, and counts', async () => {
  const { stdout, stderr, exitCode } = await runDemo();
  expect(stderr).toBe('');
  expect(stdout.match(/Update the documentation for this release\./g)).toHaveLength(1);
  expect(stdout).toMatch(/\n {2}job-result +pull-request-opened\n/);
  expect(stdout).toMatch(/── Job summary ─+\n## .*Documentation pull request opened\n/);
  expect(stdout).toContain(', open, +43 −6 in 2 files');
  expect(stdout).toContain('\n1 create request (1 job started), ');
  expect(stdout).toContain('npm start -- --project failing');
  expect(stdout).not.toContain(adminKey);
  expect(exitCode).toBe(0);
});

it('the demo ends with a hint at another end than its own', async () => {
  const { stdout, exitCode } = await runDemo('--project', 'failing');
  expect(stdout).toMatch(/\n {2}job-result +failed\n/);
  expect(stdout).toContain('npm start -- --project no-change');
  expect(exitCode).toBe(1);
});
