import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const script = fileURLToPath(new URL('../../../scripts/check-changelog.ts', import.meta.url));
const tsx = import.meta.resolve('tsx');

/** Commits the files to a repository on top of its base, and checks it. */
function check(files: readonly string[], message: string, base = 'base') {
  const folder = mkdtempSync(join(tmpdir(), 'changelog-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const author = ['-c', 'user.name=octocat', '-c', 'user.email=octocat@example.invalid'];
  const git = (...args: string[]): string =>
    execFileSync('git', [...author, ...args], { cwd: folder, encoding: 'utf8' });
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message', 'Start');
  git('tag', 'base');
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), file);
  }
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', message);
  return spawnSync(process.execPath, ['--import', tsx, script, base], { cwd: folder, encoding: 'utf8' });
}

describe('check-changelog', () => {
  it.each([
    ['nothing that users run has changed', ['docs/reuse.md', '__tests__/unit/a.test.ts'], 'Explain'],
    ['the changelog has changed, too', ['src/run.ts', 'CHANGELOG.md'], 'Wait longer'],
    [
      'a commit says that users notice nothing',
      ['src/run.ts'],
      'Move a function\n\nChangelog: none, a refactoring',
    ],
  ])('passes if %s', (_, files, message) => {
    expect(check(files, message)).toMatchObject({ status: 0, stderr: '' });
  });

  it.each(['src/job/job.ts', 'action.yml', 'emulator/action.yml'])('fails if only %s has changed', (file) => {
    const { status, stderr } = check([file], 'Change it. See the changelog: none of it is there');
    expect(stderr).toContain(file);
    expect(status).toBe(1);
  });

  it('says what is wrong with an unknown base', () => {
    const { status, stderr } = check([], 'Nothing', 'no-such-base');
    expect(stderr).toMatch(/^error: git diff .* failed: .*no-such-base/);
    expect(status).toBe(1);
  });
});
