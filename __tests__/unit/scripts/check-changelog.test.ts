import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runHere } from '../../helpers/run-here.ts';

/** Returns a commit to the branch `main` in the format of `git fast-import`. */
function toCommit(message: string, file: string): string[] {
  const author = 'committer octocat <octocat@example.invalid> 0 +0000';
  const change = `M 644 inline ${file}\ndata 0\n`;
  return ['commit refs/heads/main', author, `data ${message.length}`, message, change];
}

/** Checks a repository with these commits since its base. Each one changes its own file. */
function check(messages: readonly string[], { file = 'src/run.ts', base = 'base' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'changelog-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tag = ['reset refs/tags/base', 'from refs/heads/main', ''];
  const commits = messages.flatMap((message, index) =>
    toCommit(message, index === 0 ? file : `src/${index}.ts`),
  );
  const input = [...toCommit('feat: start', 'action.yml'), ...tag, ...commits].join('\n');
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch', 'main', folder]);
  vi.stubEnv('GIT_DIR', folder);
  execFileSync('git', ['fast-import', '--quiet'], { input });
  return runHere('scripts/check-changelog.ts', base);
}

afterEach(() => vi.unstubAllEnvs());

describe('check-changelog', () => {
  it.each([
    [
      'no commit is a feat or a fix',
      ['refactor: move it', 'docs: explain the fix: wait', 'fixture: add one'],
      {},
    ],
    ['the changelog has a new line', ['fix: wait longer', 'feat: wait'], { file: 'CHANGELOG.md' }],
    ['a fix has the trailer `Changelog: none`', ['fix: name the file\n\nChangelog: none, a comment'], {}],
  ])('passes if %s', async (_, messages, options) => {
    expect(await check(messages, options)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('fails and lists each feat and fix without a line', async () => {
    const wanted = ['feat(inputs)!: rename paths', 'fix: wait longer'];
    const exempt = ['test: wait', 'fix: rename\n\nChangelog: none'];
    const { exitCode, stderr } = await check([...wanted.map((subject) => `${subject}\n\nWhy.`), ...exempt]);
    // Newest first, as git lists them.
    expect(stderr).toContain(`these commits:\n${wanted.toReversed().join('\n')}\nAdd`);
    expect(exitCode).toBe(1);
  });

  it('explains an unknown base', async () => {
    const { exitCode, stderr } = await check([], { base: 'no-such-base' });
    expect(stderr).toMatch(/^error: git log .* failed: .*no-such-base/);
    expect(exitCode).toBe(1);
  });
});
