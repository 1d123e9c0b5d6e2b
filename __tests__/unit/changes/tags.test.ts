import { expect, it } from 'vitest';
import { readTag } from '../../../src/changes/tags.ts';
import { getErrorText } from '../../../src/errors.ts';
import { GitHubError } from '../../../src/github/errors.ts';
import { createFakeGitHub, createWorld, explainRejection, type World } from '../fixtures.ts';

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
  start: { kind: 'known', ref: '1.1.0', tagCommit: 'at 1.1.0' },
};
const problem = [
  '`release-tag` names `v1.2.0`, but the repository has no such tag yet. A draft release has none.',
];
const unlisted = 'the repository has no tag with this name';

it.each([
  ['pkg/v1.2.0', '/git/matching-refs/tags/pkg/', 'no tag is an earlier release of its series'],
  ['curl-8_16_0', '/git/matching-refs/tags/curl', 'no tag is an earlier release of its series'],
  ['a/nightly', '/git/matching-refs/tags/a/', expect.stringContaining('not a full version')],
])('for %s, asks once for tags with its name, in any spelling', async (tag, path, reason) => {
  const range = { commit: `at ${tag}`, start: { kind: 'none', reason } };
  expect(await read(1, { tag })).toMatchObject({ paths: [path], range });
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
