import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGitHubApi, type GitHubApiOptions } from '../../../emulator/github/api.ts';
import { endpoints } from '../../../emulator/github/endpoints.ts';
import { type Schemas, toSha } from '../../../emulator/github/payloads.ts';
import type { Annotation, Repository, WorkflowJob } from '../../../emulator/github/repository.ts';
import { toWorkflowId } from '../../../emulator/github/run-payloads.ts';
import { sampleRepositories } from '../../../emulator/github/sample.ts';
import { commits, matrix, repository } from '../../helpers/github.ts';
import { findDeviations, findDocumentation, findSchemaProblems } from '../../helpers/github-description.ts';

const TOKEN = 'ghs_0123456789abcdefghijklmnopqrstuvwxyz';
const HOME = '/repos/acme/widgets';

type ApiError = Schemas['basic-error'];
type JobList = { readonly total_count: number; readonly jobs: Schemas['job'][] };
type Comparison = Schemas['commit-comparison'];

/**
 * Starts the stand-in with one repository `acme/widgets`, and returns it with a client. At the end of the test, its
 * exchanges must fit the published description, except for the given deviations.
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
    const expected = deviations.map((pattern) => expect.stringMatching(pattern));
    expect(api.requests.flatMap(findDeviations)).toEqual(expected);
  });

  async function get<T = ApiError>(path: string, fields: Record<string, string> = {}) {
    const response = await request(path.startsWith('/') ? `${root}${path}` : path, {
      headers: { authorization: `Bearer ${TOKEN}`, 'user-agent': 'test', ...fields },
    });
    const { statusCode: status, headers } = response;
    return { status, headers, json: (await response.body.json()) as T };
  }
  return { api, get };
}

const history = commits(8);
const sha = (index: number): string => history[index]?.sha ?? '';
const file = { path: 'docs/a b#c.mdx', status: 'modified' as const, additions: 2, deletions: 1 };
const moved = { ...file, status: 'renamed' as const, previousPath: 'docs/old.mdx' };
const states = ['queued', 'running', 'finished', 'killed'] as const;
const note: Annotation = { title: 'Title', message: 'Text' };

/** A repository with every variant of a payload. */
const everything: Partial<Repository> = {
  commits: [...history, { sha: toSha('last'), message: 'Last', author: 'Ada Example', files: [moved] }],
  tags: [
    { name: 'v1.0.0', sha: sha(0) },
    { name: 'v1.1.0', sha: toSha('last'), isAnnotated: true },
  ],
  releases: { 'v1.1.0': 'Notes' },
  runs: {
    101: {
      event: 'release',
      headBranch: 'v1.1.0',
      attempts: [
        [
          ...states.map((state, index): WorkflowJob => ({ id: 11 + index, name: 'docs', state })),
          { id: 15, name: 'call / docs', conclusion: 'skipped', annotations: [note] },
          { id: 16, name: 'docs', conclusion: 'cancelled', annotations: [{ ...note, level: 'failure' }] },
        ],
        matrix(21, 'docs', 2),
      ],
    },
    102: { attempts: [] },
  },
  pulls: {
    1: { title: 'Open', state: 'open', files: [file] },
    2: { title: 'Draft', state: 'open', isDraft: true, files: [file, moved] },
    3: { title: 'Merged', state: 'closed', isMerged: true, files: [] },
    4: { title: 'Closed', state: 'closed', files: [] },
  },
};

const paths: Readonly<Record<string, readonly string[]>> = {
  'git/list-matching-refs': ['/git/matching-refs/tags/v', '/git/matching-refs/tags%2Fv1.1'],
  'git/get-tag': [`/git/tags/${toSha('tag v1.1.0')}`],
  'repos/compare-commits-with-basehead': [
    `/compare/${sha(0)}...${toSha('last')}`,
    `/compare/${toSha('last')}...${sha(0)}`,
    '/compare/v1.1.0...v1.1.0',
    '/compare/v1.0.0...v1.1.0?per_page=3&page=2',
  ],
  'repos/get-release-by-tag': ['/releases/tags/v1.1.0'],
  'actions/list-workflow-runs': [
    '/actions/workflows/docs.yml/runs',
    '/actions/workflows/docs.yml/runs?branch=v1.1.0&created=%3E%3D2020-01-01&per_page=30&page=1',
  ],
  'actions/list-jobs-for-workflow-run-attempt': ['/actions/runs/101/attempts/1/jobs?per_page=2'],
  'actions/get-job-for-workflow-run': [11, 12, 13, 14, 15].map((id) => `/actions/jobs/${id}`),
  'checks/list-annotations': ['/check-runs/15/annotations', '/check-runs/16/annotations?per_page=100'],
  'pulls/get': [1, 2, 3, 4].map((number) => `/pulls/${number}`),
  'pulls/list-files': ['/pulls/2/files?per_page=20', '/pulls/3/files'],
};

