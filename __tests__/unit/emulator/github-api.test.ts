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
 * The stand-in with one repository `acme/widgets`, and a client. At the end of the test, its exchanges must fit the
 * published description, but for the given deviations.
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
    const authorization = `Bearer ${options.token ?? TOKEN}`;
    const response = await request(path.startsWith('/') ? `${root}${path}` : path, {
      headers: { authorization, 'user-agent': 'test', ...fields },
    });
    const { statusCode: status, headers } = response;
    return { status, headers, json: (await response.body.json()) as T };
  }
  return { api, get };
}

/** Every page of a list, by the links from one to the next. */
async function followLinks<T extends { headers: object }>(get: (path: string) => Promise<T>, path: string) {
  const pages: T[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = await get(next);
    pages.push(page);
    next = /<([^>]+)>; rel="next"/.exec(Object(page.headers).link ?? '')?.[1];
  }
  return pages;
}

const history = commits(8);
const sha = (index: number): string => history[index]?.sha ?? '';
const file = { path: 'docs/a b#c.mdx', status: 'modified' as const, additions: 2, deletions: 1 };
const moved = { ...file, status: 'renamed' as const, previousPath: 'docs/old.mdx' };
const states = ['queued', 'running', 'finished', 'killed'] as const;
const note: Annotation = { title: 'Title', message: 'Text' };

/** Something for every endpoint, in every variant that changes the shape of a payload. */
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
    '/actions/workflows/docs.yml/runs?event=release&branch=v1.1.0&created=%3E%3D2020-01-01&per_page=30&page=1',
  ],
  'actions/get-workflow-run': ['/actions/runs/101', '/actions/runs/102'],
  'actions/get-workflow-run-attempt': ['/actions/runs/101/attempts/1', '/actions/runs/101/attempts/2'],
  'actions/list-jobs-for-workflow-run': ['/actions/runs/101/jobs?filter=all', '/actions/runs/102/jobs'],
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

  it.each(['bearer', 'Bearer', 'token'])('accepts a long token with dots behind "%s"', async (scheme) => {
    const token = `ghs_${'aB3.'.repeat(129)}`;
    const { get } = await start(everything, { token });
    const reply = await get(`${HOME}/pulls/1`, { authorization: `${scheme} ${token}` });
    expect([token.length, reply.status]).toEqual([520, 200]);
  });

  it.each([
    ['another token', { authorization: 'Bearer ghs_other' }, '/pulls/1', 401, 'Bad credentials'],
    ['another scheme', { authorization: `Basic ${TOKEN}` }, '/pulls/1', 401, 'Bad credentials'],
    ['no such run', {}, '/actions/runs/999/attempts/1/jobs', 404, 'Not Found'],
    ['no such attempt', {}, '/actions/runs/101/attempts/9', 404, 'Not Found'],
    ['no such workflow', {}, '/actions/workflows/other.yml/runs', 404, 'Not Found'],
    ['no permission', {}, '/check-runs/11/annotations', 403, 'Resource not accessible by integration'],
  ])('refuses a request as GitHub does: %s', async (_, headers, path, status, message) => {
    const { get } = await start(everything, { permissions: ['actions', 'pull-requests'] });
    const reply = await get(HOME + path, headers);
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ message, status: `${status}` });
    expect(reply.json.documentation_url).toMatch(/^https:\/\/docs\.github\.com\/rest/);
    expect(reply.headers['x-ratelimit-limit']).toBe('5000');
  });

  it('counts down the rate limit, and refuses what exceeds it', async () => {
    const { get } = await start(everything, { requestsPerHour: 2 });
    const ask = (number: number) => get(`${HOME}/pulls/${number}`);
    const replies = [await ask(1), await ask(9), await ask(1)];
    expect(replies.map(({ status }) => status)).toEqual([200, 404, 403]);
    const fields = (name: string) => replies.map(({ headers }) => headers[`x-ratelimit-${name}`]);
    expect(fields('remaining')).toEqual(['1', '0', '0']);
    expect(fields('used')).toEqual(['1', '2', '2']);
    expect(fields('resource')).toEqual(['core', 'core', 'core']);
    expect(Number(fields('reset')[2])).toBeGreaterThan(Date.now() / 1_000);
    expect(replies[2]?.json.message).toMatch(/^API rate limit exceeded/);
  });
});

