import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { getErrorText } from '../../../src/errors.ts';
import {
  findPullRequest,
  readPullRequest,
  readPullState,
} from '../../../src/github/pull-request.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import { createFakeGitHub, KEY } from '../fixtures.ts';

const LINK = 'https://github.com/acme/docs/pull/7';
const size = { additions: 5, deletions: 1 };
const pull = {
  title: 'Add it',
  state: 'open',
  ...size,
  changed_files: 30,
  head: { ref: 'docs-agent/update' },
  merged: false,
  draft: false,
};
const file = { filename: 'a/b.mdx', ...size, status: 'added' };

async function read(parts: { pull?: unknown; files?: unknown; link?: string; host?: string }) {
  const { host = 'https://github.com', link = LINK, ...given } = parts;
  const answers: Record<string, unknown> = { pull, files: [file], ...given };
  const paths: string[] = [];
  const place = findPullRequest(host, link);
  const api = createFakeGitHub((path) => {
    paths.push(`${place?.project}${path}`);
    return answers[path.includes('/files') ? 'files' : 'pull'];
  });
  const result =
    place && (await readPullRequest(place, api, createRedactor(KEY)).catch(getErrorText));
  return { result, paths };
}

it.each(['https://github.com', 'https://git.example.com'])('reads all at %s', async (host) => {
  const page = `${host}/acme/docs/pull/7`;
  const hash = createHash('sha256').update('a/b.mdx').digest('hex');
  const { result, paths } = await read({ host, link: page });
  expect(paths).toEqual(['acme/docs/pulls/7', 'acme/docs/pulls/7/files?per_page=20']);
  expect(result).toEqual({
    title: 'Add it',
    branch: 'docs-agent/update',
    state: 'open',
    ...size,
    changedFiles: 30,
    files: [{ path: 'a/b.mdx', link: `${page}/files#diff-${hash}`, ...size }],
  });
});

it.each([
  [{ draft: true }, 'draft'],
  [{ state: 'closed', draft: true }, 'closed'],
  [{ state: 'closed', merged: true }, 'merged'],
])('reads the state of a pull request with %o', async (fields, state) => {
  expect((await read({ pull: { ...pull, ...fields } })).result).toMatchObject({ state });
});

it.each([
  ['2026-11-01T00:00:00Z', 86_400_000],
  ['2026-11-02T02:00:00+01:00', -3_600_000],
  ['1', undefined],
  ['', undefined],
  [null, undefined],
  [undefined, undefined],
])("reads the age of one from %j by GitHub's clock", async (created_at, ageMs) => {
  const place = findPullRequest('https://github.com', LINK);
  const now = () => Date.UTC(2026, 10, 2);
  const api = { ...createFakeGitHub(() => ({ state: 'open', created_at })), now };
  expect(place && (await readPullState(place, api))).toEqual({ state: 'open', ageMs });
});

it.each([
  [0, [file], undefined],
  [0, [], 0],
  [3, [], 3],
  [2, [file, file], 2],
])('reads a size of %s beside the files %j as %s', async (changed_files, files, changedFiles) => {
  const { result } = await read({ pull: { ...pull, changed_files }, files });
  const known = changedFiles === undefined ? { additions: undefined, deletions: undefined } : size;
  expect(result).toMatchObject({ ...known, changedFiles });
});

it('lists at most twenty files, and redacts the key', async () => {
  const body = Array<object>(25).fill({ ...file, filename: `${KEY}/a` });
  const { result } = await read({ pull: { ...pull, title: `x ${KEY}` }, files: body });
  expect(result).toMatchObject({ title: 'x ***', files: Array(20).fill({ path: '***/a' }) });
  expect(JSON.stringify(result)).not.toContain(KEY);
});

it.each([
  'https://git.example.com/acme/docs/pull/7',
  'https://github.com/acme/docs/issues/7',
  'https://github.com/a/b/c/pull/7',
  'https://gitlab.com/a/b/-/merge_requests/42',
])('reads nothing for %s', async (link) => {
  const nothing = { result: undefined, paths: [] };
  expect(await read({ link })).toEqual(nothing);
  expect(await read({ link: LINK, host: 'https://git.example.com' })).toEqual(nothing);
});

it.each<[string, object, unknown, string]>([
  ['that is a list', [], [], 'not as documented'],
  ['with a file without a name', pull, [{}], 'not as documented'],
  ['without files', pull, undefined, 'HTTP 404'],
])('fails for a pull request %s', async (_, given, files, problem) => {
  expect((await read({ pull: given, files })).result).toBe(problem);
});
