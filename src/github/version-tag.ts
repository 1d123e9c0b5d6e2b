import semver from 'semver';

/** A tag that ends in a version, such as `pkg@1.2.0`: the part before the version, and the version. */
type VersionTag = NonNullable<ReturnType<typeof parseVersionTag>>;

/**
 * Parses the semantic version at the end of a tag. Undefined without three numbers: floating tags such as `v1` don't count.
 * The prefix is empty or ends in something that can't belong to the version.
 */
export function parseVersionTag(tag: string) {
  const pattern =
    /^(?=.{1,255}$)(|.*?[^0-9.]\.?)(\d{1,16}\.\d{1,16}\.\d{1,16}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/;
  const [, prefix = '', text = ''] = pattern.exec(tag) ?? [];
  const version = semver.parse(text);
  return version === null ? undefined : { prefix, version };
}

/** Returns the tag of the next lower version with the same prefix. Skips pre-releases, unless the version is one. */
export function findPreviousTag({ prefix, version }: VersionTag, tags: Iterable<string>): string | undefined {
  const versions = [...tags].flatMap((tag) => {
    const other = parseVersionTag(tag);
    return other?.prefix === prefix ? [other.version] : [];
  });
  const includePrerelease = version.prerelease.length > 0;
  const previous = semver.maxSatisfying(versions, `<${version.version}`, { includePrerelease });
  return previous === null ? undefined : `${prefix}${previous.raw}`;
}