describe("the stand-in of GitHub's API", () => {
  it.each(endpoints)('answers $operation as the published description says', async (endpoint) => {
    const { operation, documentation } = endpoint;
    const { api, get } = await start(everything);
    for (const path of paths[operation] ?? []) expect((await get(HOME + path)).status).toBe(200);
    expect(api.requests.map((seen) => seen.operation)).toEqual(paths[operation]?.map(() => operation));
    expect(findDocumentation(operation)).toBe(`https://docs.github.com/rest/${documentation}`);
  });

  it('answers for the repositories of the demo as the published description says', async () => {
    const { get } = await start({}, { repositories: sampleRepositories });
    for (const path of ['/repos/acme/docs/pulls/128', `${HOME}/compare/v1.1.0...v1.2.0`]) {
      expect((await get(path)).status).toBe(200);
    }
  });

  it.each([
    ['another token', { authorization: 'Bearer ghs_other' }, '/pulls/1', 401, 'Bad credentials'],
    ['another scheme', { authorization: `Basic ${TOKEN}` }, '/pulls/1', 401, 'Bad credentials'],
    ['an unknown run', {}, '/actions/runs/999/attempts/1/jobs', 404, 'Not Found'],
    ['an unknown attempt', {}, '/actions/runs/101/attempts/9/jobs', 404, 'Not Found'],
    ['an unknown workflow', {}, '/actions/workflows/other.yml/runs', 404, 'Not Found'],
    ['a missing permission', {}, '/check-runs/11/annotations', 403, 'Resource not accessible by integration'],
  ])('refuses %s as GitHub does', async (_, headers, path, status, message) => {
    const { get } = await start(everything, { permissions: ['actions', 'pull-requests'] });
    const reply = await get(HOME + path, headers);
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ message, status: `${status}` });
    expect(reply.json.documentation_url).toMatch(/^https:\/\/docs\.github\.com\/rest/);
  });
});

// The end-to-end tests rely on this check. None would notice if it found nothing.
describe('the check of requests and answers', () => {
  it.each([
    ['/pulls/1?pages=2', {}, /unknown parameter pages/],
    ['/pulls/1/files?per_page=all', {}, /per_page must not be "all"/],
    ['/actions/workflows/docs.yml/runs?status=odd', {}, /status must not be "odd"/],
    ['/actions/runs/last/jobs', {}, /no such operation/],
    ['/labels?per_page=5', {}, /the stand-in lacks it/],
    ['/pulls/1', { 'x-extra': '1' }, /unknown header x-extra/],
    ['/pulls/1', { accept: 'text/html' }, /unknown media type text\/html/],
    ['/pulls/1', { 'user-agent': '' }, /no user-agent/],
  ])('finds the deviation in %s with the headers %o', async (path, headers, problem) => {
    const { get } = await start(everything, {}, [problem]);
    await get(HOME + path, headers);
  });

  it.each([{ check_run_url: undefined }, { id: '13' }, { name: null }, { conclusion: 'fine' }])(
    'finds the wrong field %o',
    async (wrong) => {
      const { get } = await start(everything);
      const { json: job } = await get<Schemas['job']>(`${HOME}/actions/jobs/13`);
      expect(findSchemaProblems('job', job)).toEqual([]);
      expect(findSchemaProblems('job', { ...job, ...wrong })).not.toEqual([]);
    },
  );
});

