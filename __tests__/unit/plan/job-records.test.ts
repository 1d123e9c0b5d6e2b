import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../../src/github/client.ts';
import { type SearchEnd, searchJobRecords } from '../../../src/plan/job-records.ts';
import type { JobRecord } from '../../../src/state.ts';
import {
  createContext,
  createFakeReader,
  type FakeJob,
  type FakeRuns,
  FINGERPRINT,
  startedJob,
} from './fake-runs.ts';

const PAGE = 'https://github.com/acme/app/actions/runs';
const signal = new AbortController().signal;
const limits = { timeoutMs: 10_000, maxRequests: 300, signal };

interface Options {
  readonly runAttempt?: number;
  readonly tag?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stopAt?: string;
}

async function search(runs: FakeRuns, { runAttempt = 2, tag, env, stopAt }: Options = {}) {
  const { openReader, calls } = createFakeReader(runs);
  const records: JobRecord[] = [];
  const context = createContext(runAttempt, env);
  const options = { openReader, context, fingerprint: FINGERPRINT, tag, limits };
  const end = await searchJobRecords(options, async (record) => {
    records.push(record);
    return record.jobId === stopAt && stopAt !== undefined;
  });
  return { end, calls, records, jobIds: records.map(({ jobId }) => jobId) };
}

const pageOf = (runId: number, attempt: number) => `${PAGE}/${runId}/attempts/${attempt}`;

const job = (id: number, changes: Partial<FakeJob> = {}): FakeJob => ({
  id,
  markers: [startedJob(`job_${id}`, 1)],
  ...changes,
});

