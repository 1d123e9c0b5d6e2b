import { describe, expect, it } from 'vitest';
import type { GitHubApiOptions } from '../github/api.ts';
import { type Fault, toApiError } from '../github/faults.ts';
import type { RepositoryCommit } from '../github/repository.ts';
import { broken, commits, setUp } from '../helpers/github.ts';
import { inputs, night, on, opened, short } from '../helpers/nights.ts';
import { readFields } from '../helpers/record.ts';

const history: RepositoryCommit[] = commits(6);
const [first, second, third, fourth, fifth] = history.map(({ sha }) => sha) as [
  string,
  string,
  string,
  string,
  string,
];
const world = { commits: history, branches: { main: fifth } };

describe.concurrent('a run since the last job', () => {
  it('marks its commit if it is the first one, and starts nothing', async () => {
    const api = await setUp(world);
    const [result] = await night(api, first);
    expect([result, api.emulator.counts().creates]).toEqual(['skipped', 0]);
    const [mark, ...others] = readFields(api.statuses[first]);
    expect(mark).toMatchObject({ 'docs-agent-job': 'v6', state: 'mark' });
    expect(others).toEqual([]);
  });

  it('goes on from the mark, then from the last job, and is skipped if nothing is new', async () => {
    const api = await setUp(world);
    await night(api, first);
    expect((await night(api, third)).slice(0, 2)).toEqual([opened, short(first)]);
    expect((await night(api, fourth)).slice(0, 2)).toEqual([opened, short(third)]);
    expect((await night(api, fourth))[0]).toBe('skipped');
    expect(api.emulator.counts().creates).toBe(2);
  });

  it.each([
    ['failed', { 'project-id': 'failing' }, 'job-failed', ''],
    ['is at work', { 'project-id': 'endless', wait: 'false' }, 'started', 'is still running'],
  ])('covers the changes of a job that %s again', async (_, changes, result, log) => {
    const api = await setUp(world);
    await night(api, first, changes);
    expect((await night(api, second, changes)).slice(0, 2)).toEqual([result, short(first)]);
    const again = await night(api, third, changes);
    expect(again).toEqual([result, short(first), expect.stringContaining(log)]);
  });

  it('goes on after an edited prompt, and each task has a record of its own then', async () => {
    const api = await setUp(world);
    const other = { prompt: 'Another task' };
    await night(api, first);
    await night(api, second);
    expect((await night(api, second, other))[0]).toBe('skipped');
    expect((await night(api, third))[0]).toBe(opened);
    // Its own mark counts, not the newer job of the first task.
    expect((await night(api, third, other)).slice(0, 2)).toEqual([opened, short(second)]);
  });

  it('marks a quiet commit, so that the range of a quiet package does not grow', async () => {
    const api = await setUp(world);
    const quiet = { paths: 'docs/**' };
    await night(api, first, quiet);
    expect((await night(api, second, quiet))[0]).toBe('skipped');
    expect((await night(api, third, quiet)).at(-1)).toContain(short(second));
    expect(readFields(api.statuses[third]).map(({ state }) => state)).toEqual(['mark']);
  });

  it('writes nothing in a dry run, and its own record is no start', async () => {
    const api = await setUp(world);
    await night(api, first, { 'dry-run': 'true' });
    expect(api.statuses).toEqual({});
    const options = on(first);
    await night(api, first, {}, options);
    const again = { ...options, env: { ...options.env, GITHUB_RUN_ATTEMPT: '2' } };
    const [result, log] = await night(api, first, {}, again);
    expect([result, log]).toEqual(['skipped', expect.stringContaining('This is the first run')]);
  });

  it('is another series at another project', async () => {
    const api = await setUp(world);
    await night(api, first);
    expect((await night(api, second, { 'project-id': 'no-change' }))[0]).toBe('skipped');
    expect(api.emulator.counts().creates).toBe(0);
  });
});

