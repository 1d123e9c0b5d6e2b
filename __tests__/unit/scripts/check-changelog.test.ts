import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const script = fileURLToPath(new URL('../../../scripts/check-changelog.ts', import.meta.url));
const tsx = import.meta.resolve('tsx');

/** A commit to the branch `main`, as `git fast-import` reads it. */
function toCommit(files: readonly string[], message: string): string[] {
  const author = 'committer octocat <octocat@example.invalid> 0 +0000';
  const changes = files.map((file) => `M 644 inline ${file}\ndata 0\n`);
  return ['commit refs/heads/main', author, `data ${message.length}`, message, ...changes];
}

/** Checks a repository in which one commit has changed the files since its base. */
function check(files: readonly string[], message: string, base = 'base') {
  const folder = mkdtempSync(join(tmpdir(), 'changelog-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tag = ['reset refs/tags/base', 'from refs/heads/main', ''];
  const input = [...toCommit([], 'Start'), ...tag, ...toCommit(files, message)].join('\n');
  execFileSync('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: folder });
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, input });
  return spawnSync(process.execPath, ['--import', tsx, script, base], { cwd: folder, encoding: 'utf8' });
}

describe('check-changelog', () => {
  it.each([
    ['nothing that users run has changed', ['docs/reuse.md', '__tests__/unit/a.test.ts'], 'Explain'],
    ['the changelog has changed, too', ['src/run.ts', 'CHANGELOG.md'], 'Wait longer'],
    ['a commit says that users notice nothing', ['src/run.ts'], 'Move it\n\nChangelog: none, a refactoring'],
  ])('passes if %s', (_, files, message) => {
    expect(check(files, message)).toMatchObject({ status: 0, stderr: '' });
  });

  it('fails and lists what has changed without it', () => {
    const files = ['action.yml', 'emulator/action.yml', 'src/job/job.ts'];
    const { status, stderr } = check([...files, 'docs/reuse.md'], 'See the changelog: none of it is there');
    expect(stderr).toContain(`these files changed:\n${files.join('\n')}\nSay`);
    expect(status).toBe(1);
  });

  it('says what is wrong with an unknown base', () => {
    const { status, stderr } = check([], 'Nothing', 'no-such-base');
    expect(stderr).toMatch(/^error: git diff .* failed: .*no-such-base/);
    expect(status).toBe(1);
  });
});
