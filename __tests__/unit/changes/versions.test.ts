import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  findPreviousVersion,
  findVersion,
  getPrefix,
  getReleaseName,
  listVersions,
} from '../../../src/changes/versions.ts';
import { forAll } from '../../property/for-all.ts';

/** Versions in ascending order. Those with `?` are pre-releases. */
const chains = [
  '1.0.0 1.0.0-1 1.0.1 1.0.1-1 1.0.1-2 1.1 1.1.1 1.10 2',
  '0.9 1.0-dev? 1.0-alpha? 1.0-beta? 1.0-preview? 1.0-rc? 1.0 1.0-post',
  '1.0.0-dev.20260807? 1.0.0-SNAPSHOT.20260808? 1.0.0.dev20260810? 1.0.0-alpha? 1.0.0-alpha.1?',
  '1.0.0-canary? 1.0.0-next.12? 1.0.0a1? 1.0.0-alpha.2? 1.0.0_ALPHA_10? 1.0.0-beta? 1.0.0b1?',
  '1.0.0-b9? 1.0.0-M1? 1.0.0-preview2? 1.0.0-pre.3? 1.0.0-rc? 1.0.0-CR1? 1.0.0rc2? 1.0.0-RC-10?',
  '1.0.0c11? 1.0.0.Final 1.0.0-1 1.0.0.post2 1.0.0-hotfix.3 1.0.0p4 1.0.0_fixed_5 1.0.1-rc.1?',
  '3.7 3.7a 3.7b 3.7c 3.8rc1? 3.8rc1-hotfix? 3.8',
  '2025b 2025c 2026a 2026b',
  '8_5_0 8_5_1 8_10_0 8_10_1 9.0.0',
  '2024-11-28 2025-02-03 2025-02-10 2025-10-01',
  '2026.01.05 2026.1.6 2026.01.10 2026.10.01',
  'swift-6.0-DEVELOPMENT-SNAPSHOT-2024-08-06-a? swift-6.0-DEVELOPMENT-SNAPSHOT-2024-08-06-b?',
  '1.0-DEVELOPMENT-SNAPSHOT-2024-08-06? 1.0-DEVELOPMENT-SNAPSHOT-2024-08-10? 1.0-alpha? 1.0',
  '6.1 6.1+1 6.1+2 6.1+10 6.1.1+1',
  'v1.28.3-rc.0+k0s.0? v1.28.3-rc.0+k0s.1? v1.28.3-rc.1+k0s.0? v1.28.3 v1.28.3+k0s.0 v1.28.4+k0s.0',
  '1.0+beta9? 1.0+beta18.1? 1.0+beta19? 1.0+beta19.1? 1.0+beta20? 1.0 1.0+b2 1.0+b10',
  '1.9.20-Beta-1.0.13? 1.9.20-Beta2-1.0.13? 1.9.20-RC-1.0.13? 1.9.20-RC-3.0.0? 1.9.20-RC2-1.0.13?',
  '1.9.20-RC2-1.0.14? 1.9.20-1.0.9 1.9.20-1.0.13 1.9.20-1.1.0 1.9.21-1.0.1',
  'app-4.1.0_1.11.10-rc.1? app-4.1.0_1.11.10-rc.2? app-4.1.0_1.11.10 app-4.1.0_1.11.11 app-4.1.1_1.9.0',
  '4.3.0-preview2-4187? 4.3.0-preview3-4123? 4.3.0-preview3-4168? 4.3.0 4.3.0-p1',
  '5.2.3_v2.0.13-ls9 5.2.3_v2.0.13-ls10 5.2.3_v2.0.14-ls1 5.2.4_v1.0.0-ls2',
  '20260107.rc1? 20260107.rc2? 20260107.0 20260107.1 20260108.0',
  '1.0.20260807123456788 1.0.20260807123456789 1.0.20260807123456790',
  '2.5.3 3.0.0-0? 3.0.0-1? 3.0.0-2? 3.0.0-10? 3.0.0-rc.1? 3.0.0 3.0.1',
  'v1-rc1? v1 v1.1-rc1? v1.1',
  'v25-1.9.9 v25-2.0.0 v25.1-1.0.0 v26-1.0.0',
  '1.26.0-rc1-labs? 1.26.0-rc2-labs? 1.26.0-labs 1.26.1-labs-rc1? 1.26.1-labs',
  '1.0.0-arm64 1.0.1-arm64 1.0.2-rc1-arm64? 1.0.2-arm64',
  '1.0.0-f9a41c2 1.0.1-rc.1-1234abc? 1.0.1-3f9a41c 1.0.2+3f9a41c2',
];

