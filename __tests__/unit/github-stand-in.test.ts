import { expect, it, onTestFinished } from 'vitest';
import { createGitHubApi, type GitHubApiOptions } from '../github/api.ts';
import { findResponseProblems, getOperation } from '../github/description.ts';
import { findQueryProblems } from '../github/graphql-schema.ts';
import { type CommitStatus, toSha } from '../github/repository.ts';
import { headSha } from '../harness/action-environment.ts';
import { broken, repository } from '../helpers/github.ts';
import { commit } from '../helpers/nights.ts';
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
const head = toSha('head');
const variables = { owner: 'acme', name: 'widgets', oid: head, first: 100 };

function status(id: number, context: string): CommitStatus {
  const target_url = `https://example.com/${id}`;
  const created_at = '2026-01-01T00:00:00Z';
  return { id, state: 'success', context, description: null, target_url, created_at };
}

/** Returns a commit in an answer, with links of the statuses with these ids. */
function node(name: string, ...ids: number[]) {
  const contexts = ids.map((id) => ({ targetUrl: `https://example.com/${id}` }));
  return { oid: toSha(name), status: ids.length === 0 ? null : { contexts } };
}

/** Returns an answer with the last page, or with one before it. */
function page(nodes: readonly object[], hasNextPage = false, endCursor: unknown = CURSOR) {
  const pageInfo = { hasNextPage, endCursor: nodes.length === 0 ? null : endCursor };
  return { repository: { object: { history: { nodes, pageInfo } } } };
}
const CURSOR: unknown = expect.any(String);

/** Starts a stand-in with a merge, and returns how to send it a query. */
async function serve(options: Partial<GitHubApiOptions> = {}) {
  const line = ['oldest', 'base', 'left'].map((name) => commit(name));
  const sides = ['elsewhere', 'right'].map((name) => commit(name, 'base'));
  const commits = [...line, ...sides, commit('head', 'left', 'right')];
  const statuses = {
    [head]: [status(1, 'Docs'), status(2, 'lint'), status(3, 'docs')],
    [toSha('base')]: [status(4, 'docs')],
    [toSha('elsewhere')]: [status(5, 'docs')],
  };
  const repositories = { 'acme/widgets': repository({ commits, statuses }) };
  const api = createGitHubApi({ repositories, token: TOKEN, ...options });
  onTestFinished(() => api.close());
  const apiUrl = await api.listen();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const post = async (path: string, value: object) => {
    const init = { method: 'POST', headers, body: JSON.stringify(value) };
    const response = await fetch(`${apiUrl}${path}`, init);
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const ask = (changes: object = {}) =>
    post('/graphql', { query, variables: { ...variables, ...changes } });
  return { api, ask, post };
}

const newest = [node('head', 3, 2), node('right'), node('left')];
const everything = [...newest, node('base', 4), node('oldest')];

it('the query gets the newest status of each context, in pages', async () => {
  const { ask, post, api } = await serve();
  const first = await ask({ first: 3 });
  expect(first).toEqual({ status: 200, body: { data: page(newest, true) } });
  const getCursor = ({ body }: typeof first) =>
    body.data.repository.object.history.pageInfo.endCursor;
  const [after, end] = [getCursor(first), getCursor(await ask())];
  for (const [changes, nodes] of [
    [{}, everything],
    [{ first: 2, after }, everything.slice(3)],
    [{ after: end }, []],
    [{ oid: toSha('base') }, everything.slice(3)],
    // The commit of a branch, whose history is unknown.
    [{ oid: headSha }, [{ oid: headSha, status: null }]],
  ] as const) {
    expect((await ask(changes)).body.data).toEqual(page(nodes));
  }
  // A new status has no link.
  const oid = toSha('oldest');
  await post(`/repos/acme/widgets/statuses/${oid}`, { state: 'success', context: 'new' });
  const status = { contexts: [{ targetUrl: null }] };
  expect((await ask({ oid })).body.data).toEqual(page([{ oid, status }]));
  expect(api.findDeviations()).toEqual([]);
});

const message = 'Resource not accessible by integration';
const path = ['repository', 'object', 'history', 'nodes'];
const paths = [0, 1].map((index) => [...path, index, 'status']);
const errors = paths.map((one) => ({ type: 'FORBIDDEN', path: one, message }));
const data = page([node('head'), node('right')], true);
const none = { data: { repository: { object: null } } };
it.each<[string, Partial<GitHubApiOptions>, object, object]>([
  ['of an unknown commit', {}, { oid: toSha('gone') }, none],
  ['if forbidden', { forbidsStatuses: true }, { first: 2 }, { data, errors }],
  ['with a written answer', broken({ status: 200, body: { data: 1 } }), {}, { data: 1 }],
])("the query gets GitHub's answer %s", async (_, options, changes, body) => {
  const { ask, api } = await serve(options);
  expect(await ask(changes)).toEqual({ status: 200, body });
  expect(api.findDeviations()).toEqual([]);
});

const body = (from = '', to = '', changes = {}) =>
  JSON.stringify({ query: query.replace(from, to), variables: { ...variables, ...changes } });

it.each([
  ['a wrong field', body('targetUrl', 'target_url'), 'Cannot query field "target_url"'],
  ['a wrong commit', body('', '', { oid: 7 }), 'got invalid value 7'],
])('the check finds %s in a query', (_, request, problem) => {
  expect(findQueryProblems(request)).toEqual([expect.stringContaining(problem)]);
});

const link = 'https://example.com/1';
const toData = (target: unknown = { targetUrl: link }, oid: unknown = head): object => ({
  data: page([{ oid, status: { contexts: [target] } }], false, null),
});

it.each([
  ['an odd field', toData({ targetUrl: link, target_url: link }), 'the answer must be'],
  ['a missing object', toData(null), 'Cannot return null for non-nullable field'],
  ['a number for a commit', toData(undefined, 7), 'the answer must be'],
])('the check finds %s in an answer', (_, answer, problem) => {
  expect(findQueryProblems(body(), toData())).toEqual([]);
  expect(findQueryProblems(body(), answer)).toEqual([expect.stringContaining(problem)]);
});
