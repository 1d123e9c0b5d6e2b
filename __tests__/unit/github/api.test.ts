import { describe, expect, it } from 'vitest';
import { object, string, unknown } from 'zod/mini';
import { type ApiLimits, createGitHubApi, getVersionHeader } from '../../../src/github/api.ts';
import type { GitHubContext } from '../../../src/github/context.ts';
import {
  type GitHubError,
  type GitHubFailure,
  getGitHubError,
} from '../../../src/github/errors.ts';
import { toQueryError } from '../../github/faults.ts';
import { createVirtualClock } from '../../harness/virtual-clock.ts';
import { reset } from '../../helpers/faults.ts';
import { type Step, scriptedService } from '../../helpers/scripted-service.ts';
import { createGitHubContext, TOKEN } from '../fixtures.ts';

const page = 'https://docs.github.com/rest';
const own = (message: string) => ({ message, documentation_url: page });

/** Returns the header fields of a primary rate limit that ends in this many seconds. */
function limitedFor(seconds: number): Record<string, string> {
  const date = 'Fri, 20 Nov 2026 18:30:00 GMT';
  const reset = String(Date.parse(date) / 1000 + seconds);
  return { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset, date };
}

async function start(...steps: Step[]) {
  const service = await scriptedService({ other: steps });
  const context = createGitHubContext({ apiUrl: new URL(`${service.url}/api/v3`) });
  const open = (limits: Partial<ApiLimits> = {}, changes: Partial<GitHubContext> = {}) => {
    const github = { ...context, ...changes };
    // Node warns if more than ten tests share a signal at a time.
    const all = { timeoutMs: 60_000, signal: new AbortController().signal, ...limits };
    const clock = createVirtualClock();
    const api = createGitHubApi(github, all, clock);
    const get = (path: string): Promise<unknown> => api.read(unknown(), path);
    return { ...api, get, sleeps: clock.sleeps };
  };
  return { open, requests: service.requests, graphqlUrl: new URL(service.url) };
}

async function getError(promise: Promise<unknown>): Promise<GitHubError> {
  return getGitHubError(await promise.catch((error: unknown) => error));
}

