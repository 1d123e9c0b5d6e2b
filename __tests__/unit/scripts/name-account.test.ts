import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/tools.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const folder = temporaryFolder('name-account');

function run(program: string, args: readonly string[], cwd = folder): string {
  // On Windows, npm is a script.
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
}

it('a release names the account in README, docs, and examples, and only once', () => {
  const files = run('git', ['ls-files', 'README.md', 'docs/*.md', 'examples'], root)
    .split('\n')
    .filter(Boolean);
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    // As before the first release.
    writeFileSync(join(folder, file), text.replace(/[\w-]+(?=\/docs-agent-action\b)/g, 'OWNER'));
  }
  for (const name of ['emulator', 'package.json', 'scripts']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  run('git', ['init', '--quiet']);
  run('git', ['add', ...files]);
  run('git', ['remote', 'add', 'origin', 'git@github.com:acme/docs-agent-action.git']);
  const release = ['version', '--no-git-tag-version', '--ignore-scripts=false'];
  const read = (): string =>
    files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');

  run('npm', [...release, '99.0.0']);
  const text = read();
  expect(text).toContain('uses: acme/docs-agent-action/node24@v1');
  expect(text).not.toMatch(/OWNER\//);

  run('git', ['remote', 'set-url', 'origin', 'https://github.com/another/docs-agent-action']);
  run('npm', [...release, '99.0.1']);
  expect(read()).toBe(text);
});