describe('searchJobRecords', () => {
  it('visits the records of earlier attempts, newest first', async () => {
    const unknown = job(2, { markers: [{ kind: 'unknown' }] });
    const attempts = { '7/1': [job(1)], '7/2': [unknown], '7/3': [job(3)] };
    const { end, records } = await search({ attempts }, { runAttempt: 3 });
    expect(end).toEqual({ kind: 'complete' });
    const [first, second] = [1, 2].map((attempt) => ({ runId: 7, attempt }));
    expect(records).toEqual([
      { jobId: undefined, ...second, page: pageOf(7, 2), leftBy: second },
      { jobId: 'job_1', ...first, page: pageOf(7, 1), leftBy: first },
    ]);
  });

  it('stops when the visitor has seen enough', async () => {
    const attempts = { '7/1': [job(1)], '7/2': [job(2)] };
    const { end, calls } = await search({ attempts }, { runAttempt: 3, stopAt: 'job_2' });
    expect([end, calls]).toEqual([{ kind: 'stopped' }, ['jobs 7/2', 'notices 2']]);
  });

  it('names who started the job, in a chain of attempts and in another run', async () => {
    const markers = [startedJob('job_1', 1), startedJob('job_2', 4, 6)];
    const { records } = await search({ attempts: { '7/2': [job(1, { markers })] } }, { runAttempt: 3 });
    const leftBy = { runId: 7, attempt: 2 };
    expect(records).toMatchObject([
      { runId: 7, attempt: 1, page: pageOf(7, 1), leftBy },
      { runId: 6, attempt: 4, page: pageOf(6, 4), leftBy },
    ]);
  });

  it('reads a workflow job that several attempts list once', async () => {
    const attempts = { '7/1': [job(1)], '7/2': [job(1, { attempt: 1 }), job(2, { attempt: 9 })] };
    const { records, calls } = await search({ attempts }, { runAttempt: 3 });
    expect(records.map(({ leftBy }) => leftBy.attempt)).toEqual([2, 1]);
    expect(calls.filter((call) => call.startsWith('notices'))).toEqual(['notices 2', 'notices 1']);
  });

  const named = (id: number, name: string, startedAt = 0, isSkipped = false): FakeJob =>
    job(id, { name, startedAt, isSkipped });
  const jobs = [
    named(1, 'build', 1),
    named(2, 'lint', 2),
    named(3, 'docs (a, b)'),
    named(4, 'caller / docs'),
    named(5, 'docs', 0, true),
    named(6, 'docsx'),
    named(7, 'docs (en)'),
    named(8, 'docs (en)', 5),
    named(9, 'docs', 1),
  ];

  const strangers = Array.from({ length: 20 }, (_, id) => named(id + 1, 'x'));
  const withId = { env: { CHECK_RUN_ID: '99' } };

  it.each<[string, Options, string | undefined, readonly FakeJob[], number[]]>([
    ['without its own name all jobs, likely ones first', {}, undefined, jobs, [8, 9, 7, 4, 3, 2, 1, 6]],
    ['all if it cannot read its own name', withId, undefined, jobs, [8, 9, 7, 4, 3, 2, 1, 6]],
    ['with its name those of the same name', withId, 'docs (en)', jobs, [8, 7]],
    ['those of the same key if none has its name', withId, 'docs (de)', jobs, [8, 9, 7, 4, 3]],
    ['the newest ones if none looks like it', withId, 'other', [named(1, 'a', 1), named(2, 'b', 2)], [2, 1]],
    ['twelve of 20 strangers', withId, 'other', strangers, [20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9]],
  ])('reads %s', async (_, options, ownName, listed, expected) => {
    const { jobIds, calls, end } = await search({ attempts: { '7/1': listed }, ownName }, options);
    expect(jobIds).toEqual(expected.map((id) => `job_${id}`));
    expect(calls.includes('name 99')).toBe(options === withId);
    expect(end).toEqual({ kind: 'complete' });
  });

  it('reads every page that it can, fifty at most', async () => {
    const attempts = { '7/1': Array.from({ length: 5 }, (_, id) => job(id + 1)) };
    expect((await search({ attempts, pageSize: 1 })).jobIds).toHaveLength(5);
    const fail = (call: string) => (call === 'jobs 7/1 page 2' ? new GitHubError('HTTP 502') : undefined);
    expect((await search({ attempts, pageSize: 1, fail })).jobIds).toHaveLength(4);
    const many = { '7/1': Array.from({ length: 60 }, (_, id) => job(id + 1, { isSkipped: true })) };
    expect((await search({ attempts: many, pageSize: 1 })).calls).toHaveLength(50);
  });

  const run = (id: number, createdAt: number, branch = 'v1') => ({ id, newestAttempt: 1, createdAt, branch });

  it('searches other runs for the tag only if it is told to', async () => {
    const others = Object.fromEntries([5, 6, 8, 9].map((id) => [`${id}/1`, [job(id)]]));
    const runs = {
      attempts: { '7/1': [job(1)], '7/2': [job(70)], ...others },
      runs: [run(5, 1), run(6, 2), { ...run(7, 3), newestAttempt: 2 }, run(8, 4, 'main'), run(9, 5, 'stray')],
    };
    expect((await search(runs)).jobIds).toEqual(['job_1']);
    const { jobIds, calls } = await search(runs, { tag: 'v1' });
    expect(jobIds).toEqual(['job_1', 'job_6', 'job_5']);
    expect(calls.filter((call) => call.startsWith('runs'))).toEqual(['runs docs.yml v1 30 of 30 days']);
    const onBranch = await search(runs, { tag: 'v1', env: { GITHUB_REF_NAME: 'main' } });
    expect(onBranch.jobIds).toEqual(['job_1', 'job_8', 'job_6', 'job_5']);
  });

  it('looks at the newest 30 runs', async () => {
    const runs = Array.from({ length: 40 }, (_, index) => run(index + 100, index));
    const { calls } = await search({ runs }, { runAttempt: 1, tag: 'v1' });
    const newest = Array.from({ length: 30 }, (_, index) => `jobs ${139 - index}/1`);
    expect(calls.filter((call) => call.startsWith('jobs'))).toEqual(newest);
  });

  const all = ['jobs 7/2', 'jobs 7/1', 'notices 1', 'runs docs.yml v1 30 of 30 days'];

  it.each<[string, number, Record<string, number>, string]>([
    ['permissions are missing', 403, Object.fromEntries(all.map((call) => [call, 403])), 'not-permitted'],
    ['only annotations are refused', 403, { 'notices 1': 403 }, 'not-permitted'],
    ['one request fails', 502, { 'jobs 7/2': 502 }, 'incomplete'],
    ['one fails for another reason', 502, { 'jobs 7/2': 403, 'notices 1': 502 }, 'incomplete'],
    ['other runs cannot be listed', 502, { 'runs docs.yml v1 30 of 30 days': 502 }, 'incomplete'],
    ['the token is refused', 401, Object.fromEntries(all.map((call) => [call, 401])), 'bad-token'],
  ])('goes on and tells the failure at its end if %s', async (_, httpStatus, statuses, failure) => {
    const fail = (call: string) => {
      const status = statuses[call];
      return status === undefined ? undefined : new GitHubError(`HTTP ${status}`, status);
    };
    const runs = { attempts: { '7/1': [job(1)] }, fail };
    const { end, calls } = await search(runs, { runAttempt: 3, tag: 'v1' });
    expect(end).toMatchObject({ kind: 'failed', failure, error: { httpStatus } });
    expect(calls).toEqual(
      statuses['jobs 7/1'] === undefined ? all : all.filter((call) => call !== 'notices 1'),
    );
  });

  it('ends at once when a limit is used up', async () => {
    const fail = (): GitHubError => new GitHubError('rate limit', 403, 'rate-limit');
    const { end, calls } = await search({ fail }, { runAttempt: 5 });
    expect(end).toMatchObject({ kind: 'failed', failure: 'incomplete' });
    expect(calls).toHaveLength(1);
  });

  it.each<[string, Options, SearchEnd['kind']]>([
    ['GITHUB_RUN_ID', {}, 'failed'],
    ['GITHUB_WORKFLOW_REF', { tag: 'v1' }, 'failed'],
    ['GITHUB_WORKFLOW_REF', {}, 'complete'],
  ])('without %s and with %o: %s', async (name, options, kind) => {
    const { end } = await search({}, { ...options, env: { [name]: '' } });
    const failure = { failure: 'impossible', error: { message: `${name} is not set` } };
    expect(end).toMatchObject({ kind, ...(kind === 'failed' && failure) });
  });
});
