import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandError, root, runScript } from './tools.ts';

/** What is to be done for a version tag. */
export interface ReleasePlan {
  readonly isPrerelease: boolean;
  /** The major tag to move to the release, such as `v1`; absent if the release is not the newest of its major. */
  readonly majorTag?: string;
  /** Whether it is the newest of all releases. */
  readonly isLatest: boolean;
  /** The section of the changelog for the version. */
  readonly notes: string;
}

interface Version {
  readonly numbers: readonly [number, number, number];
  readonly isPrerelease: boolean;
}

/**
 * Returns the plan for a tag among all tags of the repository. Throws a `CommandError` if the tag is no `vX.Y.Z` or
 * `vX.Y.Z-rc.1`, is not the version of package.json, or has no section in the changelog.
 */
export function planRelease(
  tag: string,
  tags: readonly string[],
  packageVersion: string,
  changelog: string,
): ReleasePlan {
  const version = parseVersion(tag);
  if (version === undefined) throw new CommandError(`${tag} is no version tag, such as v1.2.3`);
  if (tag !== `v${packageVersion}`) {
    throw new CommandError(`${tag} is not the version in package.json, ${packageVersion}`);
  }
  const { isPrerelease, numbers } = version;
  const others = tags.flatMap((other) => {
    const parsed = other === tag ? undefined : parseVersion(other);
    return parsed === undefined || parsed.isPrerelease ? [] : [parsed.numbers];
  });
  const isNewestOf = (rivals: readonly Version['numbers'][]): boolean =>
    !isPrerelease && rivals.every((rival) => compareVersions(rival, numbers) < 0);
  const isNewestOfMajor = isNewestOf(others.filter(([major]) => major === numbers[0]));
  return {
    isPrerelease,
    isLatest: isNewestOf(others),
    notes: findNotes(changelog, packageVersion),
    ...(isNewestOfMajor && { majorTag: `v${numbers[0]}` }),
  };
}

function parseVersion(tag: string): Version | undefined {
  const match = /^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/.exec(tag);
  if (match === null) return undefined;
  const [, major, minor, patch, suffix] = match;
  return { numbers: [Number(major), Number(minor), Number(patch)], isPrerelease: suffix !== undefined };
}

function compareVersions(one: Version['numbers'], other: Version['numbers']): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function findNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  const notes = section?.slice(section.indexOf('\n')).trim();
  if (!notes) throw new CommandError(`CHANGELOG.md has no section "## ${version}" with text in it`);
  return notes;
}

/** Plans the release of the tag in GITHUB_REF_NAME, and sets the step outputs. */
function main(): void {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const {
    majorTag = '',
    isLatest,
    isPrerelease,
    notes,
  } = planRelease(
    process.env['GITHUB_REF_NAME'] ?? '',
    git('tag', '--list').split('\n'),
    version,
    readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  );
  const end = randomUUID();
  const outputs = [
    ...[`major-tag=${majorTag}`, `latest=${isLatest}`, `prerelease=${isPrerelease}`],
    ...[`notes<<${end}`, notes, end, ''],
  ].join('\n');
  console.log(outputs);
  const file = process.env['GITHUB_OUTPUT'];
  if (file) appendFileSync(file, outputs);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runScript(main);
