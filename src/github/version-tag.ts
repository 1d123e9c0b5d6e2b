import semver, { type SemVer } from 'semver';

/** A tag that ends in a version, such as `pkg@1.2.0`: the part before the version, and the version. */
export interface VersionTag {
  readonly tag: string;
  readonly prefix: string;
  readonly version: SemVer;
}

/**
 * The version that ends a tag, by Semantic Versioning 2.0.0 (three numbers, so `v1` and `v1.2`, which often
 * move, are none), or undefined. The prefix is empty or ends in something that cannot belong to the version.
 */
export function parseVersionTag(tag: string): VersionTag | undefined {
  const pattern =
    /^(?=.{1,255}$)(|.*?[^0-9.]\.?)(\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/;
  const [, prefix = '', text = ''] = pattern.exec(tag) ?? [];
  const version = semver.parse(text);
  return version === null ? undefined : { tag, prefix, version };
}

/**
 * The tag of the highest version below the given one among tags with the same prefix, or undefined if
 * there is none. Pre-releases count only if the given tag is one.
 */
export function findPreviousTag(of: VersionTag, tags: readonly string[]): string | undefined {
  const isPreRelease = ({ version }: VersionTag): boolean => version.prerelease.length > 0;
  const [highest] = tags
    .map(parseVersionTag)
    .filter((candidate) => candidate !== undefined)
    .filter(({ prefix, version }) => prefix === of.prefix && semver.lt(version, of.version))
    .filter((candidate) => isPreRelease(of) || !isPreRelease(candidate))
    .sort((a, b) => semver.compareBuild(b.version, a.version));
  return highest?.tag;
}