describe('the check of exchanges', () => {
  it.each([
    ['a parameter of no operation', '/pulls/1?pages=2', /unknown parameter pages/],
    ['a value of another type', '/pulls/1/files?per_page=all', /per_page must not be "all"/],
    ['a value that is not listed', '/actions/runs/101/jobs?filter=newest', /filter must not be "newest"/],
    ['a path of no operation', '/pull/1', /no such operation/],
    ['an operation that the stand-in lacks', '/labels?per_page=5', /the stand-in lacks it/],
    ['a name in place of a number', '/actions/runs/last/jobs', /no such operation/],
  ])('finds %s', async (_, path, problem) => {
    const { get } = await start(everything, {}, [problem]);
    await get(HOME + path);
  });

  it.each([
    [{ 'x-extra': '1' }, /unknown header x-extra/],
    [{ accept: 'text/html' }, /unknown media type text\/html/],
    [{ 'user-agent': '' }, /no user-agent/],
  ])('finds the header %o', async (headers, problem) => {
    const { get } = await start(everything, {}, [problem]);
    await get(`${HOME}/pulls/1`, headers);
  });

  it('finds what is missing, of another type, or null where it may not be', async () => {
    const { get } = await start(everything);
    const { json: job } = await get<Schemas['job']>(`${HOME}/actions/jobs/13`);
    expect(findSchemaProblems('job', job)).toEqual([]);
    expect(findSchemaProblems('job', { ...job, conclusion: null })).toEqual([]);
    const missing = { check_run_url: undefined };
    for (const wrong of [missing, { id: '13' }, { name: null }, { conclusion: 'fine' }]) {
      expect(findSchemaProblems('job', { ...job, ...wrong })).not.toEqual([]);
    }
  });
});

describe('pages', () => {
  it('hold 30 items unless told and 100 at most, and link to one another', async () => {
    const jobs = matrix(1_000, 'docs', 234);
    const { get } = await start({ runs: { 101: { attempts: [jobs] } } });
    const list = `${HOME}/actions/runs/101/attempts/1/jobs`;
    expect((await get<JobList>(list)).json.jobs).toHaveLength(30);
    const first = await get(`${list}?per_page=500`);
    expect(first.headers['link']).toMatch(
      /^<[^>]+\/repositories\/\d+\/actions\/runs\/101\/attempts\/1\/jobs\?per_page=500&page=2>; rel="next", <[^>]+page=3>; rel="last"$/,
    );
    const pages = await followLinks(get<JobList>, `${list}?per_page=100`);
    expect(pages.map(({ json }) => json.total_count)).toEqual([234, 234, 234]);
    expect(pages.map(({ json }) => json.jobs.length)).toEqual([100, 100, 34]);
    const ids = pages.flatMap(({ json }) => json.jobs.map(({ id }) => id));
    expect(ids).toEqual(jobs.map(({ id }) => id));
    expect(pages[2]?.headers['link']).toMatch(/page=2>; rel="prev", <[^>]+page=1>; rel="first"$/);
    expect((await get<JobList>(`${list}?page=99`)).json.jobs).toEqual([]);
  });

  it('do not exist for tags: all of them come at once', async () => {
    const tags = Array.from({ length: 450 }, (_, index) => ({ name: `v0.0.${index}`, sha: sha(0) }));
    const { get } = await start({ tags }, {}, [/unknown parameter per_page/, /unknown parameter page/]);
    const reply = await get(`${HOME}/git/matching-refs/tags/v?per_page=100&page=2`);
    expect(reply.json).toHaveLength(450);
    expect(reply.headers['link']).toBeUndefined();
  });

  it('of a comparison hold commits, and files on the first one only', async () => {
    const long = commits(402);
    const [base, head] = [long[0]?.sha, long[401]?.sha];
    const { get } = await start({ commits: long });
    const compare = `${HOME}/compare/${base}...${head}`;
    const { json: whole } = await get<Comparison>(compare);
    expect([whole.total_commits, whole.commits.length, whole.files?.length]).toEqual([401, 250, 300]);
    expect(whole.commits.at(-1)?.sha).toBe(head);
    const pages = await followLinks(get<Comparison>, `${compare}?per_page=100`);
    expect(pages.map(({ json }) => json.commits.length)).toEqual([100, 100, 100, 100, 1]);
    expect(pages.map(({ json }) => json.files?.length)).toEqual([300, ...Array(4).fill(undefined)]);
    expect(pages[0]?.json.commits[0]?.sha).toBe(long[1]?.sha);
  });
});

