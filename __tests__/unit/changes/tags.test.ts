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
  const run = { ...world.timing, api, github: { sha: undefined, isGitea: false } };
  const reading = explainRejection(readTag(tag, isNamed, run));
  const range = await reading.catch(getErrorText);
  return { range, paths, waitedMs: world.clock.sleeps.reduce((sum, ms) => sum + ms, 0) };
}

const range = {
  tag: 'v1.2.0',
  commit: 'at v1.2.0',
  start: { kind: 'known', ref: '1.1.0', tagCommit: 'at 1.1.0' },
};
const problem = [
  '`release-tag` names `v1.2.0`, but the repository has no such tag yet. A draft release has none.',
];
const unlisted = 'the repository has no tag v1.2.0';

it.each([
  ['pkg/v1.2.0', '/git/matching-refs/tags/pkg/', 'no tag is an earlier release of its series'],
  ['curl-8_16_0', '/git/matching-refs/tags/curl', 'no tag is an earlier release of its series'],
  ['a/nightly', '/git/matching-refs/tags/a/', expect.stringContaining('not a full version')],
])('for %s, asks once for tags with its name, in any spelling', async (tag, path, reason) => {
  const range = { tag, commit: `at ${tag}`, start: { kind: 'none', reason } };
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

/** Reads a tag from a list of names with commits. `!` marks an annotated tag. */
async function readFrom(list: string, tag: string, sha: string | undefined, isNamed = false) {
  const paths: string[] = [];
  const refs = list.split(' ').map((entry) => {
    const [name = '', commit = ''] = entry.split('=');
    const isAnnotated = commit.startsWith('!');
    const object = { type: isAnnotated ? 'tag' : 'commit', sha: commit };
    return { ref: `refs/tags/${name}`, object };
  });
  const api = createFakeGitHub((path) => {
    paths.push(path);
    const target = decodeURIComponent(path).split('/git/tags/!')[1];
    return target === undefined ? refs : { object: { type: 'commit', sha: target } };
  });
  const run = { ...createWorld().timing, api, github: { sha, isGitea: false } };
  const { tag: version, commit, start } = await readTag(tag, isNamed, run);
  return { version, commit, ref: start.kind === 'known' ? start.ref : start.kind, paths };
}

const moving = 'v1=new v1.0.0=old v1.1.0=!mid v1.2.0=!new v1.2.0-rc.1=new';
it.each<[string, string, string, string | undefined, boolean, object]>([
  ['on its commit', moving, 'v1', 'new', false, { version: 'v1.2.0', ref: 'v1.1.0' }],
  ['that it was pushed for', moving, 'v1', 'mid', false, { version: 'v1.1.0', ref: 'v1.0.0' }],
  ['where a named tag is', moving, 'v1', 'mid', true, { version: 'v1.2.0', commit: 'new' }],
  ['where it is now', moving, 'v1', undefined, false, { version: 'v1.2.0', commit: 'new' }],
  ['that has no tag', moving, 'v1', 'next', false, { version: 'v1', ref: 'none' }],
  ['of latest', `latest=new ${moving}`, 'latest', 'new', false, { version: 'v1.2.0' }],
  ['of one package', 'latest=a a@1.0.0=a', 'latest', 'a', false, { version: 'a@1.0.0' }],
  ['of packages', 'latest=a a@1.0.0=a b@1.0.0=a', 'latest', 'a', false, { version: 'latest' }],
])('reads the version %s', async (_, list, tag, sha, isNamed, expected) => {
  expect(await readFrom(list, tag, sha, isNamed)).toMatchObject(expected);
});

it('asks for at most ten annotated tags, the highest ones, and for none of a version', async () => {
  const annotated = Array.from({ length: 30 }, (_, index) => `v1.${index}.0=!at${index}`);
  const list = ['v1=!at25', 'v1.0.1=light', ...annotated].join(' ');
  const found = await readFrom(list, 'v1', 'at25');
  expect(found).toMatchObject({ version: 'v1.25.0', ref: 'v1.24.0' });
  // The list, the candidates, and the start.
  expect(found.paths).toHaveLength(12);
  expect(found.paths).not.toContain('/git/tags/!at19');
  expect(await readFrom(list, 'v1', 'light')).toMatchObject({ version: 'v1.0.1' });
  expect(await readFrom(list, 'v1', 'at3')).toMatchObject({ version: 'v1', ref: 'none' });
  expect((await readFrom(list, 'v1.25.0', 'at25')).paths).toHaveLength(2);
});
