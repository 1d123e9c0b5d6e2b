import { expect, it } from 'vitest';
import { findPreviousTag, parseVersionTag, readTag } from '../../../src/changes/tags.ts';
import { getErrorText } from '../../../src/errors.ts';
import { GitHubError } from '../../../src/github/errors.ts';
import { createFakeGitHub, createWorld, explainRejection, type World } from '../fixtures.ts';

function find(tag: string, tags: string[]) {
  const version = parseVersionTag(tag);
  return version && findPreviousTag(version, tags);
}

// Together with `v1.2.0`, it has the maximum length.
const longPrefix = 'x'.repeat(249);

it.each<[string, string, string?]>([
  ['@scope/pkg@', '1.2.0-rc.1'],
  ['release-2.0-', '1.2.3'],
  ['v', '2026.1.5', '2026.01.05'],
  ['', '0.0.10-rc.1', '00.000.010-rc.01'],
  [`${longPrefix}v`, '1.2.0'],
])('splits a tag into the prefix "%s" and the version %s', (prefix, version, text = version) => {
  const parsed = parseVersionTag(`${prefix}${text}`);
  expect([parsed?.prefix, parsed?.version.version]).toEqual([prefix, version]);
});

const unlike = ['', 'nightly', 'v1', 'v1.2', '1.2.3.4', 'v1.2.x', 'v1.2.3-', 'v1.2.3 '];
it.each([...unlike, `v${'1'.repeat(300)}.0.0`, `${longPrefix}-v1.2.0`])('ignores %s', (tag) => {
  expect(parseVersionTag(tag)).toBeUndefined();
});

const versions = 'v0.9.0 v1.0.0 v1.1.0-rc.1 v1.1.0 v1.2.0-beta.2 v1.10.0 v2.0.0-alpha.1 v2.0.0';
const others =
  'v1 v1.1 nightly 1.1.5 pkg@1.0.0 pkg@1.4.0 pkg-b@1.9.0 pkg/v1.0.0 pkg-v1.1.9 b1.0.0+1 b1.0.0+10 b1.0.0+2 c1.1.0-rc.1';
const mixed = `${versions} ${others}`.split(' ');

it.each<[string, string | undefined, string]>([
  ['v1.1.0', 'v1.0.0', 'its own pre-release is skipped'],
  ['v1.10.0', 'v1.1.0', 'numbers are not compared as text'],
  ['v2.0.0-alpha.1', 'v1.10.0', 'it is a pre-release after a final version'],
  ['v1.2.0-beta.3', 'v1.2.0-beta.2', 'it is the next pre-release'],
  ['pkg@1.5.0', 'pkg@1.4.0', 'only that one has its package'],
  ['1.2.0', '1.1.5', 'only that one has no prefix, either'],
  ['b1.1.0', 'b1.0.0+10', 'it is the newest build'],
  ['c1.2.0-rc.1', 'c1.1.0-rc.1', 'pre-releases follow pre-releases'],
  ['c1.1.0', undefined, 'it follows only pre-releases'],
  ['b1.0.0+2', undefined, 'others differ only in build metadata'],
  ['v0.9.0', undefined, 'it is the first version'],
  ['other@3.0.0', undefined, 'no other has its package'],
])('for %s, finds %s, because %s', (tag, expected) => {
  expect(find(tag, [...mixed, tag])?.previous).toBe(expected);
  expect(find(tag, [tag, ...mixed].reverse())?.previous).toBe(expected);
});

