import { describe, expect, it } from 'vitest';
import { findPreviousTag, parseVersionTag } from '../../../src/github/version-tag.ts';

function previous(tag: string, tags: string[]): string | undefined {
  const version = parseVersionTag(tag);
  return version && findPreviousTag(version, tags);
}

// With `v1.2.0`, it has the longest length that is read.
const longPrefix = 'x'.repeat(249);

describe('parseVersionTag', () => {
  it.each([
    ['1.2.0', '', '1.2.0'],
    ['v1.2.0', 'v', '1.2.0'],
    ['v.1.2.0', 'v.', '1.2.0'],
    ['pkg@1.2.0', 'pkg@', '1.2.0'],
    ['@scope/pkg@1.2.0-rc.1', '@scope/pkg@', '1.2.0-rc.1'],
    ['pkg-v1.2.0', 'pkg-v', '1.2.0'],
    ['pkg/v1.2.0', 'pkg/v', '1.2.0'],
    ['web2-v1.2.0', 'web2-v', '1.2.0'],
    ['release-2.0-1.2.3', 'release-2.0-', '1.2.3'],
    ['v1.2.0+build.5', 'v', '1.2.0'],
    [`${longPrefix}v1.2.0`, `${longPrefix}v`, '1.2.0'],
  ])('splits %s', (tag, prefix, version) => {
    const parsed = parseVersionTag(tag);
    expect([parsed?.prefix, parsed?.version.version]).toEqual([prefix, version]);
  });

  it.each([
    ['no version', ['', 'nightly']],
    ['a version of fewer or more numbers', ['v1', 'v1.2', '1.2.3.4', 'v1.2.x']],
    ['leading zeros', ['v01.2.3', '2026.05.01']],
    ['something behind it', ['v1.2.3-', 'v1.2.3 ']],
    ['too many characters', [`v${'1'.repeat(300)}.0.0`, `${longPrefix}-v1.2.0`]],
  ])('does not take %s', (_, tags) => {
    for (const tag of tags) expect(parseVersionTag(tag), tag).toBeUndefined();
  });
});

describe('findPreviousTag', () => {
  const versions = 'v0.9.0 v1.0.0 v1.1.0-rc.1 v1.1.0 v1.2.0-beta.2 v1.10.0 v2.0.0-alpha.1 v2.0.0';
  const others = 'v1 v1.1 nightly 1.1.5 pkg@1.0.0 pkg@1.4.0 pkg-b@1.9.0 pkg/v1.0.0 pkg-v1.1.9';
  const mixed = `${versions} ${others}`.split(' ');

  it.each([
    ['v1.1.0', 'v1.0.0', 'skips its own pre-release'],
    ['v1.10.0', 'v1.1.0', 'orders by number, not by text'],
    ['v2.0.0', 'v1.10.0', 'skips the pre-release just before it'],
    ['v2.0.0-alpha.1', 'v1.10.0', 'of a pre-release may be a final version'],
    ['v1.2.0-beta.3', 'v1.2.0-beta.2', 'of a pre-release may be a pre-release'],
    ['v1.1.0-rc.1', 'v1.0.0', 'is below a pre-release, not its final version'],
    ['v1.0.5', 'v1.0.0', 'of a late patch is of its own line'],
    ['pkg@1.5.0', 'pkg@1.4.0', 'has the same package'],
    ['pkg/v1.1.0', 'pkg/v1.0.0', 'has the same folder'],
    ['pkg-v1.2.0', 'pkg-v1.1.9', 'has the same prefix to the letter'],
    ['1.2.0', '1.1.5', 'without a prefix is one without a prefix'],
  ])('of %s is %s: it %s', (tag, expected) => {
    expect(previous(tag, [...mixed, tag])).toBe(expected);
    expect(previous(tag, [tag, ...mixed].reverse())).toBe(expected);
  });

  it.each(['v0.9.0', 'v0.1.0', 'other@3.0.0', 'pkg@1.0.0'])('does not exist for the first, %s', (tag) => {
    expect(previous(tag, [...mixed, tag])).toBeUndefined();
  });

  it('does not exist for a final version after pre-releases alone', () => {
    expect(previous('v1.0.0', ['v1.0.0-rc.1', 'v1.0.0-rc.2', 'v1.0.0'])).toBeUndefined();
  });

  it('is never one that differs in build metadata alone', () => {
    expect(previous('v1.0.0+2', ['v0.9.0', 'v1.0.0+1', 'v1.0.0+2'])).toBe('v0.9.0');
  });
});