const page = readFileSync(new URL('../../../docs/changes.md', import.meta.url), 'utf8');
/** Returns versions with the words in a row of the page, which has commas between kinds. */
const toChain = (row: string, mark = ''): string[] => {
  const cell = page.split(`\n| ${row} | `)[1]?.split('\n', 1)[0] ?? '';
  return cell
    .split(',')
    .flatMap((kind) =>
      [...kind.matchAll(/`([a-z]+)1?`/g)].map(
        ([, word], index) => `1.0-${word}${index + 1}${mark}`,
      ),
    );
};
const documented = [
  ...toChain('pre-release', '?'),
  '1.0',
  ...toChain('version'),
  ...toChain('later'),
];

it.each([documented.join(' '), ...chains])('orders %s', (chain) => {
  const steps = chain.split(' ').map((step) => ({ tag: step.replace('?', ''), step }));
  const tags = steps.map(({ tag }) => tag);
  const isFinal = ({ step }: { step: string }): boolean => !step.endsWith('?');
  const expected = steps.map((one, index) => {
    const earlier = steps.slice(0, index);
    return (isFinal(one) ? earlier.filter(isFinal) : earlier).at(-1)?.tag;
  });
  expect(tags.map((tag) => findPreviousVersion(tag, tags)?.start)).toEqual(expected);
  const reversed = tags.toReversed();
  expect(tags.map((tag) => findPreviousVersion(tag, reversed)?.start)).toEqual(expected);
});

