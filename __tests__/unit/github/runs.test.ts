import { describe, expect, it } from 'vitest';
import { openRunReader, type RunReader } from '../../../src/github/runs.ts';
import { type Answer, startRestApi } from './rest-api.ts';

const limits = { timeoutMs: 10_000, maxRequests: 50, signal: new AbortController().signal };
const RUNS = '/repos/acme/app/actions';

async function open(routes: Readonly<Record<string, Answer>>) {
  const api = await startRestApi((path) => routes[path]);
  return openRunReader(api.context, limits);
}

describe('openRunReader', () => {
  it('reads the name of a workflow job', async () => {
    const reader = await open({ [`${RUNS}/jobs/5`]: { body: { name: 'docs (en)' } } });
    expect(await reader.readJobName(5)).toBe('docs (en)');
    await expect(reader.readJobName(6)).rejects.toThrow('HTTP 404');
  });

  it('lists the workflow jobs of an attempt, a page at a time', async () => {
    const job = { id: 1, name: 'docs', conclusion: 'failure', started_at: '1970-01-01T00:00:05Z' };
    const body = {
      total_count: 201,
      jobs: [
        { ...job, run_attempt: 1 },
        { ...job, conclusion: 'skipped' },
      ],
    };
    const reader = await open({ [`${RUNS}/runs/7/attempts/2/jobs?per_page=100&page=3`]: { body } });
    const read = { id: 1, name: 'docs', attempt: 1, isSkipped: false, startedAt: 5_000 };
    const items = [read, { ...read, attempt: undefined, isSkipped: true }];
    expect(await reader.listJobs(7, 2, 3)).toEqual({ items, pages: 3 });
  });

  it('lists the notices of a workflow job, a page at a time', async () => {
    const annotations = [
      { annotation_level: 'notice', message: 'a' },
      { annotation_level: 'warning', message: 'b' },
      { annotation_level: 'notice', message: null },
    ];
    const page = (number: number) => `/repos/acme/app/check-runs/1/annotations?per_page=100&page=${number}`;
    const full = Array(100).fill(annotations[0]);
    const reader = await open({ [page(1)]: { body: full }, [page(2)]: { body: annotations } });
    expect(await reader.listNotices(1, 1)).toEqual({ items: Array(100).fill('a'), pages: 2 });
    expect(await reader.listNotices(1, 2)).toEqual({ items: ['a'], pages: 2 });
  });

  it('lists the runs of a workflow file for a branch', async () => {
    const run = { id: 9, run_attempt: 3, created_at: '1970-01-01T00:00:05Z', head_branch: 'v1' };
    const body = { workflow_runs: [run, { id: 8, created_at: run.created_at, head_branch: null }] };
    const query = 'branch=v1&created=>=2026-11-20&per_page=30';
    const reader = await open({ [`${RUNS}/workflows/docs.yml/runs?${query}`]: { body } });
    const since = new Date('2026-11-20T18:30:00Z');
    expect(await reader.listRuns('docs.yml', 'v1', { since, count: 30 })).toEqual([
      { id: 9, newestAttempt: 3, createdAt: 5_000, branch: 'v1' },
      { id: 8, newestAttempt: 1, createdAt: 5_000, branch: undefined },
    ]);
  });

  it.each<[string, (reader: RunReader) => Promise<unknown>, string]>([
    ['jobs', (reader) => reader.listJobs(7, 1, 1), '[]'],
    ['notices', (reader) => reader.listNotices(1, 1), '{"annotations":[]}'],
    ['runs', (reader) => reader.listRuns('docs.yml', 'v1', { since: new Date(), count: 30 }), '[]'],
  ])('does not take for a list of %s what is none', async (_, read, other) => {
    const lists = '{"total_count":1,"jobs":{},"workflow_runs":{}}';
    for (const body of ['null', '{}', '"x"', '<html>', lists, other]) {
      const { context } = await startRestApi(() => ({ body }));
      const reading = read(await openRunReader(context, limits));
      await expect(reading, body).rejects.toThrow('the response is not as the API describes it');
    }
  });

  it('needs a repository', async () => {
    const { context } = await startRestApi(() => undefined);
    await expect(openRunReader({ ...context, repository: undefined }, limits)).rejects.toThrow(
      'GITHUB_REPOSITORY is not set',
    );
  });
});
