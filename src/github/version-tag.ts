// Only this class: the main module of semver also has ranges, which would double the chunk.
import SemVer from 'semver/classes/semver.js';
import { undefinedIfThrown } from '../errors.ts';

/**
 * A tag that ends in a version, such as `pkg@1.2.0`: the part before the version, and the version.
 */
interface VersionTag {
  readonly prefix: string;
  readonly version: SemVer;
}

/** Semver takes at most 16 digits for each number. */
const VERSION_AT_END =
  /^(|.*?[^0-9.]\.?)(\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/;

/** Parses the semantic version at the end of a tag. Undefined for floating tags such as `v1`. */
export function parseVersionTag(tag: string): VersionTag | undefined {
  const [, prefix = '', text = ''] = tag.length > 255 ? [] : (VERSION_AT_END.exec(tag) ?? []);
  const version = undefinedIfThrown(() => new SemVer(text));
  return version && { prefix, version };
}

/**
 * Returns the tag of the next lower version with the same prefix. Skips pre-releases, unless the
 * version is one.
 */
export function findPreviousTag(
  { prefix, version }: VersionTag,
  tags: Iterable<string>,
): string | undefined {
  const versions = [...tags].flatMap((tag) => {
    const other = parseVersionTag(tag);
    return other?.prefix === prefix ? [other.version] : [];
  });
  const isPreRelease = version.prerelease.length > 0;
  const lower = versions.filter(
    (other) => other.compare(version) < 0 && (isPreRelease || other.prerelease.length === 0),
  );
  const [previous] = lower.sort((a, b) => b.compare(a) || b.compareBuild(a));
  return previous && `${prefix}${previous.raw}`;
}