describe('workflow runs', () => {
  const hour = (number: number): string => new Date(Date.UTC(2026, 0, 1, number)).toISOString();
  const tag = { headBranch: 'v1.0.0', attempts: [] };
  const runs: Repository['runs'] = {
    101: { ...tag, createdAt: hour(1) },
    102: { ...tag, event: 'release', createdAt: hour(2) },
    103: { ...tag, event: 'workflow_dispatch', createdAt: hour(3), headBranch: 'main' },
    104: { file: 'ci.yml', createdAt: hour(4), attempts: [[{ id: 1, name: 'ci', state: 'running' }]] },
    105: { ...tag, headBranch: 'v1.1.0', createdAt: hour(26), pathRef: 'refs/tags/v1.1.0' },
  };

  it.each([
    ['docs.yml', '', [105, 103, 102, 101]],
    ['ci.yml', '', [104]],
    [toWorkflowId('ci.yml'), '', [104]],
    ['ci.yml', 'status=in_progress', [104]],
    ['ci.yml', 'status=completed', []],
    ['docs.yml', 'branch=v1.0.0', [102, 101]],
    ['docs.yml', 'branch=v1.0.0&event=release', [102]],
    ['docs.yml', 'created=>=2026-01-01T02:00:00Z', [105, 103, 102]],
    ['docs.yml', 'created=>2026-01-01T02:00:00Z', [105, 103]],
    ['docs.yml', 'created=<2026-01-02', [103, 102, 101]],
    ['docs.yml', 'created=2026-01-02', [105]],
    ['docs.yml', 'created=2026-01-01T02:00:00Z..2026-01-01T03:00:00Z', [103, 102]],
    ['docs.yml', 'created=*..2026-01-01T01:00:00Z', [101]],
    ['docs.yml', 'per_page=1&page=2', [103]],
  ])('of %s are listed newest first and filtered by "%s"', async (workflow, query, ids) => {
    const { get } = await start({ runs });
    const { json } = await get<{ workflow_runs: Schemas['workflow-run'][] }>(
      `${HOME}/actions/workflows/${workflow}/runs?${query}`,
    );
    expect(json.workflow_runs.map(({ id }) => id)).toEqual(ids);
  });

  it('name their tag as the head branch, and their file in the path', async () => {
    const { get } = await start({ runs });
    const path = '.github/workflows/docs.yml';
    const release = { event: 'release', head_branch: 'v1.0.0', status: 'queued' };
    const { json } = await get(`${HOME}/actions/runs/102`);
    expect(json).toMatchObject({ ...release, path, workflow_id: toWorkflowId('docs.yml') });
    const { json: other } = await get(`${HOME}/actions/runs/105`);
    expect(other).toMatchObject({ path: `${path}@refs/tags/v1.1.0` });
  });

  it('list a job that an attempt did not repeat with the attempt that it ran in', async () => {
    const kept: WorkflowJob = { id: 11, name: 'build', conclusion: 'success' };
    const attempts = Array.from({ length: 12 }, (_, index): WorkflowJob[] => [
      kept,
      { id: 100 + index, name: 'call / docs', conclusion: index === 11 ? 'success' : 'failure' },
    ]);
    const { get } = await start({ runs: { 101: { attempts } } });
    const run = `${HOME}/actions/runs/101`;
    const { json: last } = await get<JobList>(`${run}/attempts/12/jobs`);
    expect(Object.fromEntries(last.jobs.map((job) => [job.id, job.run_attempt]))).toEqual({ 11: 1, 111: 12 });
    expect((await get<JobList>(`${run}/jobs`)).json.total_count).toBe(2);
    expect((await get<JobList>(`${run}/jobs?filter=all`)).json.total_count).toBe(13);
    const succeeded = { run_attempt: 12, status: 'completed', conclusion: 'success' };
    const previous = expect.stringMatching(/\/actions\/runs\/101\/attempts\/11$/);
    expect((await get(run)).json).toMatchObject({ ...succeeded, previous_attempt_url: previous });
    const failed = { run_attempt: 1, conclusion: 'failure', previous_attempt_url: null };
    expect((await get(`${run}/attempts/1`)).json).toMatchObject(failed);
  });

  it('have a check run of the same id for each job', async () => {
    const job: WorkflowJob = { id: 11, name: 'docs', annotations: [note] };
    const { get } = await start({ runs: { 101: { attempts: [[job]] } } });
    const { json } = await get<Schemas['job']>(`${HOME}/actions/jobs/11`);
    const annotations = await get(`${json.check_run_url}/annotations`);
    expect(annotations.json).toMatchObject([{ title: 'Title', annotation_level: 'notice' }]);
  });
});

