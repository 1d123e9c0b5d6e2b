import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs git in a folder and returns what it prints. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}

/** Commits everything in a working copy except the link to the dependencies, and returns the commit. */
export function commitAll(workspace: string, message: string): string {
  git(workspace, 'add', '--all', '--', ':!node_modules');
  const author = ['-c', 'user.name=octocat', '-c', 'user.email=octocat@example.invalid'];
  git(workspace, ...author, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(workspace, 'rev-parse', 'HEAD').trim();
}

/** Removes `queue: max` from the workflows in a folder, because act refuses keys that it does not know. */
export function omitQueue(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    writeFileSync(file, withoutQueue(readFileSync(file, 'utf8')));
  }
}

/** Returns a workflow without `queue: max`. */
export function withoutQueue(workflow: string): string {
  return workflow.replace(/^ +queue: max\b.*\n/gm, '');
}