describe('a page of the stand-in', () => {
  it('has 30 items by default, and 100 at most', async () => {
    const jobs = matrix(1_000, 'docs', 234);
    const { get } = await start({ runs: { 101: { attempts: [jobs] } } });
    const list = `${HOME}/actions/runs/101/attempts/1/jobs`;
    const queries = ['', '?per_page=500', '?per_page=100&page=2', '?per_page=100&page=3', '?page=99'];
    const pages = await Promise.all(queries.map(async (query) => (await get<JobList>(list + query)).json));
    expect(pages.map((page) => [page.total_count, page.jobs.length, page.jobs[0]?.id])).toEqual([
      [234, 30, 1_000],
      [234, 100, 1_000],
      [234, 100, 1_100],
      [234, 34, 1_200],
      [234, 0, undefined],
    ]);
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

describe('a list of the stand-in', () => {
  const hour = (number: number): string => new Date(Date.UTC(2026, 0, 1, number)).toISOString();
  const ofTag = { headBranch: 'v1.0.0', attempts: [] };
  const runs: Repository['runs'] = {
    101: { ...ofTag, createdAt: hour(1) },
    102: { ...ofTag, createdAt: hour(25) },
    103: { createdAt: hour(23), attempts: [] },
    104: { file: 'ci.yml', createdAt: hour(4), attempts: [] },
  };

  it.each([
    ['docs.yml', '', [102, 103, 101]],
    [toWorkflowId('ci.yml'), '', [104]],
    ['docs.yml', 'branch=v1.0.0', [102, 101]],
    ['docs.yml', 'created=>=2026-01-02', [102]],
    ['docs.yml', 'per_page=1&page=2', [103]],
    ['docs.yml', 'event=push', undefined],
  ])('has the runs of %s, newest first, that match "%s"', async (workflow, query, ids) => {
    const { get } = await start({ runs });
    const { json } = await get<{ workflow_runs?: Schemas['workflow-run'][] }>(
      `${HOME}/actions/workflows/${workflow}/runs?${query}`,
    );
    expect(json.workflow_runs?.map(({ id }) => id)).toEqual(ids);
  });

  it('has the workflow jobs of an attempt, including those of earlier attempts', async () => {
    const kept: WorkflowJob = { id: 11, name: 'build', conclusion: 'success' };
    const again = (id: number): WorkflowJob[] => [kept, { id, name: 'docs', conclusion: 'failure' }];
    const { get } = await start({ runs: { 101: { attempts: [again(12), again(13)] } } });
    const { json } = await get<JobList>(`${HOME}/actions/runs/101/attempts/2/jobs`);
    expect(Object.fromEntries(json.jobs.map((job) => [job.id, job.run_attempt]))).toEqual({ 11: 1, 13: 2 });
  });
});

describe('the annotations of the stand-in', () => {
  const titled = (count: number): Annotation[] =>
    Array.from({ length: count }, (_, index) => ({ ...note, title: `${index}` }));
  const other: Annotation[] = [
    { ...note, title: 'warning', level: 'warning' },
    { ...note, title: 'later', step: 2 },
  ];
  const long = titled(70).map((item, step): Annotation => ({ ...item, message: 'x'.repeat(5_000), step }));

  it.each<[string, NonNullable<WorkflowJob['state']>, readonly Annotation[], string]>([
    ['empty if a workflow job is queued', 'queued', [note], ''],
    ['empty if a workflow job is running', 'running', [note], ''],
    ['only those of GitHub if the runner is lost', 'killed', [note], ' The hosted runner lost'],
    [
      'limited to 10 per level and step',
      'finished',
      titled(12),
      titled(10)
        .map(({ title }) => `${title} Text`)
        .join(),
    ],
    ['counted for each level and step', 'finished', other, 'warning Text,later Text'],
  ])('are %s', async (_title, state, annotations, kept) => {
    const { get } = await start({
      runs: { 101: { attempts: [[{ id: 11, name: 'docs', state, annotations }]] } },
    });
    const { json } = await get<Annotation[]>(`${HOME}/check-runs/11/annotations?per_page=100`);
    expect(json.map(({ title, message }) => `${title} ${message.slice(0, 22)}`).join()).toBe(kept);
  });

  it('are at most 50 per job, with 4,096 characters each', async () => {
    const { get } = await start({
      runs: { 101: { attempts: [[{ id: 11, name: 'docs', annotations: long }]] } },
    });
    const { json } = await get<Annotation[]>(`${HOME}/check-runs/11/annotations?per_page=100`);
    expect(json.map(({ message }) => message.length)).toEqual(Array(50).fill(4_096));
  });
});
