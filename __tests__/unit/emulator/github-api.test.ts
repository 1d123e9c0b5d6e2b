import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGitHubApi, type GitHubApiOptions } from '../../../emulator/github/api.ts';
import { type Schemas, toSha, toTime } from '../../../emulator/github/payloads.ts';
import type { CommitStatus, Repository } from '../../../emulator/github/repository.ts';
import { createSampleRepositories, releaseSha } from '../../../emulator/github/sample.ts';
import { headSha } from '../../../harness/action-environment.ts';
import { commits, repository } from '../../helpers/github.ts';
import { findDeviations, findSchemaProblems } from '../../helpers/github-description.ts';

const TOKEN = 'ghs_0123456789abcdefghijklmnopqrstuvwxyz';
const HOME = '/repos/acme/widgets';

type ApiError = Schemas['basic-error'];
type Status = Schemas['status'];
type StatusFields = { readonly [name: string]: unknown };
type Comparison = Schemas['commit-comparison'];

/**
 * Starts the stand-in with one repository `acme/widgets`, and returns it with a client. At the end of the test, its
 * exchanges must fit the published description, except for the given deviations and those of Gitea.
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

  async function send<T>(path: string, fields: Record<string, string>, text?: string) {
    const response = await request(path.startsWith('/') ? `${root}${path}` : path, {
      method: text === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'user-agent': 'test',
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...fields,
      },
      ...(text !== undefined && { body: text }),
    });
    const { statusCode: status, headers } = response;
    return { status, headers, json: (await response.body.json()) as T };
  }
  const get = <T = ApiError>(path: string, fields: Record<string, string> = {}) => send<T>(path, fields);
  const post = <T = ApiError>(body: StatusFields | string, commit = headSha, fields = {}) =>
    send<T>(`${HOME}/statuses/${commit}`, fields, typeof body === 'string' ? body : JSON.stringify(body));
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
  commits: [...history, { sha: toSha('last'), message: 'Last', author: 'Ada Example', files: [moved] }],
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
    ['another token', { authorization: 'Bearer ghs_other' }, '/pulls/1', 401, 'Bad credentials'],
    ['an unknown pull request', {}, '/pulls/9', 404, 'Not Found'],
    [
      'an unknown commit',
      {},
      `/commits/${toSha('?')}/statuses`,
      422,
      `No commit found for SHA: ${toSha('?')}`,
    ],
    ['a missing permission', {}, '/releases/tags/v1.1.0', 403, 'Resource not accessible by integration'],
  ])('refuses %s as GitHub does', async (_, headers, path, status, message) => {
    const { get } = await start(everything, { permissions: { 'pull-requests': 'read', statuses: 'read' } });
    const reply = await get(HOME + path, headers);
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ message, status: `${status}` });
    expect(reply.json.documentation_url).toMatch(/^https:\/\/docs\.github\.com\/rest/);
  });
});

// The end-to-end tests rely on this check, and wouldn't notice if it found nothing.
describe('the check of requests and responses', () => {
  it.each<[string, Record<string, string>, ...RegExp[]]>([
    ['/pulls/1?pages=2', {}, /unknown parameter pages/],
    ['/actions/runs?status=odd', {}, /status must not be "odd"/, /the stand-in lacks it/],
    ['/actions/runs/last/jobs', {}, /no such operation/],
    ['/pulls/1', { 'x-extra': '1' }, /unknown header x-extra/],
    ['/pulls/1', { accept: 'text/html' }, /unknown media type text\/html/],
    ['/pulls/1', { 'user-agent': '' }, /no user-agent/],
  ])('finds the deviation in %s with the headers %o', async (path, headers, ...problems) => {
    const { get } = await start(everything, {}, problems.toReversed());
    await get(HOME + path, headers);
  });

  it.each<[string, StatusFields | string, Record<string, string>, RegExp]>([
    ['unknown field', { state: 'success', status: 'success' }, {}, /unknown field status/],
    ['wrong state', { state: 'done' }, {}, /\/state must be equal to one of/],
    ['broken body', '{', {}, /a body that is not JSON/],
    ['other content type', { state: 'success' }, { 'content-type': 'text/plain' }, /unknown content type/],
  ])('finds the %s of a write', async (_, body, headers, problem) => {
    const { post } = await start({}, {}, [problem]);
    await post(body, headSha, headers);
  });

  it('finds a wrong field', async () => {
    const { get } = await start(everything);
    const { json } = await get<Status[]>(`${HOME}/commits/main/statuses`);
    expect(findSchemaProblems('status', json[0])).toEqual([]);
    for (const wrong of [{ avatar_url: undefined }, { id: '13' }, { context: null }, { creator: {} }]) {
      expect(findSchemaProblems('status', { ...json[0], ...wrong })).not.toEqual([]);
    }
  });
});

describe('a page of the stand-in', () => {
  it.each<[string, number, string, readonly string[]]>([
    ['', 30, '234', ['next 2', 'last 8']],
    ['?per_page=500&page=2', 100, '134', ['prev 1', 'next 3', 'last 3', 'first 1']],
    ['?per_page=100&page=3', 34, '34', ['prev 2', 'first 1']],
  ])('of statuses with the query "%s" has %i items, newest first', async (query, size, first, links) => {
    const seeds = statusesOf(Array.from({ length: 234 }, (_, index) => index + 1));
    const { get } = await start({ statuses: { [headSha]: seeds } });
    const { headers, json } = await get<Status[]>(`${HOME}/commits/${headSha}/statuses${query}`);
    expect([json.length, json[0]?.description ?? '']).toEqual([size, first]);
    const found = [...`${headers['link']}`.matchAll(/<([^>]+)>; rel="(\w+)"/g)];
    expect(found.map(([, url = '', name]) => `${name} ${new URL(url).searchParams.get('page')}`)).toEqual(
      links,
    );
    // The addresses in the links lead to the pages.
    for (const [, url = ''] of found) expect((await get(url)).status).toBe(200);
  });

  it('has every tag', async () => {
    const tags = Array.from({ length: 450 }, (_, index) => ({ name: `v0.0.${index}`, sha: sha(0) }));
    const { get } = await start({ tags }, {}, [/unknown parameter per_page/, /unknown parameter page/]);
    const { json } = await get(`${HOME}/git/matching-refs/tags/v?per_page=100&page=2`);
    expect(json).toHaveLength(450);
  });

  it('has the commits of a comparison, and its files if it is the first page', async () => {
    const long = commits(402);
    const { get } = await start({ commits: long });
    const compare = `${HOME}/compare/${long[0]?.sha}...${long[401]?.sha}`;
    const { json: whole } = await get<Comparison>(compare);
    expect([whole.total_commits, whole.commits.length, whole.files?.length]).toEqual([401, 250, 300]);
    expect(whole.commits.at(-1)?.sha).toBe(long[401]?.sha);
    const read = async (page: number) => (await get<Comparison>(`${compare}?per_page=300&page=${page}`)).json;
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
    const fields = { description: 'Text', context: 'Docs', target_url: 'https://ci.example.com/#1' };
    const first = await post<Status>({ state: 'success', ...fields });
    const second = await post<Status>({ state: 'pending' });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.json).toMatchObject({ id: 50_000_000_001, state: 'success', ...fields });
    expect(first.json.creator).toMatchObject({ login: 'github-actions[bot]', type: 'Bot' });
    expect(first.headers['location']).toBe(first.json.url);
    const nothing = { state: 'pending', context: 'default', description: null, target_url: null };
    expect(second.json).toMatchObject({ id: 50_000_000_002, ...nothing });
    const { json } = await get<Status[]>(`${HOME}/commits/main/statuses`);
    expect(json).toEqual([second.json, first.json]);
  });

  it.each<[string, StatusFields | string, string, number, unknown, RegExp?]>([
    ['state', { state: 'done' }, headSha, 422, 'state is not included in the list', /must be equal/],
    [
      'description',
      { state: 'success', description: '\u{1f680}'.repeat(141) },
      headSha,
      422,
      'description is too long (maximum is 140 characters)',
    ],
    [
      'link',
      { state: 'success', target_url: 'ftp://example.com' },
      headSha,
      422,
      'target_url must use http(s) scheme',
    ],
    ['short sha', { state: 'success' }, headSha.slice(0, 7), 422, 'sha must be a 40 character SHA1'],
    ['commit', { state: 'success' }, toSha('?'), 422, undefined],
    ['body', '{', headSha, 400, undefined, /not JSON/],
  ])('refuse a wrong %s', async (_, body, commit, status, message, deviation) => {
    const { post, list } = await start({}, {}, deviation ? [deviation] : []);
    const reply = await post<Schemas['validation-error']>(body, commit);
    expect(reply.status).toBe(status);
    expect(reply.json.errors?.[0]?.message).toBe(message);
    expect(await list()).toEqual([]);
  });

  it('accept 140 characters, and 1,000 statuses for a commit and context in any case', async () => {
    const seeds = statusesOf(
      Array.from({ length: 999 }, (_, index) => index),
      { context: 'docs' },
    );
    const { post } = await start({ statuses: { [headSha]: seeds } });
    const status = { state: 'success', context: 'DOCS', description: '\u{1f680}'.repeat(140) };
    expect((await post(status)).status).toBe(201);
    const { json } = await post<Schemas['validation-error']>(status);
    expect(json.errors?.[0]?.message).toBe(
      'This SHA and context has reached the maximum number of statuses.',
    );
    expect((await post({ ...status, context: 'other' })).status).toBe(201);
  });

  it.each([
    [{}, 80, 403],
    [{ requests: 2, status: 429 } as const, 2, 429],
  ])('are limited by %o to %i writes a minute', async (contentLimit, most, refused) => {
    const { post, list } = await start({}, { contentLimit });
    for (let count = 0; count < most; count += 1) await post({ state: 'success', context: `${count}` });
    const { status, headers, json } = await post({ state: 'success' });
    expect([status, json.message]).toEqual([refused, expect.stringContaining('secondary rate limit')]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(50);
    expect(headers['x-ratelimit-remaining']).not.toBe('0');
    expect(await list('?per_page=100')).toHaveLength(most);
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

describe('the stand-in of Gitea', () => {
  const options: Partial<GitHubApiOptions> = { dialect: 'gitea', contentLimit: { requests: 0 } };
  const path = `${HOME}/commits/${headSha}/statuses`;

  it('lists the newest second first, in pages of at most 50', async () => {
    const seeds = statusesOf(Array.from({ length: 120 }, (_, index) => 1_000 + index)).map(
      (status, index): CommitStatus => ({ ...status, createdAt: toTime(Math.floor(index / 3) * 1_000) }),
    );
    const { get, list } = await start({ statuses: { [headSha]: seeds } }, options);
    expect(await list('?limit=5')).toEqual(['1117', '1118', '1119', '1114', '1115']);
    const { headers, json } = await get<{ id: number }[]>(`${path}?per_page=100&limit=100&page=2`);
    expect([json.length, json[0]?.id, headers['x-total-count']]).toEqual([50, 72, '120']);
  });

  it('has its own name for the state of a status, and no rate limits', async () => {
    const { post, get } = await start({}, options);
    const fields = { description: 'x'.repeat(200), context: 'Docs', target_url: 'ftp://example.com' };
    const { status, json } = await post<object>({ state: 'success', ...fields });
    expect(status).toBe(201);
    expect(json).toMatchObject({ id: 1, status: 'success', ...fields });
    expect(json).not.toHaveProperty('state');
    expect((await get(path)).json).toEqual([json]);
  });
});
