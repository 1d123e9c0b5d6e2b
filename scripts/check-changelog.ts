import { execFileSync } from 'node:child_process';
import { CommandError, runScript } from './tools.ts';

/**
 * Fails if the commits since a base (an argument, else `origin/main`) change what users run, but not CHANGELOG.md. A
 * change that users don't notice says so with a line `Changelog: none` in one of its commit messages.
 */
const USER_FACING = ['action.yml', 'emulator/action.yml', 'src'];

await runScript(() => {
  const [base = 'origin/main'] = process.argv.slice(2);
  const range = `${base}...HEAD`;
  const listChanged = (...paths: string[]): string =>
    git('diff', '--name-only', range, '--', ...paths).trim();
  const changed = listChanged(...USER_FACING);
  const isExempt = /^Changelog: none\b/im.test(git('log', '--format=%B', `${base}..HEAD`));
  if (changed !== '' && !isExempt && listChanged('CHANGELOG.md') === '') {
    throw new CommandError(
      `CHANGELOG.md has no new line, but these files changed:\n${changed}\n` +
        'Say under "Unreleased" what users will notice. If they notice nothing, write "Changelog: none" in a commit message.',
    );
  }
});

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new CommandError(`git ${args.join(' ')} failed: ${reason}`);
  }
}
