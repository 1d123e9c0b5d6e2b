import { spawnSync } from 'node:child_process';
import { transformWithEsbuild } from 'vite';
import { CommandError, runScript } from './tools.ts';

/**
 * Fails if a commit changes code that is bundled, and not the bundle in dist/. Then an end-to-end
 * test can be bisected. The range begins at the commit in BASE, or where the branch left
 * origin/main, or at the newest tag. Without any of these, only the last commit is checked.
 */

/** Code, and the bundle that is built from it. emulator/cli.ts is not bundled. */
const bundles = [
  { code: /^src\/.*\.ts$/, bundle: /^dist\/[^/]+$/ },
  { code: /^emulator\/(?!cli\.ts$)[^/]+\.ts$/, bundle: /^dist\/emulator\// },
];

await runScript(async () => {
  const commits = listCommits();
  const lacking: string[] = [];
  for (const commit of commits) {
    if (await lacksBundle(commit)) {
      lacking.push(git('log', '-1', '--format=%h %s', commit).trim());
    }
  }
  console.log(`${commits.length} commits checked`);
  if (lacking.length > 0) {
    throw new CommandError(
      `These commits change code, but not its bundle. Run "npm run build" in each:\n${lacking.join('\n')}`,
    );
  }
});

/** Returns the output of git, or nothing if it fails, for example because of a shallow clone. */
function git(...args: string[]): string {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout : '';
}

/** Returns the commits of the range, oldest first. */
function listCommits(): string[] {
  const toCommit = (name: string): string =>
    git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).trim();
  const head = toCommit('HEAD');
  const base = [
    toCommit(process.env['BASE'] ?? ''),
    git('merge-base', 'HEAD', 'origin/main').trim(),
    toCommit(git('describe', '--tags', '--abbrev=0').trim()),
    toCommit('HEAD^'),
  ].find((commit) => commit !== '' && commit !== head);
  if (base === undefined) {
    return [];
  }
  const commits = git('rev-list', '--reverse', '--no-merges', `${base}..HEAD`);
  return commits.split('\n').filter((commit) => commit !== '');
}

async function lacksBundle(commit: string): Promise<boolean> {
  const options = ['--root', '-r', '--no-commit-id', '--name-only', '--no-renames'];
  const files = git('diff-tree', ...options, commit).split('\n');
  for (const { code, bundle } of bundles) {
    if (files.some((file) => bundle.test(file))) {
      continue;
    }
    for (const file of files.filter((name) => code.test(name))) {
      const [before, after] = [await readCode(`${commit}^`, file), await readCode(commit, file)];
      if (before !== after) {
        return true;
      }
    }
  }
  return false;
}

/** Returns a file without comments and types, which are not in the bundle. */
async function readCode(commit: string, file: string): Promise<string> {
  const text = git('show', `${commit}:${file}`);
  const options = { loader: 'ts', minifyWhitespace: true, sourcemap: false } as const;
  return (await transformWithEsbuild(text, file, options)).code;
}