const data = { repository: { object: { history: { nodes: [], pageInfo: {} } } } };
const body = (answer: object | string): Fault => ({ status: 200, body: answer });
const unreadable: Readonly<Record<string, Partial<GitHubApiOptions>>> = {
  'no permission to read': { forbidsStatuses: true },
  'errors beside data': rule(body({ data, errors: [{ message: 'Something went wrong' }] })),
  'errors without data': rule(body({ data: null, errors: [{ message: 'timeout' }] })),
  'a limit in a 200': rule(body({ errors: [{ type: 'RATE_LIMITED', message: 'limit' }] })),
  'an unknown commit': rule(body({ data: { repository: { object: null } } })),
  'a page': rule(body('<html>')),
  'half an answer': rule(body({ data })),
  'an empty answer': rule(body({})),
  'an empty history': rule(body(toHistory([], { hasNextPage: false, endCursor: null }))),
  'a history without its commit': rule(
    body(toHistory([fifth], { hasNextPage: false, endCursor: null })),
  ),
  'a history that is cut': rule(body(toHistory([first], { hasNextPage: true, endCursor: null }))),
  'HTTP 502': rule(toApiError(502)),
  'HTTP 401': rule(toApiError(401)),
  'HTTP 404': rule(toApiError(404)),
};

function toHistory(shas: readonly string[], pageInfo: object) {
  const nodes = shas.map((oid) => ({ oid, status: null }));
  return { data: { repository: { object: { history: { nodes, pageInfo } } } } };
}

function rule(fault: Fault) {
  return broken(fault, /\/graphql/);
}

it.concurrent.each(Object.entries(unreadable))(
  'with %s, nothing is sent or marked',
  async (_, options) => {
    const api = await setUp(world, options, 20);
    expect((await night(api, first))[0]).toBe('changes-unknown');
    expect([api.emulator.counts().creates, api.statuses]).toEqual([0, {}]);
  },
);

it.concurrent.each([
  ['once', [1], 'pull-request-opened'],
  ['for ever', [], 'changes-unknown'],
])('a list of statuses that is empty %s hides no job', async (_, calls, result) => {
  const path = new RegExp(`/commits/${first}/statuses`);
  const api = await setUp(world, broken({ status: 200, body: [] }, path, ...calls));
  await night(api, first);
  expect((await night(api, second))[0]).toBe(result);
  expect(api.statuses[second] ?? []).toHaveLength(result === 'changes-unknown' ? 0 : 3);
});

it.concurrent('a host without GraphQL gets no token elsewhere', async () => {
  const api = await setUp(world);
  const [code, log] = await night(api, first, {}, on(first, { GITHUB_GRAPHQL_URL: '' }));
  expect([code, log]).toEqual(['changes-unknown', expect.stringContaining('no GraphQL API')]);
});

it.concurrent('a first run that cannot write its mark fails', async () => {
  const api = await setUp(world, broken(toApiError(403), /\/statuses\//), 8);
  expect((await night(api, first))[0]).toBe('record-failed');
});

it.concurrent('a refusal of some seconds is not believed', async () => {
  const api = await setUp(world, broken(toApiError(403), /\/graphql/, 1, 2));
  expect((await night(api, first))[0]).toBe('skipped');
});

it.concurrent.each([
  [{ reuse: 'never' }, {}, 'schedule', /can't be `last job` with `reuse: never`/],
  [{ 'job-id': 'job_1' }, {}, 'schedule', /can't be `last job` with `job-id`/],
  [{}, { GITHUB_REF: 'refs/tags/v1' }, 'push', /can't be `last job` for a tag/],
  [{}, { GITHUB_REF: 'refs/pull/1/merge' }, 'pull_request', /can't be `last job` for a tag/],
])('%j with %j on %s is an error, and nothing is sent', async (given, env, event, problem) => {
  const api = await setUp(world);
  const { outputs, stdout } = await api.finish({ ...inputs, ...given }, on(first, env, event));
  expect([outputs['error-code'], api.emulator.requests, api.github.requests]).toEqual([
    'invalid-input',
    [],
    [],
  ]);
  expect(stdout.replaceAll("'", '`').replaceAll('can`t', "can't")).toMatch(problem);
});