describe('annotations', () => {
  async function read(job: Partial<WorkflowJob>): Promise<Annotation[]> {
    const { get } = await start({ runs: { 101: { attempts: [[{ id: 11, name: 'docs', ...job }]] } } });
    return (await get<Annotation[]>(`${HOME}/check-runs/11/annotations?per_page=100`)).json;
  }

  it.each(['queued', 'running'] as const)('do not exist of a job that is %s', async (state) => {
    expect(await read({ state, annotations: [note] })).toEqual([]);
  });

  it('of a job whose runner was killed are those of GitHub alone', async () => {
    const kept = await read({ state: 'killed', annotations: [note] });
    expect(kept.map(({ message }) => message)).toEqual([expect.stringMatching(/^The hosted runner lost/)]);
  });

  it('are kept up to 10 of a level a step', async () => {
    const many = Array.from({ length: 12 }, (_, index) => ({ ...note, title: `${index}` }));
    const warning: Annotation = { ...note, title: 'warning', level: 'warning' };
    const kept = await read({ annotations: [...many, warning, { ...note, title: 'later', step: 2 }] });
    expect(kept.map(({ title }) => title).join(' ')).toBe('0 1 2 3 4 5 6 7 8 9 warning later');
  });

  it('are kept up to 50 a job and 4,096 characters each', async () => {
    const many = Array.from({ length: 70 }, (_, step) => ({ title: '', message: 'x'.repeat(5_000), step }));
    const kept = await read({ annotations: many });
    expect(kept).toHaveLength(50);
    expect(kept[0]?.message).toHaveLength(4_096);
  });
});

// What they do to the action, the end-to-end tests show.
describe('faults', () => {
  const path = `${HOME}/pulls/1`;

  it('strike the calls that they are meant for, on the paths that they are meant for', async () => {
    const { api, get } = await start(everything, {
      faults: [{ path: /\/pulls\/1$/, calls: [2, 3], fault: { kind: 'error', status: 502 } }],
    });
    const statuses: number[] = [];
    for (const asked of [path, path, `${HOME}/pulls/2`, path, path]) statuses.push((await get(asked)).status);
    expect(statuses).toEqual([200, 502, 200, 502, 200]);
    api.addFault({ path: /\/pulls\//, fault: { kind: 'error', status: 404 } });
    expect((await get(path)).json).toMatchObject({ message: 'Not Found', status: '404' });
    expect([api.count(), api.count(/\/pulls\/1$/), api.count(/issues/)]).toEqual([6, 5, 0]);
    expect(api.requests.map(({ isFaulty }) => isFaulty)).toEqual([false, true, false, true, false, true]);
  });

  it('look like rate limits', async () => {
    const { get } = await start(everything, {
      faults: [
        { path: /pulls\/1/, fault: { kind: 'primary-rate-limit', resetInSeconds: 5 } },
        { path: /pulls\/2/, fault: { kind: 'secondary-rate-limit', retryAfterSeconds: 7, status: 429 } },
      ],
    });
    const primary = await get(path);
    expect(primary).toMatchObject({ status: 403, headers: { 'x-ratelimit-remaining': '0' } });
    expect(primary.headers).not.toHaveProperty('retry-after');
    const secondsLeft = Number(primary.headers['x-ratelimit-reset']) - Date.now() / 1_000;
    expect(secondsLeft).toBeLessThanOrEqual(6);
    const secondary = await get(`${HOME}/pulls/2`);
    const headers = { 'retry-after': '7', 'x-ratelimit-remaining': '4998' };
    expect(secondary).toMatchObject({ status: 429, headers });
    for (const { json } of [primary, secondary]) expect(findSchemaProblems('basic-error', json)).toEqual([]);
  });

  it('are right answers that come late', async () => {
    const slow = { path: /pulls\/1/, fault: { kind: 'slow', delayMs: 20 } } as const;
    const { get } = await start(everything, { faults: [slow] });
    const askedAt = performance.now();
    expect((await get<Schemas['pull-request']>(path)).json.title).toBe('Open');
    expect(performance.now() - askedAt).toBeGreaterThanOrEqual(19);
  });
});
