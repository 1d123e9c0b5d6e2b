import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { CommandError, runScript } from '../emulator/options.ts';

/** The files that name the account, as pathspecs. */
const FILES = ['.github', 'README.md', 'docs', 'examples'];
/** The account before the first release. */
const PLACEHOLDER = 'OWNER/';

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function findAccount(): string {
  const url = git('remote', 'get-url', 'origin').trim();
  const account = /[/:]([\w-]+)\/[^/]+$/.exec(url)?.[1];
  if (account === undefined) {
    throw new CommandError(`the remote origin, ${url}, is no repository of an account`);
  }
  return account;
}

/**
 * Writes the account of the remote `origin` in place of the placeholder. `npm version` runs it, and
 * after the first time, it finds nothing.
 */
await runScript(() => {
  const account = findAccount();
  const files = git('ls-files', '-z', '--', ...FILES)
    .split('\0')
    .filter(Boolean);
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    if (text.includes(PLACEHOLDER)) {
      writeFileSync(file, text.replaceAll(PLACEHOLDER, `${account}/`));
      console.log(`${file} names ${account}`);
    }
  }
});
