import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CommandError, runCommand } from '../emulator/options.ts';
import { readOrigin } from './examples.ts';

const usage = `Names the owner of a fork, and the version to use, in all pages, examples, and workflows.

Usage: npm run set-owner -- <owner> [version]

  owner    the account or the organization that owns the fork
  version  a tag, a branch, or a commit of the fork (default: unchanged)

To undo it, run it again with the owner and the version that the examples had.`;

const ownerForm = /^[a-z\d][\w-]{0,99}$/i;
const versionForm = /^\w[\w./-]*$/;

await runCommand(usage, { allowPositionals: true }, ({ positionals }) => {
  // npm runs scripts in the folder of package.json.
  const folder = process.cwd();
  const old = readOrigin(folder);
  const [owner = '', version = old.version, ...others] = positionals;
  const wrong = [
    ...(ownerForm.test(owner) ? [] : [`"${owner}" is not the name of an account.`]),
    ...(versionForm.test(version) ? [] : [`"${version}" is not the name of a version.`]),
    ...others.map((other) => `"${other}" is one argument too many.`),
  ];
  if (wrong.length > 0) {
    throw new CommandError(`${wrong.join('\n')}\n\n${usage}`);
  }
  const places = '/(?:docs-agent-action|workflows/|maintainers|\\*")';
  const ownerPattern = new RegExp(`(?<![\\w.-])${old.owner}(?=${places})`, 'g');
  for (const file of listFiles(folder)) {
    const text = readFileSync(file, 'utf8');
    const changed = text
      .replace(ownerPattern, owner)
      .replace(/(docs-agent-action[\w/]*@)([\w./-]+)/g, (all, action: string, found: string) =>
        found === old.version ? `${action}${version}` : all,
      );
    if (changed === text) {
      continue;
    }
    writeFileSync(file, changed);
    console.log(relative(folder, file));
  }
  console.log(`
Next: if ${owner} is a person, put @${owner} in place of the team in .github/CODEOWNERS. Then commit
and push. Workflows can use the examples once ${version} is at ${owner}/docs-agent-action on GitHub.`);
});

/** Returns the text files that may name the owner. */
function listFiles(folder: string): string[] {
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const others = ['docs', 'examples', '.github'].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.png'))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return [...pages.map((name) => join(folder, name)), ...others];
}
