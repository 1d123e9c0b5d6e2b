import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compare, parse, prerelease } from 'semver';
import { CommandError, runScript } from '../emulator/options.ts';
import { root } from './tools.ts';

/** What to do for a version tag. */
export interface ReleasePlan {
  readonly isPrerelease: boolean;
  /** The tag to move, such as `v1`, if the release is the newest of its major version. */
  readonly majorTag: string;
  /** True if no published release is newer. */
  readonly isLatest: boolean;
  /** The section of the changelog for the version. */
  readonly notes: string;
}

/**
 * Returns the plan for a tag, compared with the tags of the published releases. Throws a
 * `CommandError` if the tag is not `vX.Y.Z` or `vX.Y.Z-rc.1`, differs from the version in
 * package.json, or has no section in the changelog.
 */
export function planRelease(
  tag: string,
  publishedTags: readonly string[],
  packageVersion: string,
  changelog: string,
): ReleasePlan {
  const version = parse(tag);
  if (version === null || tag !== `v${version.version}`) {
    throw new CommandError(`${tag} is not a version tag such as v1.2.3`);
  }
  if (version.version !== packageVersion) {
    throw new CommandError(`${tag} does not match the version in package.json, ${packageVersion}`);
  }
  const isPrerelease = version.prerelease.length > 0;
  const others = publishedTags.flatMap((other) =>
    prerelease(other) === null ? (parse(other) ?? []) : [],
  );
  const isNewest = (rivals: typeof others): boolean =>
    !isPrerelease && rivals.every((rival) => compare(rival, version) <= 0);
  const isNewestOfMajor = isNewest(others.filter(({ major }) => major === version.major));
  return {
    isPrerelease,
    isLatest: isNewest(others),
    notes: findNotes(changelog, packageVersion),
    majorTag: isNewestOfMajor ? `v${version.major}` : '',
  };
}

function findNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
  const notes = section?.slice(section.indexOf('\n')).trim();
  if (!notes) {
    throw new CommandError(`CHANGELOG.md has no section "## ${version}", or the section is empty`);
  }
  return notes;
}

/**
 * Plans the release of the tag in GITHUB_REF_NAME, given the lines of PUBLISHED_TAGS, and sets the
 * step outputs.
 */
function main(): void {
  const { GITHUB_REF_NAME = '', PUBLISHED_TAGS, GITHUB_OUTPUT } = process.env;
  if (PUBLISHED_TAGS === undefined) {
    throw new CommandError('Set PUBLISHED_TAGS, one tag per line');
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const plan = planRelease(GITHUB_REF_NAME, PUBLISHED_TAGS.split('\n'), version, changelog);
  const end = randomUUID();
  const outputs = [
    `major-tag=${plan.majorTag}`,
    `latest=${plan.isLatest}`,
    `prerelease=${plan.isPrerelease}`,
    ...[`notes<<${end}`, plan.notes, end, ''],
  ].join('\n');
  console.log(outputs);
  if (GITHUB_OUTPUT) {
    appendFileSync(GITHUB_OUTPUT, outputs);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runScript(main);
}
