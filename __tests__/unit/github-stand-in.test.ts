import { describe, expect, it, onTestFinished } from 'vitest';
import { createGitHubApi, type GitHubApiOptions } from '../github/api.ts';
import { findResponseProblems, getOperation } from '../github/description.ts';
import { toSha } from '../github/repository.ts';
import { createSampleRepositories, releaseSha } from '../github/sample.ts';
import { createToken } from '../github/token.ts';
import { headSha } from '../harness/action-environment.ts';
import { repository } from '../helpers/github.ts';

const TOKEN = createToken('the run');
const HOME = '/repos/acme/widgets';

/** Starts the stand-in with one repository `acme/widgets`, and returns it with a client. */
async function start(options: Partial<GitHubApiOptions> = {}) {
  const repositories = { 'acme/widgets': repository() };
  const api = createGitHubApi({ repositories, token: TOKEN, ...options });
  const root = await api.listen();
  onTestFinished(() => api.close());

  async function send(path: string, body?: object, token = TOKEN) {
    const headers = { authorization: `Bearer ${token}` };
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${root}${path}`, { headers, ...post });
    return { status: response.status, json: await response.json() };
  }
  return {
    api,
    send,
    post: (body: object, commit = headSha) => send(`${HOME}/statuses/${commit}`, body),
  };
}

describe("the stand-in of GitHub's API", () => {
  it('serves the repositories of the demo as the published description says', async () => {
    const { api, send, post } = await start({ repositories: createSampleRepositories() });
    expect((await post({ state: 'success' }, releaseSha)).status).toBe(201);
    const compare = `${HOME}/compare/${toSha('Release v1.1.0')}...${releaseSha}`;
    for (const path of [
      '/repos/acme/docs/pulls/128',
      '/repos/acme/docs/pulls/128/files?per_page=20',
      compare,
      `${HOME}/git/matching-refs/tags/v`,
      `${HOME}/git/tags/${toSha('tag v1.2.0')}`,
      `${HOME}/releases/tags/v1.2.0`,
      `${HOME}/commits/main`,
      `${HOME}/actions/workflows/docs.yml/runs?event=push&branch=main&status=success&per_page=1`,
      `${HOME}/commits/${releaseSha}/statuses`,
    ]) {
      expect((await send(path)).status).toBe(200);
    }
    expect(api.findDeviations()).toEqual([]);
  });
});

// The end-to-end tests rely on these checks, and wouldn't notice if they found nothing.
describe('the check of requests and responses', () => {
  it.each([
    ['/pulls/1?pages=2', undefined, 'pulls/get: unknown parameter pages'],
    [
      `/statuses/${headSha}`,
      { state: 'success', odd: '' },
      'must NOT have additional properties: odd',
    ],
    [`/statuses/${headSha}`, { state: 'done' }, '/state must be equal to one of'],
  ])('finds the deviation of a request for %s with the body %j', async (path, body, problem) => {
    const { api, send } = await start();
    await send(HOME + path, body);
    expect(api.findDeviations()).toEqual([expect.stringContaining(problem)]);
  });

  it('finds every wrong field of a response', () => {
    const operation = getOperation({ method: 'POST', path: '/statuses/{sha}' });
    expect(findResponseProblems(operation, 201, { id: 13, state: 'success' })).toEqual([]);
    for (const wrong of [{ odd: '' }, { id: '13' }, { context: null }, { creator: { odd: '' } }]) {
      expect(findResponseProblems(operation, 201, wrong)).not.toEqual([]);
    }
  });
});
