import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './tools.ts';

/** Runs git in a folder, and returns its output. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}

/**
 * Creates a working copy in a folder, as after a checkout and `npm ci`. It lacks folders that no
 * workflow reads, because act copies everything for each job.
 */
export function createWorkspace(folder: string): string {
  const workspace = join(folder, 'workspace');
  const unread = ['__tests__', 'bench', 'docs', 'examples', 'src'].map(
    (name) => `:(exclude)${name}`,
  );
  const options = ['--cached', '--others', '--exclude-standard', '-z', '--', ...unread];
  const files = git(root, 'ls-files', ...options).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    cpSync(join(root, file), join(workspace, file));
  }
  symlinkSync(join(root, 'node_modules'), join(workspace, 'node_modules'));
  // act takes the repository and the commit of the run from git.
  git(workspace, 'init', '--quiet', '--initial-branch', 'main');
  git(workspace, 'remote', 'add', 'origin', 'https://github.com/acme/widgets.git');
  // `.gitignore` names the folder, not a link. act doesn't copy ignored files.
  const excludes = join(folder, 'excludes');
  writeFileSync(excludes, 'node_modules\n');
  git(workspace, 'config', 'core.excludesFile', excludes);
  git(workspace, 'add', '--all');
  const author = ['-c', 'user.name=octocat', '-c', 'user.email=octocat@example.invalid'];
  git(workspace, ...author, 'commit', '--quiet', '--message', 'Release v1.2.0');
  git(workspace, 'repack', '-a', '-d', '--quiet');
  return workspace;
}

/** Returns a workflow without keys that act does not know. */
export function removeUnknownKeys(workflow: string): string {
  return workflow.replace(/^ +(?:queue: max|deployment: false)\b.*\n/gm, '');
}
