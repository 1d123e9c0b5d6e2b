import { describe, expect, it, onTestFinished } from 'vitest';
import { createGitHubApi } from '../github/api.ts';
import { findResponseProblems, getOperation } from '../github/description.ts';
import { headSha } from '../harness/action-environment.ts';
import { repository } from '../helpers/github.ts';
import { TOKEN } from './fixtures.ts';

// The end-to-end tests rely on these checks, and wouldn't notice if they found nothing.
describe('the check of requests and responses', () => {
  const status = `/statuses/${headSha}`;
  const odd = { state: 'success', odd: '' };
  it.each([
    ['/pulls/1?pages=2', undefined, 'pulls/get: unknown parameter pages'],
    ['/actions/runs', undefined, 'the stand-in lacks it'],
    [status, odd, 'must NOT have additional properties: odd'],
    [status, { state: 'done' }, '/state must be equal to one of'],
  ])('finds the deviation of a request for %s with the body %j', async (path, body, problem) => {
    const api = createGitHubApi({ repositories: { 'acme/widgets': repository() }, token: TOKEN });
    onTestFinished(() => api.close());
    const headers = { authorization: `Bearer ${TOKEN}` };
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    await fetch(`${await api.listen()}/repos/acme/widgets${path}`, { headers, ...post });
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
