import { describe, expect, it } from 'vitest';
import { findPreviousTag, parseVersionTag } from '../../../src/github/version-tag.ts';

function previous(tag: string, tags: string[]): string | undefined {
  const version = parseVersionTag(tag);
  return version && findPreviousTag(version, tags);
}

// Together with `v1.2.0`, it has the maximum length.
const longPrefix = 'x'.repeat(249);

describe('parseVersionTag', () => {
  it.each([
    ['', '1.2.0'],
    ['v', '12.34.567'],
    ['@scope/pkg@', '1.2.0-rc.1'],
    ['release-2.0-', '1.2.3'],
    [`${longPrefix}v`, '1.2.0'],
  ])('splits a tag into the prefix "%s" and the version %s', (prefix, version) => {
    const parsed = parseVersionTag(`${prefix}${version}`);
    expect([parsed?.prefix, parsed?.version.version]).toEqual([prefix, version]);
  });

  it.each([
    ['without a version', ['', 'nightly']],
    ['with fewer or more numbers', ['v1', 'v1.2', '1.2.3.4', 'v1.2.x']],
    ['with leading zeros', ['v01.2.3', '2026.05.01']],
    ['with text after the version', ['v1.2.3-', 'v1.2.3 ']],
    ['with too many characters', [`v${'1'.repeat(300)}.0.0`, `${longPrefix}-v1.2.0`]],
  ])('ignores a tag %s', (_, tags) => {
    for (const tag of tags) {
      expect(parseVersionTag(tag), tag).toBeUndefined();
    }
  });
});

describe('findPreviousTag', () => {
  const versions = 'v0.9.0 v1.0.0 v1.1.0-rc.1 v1.1.0 v1.2.0-beta.2 v1.10.0 v2.0.0-alpha.1 v2.0.0';
  const others =
    'v1 v1.1 nightly 1.1.5 pkg@1.0.0 pkg@1.4.0 pkg-b@1.9.0 pkg/v1.0.0 pkg-v1.1.9 b1.0.0+1 b1.0.0+10 b1.0.0+2 c1.1.0-rc.1';
  const mixed = `${versions} ${others}`.split(' ');

  it.each([
    ['v1.1.0', 'v1.0.0', 'its own pre-release is skipped'],
    ['v1.10.0', 'v1.1.0', 'numbers are not compared as text'],
    ['v2.0.0', 'v1.10.0', 'a pre-release of it is skipped'],
    ['v2.0.0-alpha.1', 'v1.10.0', 'it is a pre-release after a final version'],
    ['v1.2.0-beta.3', 'v1.2.0-beta.2', 'it is the next pre-release'],
    ['pkg@1.5.0', 'pkg@1.4.0', 'only that one has its package'],
    ['1.2.0', '1.1.5', 'only that one has no prefix, either'],
    ['b1.1.0', 'b1.0.0+10', 'it is the newest build'],
    ['c1.2.0-rc.1', 'c1.1.0-rc.1', 'pre-releases follow pre-releases'],
  ])('for %s, finds %s, because %s', (tag, expected) => {
    expect(previous(tag, [...mixed, tag])).toBe(expected);
    expect(previous(tag, [tag, ...mixed].reverse())).toBe(expected);
  });

  it.each(['v0.9.0', 'other@3.0.0'])('finds no tag before the first version, %s', (tag) => {
    expect(previous(tag, [...mixed, tag])).toBeUndefined();
  });

  it('finds no tag for a final version that follows only pre-releases', () => {
    expect(previous('v1.0.0', ['v1.0.0-rc.1', 'v1.0.0-rc.2', 'v1.0.0'])).toBeUndefined();
  });

  it('ignores a tag that differs only in build metadata', () => {
    expect(previous('v1.0.0+2', ['v0.9.0', 'v1.0.0+1', 'v1.0.0+2'])).toBe('v0.9.0');
  });
});