describe.concurrent('createGitHubApi', () => {
  it('reads JSON below the repository with the token', async () => {
    const api = await start({ body: { a: 1 } });
    expect(await api.open().get('/compare/a...b?page=2')).toEqual({ a: 1 });
    const [{ path, headers } = {}] = api.requests;
    expect(path).toBe('/api/v3/repos/acme/app/compare/a...b?page=2');
    const authorization = `Bearer ${TOKEN}`;
    const accept = 'application/json';
    expect(headers).toMatchObject({ authorization, accept, 'user-agent': 'docs-agent-action' });
  });

  it('needs a repository, a token, and an https address', async () => {
    const { open } = await start();
    const getReason = async (changes: Partial<GitHubContext>) =>
      (await getError(open({}, changes).get('/x'))).message;
    expect(await getReason({ repository: undefined })).toBe('GITHUB_REPOSITORY is not set');
    expect(await getReason({ token: undefined })).toBe('the input github-token is empty');
    expect(await getReason({ apiUrl: undefined })).toBe('GITHUB_API_URL is not an https address');
  });

  it("tells the time of GitHub's clock after a response with a date", async () => {
    const hourMs = 3_600_000;
    const date = new Date(Date.now() - hourMs).toUTCString();
    const api = (await start({ body: 1, headers: { date } })).open();
    expect(Math.abs(api.now() - Date.now())).toBeLessThan(hourMs / 2);
    await api.get('/x');
    expect(Math.abs(api.now() + hourMs - Date.now())).toBeLessThan(hourMs / 2);
  });

  it('rejects a response without a required field', async () => {
    const notJson = "the response isn't JSON";
    const lacking = 'the response lacks a documented field';
    const answers = ['', '<html>', 'null', '[]', '"x"', '{}', '{"name":7}', '{"name":"x"}'];
    const api = await start(...answers.map((body) => ({ body })));
    const read = () => api.open().read(object({ name: string() }), '/x');
    for (const problem of [notJson, notJson, ...Array<string>(5).fill(lacking)]) {
      await expect(read()).rejects.toThrow(problem);
    }
    expect(await read()).toEqual({ name: 'x' });
    expect(api.requests).toHaveLength(answers.length);
  });

  it('retries a read after growing pauses, within half of its time', async () => {
    const { open, requests } = await start({ status: 502 });
    const { get, sleeps } = open({ timeoutMs: 6_000 });
    const error = await getError(get('/x'));
    expect([error.message, requests.length, sleeps]).toEqual(['HTTP 502', 4, [300, 600, 1_200]]);
    expect(error.failure.mayHaveEffect).toBe(false);
    expect((await getError(open({ timeoutMs: 500 }).get('/short'))).message).toBe('HTTP 502');
    expect(requests).toHaveLength(5);
    // It may use its whole time.
    await getError(open({ timeoutMs: 5_000, retryMs: 5_000 }).get('/x'));
    expect(requests).toHaveLength(10);
  });

  it.each([401, 403, 404, 422])('doubts a %i until the limit', async (status) => {
    const refused = { status, body: own('No commit found for SHA: c0ffee') };
    const api = await start(refused, refused, { body: 7 });
    expect(await api.open().get('/x')).toBe(7);
    const { open, requests } = await start(refused);
    const { failure } = await getError(open({ timeoutMs: 1_500 }).get('/x'));
    const kind = status === 401 ? 'token' : 'access';
    expect(failure).toMatchObject({ kind, httpStatus: status });
    expect(requests).toHaveLength(2);
    await getError(open().read(unknown(), '/optional', { isOptional: true }));
    expect(requests).toHaveLength(3);
  });

  it('tells a full commit by the reason in the details', async () => {
    const message = 'This SHA and context has reached the maximum number of statuses.';
    const body = { ...own('Validation Failed'), errors: [{ message }] };
    const { open, requests } = await start({ status: 422, body });
    const error = await getError(open().write('/statuses/x', {}));
    expect(error.message).toBe(`HTTP 422: Validation Failed: ${message}`);
    expect(error.failure).toMatchObject({ kind: 'full', mayHaveEffect: false });
    expect(requests).toHaveLength(1);
  });

  it.each([422, 500])(
    'takes a %i for a comparison that is too large as no refusal',
    async (status) => {
      const message = 'Server Error: Sorry, this diff is taking too long to generate.';
      const errors = [{ resource: 'Comparison', field: 'diff', code: 'not_available' }];
      const { open } = await start({ status, body: { ...own(message), errors } });
      const error = await getError(open({ timeoutMs: 500 }).get('/compare/a...b'));
      expect(error.message).toBe(`HTTP ${status}: ${message}`);
      expect(error.failure).toMatchObject({ kind: 'unavailable', httpStatus: status });
    },
  );

  it('retries a read after each kind of rate limit that ends soon', async () => {
    const api = await start(
      { status: 502 },
      { status: 403, headers: { 'retry-after': '1' } },
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 403, headers: limitedFor(1) },
      { body: [1] },
    );
    expect(await api.open().get('/x')).toEqual([1]);
    expect(api.requests).toHaveLength(5);
  });

  const abuse = 'You have triggered an abuse detection mechanism. Please wait a few minutes.';
  const limit = expect.stringMatching(/^rate limit exceeded(?: until .* UTC)?$/);
  const noEntry = 'The `acme` organization has an IP allow list enabled.';
  const singleSignOn = 'Resource protected by organization SAML enforcement.';
  type Kind = GitHubFailure['kind'];
  it.each<[string, number, Record<string, string>, unknown, string, Kind]>([
    ['a missing permission', 403, {}, own('Not for you'), 'HTTP 403: Not for you', 'access'],
    ['a refused token', 401, {}, own('Bad credentials'), 'HTTP 401: Bad credentials', 'token'],
    ['an address', 403, {}, own(noEntry), `HTTP 403: ${noEntry}`, 'organization'],
    ['single sign-on', 403, {}, own(singleSignOn), `HTTP 403: ${singleSignOn}`, 'organization'],
    ['the page of a firewall', 403, {}, '<p>', 'HTTP 403', 'unavailable'],
    ['a long rate limit', 429, { 'retry-after': '3600' }, {}, limit, 'unavailable'],
    ['a rate limit by its message', 403, {}, own('A rate limit.'), limit, 'unavailable'],
    ['abuse', 403, {}, own(abuse), limit, 'unavailable'],
  ])('sends one request and explains %s', async (_, status, headers, body, message, kind) => {
    const api = await start({ status, headers, body });
    const error = await getError(api.open({ timeoutMs: 900 }).get('/x'));
    expect([error.message, error.failure.kind]).toEqual([message, kind]);
    expect(error.failure.httpStatus).toBe(kind === 'unavailable' ? undefined : status);
    expect(api.requests).toHaveLength(1);
  });

  const broken =
    'Something went wrong while executing your query. This may be the result of a timeout';
  const soon = { 'retry-after': '5' };
  const used = 'API rate limit exceeded for installation ID 1.';
  it.each<[string, Step[], number[]]>([
    ['a failure in words alone', [toQueryError(broken), toQueryError('timeout')], [300, 600]],
    ['too much work', [toQueryError('Too much', 'RESOURCE_LIMITS_EXCEEDED')], [300]],
    ['too many nodes', [toQueryError('Too many', 'MAX_NODE_LIMIT_EXCEEDED')], [300]],
    ['a limit', [toQueryError(used, 'RATE_LIMITED', limitedFor(7))], [7_000]],
    ['a limit of another name', [toQueryError(used, 'RATE_LIMIT')], [60_000]],
    [
      'a secondary limit',
      [toQueryError('You have exceeded a secondary rate limit', undefined, soon)],
      [5_000],
    ],
    ['a refusal of seconds', [toQueryError('No', 'FORBIDDEN')], [1_000]],
  ])('asks again after %s, which comes with a 200', async (_, failures, sleeps) => {
    const { open, requests, graphqlUrl } = await start(...failures, { body: { data: 7 } });
    const api = open({ timeoutMs: 120_000 }, { graphqlUrl });
    expect(await api.query('{ x }', (retries) => ({ retries }), Number)).toBe(7);
    expect(api.sleeps).toEqual(sleeps);
    const bodies = requests.map(({ body }) => JSON.parse(String(body)).variables);
    expect(bodies).toMatchObject(
      [0, 1, 2].slice(0, failures.length + 1).map((retries) => ({ retries })),
    );
  });

  it.each<[string, Step, string, string, number]>([
    ['fails', toQueryError(broken), 'unavailable', broken, 60_000],
    ['refuses', toQueryError('No', 'INSUFFICIENT_SCOPES'), 'access', 'No', 10_000],
    [
      'is limited for an hour',
      toQueryError(used, 'RATE_LIMITED', limitedFor(3_600)),
      'unavailable',
      'rate limit exceeded',
      0,
    ],
  ])(
    'gives a query up in time if GitHub %s for good',
    async (_, answer, kind, message, limitMs) => {
      const { open, graphqlUrl } = await start(answer);
      const api = open({ timeoutMs: 600_000, retryMs: 60_000 }, { graphqlUrl });
      const error = await getError(api.query('{ x }', () => ({}), Number));
      expect([error.message.slice(0, message.length), error.failure.kind]).toEqual([message, kind]);
      const sleptMs = api.sleeps.reduce((sum, ms) => sum + ms, 0);
      expect(sleptMs).toBeLessThanOrEqual(limitMs);
      expect(sleptMs).toBeGreaterThanOrEqual(limitMs * 0.8);
    },
  );

  const moved = (status: number, location?: string) => {
    const headers = location === undefined ? {} : { location };
    return { status, headers, body: own('Moved Permanently') };
  };

  it.each([301, 302, 307, 308])('follows a %i on the same origin', async (status) => {
    const read = [moved(status, '/repositories/7/x?y=1'), { body: 1 }];
    const api = await start(...read, moved(status, '/z'), { status: 201 });
    expect(await api.open().get('/x')).toBe(1);
    await api.open().write('/x', { state: 'success' });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const body = Buffer.from('{"state":"success"}');
    const type = 'application/json';
    expect(api.requests).toMatchObject([
      { method: 'GET', path: '/api/v3/repos/acme/app/x', headers },
      { method: 'GET', path: '/repositories/7/x?y=1', headers },
      { method: 'POST', path: '/api/v3/repos/acme/app/x', headers, body },
      { method: 'POST', path: '/z', headers: { ...headers, 'content-type': type }, body },
    ]);
  });

  it('sends nothing to where it must not follow, and tries no redirect again', async () => {
    const other = await scriptedService();
    const setting = { kind: 'setting', httpStatus: 301, mayHaveEffect: false };
    for (const location of [`${other.url}/x`, undefined, '', 'http://%']) {
      const api = await start(moved(301, location));
      const error = await getError(api.open().write('/x', {}));
      expect(error.failure).toEqual(setting);
      expect(error.message).toContain(location === `${other.url}/x` ? other.url : 'unknown');
      expect(api.requests).toHaveLength(1);
    }
    const twice = await start(moved(301, '/y'));
    expect((await getError(twice.open().write('/x', {}))).failure).toEqual(setting);
    expect(twice.requests.map(({ path }) => path)).toEqual(['/api/v3/repos/acme/app/x', '/y']);
    expect(other.connections).toBe(0);
  });

  it('gives up when it runs out of time or is canceled', async () => {
    const api = await start({ body: 1 });
    const late = api.open({ timeoutMs: 0 });
    expect((await getError(late.get('/x'))).message).toBe('no time left');
    const canceled = api.open({ signal: AbortSignal.abort() });
    expect((await getError(canceled.get('/x'))).failure.kind).toBe('unavailable');
    expect(api.requests).toEqual([]);
  });

  const lost = { fault: reset };
  const refusal = { status: 403, body: own('No') };
  it.each<[string, object[], boolean]>([
    ['refused', [refusal], false],
    ['refused because of its content', [{ status: 422, body: own('No') }], false],
    ['limited', [{ status: 429, headers: { 'retry-after': '3600' } }], false],
    ['not answered by GitHub', [{ status: 502 }], true],
    ['not answered', [lost], true],
    ['refused after a try without an answer', [lost, refusal], true],
    ['refused after a gateway failed', [{ status: 502 }, refusal], true],
    ['blocked by a page', [{ status: 403, body: '<p>' }], true],
    ['answered by a page', [{ status: 200, body: '<p>' }], true],
    ['answered with a list', [{ status: 200, body: [] }], true],
  ])('tells whether a write that was %s may have taken effect', async (_, answers, effect) => {
    const api = await start(...answers);
    const { failure } = await getError(api.open({ timeoutMs: 2_000 }).write('/x', {}));
    expect(failure.mayHaveEffect).toBe(effect);
  });
});

it.each([
  ['https://api.github.com', true],
  ['https://api.octo-corp.ghe.com/', true],
  ['https://github.example.com/api/v3', false],
  ['https://api.github.com.example.com', false],
  ['https://api.ghe.com', false],
])('getVersionHeader: %s knows the version: %s', (url, isKnown) => {
  const header = { 'x-github-api-version': '2026-03-10' };
  expect(getVersionHeader(new URL(url))).toEqual(isKnown ? header : {});
});
