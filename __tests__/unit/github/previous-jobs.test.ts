import { afterEach, describe, expect, it } from 'vitest';
import { formatMarker, JOB_ANNOTATION_TITLE } from '../../../src/github/job-annotation.ts';
import { listPreviousJobs, type PreviousJob } from '../../../src/github/previous-jobs.ts';
import { closeRestApis, startRestApi } from './rest-api.ts';

const FINGERPRINT = '0123456789abcdef0123456789abcdef';
const limits = { timeoutMs: 10_000, maxRequests: 50, signal: new AbortController().signal };
const PAGE = 'https://github.com/acme/app/actions/runs/7/attempts';

interface WorkflowJob {
  readonly id: number;
  readonly name?: string;
  readonly conclusion?: string;
  readonly started_at?: string;
  /** The attempt that it ran in. */
  readonly attempt?: number;
}

afterEach(closeRestApis);

/** Lists what the attempts recorded: their workflow jobs, and the agent jobs in the annotations of each. */
async function list(
  attempts: Readonly<Record<number, readonly WorkflowJob[]>>,
  records: Readonly<Record<number, readonly string[]>>,
  { runAttempt = '2', fingerprint = FINGERPRINT, level = 'notice' } = {},
) {
  const api = await startRestApi(
    (path) => {
      const [, attempt, page] =
        /^\/repos\/acme\/app\/actions\/runs\/7\/attempts\/(\d+)\/jobs\?per_page=100&page=(\d+)$/.exec(path) ??
        [];
      if (attempt !== undefined) {
        const jobs = (attempts[Number(attempt)] ?? []).map(({ id, attempt: own, ...job }) => ({
          name: 'docs',
          conclusion: 'failure',
          started_at: '2026-11-20T18:30:00Z',
          check_run_url: `https://api.github.com/repos/acme/app/check-runs/${id}`,
          ...(own === undefined ? {} : { run_attempt: own }),
          ...job,
        }));
        const from = (Number(page) - 1) * 100;
        return { body: { total_count: jobs.length, jobs: jobs.slice(from, from + 100) } };
      }
      const [, id] = /^\/repos\/acme\/app\/check-runs\/(\d+)\/annotations\?per_page=100$/.exec(path) ?? [];
      return id === undefined
        ? undefined
        : {
            body: (records[Number(id)] ?? []).map((jobId) => ({
              annotation_level: level,
              title: JOB_ANNOTATION_TITLE,
              message: `Started agent job ${jobId}. ${formatMarker(jobId, FINGERPRINT)}`,
            })),
          };
    },
    { GITHUB_RUN_ATTEMPT: runAttempt, GITHUB_JOB: 'docs' },
  );
  const found: PreviousJob[] = [];
  for await (const job of listPreviousJobs(api.context, fingerprint, limits)) {
    found.push(job);
  }
  return { found, paths: api.requests.map(({ path }) => path) };
}

describe('listPreviousJobs', () => {
  it('yields what earlier attempts recorded, newest first', async () => {
    const attempts = { 1: [{ id: 1 }], 2: [{ id: 2 }], 3: [{ id: 3 }] };
    const { found } = await list(
      attempts,
      { 1: ['job_1'], 2: ['job_2a', 'job_2b'], 3: ['own'] },
      { runAttempt: '3' },
    );
    expect(found).toEqual([
      { jobId: 'job_2a', attempt: 2, page: `${PAGE}/2` },
      { jobId: 'job_2b', attempt: 2, page: `${PAGE}/2` },
      { jobId: 'job_1', attempt: 1, page: `${PAGE}/1` },
    ]);
  });

  it('names the attempt that a workflow job ran in, and reads it once', async () => {
    const attempts = {
      1: [{ id: 1, attempt: 1 }],
      2: [
        { id: 1, attempt: 1 },
        { id: 2, attempt: 9 },
      ],
    };
    const { found, paths } = await list(attempts, { 1: ['job_1'], 2: ['job_2'] }, { runAttempt: '3' });
    expect(found.map(({ jobId, attempt }) => [jobId, attempt])).toEqual([
      ['job_1', 1],
      ['job_2', 2],
    ]);
    expect(paths.filter((path) => path.includes('annotations'))).toHaveLength(2);
  });

  it('reads workflow jobs of its own name first, then the newest, and no skipped ones', async () => {
    const jobs: WorkflowJob[] = [
      { id: 1, name: 'build', started_at: '2026-11-20T18:00:00Z' },
      { id: 2, name: 'lint', started_at: '2026-11-20T19:00:00Z' },
      { id: 3, name: 'docs (a, b)' },
      { id: 4, name: 'caller / docs' },
      { id: 5, name: 'docs', conclusion: 'skipped' },
      { id: 6, name: 'docsx' },
    ];
    const records = Object.fromEntries(jobs.map(({ id }) => [id, [`job_${id}`]]));
    const { found } = await list({ 1: jobs }, records);
    expect(found.map(({ jobId }) => jobId)).toEqual(['job_3', 'job_4', 'job_2', 'job_6', 'job_1']);
  });

  it('reads every page of workflow jobs', async () => {
    const jobs = Array.from({ length: 101 }, (_, index) => ({
      id: index + 1,
      name: 'build',
      conclusion: 'skipped',
    }));
    const { found } = await list({ 1: [...jobs, { id: 200 }] }, { 200: ['job_1'] });
    expect(found).toHaveLength(1);
  });

  it('ignores other fingerprints and other annotations', async () => {
    const attempts = { 1: [{ id: 1 }] };
    expect(
      (await list(attempts, { 1: ['job_1'] }, { fingerprint: FINGERPRINT.replace('0', '1') })).found,
    ).toEqual([]);
    expect((await list(attempts, { 1: ['job_1'] }, { level: 'warning' })).found).toEqual([]);
  });

  it('looks at ten attempts at most', async () => {
    const { paths } = await list({}, {}, { runAttempt: '13' });
    expect(paths.map((path) => Number(/attempts\/(\d+)/.exec(path)?.[1]))).toEqual([
      12, 11, 10, 9, 8, 7, 6, 5, 4, 3,
    ]);
  });

  it('needs to know its own run', async () => {
    const { context } = await startRestApi(() => undefined);
    for (const unknown of [{ runId: undefined }, { repository: undefined }]) {
      const generator = listPreviousJobs({ ...context, ...unknown }, FINGERPRINT, limits);
      await expect(generator.next()).rejects.toThrow('GITHUB_REPOSITORY or GITHUB_RUN_ID is not set');
    }
  });
});
