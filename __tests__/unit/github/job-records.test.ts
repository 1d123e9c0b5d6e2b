import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../../src/github/client.ts';
import { type JobRecord, searchJobRecords } from '../../../src/github/job-records.ts';
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
const forbidden = new GitHubError('HTTP 403', 403);
const broken = new GitHubError('HTTP 502', 502);

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
  const end = await searchJobRecords(
    { openReader, context, fingerprint: FINGERPRINT, tag, limits },
    async (record) => {
      records.push(record);
      return record.jobId === stopAt && stopAt !== undefined;
    },
  );
  return { end, calls, records, jobIds: records.map(({ jobId }) => jobId) };
}

const job = (id: number, changes: Partial<FakeJob> = {}): FakeJob => ({
  id,
  markers: [startedJob(`job_${id}`, 1)],
  ...changes,
});

describe('searchJobRecords', () => {
  it('visits the records of earlier attempts, newest first', async () => {
    const attempts = {
      '7/1': [job(1)],
      '7/2': [job(2, { markers: [{ kind: 'unknown' }] })],
      '7/3': [job(3)],
    };
    const { end, records } = await search({ attempts }, { runAttempt: 3 });
    expect(end).toEqual({ kind: 'complete' });
    expect(records).toEqual([
      {
        jobId: undefined,
        runId: 7,
        attempt: 2,
        page: `${PAGE}/7/attempts/2`,
        leftBy: { runId: 7, attempt: 2 },
      },
      {
        jobId: 'job_1',
        runId: 7,
        attempt: 1,
        page: `${PAGE}/7/attempts/1`,
        leftBy: { runId: 7, attempt: 1 },
      },
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
    expect(records).toMatchObject([
      { runId: 7, attempt: 1, page: `${PAGE}/7/attempts/1`, leftBy: { runId: 7, attempt: 2 } },
      { runId: 6, attempt: 4, page: `${PAGE}/6/attempts/4`, leftBy: { runId: 7, attempt: 2 } },
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

  it.each<[string, string | undefined, readonly FakeJob[], number[]]>([
    ['without its own name all jobs, likely ones first', undefined, jobs, [8, 9, 7, 4, 3, 2, 1, 6]],
    ['with its name those of the same name', 'docs (en)', jobs, [8, 7]],
    ['those of the same key if none has its name', 'docs (de)', jobs, [8, 9, 7, 4, 3]],
    ['the newest ones if none looks like it', 'other', [named(1, 'a', 1), named(2, 'b', 2)], [2, 1]],
    [
      'no more than twelve strangers',
      'other',
      Array.from({ length: 20 }, (_, id) => named(id + 1, 'x')),
      [20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9],
    ],
  ])('reads %s', async (_, ownName, listed, expected) => {
    const runs = { attempts: { '7/1': listed }, ...(ownName === undefined ? {} : { ownName }) };
    const { jobIds, calls } = await search(
      runs,
      ownName === undefined ? {} : { env: { CHECK_RUN_ID: '99' } },
    );
    expect(jobIds).toEqual(expected.map((id) => `job_${id}`));
    expect(calls.includes('name 99')).toBe(ownName !== undefined);
  });

  it('searches all jobs if it cannot read its own name', async () => {
    const { jobIds, end } = await search({ attempts: { '7/1': [job(1)] } }, { env: { CHECK_RUN_ID: '99' } });
    expect([jobIds, end]).toEqual([['job_1'], { kind: 'complete' }]);
  });

  it('reads every page, fifty at most', async () => {
    const attempts = { '7/1': Array.from({ length: 5 }, (_, id) => job(id + 1)) };
    expect((await search({ attempts, pageSize: 1 })).jobIds).toHaveLength(5);
    const many = { '7/1': Array.from({ length: 60 }, (_, id) => job(id + 1, { isSkipped: true })) };
    expect((await search({ attempts: many, pageSize: 1 })).calls).toHaveLength(50);
  });

  it('searches other runs for the tag only if it is told to', async () => {
    const run = (id: number, createdAt: number, branch = 'v1') => ({
      id,
      newestAttempt: 1,
      createdAt,
      branch,
    });
    const runs = {
      attempts: {
        '7/1': [job(1)],
        '5/1': [job(5)],
        '6/1': [job(6)],
        '8/1': [job(8)],
        '9/1': [job(9)],
        '7/2': [job(70)],
      },
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
    const runs = Array.from({ length: 40 }, (_, id) => ({
      id: id + 100,
      newestAttempt: 1,
      createdAt: id,
      branch: 'v1',
    }));
    const { calls } = await search({ runs }, { runAttempt: 1, tag: 'v1' });
    expect(calls.filter((call) => call.startsWith('jobs'))).toEqual(
      Array.from({ length: 30 }, (_, index) => `jobs ${139 - index}/1`),
    );
  });

  it.each<[string, (call: string) => GitHubError | undefined, string, string | undefined]>([
    ['permissions are missing', () => forbidden, 'not-permitted', 'HTTP 403'],
    ['one request fails', (call) => (call === 'jobs 7/2' ? broken : undefined), 'incomplete', 'HTTP 502'],
    [
      'one fails for another reason',
      (call) => (call === 'jobs 7/2' ? forbidden : call === 'notices 1' ? broken : undefined),
      'incomplete',
      'HTTP 502',
    ],
    ['the token is refused', () => new GitHubError('HTTP 401', 401), 'bad-token', 'HTTP 401'],
  ])('goes on and tells the failure at its end if %s', async (_, fail, failure, text) => {
    const { end, calls } = await search({ attempts: { '7/1': [job(1)] }, fail }, { runAttempt: 3 });
    expect(end).toMatchObject({ kind: 'failed', failure, error: { message: text } });
    expect(calls).toContain('jobs 7/1');
  });

  it('tells that other runs cannot be listed', async () => {
    const fail = (call: string) => (call.startsWith('runs') ? broken : undefined);
    const { end, jobIds } = await search({ attempts: { '7/1': [job(1)] }, fail }, { tag: 'v1' });
    expect([end.kind, jobIds]).toEqual(['failed', ['job_1']]);
  });

  it('ends at once when a limit is used up', async () => {
    const fail = (): GitHubError => new GitHubError('rate limit', 403, 'rate-limit');
    const { end, calls } = await search({ fail }, { runAttempt: 5 });
    expect(end).toMatchObject({ kind: 'failed', failure: 'incomplete' });
    expect(calls).toHaveLength(1);
  });

  it.each([
    [{ GITHUB_RUN_ID: '' }, undefined],
    [{ GITHUB_WORKFLOW_REF: '' }, 'v1'],
  ])('is impossible with %o', async (env, tag) => {
    const { end } = await search({}, { env, ...(tag === undefined ? {} : { tag }) });
    expect(end).toMatchObject({
      kind: 'failed',
      failure: 'impossible',
      error: { message: expect.stringMatching(/^GITHUB_(?:RUN_ID|WORKFLOW_REF) is not set$/) },
    });
    expect((await search({}, { env: { GITHUB_WORKFLOW_REF: '' } })).end.kind).toBe('complete');
  });
});
