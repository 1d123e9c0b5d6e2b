import { expect, it } from 'vitest';
import type { GitHubApiOptions } from '../github/api.ts';
import { type Fault, toApiError, toQueryError } from '../github/faults.ts';
import { toSha } from '../github/repository.ts';
import { broken } from '../helpers/github.ts';
import { commit, settle, setUpNights } from '../helpers/nights.ts';

// last-job-histories.test.ts shows where the changes begin.

const onQuery = (fault: Fault, ...calls: number[]) => broken(fault, /\/graphql/, ...calls);
const answer = (body: object | string) => onQuery({ status: 200, body });
const noHistory = { repository: { object: { history: { nodes: [], pageInfo: {} } } } };

function answerHistory(names: readonly string[], hasNextPage = false, others = {}, parent = '') {
  const parents = { nodes: parent === '' ? [] : [{ oid: toSha(parent) }] };
  const nodes = names.map((name) => ({ oid: toSha(name), parents, status: null }));
  const history = { nodes, pageInfo: { hasNextPage, endCursor: null } };
  return answer({ data: { repository: { object: { history } } }, ...others });
}

const unreadable: Readonly<Record<string, Partial<GitHubApiOptions>>> = {
  'no permission to read': { forbidsStatuses: true },
  'errors beside data': answerHistory(['c0'], false, { errors: [{ message: 'No' }] }),
  'a limit in a 200': onQuery(toQueryError('limit', 'RATE_LIMITED', { 'retry-after': '3600' })),
  'an unknown commit': answer({ data: { repository: { object: null } } }),
  'a page': answer('<html>'),
  'half an answer': answer({ data: noHistory }),
  'an empty history': answerHistory([]),
  'a history without its commit': answerHistory(['c5']),
  'a history that is cut': answerHistory(['c0'], true),
  'a last page before the first commit': answerHistory(['c0'], false, {}, 'older'),
  'a page that repeats': answerHistory(['c0', 'c0']),
  'HTTP 502': onQuery(toApiError(502)),
  'HTTP 404': onQuery(toApiError(404)),
};

it.concurrent.each(Object.entries(unreadable))(
  'with %s, nothing is sent or marked',
  async (_, api) => {
    const { tell, statuses } = await setUpNights(api, { timeScale: 20 });
    await tell('c0 changes-unknown');
    expect(statuses).toEqual({});
  },
);

it.concurrent.each([
  ['once', [1], 'opened c0', 3],
  ['for ever', [], 'changes-unknown', 0],
])('a list of statuses that is empty %s hides no job', async (_, calls, end, count) => {
  const path = new RegExp(`/commits/${toSha('c0')}/statuses`);
  const { tell, statuses } = await setUpNights(broken({ status: 200, body: [] }, path, ...calls));
  await tell(`c0 skipped, c1 ${end}`);
  expect(statuses[toSha('c1')] ?? []).toHaveLength(count);
});

it.concurrent('`paths` with a folder of what changed sends nothing, and marks nothing', async () => {
  const { files, ...change } = commit('c1');
  const inside = { ...change, files: files.map((file) => ({ ...file, path: 'src/c1.ts' })) };
  const { tell, statuses } = await setUpNights({}, { commits: [commit('c0'), inside] });
  await tell('folder: c0 skipped, c1 invalid-input');
  expect(Object.keys(statuses)).toEqual([toSha('c0')]);
});

it.concurrent('a host without GraphQL gets no token elsewhere', async () => {
  const { play } = await setUpNights();
  const { end, stdout } = await play('c0', { GITHUB_GRAPHQL_URL: '' });
  expect([end, stdout]).toEqual(['changes-unknown', expect.stringContaining('no GraphQL API')]);
});

it.concurrent('a query that fails three times in a 200 costs no night', async () => {
  const { tell } = await setUpNights(onQuery(toQueryError('Something went wrong'), 1, 2, 3));
  await tell('c0 skipped');
});

it.concurrent.each([
  [
    'failed',
    'c0+failing marked, c1+failing job-failed c0',
    'c2+failing',
    {},
    'Or leave the changes to the next job.',
    'c3+failing job-failed c0',
  ],
  [
    'was refused',
    'c0 marked, c1 opened c0',
    'c2',
    { 'api-key': 'mint_emulator_expired_key_0001' },
    'Or leave the changes to the next job.',
    'c3 opened c1',
  ],
])(
  'a night that %s needs no re-run, and says so',
  async (_, before, night, more, advice, after) => {
    const { tell, play } = await setUpNights();
    await tell(before);
    expect((await play(night, more)).annotations.errors.join()).toContain(advice);
    await tell(after);
  },
);

const own = 'https://github.com/acme/widgets/pull/7';
const advice = 'Merging it may start the next job. To prevent that, ';
it.concurrent.each([
  ['in the repository of the run', '', own, 1],
  ['in the repository of the run, with `paths`', '+all', own, 0],
  ['elsewhere', '', 'https://github.com/acme/docs/pull/7', 0],
])('documentation %s warns of a loop, or not', async (_, settings, prLink, count) => {
  const { tell, play, emulator } = await setUpNights();
  await tell(`c0+slow${settings} marked, c1+slow${settings} started c0`);
  settle(emulator.jobs[0], { status: 'completed', prLink });
  const { end, annotations, exitCode } = await play(`c1+slow+again${settings}`);
  expect([end, exitCode]).toEqual(['opened', 0]);
  const all = [...annotations.notices, ...annotations.warnings];
  expect(all).toEqual([expect.stringContaining(prLink)]);
  expect(annotations.warnings.filter((text) => text.includes(advice))).toHaveLength(count);
});

it.concurrent.each([
  ['that cannot write its mark fails', broken(toApiError(403), /\/statuses\//), 'record-failed'],
  ['does not believe a refusal of seconds', onQuery(toApiError(403), 1, 2), 'skipped'],
])('a first run %s', async (_, api, end) => {
  await (await setUpNights(api, { timeScale: 2 })).tell(`c0 ${end}`);
});