/** What projects have tagged: name (project): tags. The last begins at the one with `*`. */
const lists = readFileSync(new URL('tag-lists.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

it.each(lists)('finds the start in %s', (line) => {
  const marked = line.replace(/^.*?\): /, '').split(' ');
  const start = marked.find((tag) => tag.startsWith('*'))?.slice(1);
  const tags = marked.map((tag) => tag.replace('*', ''));
  const tag = tags.at(-1) ?? '';
  expect(findPreviousVersion(tag, tags)).toEqual({ start });
  expect(findPreviousVersion(tag, tags.toReversed())).toEqual({ start });
});

it.each<[string, string, string?]>([
  // A variant is a series of its own, and so is a name.
  ['v1.1.0-android', 'v1.0.0 v1.0.0-ios v1.1.0 v1.1.0-ios'],
  ['v1.1.0-android', 'v1.0.0-android v1.1.0', 'v1.0.0-android'],
  ['1.1-linux-x86', '1.0-linux-x86 1.1-linux-x64 1.1-linux-x86_64', '1.0-linux-x86'],
  ['1.1-jdk17', '1.0-jdk17 1.1-jdk8', '1.0-jdk17'],
  ['pkg@1.1.0', '1.0.0 @a/pkg@1.0.0 pkg/1.0.0 pkg-1.0.0 pkgb@1.0.0'],
  ['Pkg-1.1.0', 'pkg-1.0.0 Pkg_v1.0.0 ', 'Pkg_v1.0.0'],
  ['dev1.3.0', 'dev1.1.0 de1.2.0 v1.2.0', 'dev1.1.0'],
  ['go1.22-rc.2', 'go1.22-rc.1 go1.21', 'go1.22-rc.1'],
  ['python3-1.2.0', 'python3-1.1.0 python2-1.1.9', 'python3-1.1.0'],
  ['curl-v8.1', 'curl-8.0 curl8.0.5', 'curl8.0.5'],
  ['c1.1.0', 'c1.1.0-rc.1'],
  ['a-3f9a41c-b-1.1', 'a-3f9a42d-c-1.0 a-3f9a41c-b-1.0', 'a-3f9a41c-b-1.0'],
  ['a-3f9a41c-b-1.1', 'a-3f9a42d-c-1.0'],
  // Of two spellings of one version, the tag's own.
  ['v1.3.0', '1.2.0 v1.2.0', 'v1.2.0'],
  ['1.3.0', '1.2.0 v1.2.0', '1.2.0'],
  ['pkg_1.3.0', 'pkg-1.2.0 pkg_1.2.0', 'pkg_1.2.0'],
  ['v1.3.0', 'v1.1.0 1.2.0', '1.2.0'],
  ['v1.3.0', 'v1.2.0.GA v1.2.0.Final', 'v1.2.0.Final'],
  // Tags that move with the version are not its start, and what came before them is.
  ['v1.2.0', 'v1 v1.2 v0.9.0', 'v0.9.0'],
  ['v1.2.0-rc.1', 'v1 v1.1.0', 'v1.1.0'],
  ['v1.2.1', 'v1 v1.2 v1.2.0', 'v1.2.0'],
  ['v2.0.0', 'v1 v1.2.0 v2', 'v1.2.0'],
  ['v6.1.1', 'v6.0.9 v6.1', 'v6.1'],
  ['v25', 'v24.3 v25.1', 'v24.3'],
  // Only npm's pre-releases are counted from 0.
  ['1.0.1', '1.0.0 1.0.0-1', '1.0.0-1'],
  ['2024-08-2', '2024-08-0 2024-08-1', '2024-08-1'],
])('%s after %s begins at %s', (tag, tags, start) => {
  const list = `${tags} ${tag}`.split(' ');
  expect(findPreviousVersion(tag, list)).toEqual({ start });
  expect(findPreviousVersion(tag, list.toReversed())).toEqual({ start });
});

it.each([
  ['nightly', 'v1.0.0'],
  ['pkg@latest', 'pkg@1.0.0'],
  ['release-3f9a41c', 'release-1.0.0'],
  ['v1', 'v0.9.0 v1.0.0 v1.1.0'],
  ['v1', 'v0.9.0 v1.1.0'],
  ['v1.2', 'v1.1.0 v1.2.0 v1.2.1'],
])('no rule fits %s beside %s', (tag, tags) => {
  expect(findPreviousVersion(tag, [...tags.split(' '), tag])).toBeUndefined();
});

it.each<[string, string, string?]>([
  ['v1', 'v1 v1.2 v1.2.0', 'v1.2.0'],
  ['v1.2', 'v1 v1.2 v1.2.0', 'v1.2.0'],
  ['v1', 'v1.2.0 v1.10.0 v2.0.0 1.9.0', 'v1.10.0'],
  ['v1', 'v1.2.0-rc.1', 'v1.2.0-rc.1'],
  ['v2', 'v2.0.0 v2.1.0-rc.1', 'v2.0.0'],
  ['v1', 'v1.2.0.Final', 'v1.2.0.Final'],
  ['v1', 'v1.2.0-android'],
  ['v1-android', 'v1.2.0 v1.2.0-android', 'v1.2.0-android'],
  ['pkg@v1', 'v1.2.0 pkg@1.2.0', 'pkg@1.2.0'],
  ['latest', 'latest v1 v1.2.0', 'v1.2.0'],
  ['latest', 'latest v1.2.0-rc.1', 'v1.2.0-rc.1'],
  ['latest', 'latest pkg@1.2.0', 'pkg@1.2.0'],
  ['latest', 'latest a@1.2.0 b@1.2.0'],
  ['a@latest', 'a@1.2.0 b@1.2.0', 'a@1.2.0'],
  ['latest', 'latest stable'],
  ['v1.2.0', 'v1.2.0 v1.2.0.1'],
  ['v1.2-rc.1', 'v1.2-rc.1 v1.2.0'],
])('%s on a commit with %s stands for %s', (tag, tags, version) => {
  expect(findVersion(tag, tags.split(' '))).toBe(version);
  expect(findVersion(tag, tags.split(' ').toReversed())).toBe(version);
});

/** The tags of a row are one release on a commit, and those of other rows are others. */
const releases = [
  'v1 v1.2 v1.2.0 1.2.0 v2.0.0 v1.2.0.Final v1.2.0-RELEASE latest 2024-08-05 v1.2.0-3f9a41c v1.2.0+3f9a41c v1.x v1-latest',
  'v1.2.0-rc.1 1.3-rc1 v1-RC_1',
  'v1.2.0-rc.2',
  'v1-beta.1 v1.2.0b1',
  'v1.2.0-android 1.3-android',
  'v1.2.0-ios',
  'v1.2.0+k3s1',
  'v1.2.0+k3s2',
  'v1.2.0-1 v1.3.0-1',
  'a@1 a@1.2.0 a@v1.2.0 a@latest',
  'b@1',
  'python3-1 python3-1.2.0',
  'python2-1',
  'a-1 a-v1.2.0',
  'v1.2.0+cpu v1.3.0+cpu',
  'v1.2.0+gpu',
  's3-v1.0.0',
  'sd-v1.0.0',
  'v1.2.0-java8',
  'v1.2.0-java11',
  'v1.2.0+java8',
  'v1.2.0+java11',
  'v1.2.0-α',
  'v1.2.0-β',
  'api-v1-2.3.0 api-v1-2.4.0',
  'api-v2-2.3.0',
  'sdk-2-1.0.0',
  'sdk-3-1.0.0',
  'env1-deploy',
  'env2-deploy',
  'k8s k8s-1.2.0 k8s-latest',
  'k3s',
  'log4j2-1.0.0 log4j2-latest',
  'h2-v1.0.0 h2-latest',
  'env1-v1.0.0 env1-stable',
  'build12 build13',
].map((row) => row.split(' '));

it('tags with the same name and end are one release', () => {
  const names = releases.map((row) => [...new Set(row.map(getReleaseName))]);
  expect(names.map((row) => row.length)).toEqual(releases.map(() => 1));
  expect(new Set(names.flat()).size).toBe(releases.length);
});

const name = fc.constantFrom('', 'v', 'V', 'pkg@', 'pkg-', 'a/b-v', 'python3-', 'a_');
const numbers = fc.array(fc.constantFrom('0', '1', '2', '10', '010'), {
  minLength: 1,
  maxLength: 4,
});
const end = fc.constantFrom(
  '',
  '-rc',
  'rc2',
  '-beta.1',
  '-1',
  'a',
  '-ios',
  '-rc1-ios',
  '+2',
  '.Final',
);
const version = fc
  .tuple(name, numbers, fc.constantFrom('.', '.', '_'), end)
  .map(([start, list, mark, rest]) => `${start}${list.join(mark)}${rest}`);

forAll(
  'the start is the highest lower version of the series',
  [version, fc.array(version, { maxLength: 12 })],
  (tag, tags) => {
    const isBelow = (low: string, high: string) => findPreviousVersion(high, [low])?.start === low;
    const start = findPreviousVersion(tag, tags)?.start;
    const lower = tags.filter((other) => isBelow(other, tag));
    if (findPreviousVersion(tag, tags) !== undefined) {
      expect(start === undefined).toBe(lower.length === 0);
      expect(lower.filter((other) => start !== undefined && isBelow(start, other))).toEqual([]);
    }
  },
  4,
);

const text = fc.string({ unit: fc.constantFrom(...'ab1290v-_./@+'), minLength: 1, maxLength: 12 });
forAll(
  'a start, and the version of a tag that moves, begin with the prefix that GitHub is asked for',
  [fc.oneof(version, text), fc.array(fc.oneof(version, text), { maxLength: 12 })],
  (tag, tags) => {
    const prefix = getPrefix(tag);
    const stands = listVersions(tag, tags).map((one) => one.tag);
    const starts = [tag, ...stands].map((one) => findPreviousVersion(one, tags)?.start ?? prefix);
    expect([tag, ...stands, ...starts].filter((one) => !one.startsWith(prefix))).toEqual([]);
  },
  4,
);
