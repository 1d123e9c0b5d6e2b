import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs git in a folder, and returns its output. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}

/** Commits everything in a working copy, and returns the commit. */
export function commitAll(workspace: string, message: string): string {
  git(workspace, 'add', '--all');
  const author = ['-c', 'user.name=octocat', '-c', 'user.email=octocat@example.invalid'];
  git(workspace, ...author, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(workspace, 'rev-parse', 'HEAD').trim();
}

/** Adapts all workflows of a working copy to act. */
export function adaptWorkflows(workspace: string): void {
  const folder = join(workspace, '.github', 'workflows');
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    writeFileSync(file, adaptWorkflow(readFileSync(file, 'utf8')));
  }
}

/**
 * Returns a workflow as act can run it, without keys that act does not know. The action polls every
 * second, unless the workflow says how often, and uses the service at EMULATOR_URL unless the
 * workflow has an address.
 */
export function adaptWorkflow(workflow: string): string {
  const known = workflow
    .replace(/^ +(?:queue: max|deployment: false)\b.*\n/gm, '')
    .replace(
      'steps.emulator.outputs.base-url }}',
      'steps.emulator.outputs.base-url || vars.EMULATOR_URL }}',
    );
  return addInput(
    addInput(known, 'poll-interval-seconds', '1'),
    'base-url',
    `\${{ vars.EMULATOR_URL }}`,
  );
}

/**
 * Returns a workflow in which each step that uses the action has an input, unless the input is
 * there.
 */
function addInput(workflow: string, input: string, value: string): string {
  return workflow.includes(`${input}:`)
    ? workflow
    : workflow.replace(/\n( +)project-id:/g, `\n$1${input}: ${value}\n$1project-id:`);
}
