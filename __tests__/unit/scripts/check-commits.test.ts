import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { writeFiles } from '../../../harness/action-environment.ts';
import { startProcess } from '../../../harness/process.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const temp = temporaryFolder('commits');
const repository = join(temp, 'repository');
const author = ['-c', 'user.name=octocat', '-c', 'user.email=octocat@example.invalid'];

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: repository, stdio: 'ignore' });
}

function commit(subject: string, files: Record<string, string>): void {
  writeFiles(repository, files);
  git('add', '--all');
  git(...author, 'commit', '--message', subject);
}

function check(cwd: string) {
  const script = fileURLToPath(new URL('../../../scripts/check-commits.ts', import.meta.url));
  const args = ['--import', import.meta.resolve('tsx'), script];
  return startProcess({ args, cwd, env: { ...process.env, BASE: undefined } }).ended;
}

it('the check names the commits since the newest tag that lack their bundle', async () => {
  writeFiles(repository, { 'README.md': 'Read me' });
  git('init', '--initial-branch', 'main');
  commit('old', { 'src/a.ts': 'let a = 1;' });
  git('tag', 'v0.1.0');
  commit('types and comments', { 'src/a.ts': '/** A number. */\nlet a: number = 1;' });
  commit('complete', { 'src/a.ts': 'let a = 2;', 'dist/index.js': 'a=2' });
  commit('the wrong bundle', { 'src/a.ts': 'let a = 3;', 'dist/emulator/index.js': '' });
  commit('not bundled', { 'emulator/cli.ts': 'let c = 1;' });
  commit('last', { 'emulator/server.ts': 'let s = 1;' });
  const { exitCode, stdout, stderr } = await check(repository);
  expect(stdout).toBe('5 commits checked\n');
  expect(stderr).toMatch(/in each:\n\w+ the wrong bundle\n\w+ last\n$/);
  expect(exitCode).toBe(1);
});
