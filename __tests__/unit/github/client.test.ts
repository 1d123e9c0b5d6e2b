import { describe, expect, it } from 'vitest';
import {
  type ClientLimits,
  createGitHubClient,
  GitHubError,
  getGitHubError,
  isPermissionError,
} from '../../../src/github/client.ts';
import type { GitHubContext } from '../../../src/github/context.ts';
import { TOKEN } from '../fixtures.ts';
import { type Answer, startRestApi } from './rest-api.ts';

const limits: ClientLimits = { timeoutMs: 60_000, maxRequests: 5, signal: new AbortController().signal };
const RATE_LIMIT = ': rate limit exceeded';

/** The header fields of a primary rate limit that ends in so many seconds. */
function limitedFor(seconds: number): Record<string, string> {
  const date = 'Fri, 20 Nov 2026 18:30:00 GMT';
  const reset = String(Date.parse(date) / 1000 + seconds);
  return { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset, date };
}

async function getError(promise: Promise<unknown>): Promise<GitHubError> {
  return getGitHubError(await promise.catch((error: unknown) => error));
}

describe.concurrent('createGitHubClient', () => {
  it('reads JSON with the token', async () => {
    const api = await startRestApi(() => ({ body: { a: 1 } }));
    expect(await createGitHubClient(api.context, limits).getJson('/user?x=1')).toEqual({ a: 1 });
    const authorization = `Bearer ${TOKEN}`;
    const headers = {
      authorization,
      accept: 'application/vnd.github+json',
      'user-agent': 'docs-agent-action',
    };
    expect(api.requests).toMatchObject([{ path: '/user?x=1', headers }]);
  });

  it('reads through Octokit with the same limits', async () => {
    const api = await startRestApi((path) =>
      path.includes('/pulls/') ? { body: { number: 1, title: 'x' } } : undefined,
    );
    const { rest } = await createGitHubClient(api.context, { ...limits, maxRequests: 2 }).loadOctokit();
    const repository = { owner: 'acme', repo: 'app' };
    expect((await rest.pulls.get({ ...repository, pull_number: 1 })).data.title).toBe('x');
    const getIssue = () => getError(rest.issues.get({ ...repository, issue_number: 1 }));
    expect((await getIssue()).httpStatus).toBe(404);
    expect((await getIssue()).message).toBe('it takes too many requests');
  });

  it('needs a token, and an API that it may be sent to', async () => {
    const { context } = await startRestApi(() => ({}));
    const create = (change: Partial<GitHubContext>) => createGitHubClient({ ...context, ...change }, limits);
    expect(() => create({ token: undefined })).toThrow('`github-token` is empty');
    expect(() => create({ apiUrl: undefined })).toThrow('not an https address');
  });

  it('follows redirects within the API, and never takes the token to another host', async () => {
    const other = await startRestApi(() => ({ body: 'other' }));
    const to = (location: string, status = 301): Answer => ({ status, headers: { location } });
    const redirects: Readonly<Record<string, Answer>> = {
      '/a': to('/b?x=1', 302),
      '/b?x=1': to('/c', 307),
      '/c': to('/d', 308),
      '/loop': to('/loop'),
      '/nowhere': to(''),
      '/out': to(`${other.context.apiUrl}user`),
    };
    const api = await startRestApi((path) => redirects[path] ?? { body: [1] });
    const client = createGitHubClient(api.context, { ...limits, maxRequests: 20 });
    expect(await client.getJson('/a')).toEqual([1]);
    expect((await getError(client.getJson('/loop'))).httpStatus).toBe(301);
    expect(api.requests.filter(({ path }) => path === '/loop')).toHaveLength(4);
    expect((await getError(client.getJson('/nowhere'))).httpStatus).toBe(301);
    expect((await getError(client.getJson('/out'))).message).toBe('the API redirects to another host');
    expect(other.requests).toEqual([]);
  });

  it('repeats a get after transient faults, later each time, within half of its time', async () => {
    const times: number[] = [];
    const api = await startRestApi(() => {
      times.push(performance.now());
      return { status: 502 };
    });
    const error = await getError(createGitHubClient(api.context, limits).getJson('/x'));
    // After 0.3, 0.6, 1.2, and 2.4 s: five gets, of which the last begins long before half of the time is over.
    expect([error.message, times.length]).toEqual(['HTTP 502', 5]);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThan(290 * 2 ** index);
    const quick = createGitHubClient(api.context, { ...limits, timeoutMs: 500 });
    times.length = 0;
    await getError(quick.getJson('/x'));
    expect(times).toHaveLength(1);
  });

  it('repeats a get after a fault, and after each kind of rate limit that ends soon', async () => {
    const answers = [
      { status: 502 },
      { status: 403, headers: { 'retry-after': '1' } },
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 403, headers: limitedFor(1) },
    ];
    const api = await startRestApi((_path, count) => answers[count] ?? { body: [1] });
    expect(await createGitHubClient(api.context, limits).getJson('/x')).toEqual([1]);
    expect(api.requests).toHaveLength(5);
  });

  it.each<[string, number, Record<string, string>, unknown, string]>([
    ['a missing permission', 403, {}, { message: 'Resource not accessible' }, ': Resource not accessible'],
    ['a token that is refused', 401, {}, { message: 'Bad credentials' }, ': Bad credentials'],
    ['nothing there', 404, {}, '<p>', ''],
    ['a long rate limit', 429, { 'retry-after': '3600' }, {}, RATE_LIMIT],
    ['a long secondary rate limit', 403, { 'retry-after': '3600' }, { message: 'x' }, RATE_LIMIT],
    ['a long primary rate limit', 403, limitedFor(3600), {}, RATE_LIMIT],
    ['a rate limit without an end', 429, {}, {}, RATE_LIMIT],
    ['a secondary rate limit without an end', 403, {}, { message: 'A rate limit.' }, RATE_LIMIT],
    ['a request that is refused', 422, {}, { message: 7 }, ''],
  ])('asks once, and explains %s', async (_, status, headers, body, reason) => {
    const api = await startRestApi(() => ({ status, headers, body }));
    const error = await getError(createGitHubClient(api.context, limits).getJson('/x'));
    const exhausted = reason === RATE_LIMIT ? 'rate-limit' : undefined;
    expect(error).toMatchObject({ message: `HTTP ${status}${reason}`, httpStatus: status, exhausted });
    expect(isPermissionError(error)).toBe([403, 404].includes(status) && exhausted === undefined);
    expect(api.requests).toHaveLength(1);
  });

  it('gives up when its time is over or it is canceled', async () => {
    const api = await startRestApi(() => ({ status: 502 }));
    const late = createGitHubClient(api.context, { ...limits, timeoutMs: 0 });
    expect((await getError(late.getJson('/x'))).message).toBe('there was not enough time');
    const canceled = createGitHubClient(api.context, { ...limits, signal: AbortSignal.abort() });
    expect((await getError(canceled.getJson('/x'))).httpStatus).toBeUndefined();
    expect(api.requests).toEqual([]);
  });
});

describe('getGitHubError', () => {
  it('finds the reason behind what wraps it', () => {
    const reason = new GitHubError('why', 403);
    expect(getGitHubError(new Error('wrapped', { cause: reason }))).toBe(reason);
    expect(getGitHubError(reason)).toBe(reason);
    expect(getGitHubError(new TypeError('bug'))).toMatchObject({ message: 'bug', httpStatus: undefined });
    expect(isPermissionError(getGitHubError('text'))).toBe(false);
  });
});
