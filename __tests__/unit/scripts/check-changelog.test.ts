import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runHere } from '../../helpers/run-here.ts';

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
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch', 'main', folder]);
  vi.stubEnv('GIT_DIR', folder);
  execFileSync('git', ['fast-import', '--quiet'], { input });
  return runHere('scripts/check-changelog.ts', base);
}

afterEach(() => vi.unstubAllEnvs());

describe('check-changelog', () => {
  it.each([
    ['nothing that users run has changed', ['docs/reuse.md', '__tests__/unit/a.test.ts'], 'Explain'],
    ['the changelog has changed, too', ['src/run.ts', 'CHANGELOG.md'], 'Wait longer'],
    ['a commit says that users notice nothing', ['src/run.ts'], 'Move it\n\nChangelog: none, a refactoring'],
  ])('passes if %s', async (_, files, message) => {
    expect(await check(files, message)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('fails and lists what has changed without it', async () => {
    const files = ['action.yml', 'emulator/action.yml', 'src/job/job.ts'];
    const message = 'See the changelog: none of it is there';
    const { exitCode, stderr } = await check([...files, 'docs/reuse.md'], message);
    expect(stderr).toContain(`these files changed:\n${files.join('\n')}\nSay`);
    expect(exitCode).toBe(1);
  });

  it('says what is wrong with an unknown base', async () => {
    const { exitCode, stderr } = await check([], 'Nothing', 'no-such-base');
    expect(stderr).toMatch(/^error: git diff .* failed: .*no-such-base/);
    expect(exitCode).toBe(1);
  });
});
