import { expect, it } from 'vitest';
import { LAST_JOB, type Start } from '../../../src/changes/range.ts';
import { readChanges } from '../../../src/changes/read-changes.ts';
import type { GitHubContext } from '../../../src/github/context.ts';
import { GitHubError, type GitHubFailure } from '../../../src/github/errors.ts';
import {
  createFakeGitHub,
  createGitHubContext,
  createWorld,
  explainRejection,
} from '../fixtures.ts';

const sha = 'c'.repeat(40);
const before = 'b'.repeat(40);
const commit = { sha, commit: { message: 'Add a gauge' } };
const file = { filename: 'src/a.ts', status: 'added', additions: 1, deletions: 0 };
const whole = { status: 'ahead', total_commits: 1, behind_by: 0, commits: [commit], files: [file] };

const refused: GitHubFailure = { kind: 'access', httpStatus: 404 };
const down: GitHubFailure = { kind: 'unavailable' };

interface Answers {
  readonly compare?: object;
  readonly commit?: object;
  readonly git?: object;
  readonly lastJob?: Start | undefined;
}

/** Reads the changes of a push, or since a start that the inputs name. Lists the requests. */
async function read(
  answers: Answers,
  changesSince?: string,
  changes: Partial<GitHubContext> = {},
  tag?: string,
) {
  const paths: string[] = [];
  const api = createFakeGitHub((path) => {
    paths.push(path);
    const { compare, commit: commits = { sha } } = answers;
    const tags = [
      { ref: `refs/tags/${tag}`, object: { type: 'commit', sha } },
      { ref: 'refs/tags/v1.0.0', object: { type: 'commit', sha: before } },
    ];
    const given: Record<string, unknown> = { compare, commits, git: answers.git ?? tags };
    const answer = given[path.split('/')[1] ?? ''];
    if (answer instanceof GitHubError) {
      throw answer;
    }
    return answer;
  });
  const github = createGitHubContext({ eventTag: tag, ...changes });
  const run = {
    ...createWorld().timing,
    inputs: { tag, changesSince },
    github,
    openApi: () => api,
    lastJob: answers.lastJob,
  };
  const reading = readChanges(run);
  return { reading: await explainRejection(reading), paths };
}

const known = (ref: string) => ({ start: { kind: 'known', ref }, changes: undefined });
const unknown = (cause: string, detail: string) => {
  return { start: { kind: 'unknown', cause, detail }, changes: undefined };
};
const error = (failure: GitHubFailure, text = 'no luck') => new GitHubError(text, failure);

const none = { total_commits: 0, commits: [], files: [] };
it.each<[string, object, object]>([
  ['of new commits', {}, { status: 'ahead', total: 1 }],
  ['of commits on both sides', { status: 'diverged', behind_by: 2 }, { status: 'diverged' }],
  ['of the same commit', { ...none, status: 'identical' }, { status: 'identical', total: 0 }],
  ['with a later start', { ...none, status: 'behind', behind_by: 3 }, { status: 'behind' }],
  ['of more commits than it lists', { total_commits: 400 }, { total: 400, commits: [commit] }],
  ['of 299 files', { files: Array(299).fill(file) }, { isCut: false }],
  ['of 300 files or more', { files: Array(300).fill(file) }, { isCut: true }],
])('a comparison %s is believed', async (_, changes, expected) => {
  const { reading } = await read({ compare: { ...whole, ...changes } }, 'stable');
  expect(reading).toMatchObject({ changes: expected, missing: [] });
});

it.each<[string, object]>([
  ['no commits beside a commit', { total_commits: 0, status: 'identical' }],
  ['commits that it does not list', { commits: [] }],
  ['fewer commits than it lists', { commits: [commit, commit] }],
  ['no commits, and is ahead', none],
  ['no commits, and is identical, but behind', { ...none, status: 'identical', behind_by: 3 }],
  ['a commit, and is behind', { status: 'behind', behind_by: 1 }],
])('a comparison that counts %s is unreadable', async (_, changes) => {
  const compare = { ...whole, ...changes };
  const missing = { missing: ['commits, files'] };
  expect((await read({ compare })).reading).toMatchObject({ ...known(before), ...missing });
  const detail = 'the comparison contradicts itself';
  expect((await read({ compare }, 'v1')).reading).toMatchObject(unknown('unavailable', detail));
});

it.each(['filename', 'previous_filename'])(
  'a comparison with an endless %s is unreadable',
  async (name) => {
    const answer = (size: number) => ({
      compare: { ...whole, files: [{ ...file, [name]: 'x'.repeat(size) }] },
    });
    expect((await read(answer(4_096))).reading).toMatchObject({ missing: [] });
    expect((await read(answer(4_097))).reading).toMatchObject({ missing: ['commits, files'] });
  },
);

it('a comparison without commits is unreadable, and without files is read twice', async () => {
  const { reading } = await read({ compare: { ...whole, ...none, status: 'identical' } });
  expect(reading).toMatchObject({ missing: ['commits, files'] });
  const { paths } = await read({ compare: { ...whole, files: [] } });
  expect(paths.filter((path) => path.startsWith('/compare/'))).toHaveLength(2);
});

