import { expect, it, onTestFinished } from 'vitest';
import { createGitHubApi } from '../github/api.ts';
import { findResponseProblems, getOperation } from '../github/description.ts';
import { answerQuery } from '../github/graphql.ts';
import { findQueryProblems } from '../github/graphql-schema.ts';
import { toSha } from '../github/repository.ts';
import { headSha } from '../harness/action-environment.ts';
import { repository } from '../helpers/github.ts';
import { TOKEN } from './fixtures.ts';

// The end-to-end tests rely on these checks, and wouldn't notice if they found nothing.
const statuses = `/statuses/${headSha}`;
const odd = { state: 'success', odd: '' };
it.each([
  ['/pulls/1?pages=2', undefined, 'pulls/get: unknown parameter pages'],
  ['/actions/runs', undefined, 'the stand-in lacks it'],
  [statuses, odd, 'must NOT have additional properties: odd'],
  [statuses, { state: 'done' }, '/state must be equal to one of'],
])('the check finds a deviation in a request for %s with %j', async (path, body, problem) => {
  const api = createGitHubApi({ repositories: { 'acme/widgets': repository() }, token: TOKEN });
  onTestFinished(() => api.close());
  const headers = { authorization: `Bearer ${TOKEN}` };
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  await fetch(`${await api.listen()}/repos/acme/widgets${path}`, { headers, ...post });
  expect(api.findDeviations()).toEqual([expect.stringContaining(problem)]);
});

it('the check finds every wrong field of a response', () => {
  const operation = getOperation({ method: 'POST', path: '/statuses/{sha}' });
  expect(findResponseProblems(operation, 201, { id: 13, state: 'success' })).toEqual([]);
  for (const wrong of [{ odd: '' }, { id: '13' }, { context: null }, { creator: { odd: '' } }]) {
    expect(findResponseProblems(operation, 201, wrong)).not.toEqual([]);
  }
});

const query = `
  query($owner: String!, $name: String!, $oid: GitObjectID!, $first: Int!, $after: String) {
    repository(owner: $owner, name: $name) { object(oid: $oid) { ... on Commit {
      history(first: $first, after: $after) {
        nodes { oid status { contexts { targetUrl } } }
        pageInfo { hasNextPage endCursor }
      }
    } } }
  }`;
const oid = toSha('head');
const body = (from = '', to = '', changes = {}) =>
  JSON.stringify({
    query: query.replace(from, to),
    variables: { owner: 'acme', name: 'widgets', oid, first: 100, ...changes },
  });

it.each([
  ['a wrong field', body('targetUrl', 'target_url'), 'Cannot query field "target_url"'],
  ['a wrong commit', body('', '', { oid: 7 }), 'got invalid value 7'],
])('the check finds %s in a query', (_, request, problem) => {
  expect(findQueryProblems(request)).toEqual([expect.stringContaining(problem)]);
});

const link = 'https://example.com/1';
/** Returns an answer with one commit, which has one status. */
function toData(context: unknown = { targetUrl: link }, of: unknown = oid) {
  const pageInfo = { hasNextPage: false, endCursor: null };
  const history = { nodes: [{ oid: of, status: { contexts: [context] } }], pageInfo };
  return { data: { repository: { object: { history } } } };
}

it.each([
  ['an odd field', toData({ targetUrl: link, target_url: link }), 'the answer must be'],
  ['a missing object', toData(null), 'Cannot return null for non-nullable field'],
  ['a number for a commit', toData(undefined, 7), 'the answer must be'],
])('the check finds %s in an answer', (_, answer, problem) => {
  expect(findQueryProblems(body(), toData())).toEqual([]);
  expect(findQueryProblems(body(), answer)).toEqual([expect.stringContaining(problem)]);
});

it('the stand-in shows only the newest status of each context in a history', () => {
  const written = ['Docs', 'lint', 'docs'].map((context, id) => {
    const one = { id, context, state: 'success', description: null, target_url: `${link}${id}` };
    return { ...one, created_at: '2026-01-01T00:00:00Z' };
  });
  const repositories = { 'acme/widgets': repository({ statuses: { [headSha]: written } }) };
  const answer = answerQuery(body('', '', { oid: headSha }), { repositories, token: TOKEN });
  const contexts = [2, 1].map((id) => ({ targetUrl: `${link}${id}` }));
  expect(JSON.stringify(answer.body)).toContain(JSON.stringify({ contexts }));
});
