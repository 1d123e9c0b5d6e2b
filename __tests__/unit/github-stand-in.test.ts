import { describe, expect, it, onTestFinished } from 'vitest';
import { headSha } from '../../harness/action-environment.ts';
import { createGitHubApi, type GitHubApiOptions } from '../github/api.ts';
import { type Schemas, toSha, toTime } from '../github/payloads.ts';
import type { CommitStatus, Repository } from '../github/repository.ts';
import { createSampleRepositories, releaseSha } from '../github/sample.ts';
import { commits, repository } from '../helpers/github.ts';
import { findDeviations, findSchemaProblems } from '../helpers/github-description.ts';

const TOKEN = 'ghs_0123456789abcdefghijklmnopqrstuvwxyz';
const HOME = '/repos/acme/widgets';

type ApiError = Schemas['basic-error'];
type Status = Schemas['status'];
type StatusFields = { readonly [name: string]: unknown };
type Comparison = Schemas['commit-comparison'];

/**
 * Starts the stand-in with one repository `acme/widgets`, and returns it with a client. At the end
 * of the test, its exchanges must fit the published description, except for the given deviations
 * and those of Gitea.
 */
async function start(
  parts: Partial<Repository> = {},
  options: Partial<GitHubApiOptions> = {},
  deviations: readonly RegExp[] = [],
) {
  const repositories = { 'acme/widgets': repository(parts) };
  const api = createGitHubApi({ repositories, token: TOKEN, ...options });
  const root = await api.listen();
  onTestFinished(async () => {
    await api.close();
    if (api.dialect === 'gitea') return;
    const expected = deviations.map((pattern) => expect.stringMatching(pattern));
    expect(api.requests.flatMap(findDeviations)).toEqual(expected);
  });

  async function send<T>(path: string, token: string, body?: string) {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${root}${path}`, {
      headers,
      ...(body !== undefined && { method: 'POST', body }),
    });
    return {
      status: response.status,
      headers: response.headers,
      json: (await response.json()) as T,
    };
  }
  const get = <T = ApiError>(path: string, token = TOKEN) => send<T>(path, token);
  const post = <T = ApiError>(body: StatusFields | string, commit = headSha) =>
    send<T>(
      `${HOME}/statuses/${commit}`,
      TOKEN,
      typeof body === 'string' ? body : JSON.stringify(body),
    );
  return {
    api,
    get,
    /** Creates a status. */
    post,
    /** The descriptions of the commit's statuses, as listed now. */
    async list(query = '', ref = headSha): Promise<(string | null)[]> {
      const { json } = await get<Status[]>(`${HOME}/commits/${ref}/statuses${query}`);
      return json.map(({ description }) => description);
    },
  };
}

/** Returns statuses with these ids, which are also their descriptions. */
function statusesOf(ids: readonly number[], parts: Partial<CommitStatus> = {}): CommitStatus[] {
  return ids.map((id) => ({ id, description: `${id}`, ...parts }));
}

const history = commits(8);
const sha = (index: number): string => history[index]?.sha ?? '';
const file = { path: 'docs/a b#c.mdx', status: 'modified' as const, additions: 2, deletions: 1 };
const moved = { ...file, status: 'renamed' as const, previousPath: 'docs/old.mdx' };

/** A repository with every variant of a payload. */
const everything: Partial<Repository> = {
  commits: [
    ...history,
    { sha: toSha('last'), message: 'Last', author: 'Ada Example', files: [moved] },
  ],
  tags: [
    { name: 'v1.0.0', sha: sha(0) },
    { name: 'v1.1.0', sha: toSha('last'), isAnnotated: true },
  ],
  releases: { 'v1.1.0': 'Notes' },
  branches: { main: headSha },
  statuses: {
    [headSha]: [
      { id: 1 },
      {
        id: 2,
        state: 'pending',
        description: 'Text',
        targetUrl: 'https://ci.example.com/1',
        creator: 'mona',
      },
    ],
  },
  pulls: {
    1: { title: 'Open', state: 'open', files: [file] },
    2: { title: 'Draft', state: 'open', isDraft: true, files: [file, moved] },
    3: { title: 'Merged', state: 'closed', isMerged: true, files: [] },
    4: { title: 'Closed', state: 'closed', files: [] },
  },
};

describe("the stand-in of GitHub's API", () => {
  it('serves the repositories of the demo as the published description says', async () => {
    const { get, post } = await start({}, { repositories: createSampleRepositories() });
    expect((await post({ state: 'success' }, releaseSha)).status).toBe(201);
    const list = `${HOME}/commits/${releaseSha}/statuses`;
    for (const path of ['/repos/acme/docs/pulls/128', `${HOME}/compare/v1.1.0...v1.2.0`, list]) {
      expect((await get(path)).status).toBe(200);
    }
  });

  it.each([
    ['another token', 'ghs_other', '/pulls/1', 401, 'Bad credentials'],
    ['an unknown pull request', TOKEN, '/pulls/9', 404, 'Not Found'],
    ['an unknown commit', TOKEN, `/commits/${toSha('?')}/statuses`, 422, 'No commit found for SHA'],
    [
      'a missing permission',
      TOKEN,
      '/releases/tags/v1.1.0',
      403,
      'Resource not accessible by integration',
    ],
  ])('refuses %s as GitHub does', async (_, token, path, status, message) => {
    const { get } = await start(everything, {
      permissions: { 'pull-requests': 'read', statuses: 'read' },
    });
    const reply = await get(HOME + path, token);
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({
      message: expect.stringContaining(message),
      status: `${status}`,
    });
    expect(reply.json.documentation_url).toMatch(/^https:\/\/docs\.github\.com\/rest/);
  });
});

// The end-to-end tests rely on this check, and wouldn't notice if it found nothing.
describe('the check of requests and responses', () => {
  it.each<[string, ...RegExp[]]>([
    ['/pulls/1?pages=2', /unknown parameter pages/],
    ['/actions/runs?status=odd', /status must not be "odd"/, /the stand-in lacks it/],
    ['/actions/runs/last/jobs', /no such operation/],
  ])('finds the deviation in %s', async (path, ...problems) => {
    const { get } = await start(everything, {}, problems.toReversed());
    await get(HOME + path);
  });

  // Tests of refusals below show a wrong field and a broken body.
  it('finds the unknown field of a write', async () => {
    const { post } = await start({}, {}, [/unknown field status/]);
    await post({ state: 'success', status: 'success' });
  });

  it('finds a wrong field of a response', async () => {
    const { get } = await start(everything);
    const { json } = await get<Status[]>(`${HOME}/commits/main/statuses`);
    expect(findSchemaProblems('status', json[0])).toEqual([]);
    for (const wrong of [
      { avatar_url: undefined },
      { id: '13' },
      { context: null },
      { creator: {} },
    ]) {
      expect(findSchemaProblems('status', { ...json[0], ...wrong })).not.toEqual([]);
    }
  });
});

describe('a page of the stand-in', () => {
  it.each<[string, number, string]>([
    ['', 30, '234'],
    ['?per_page=500&page=2', 100, '134'],
    ['?per_page=100&page=3', 34, '34'],
  ])('of statuses with the query "%s" has %i items, newest first', async (query, size, first) => {
    const seeds = statusesOf(Array.from({ length: 234 }, (_, index) => index + 1));
    const { list } = await start({ statuses: { [headSha]: seeds } });
    const shown = await list(query);
    expect([shown.length, shown[0]]).toEqual([size, first]);
  });

  it('has the commits of a comparison, and its files if it is the first page', async () => {
    const long = commits(402);
    const { get } = await start({ commits: long });
    const compare = `${HOME}/compare/${long[0]?.sha}...${long[401]?.sha}`;
    const { json: whole } = await get<Comparison>(compare);
    expect([whole.total_commits, whole.commits.length, whole.files?.length]).toEqual([
      401, 250, 300,
    ]);
    expect(whole.commits.at(-1)?.sha).toBe(long[401]?.sha);
    const read = async (page: number) =>
      (await get<Comparison>(`${compare}?per_page=300&page=${page}`)).json;
    const [first, last] = [await read(1), await read(5)];
    expect([first.commits.length, first.commits[0]?.sha, first.files?.length]).toEqual([
      100,
      long[1]?.sha,
      300,
    ]);
    expect([last.commits.length, last.files]).toEqual([1, undefined]);
  });
});

describe('the commit statuses of the stand-in', () => {
  it('are written as the published description says', async () => {
    const statuses = { [toSha('other')]: statusesOf([50_000_000_000]) };
    const { post, get } = await start({ statuses });
    const fields = {
      description: 'Text',
      context: 'Docs',
      target_url: 'https://ci.example.com/#1',
    };
    const first = await post<Status>({ state: 'success', ...fields });
    const second = await post<Status>({ state: 'pending' });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.json).toMatchObject({ id: 50_000_000_001, state: 'success', ...fields });
    expect(first.json.creator).toMatchObject({ login: 'github-actions[bot]', type: 'Bot' });
    expect(first.headers.get('location')).toBe(first.json.url);
    const nothing = { state: 'pending', context: 'default', description: null, target_url: null };
    expect(second.json).toMatchObject({ id: 50_000_000_002, ...nothing });
    const { json } = await get<Status[]>(`${HOME}/commits/main/statuses`);
    expect(json).toEqual([second.json, first.json]);
  });

  const problems = {
    state: 'is not included in the list',
    description: 'is too long (maximum is 140 characters)',
    target_url: 'must use http(s) scheme',
    sha: 'must be a 40 character SHA1',
  };
  it('refuse every wrong field', async () => {
    const { post, list } = await start({}, {}, [/\/state must be equal to one of/]);
    const wrong = {
      state: 'done',
      description: '\u{1f680}'.repeat(141),
      target_url: 'ftp://example.com',
    };
    const { status, json } = await post<Schemas['validation-error']>(wrong, headSha.slice(0, 7));
    const expected = Object.entries(problems).map(([field, problem]) => `${field} ${problem}`);
    expect(json.errors?.map(({ message }) => message).sort()).toEqual(expected.sort());
    expect([status, await list()]).toEqual([422, []]);
  });

  it.each<[string, StatusFields | string, string, number, RegExp[]]>([
    ['commit', { state: 'success', description: '\u{1f680}'.repeat(140) }, toSha('?'), 422, []],
    ['body', '{', headSha, 400, [/a body that is not JSON/]],
  ])('refuse a wrong %s', async (_, body, commit, status, deviations) => {
    const { post } = await start({}, {}, deviations);
    expect(await post(body, commit)).toMatchObject({
      status,
      json: { message: expect.any(String) },
    });
  });

  it('appear in order after some reads', async () => {
    const statuses = { [headSha]: statusesOf([0]) };
    const { post, list } = await start({ statuses }, { statusDelays: [2, 0] });
    for (const description of ['a', 'b']) await post({ state: 'success', description });
    const seen: string[] = [];
    for (let read = 0; read < 3; read += 1) seen.push((await list()).join(' '));
    expect(seen).toEqual(['0', '0', 'b a 0']);
  });
});

it('the stand-in of Gitea lists the newest second first, in pages of at most 50, with its own fields', async () => {
  const seeds = statusesOf(Array.from({ length: 120 }, (_, index) => 1_000 + index)).map(
    (status, index): CommitStatus => ({
      ...status,
      createdAt: toTime(Math.floor(index / 3) * 1_000),
    }),
  );
  const { get, list, post } = await start({ statuses: { [headSha]: seeds } }, { dialect: 'gitea' });
  expect(await list('?limit=5')).toEqual(['1117', '1118', '1119', '1114', '1115']);
  const path = `${HOME}/commits/${headSha}/statuses?per_page=100&limit=100&page=2`;
  const { json } = await get<{ id: number }[]>(path);
  expect([json.length, json[0]?.id]).toEqual([50, 72]);
  const fields = { description: 'x'.repeat(200), context: 'Docs', target_url: 'ftp://example.com' };
  const written = await post<object>({ state: 'success', ...fields });
  expect(written).toMatchObject({ status: 201, json: { id: 121, status: 'success', ...fields } });
  expect(written.json).not.toHaveProperty('state');
});