it('a comparison with the default branch begins where the branch has left it', async () => {
  const compare = { ...whole, status: 'diverged', behind_by: 2 };
  const topic = { branch: 'topic', before: '0'.repeat(40) };
  const { reading } = await read({ compare }, undefined, topic);
  expect(reading).toMatchObject({ start: { ref: 'main' }, changes: { status: 'ahead' } });
});

const lastJob = { kind: 'known', ref: 'd' } as const;
const apart = error(refused, 'HTTP 404: No common ancestor between a and b.');
const slow = 'HTTP 422: Server Error: Sorry, this diff is taking too long to generate.';
const tooLarge = error({ kind: 'unavailable', httpStatus: 422 }, slow);
const denied = (httpStatus: number) => error({ kind: 'access', httpStatus });
const gone = unknown('gone', `HTTP 404 (${before.slice(0, 10)})`);
const noLuck = (cause: string) => unknown(cause, 'no luck');
it.each<[string, Answers, string | undefined, object]>([
  ['a commit that is gone', {}, undefined, gone],
  ['no common ancestor', { compare: apart }, 'v1', unknown('gone', `${apart.message} (v1)`)],
  ['no commit, either', { commit: error(refused) }, undefined, unknown('access', 'HTTP 404')],
  ['no permission', { compare: denied(403) }, 'v1', noLuck('access')],
  ['a wrong token', { compare: denied(401) }, undefined, noLuck('access')],
  ['no token', { compare: error({ kind: 'setting' }) }, undefined, noLuck('setting')],
  ['a named start without GitHub', { compare: error(down) }, 'v1', noLuck('unavailable')],
  ['a last job that is gone', { lastJob }, LAST_JOB, unknown('gone', 'HTTP 404 (d)')],
  ['a last job without GitHub', { lastJob, compare: error(down) }, LAST_JOB, known('d')],
  ['a named start that takes GitHub too long', { compare: tooLarge }, 'v1', known('v1')],
  ['a push that takes GitHub too long', { compare: tooLarge }, undefined, known(before)],
  ['a push while GitHub is down', { compare: error(down) }, undefined, known(before)],
  ['a push, and fewer fields', { compare: { total_commits: 1 } }, undefined, known(before)],
])('a range with %s is known or has a cause', async (_, answers, since, expected) => {
  expect((await read(answers, since)).reading).toMatchObject(expected);
});

it('names a start that does not exist', async () => {
  const { reading } = await read({}, 'refs/tags/v9');
  expect(reading).toEqual([
    '`changes-since` is wrong: `refs/tags/v9` is no tag, branch, or commit of the repository.',
  ]);
});

it('keeps the start for a tag, whose facts are optional', async () => {
  const { reading } = await read({ commit: error(refused) }, 'v1', {}, 'v2');
  expect(reading).toMatchObject({ ...known('v1'), missing: ['commits, files'] });
});

it('a missing release and endpoint on Gitea are no missing permission', async () => {
  const git = error(refused);
  const { reading } = await read({ git }, undefined, { isGitea: true }, 'v2');
  expect(reading).toMatchObject({ notes: '', isRefused: false });
  const { reading: onGitHub } = await read({ git }, undefined, {}, 'v2');
  expect(onGitHub).toMatchObject({ notes: undefined, isRefused: true });
  const forbidden = error({ kind: 'access', httpStatus: 403 });
  const { reading: other } = await read({ git: forbidden }, undefined, { isGitea: true }, 'v2');
  expect(other).toMatchObject({ isRefused: true });
});

it('a range is unknown without a commit of the run, and nothing is read', async () => {
  const { reading, paths } = await read({ compare: whole }, undefined, { sha: undefined });
  expect(reading).toMatchObject(unknown('setting', 'GITHUB_SHA is not set'));
  expect(paths).toEqual([]);
});

const zeros = '0'.repeat(40);
it.each<[string, Partial<GitHubContext>, string | undefined, string, Start?]>([
  ['the commit before a push', {}, undefined, before],
  ['the default branch for a new branch', { branch: 'a', before: zeros }, undefined, 'main'],
  ['a named branch', {}, 'refs/heads/release/1', 'release/1'],
  ['a named tag', {}, 'refs/tags/v1', 'v1'],
  ['the last job', {}, LAST_JOB, 'd', lastJob],
])('the changes begin at %s', async (_, changes, since, ref, lastJob) => {
  const { reading, paths } = await read({ compare: whole, lastJob }, since, changes);
  expect(reading).toMatchObject({ start: { kind: 'known', ref }, commit: sha, missing: [] });
  expect(paths.at(-1)).toBe(`/compare/${ref}...${sha}`);
});

it('nothing is before the first push of the default branch, and a first run', async () => {
  const push = await read({}, undefined, { before: zeros });
  expect(push.reading).toMatchObject({ start: { kind: 'none' }, missing: [] });
  const first = await read({ lastJob: { kind: 'first-run' } }, LAST_JOB);
  expect(first.reading).toMatchObject({ start: { kind: 'first-run' }, missing: [] });
});

it.each([
  ['the commit of the version before', undefined, 'v1.1.0', 'v1.0.0', before],
  ['a named start', 'v1', 'v2', 'v1', 'v1'],
])('the changes of a tag begin at %s', async (_, since, tag, ref, from) => {
  const { reading, paths } = await read({ compare: whole }, since, {}, tag);
  expect(reading).toMatchObject({ tag, start: { ref } });
  expect(paths).toContain(`/compare/${from}...${sha}`);
});
