import { execFileSync } from 'node:child_process';
import { CommandError, runScript } from './tools.ts';

/**
 * Fails if a commit since a base (an argument, else `origin/main`) is a `feat` or a `fix`, and no commit changes
 * CHANGELOG.md. A commit that users don't notice has a line `Changelog: none` in its message.
 */
await runScript(() => {
  const [base = 'origin/main'] = process.argv.slice(2);
  const messages = git('log', '-z', '--format=%B', `${base}..HEAD`).split('\0');
  const subjects = messages
    .filter((message) => /^(?:feat|fix)(?:\([^)]+\))?!?: /.test(message))
    .filter((message) => !/^Changelog: none\b/im.test(message))
    .map((message) => message.split('\n')[0]);
  const hasEntry = git('diff', '--name-only', `${base}...HEAD`, '--', 'CHANGELOG.md') !== '';
  if (subjects.length > 0 && !hasEntry) {
    throw new CommandError(
      `CHANGELOG.md has no new line for these commits:\n${subjects.join('\n')}\n` +
        'Add a line for users under "Unreleased", or, if they notice nothing, "Changelog: none" to the commit message.',
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