it.each<[string, string[], string | undefined, string | undefined]>([
  ['v1.3.0', ['v1.1.0', '1.2.0'], 'v1.1.0', '1.2.0'],
  ['pkg@v1.3.0', ['pkg@v1.1.0', 'pkg@1.2.0', 'v1.2.5', 'b@1.2.9'], 'pkg@v1.1.0', 'pkg@1.2.0'],
  ['v2.0.0', ['1.9.0'], undefined, '1.9.0'],
  ['v1.3.0', ['v1.2.0', '1.2.0'], 'v1.2.0', undefined],
  ['v1.3.0', ['v1.2.0', '1.2.5-rc.1', '1.3.0'], 'v1.2.0', undefined],
  ['dev1.3.0', ['dev1.1.0', 'de1.2.0'], 'dev1.1.0', undefined],
  // Numbers with leading zeros are numbers.
  ['2026.12.10', ['2026.12.09', '2026.12.08', '2026.12.1'], '2026.12.09', undefined],
  ['v1.2.0-rc.010', ['v1.2.0-rc.09', 'v1.2.0-rc.1'], 'v1.2.0-rc.09', undefined],
])('for %s among %j, finds %s and passes over %s', (tag, tags, expected, passedOver) => {
  expect(find(tag, [tag, ...tags])).toEqual({ previous: expected, passedOver });
  expect(find(tag, [tag, ...tags].reverse())).toEqual({ previous: expected, passedOver });
});

/**
 * Reads a tag that GitHub lists from its `listedAt`th answer on, beside other tags. After the last
 * answer, the time of the API is over.
 */
async function read(
  listedAt: number,
  { isNamed = true, tag = 'v1.2.0', answers = 99, act = (_: World): void => {} } = {},
) {
  const world = createWorld();
  const paths: string[] = [];
  const api = createFakeGitHub((path) => {
    paths.push(path);
    act(world);
    if (world.cancel.signal.aborted || paths.length > answers) {
      throw new GitHubError('no time left');
    }
    const tags = ['v1.0.0', '1.1.0', ...(paths.length >= listedAt ? [tag] : [])];
    return tags
      .filter((name) => `/git/matching-refs/tags/${name}`.startsWith(path))
      .map((name) => ({ ref: `refs/tags/${name}`, object: { type: 'commit', sha: `at ${name}` } }));
  });
  const reading = explainRejection(readTag(tag, isNamed, { ...world.timing, api }));
  const range = await reading.catch(getErrorText);
  return { range, paths, waitedMs: world.clock.sleeps.reduce((sum, ms) => sum + ms, 0) };
}

const range = {
  commit: 'at v1.2.0',
  start: { kind: 'known', ref: 'v1.0.0', tagCommit: 'at v1.0.0', passedOver: '1.1.0' },
};
const problem = [
  '`release-tag` names `v1.2.0`, but the repository has no such tag yet. A draft release has none.',
];
const unlisted = 'the repository has no tag with this name';

it.each([
  ['with another `v` before', 'pkg/v1.2.0', '/git/matching-refs/tags/pkg/'],
  ['without a version', 'nightly', '/git/matching-refs/tags/nightly'],
])('asks for tags with the same prefix for a tag %s', async (_, tag, path) => {
  const start = { kind: 'none', reason: expect.any(String) };
  expect(await read(1, { tag })).toMatchObject({
    paths: [path],
    range: { commit: `at ${tag}`, start },
  });
});

it.each([true, false])('waits for a tag that is not listed yet (named: %s)', async (isNamed) => {
  expect(await read(4, { isNamed })).toMatchObject({ range, waitedMs: 6_000 });
});

it('gives up within 20 seconds', async () => {
  const { range, paths, waitedMs } = await read(99);
  expect([range, paths.length, waitedMs]).toEqual([problem, 9, 16_000]);
  expect((await read(99, { isNamed: false })).range).toBe(unlisted);
});

// Otherwise, a job would start for a release that doesn't exist.
it('still knows that a named tag is not listed when the time of the API is over', async () => {
  expect(await read(99, { answers: 2 })).toMatchObject({ range: problem, waitedMs: 4_000 });
  expect((await read(99, { answers: 0 })).range).toBe('no time left');
});

it('finds nothing wrong with the inputs once the run is canceled', async () => {
  const { range, waitedMs } = await read(99, { act: ({ cancel }) => cancel.abort() });
  expect([range, waitedMs]).toEqual(['no time left', 0]);
  const cancelLater = ({ clock, cancel }: World): void => {
    clock.onSleep = () => cancel.abort();
  };
  const later = await read(99, { act: cancelLater });
  expect([later.range, later.waitedMs]).toEqual([unlisted, 2_000]);
});
