import { afterEach, describe, expect, it } from 'vitest';
import { formatMarker } from '../../../src/github/job-annotation.ts';
import type { AgentApi, ApiResult } from '../../../src/job/agent-client.ts';
import { findReusableJob } from '../../../src/reuse/reuse-job.ts';
import { createResponse, createTestJob } from '../fixtures.ts';
import { type Answer, closeRestApis, startRestApi } from '../github/rest-api.ts';

const FINGERPRINT = '0123456789abcdef0123456789abcdef';

afterEach(closeRestApis);

/** Looks for a job among those that one earlier attempt recorded, of which the service knows what is given. */
async function find(
  jobIds: readonly string[],
  states: Readonly<Record<string, ApiResult>>,
  failure?: Answer,
) {
  const api = await startRestApi(
    (path) => {
      if (failure !== undefined) {
        return failure;
      }
      return path.includes('/jobs?')
        ? { body: { jobs: [{ name: 'docs', check_run_url: 'https://x/check-runs/1', started_at: '' }] } }
        : {
            body: jobIds.map((jobId) => ({
              annotation_level: 'notice',
              message: formatMarker(jobId, FINGERPRINT),
            })),
          };
    },
    { GITHUB_RUN_ATTEMPT: '2' },
  );
  const asked: string[] = [];
  const agent: Pick<AgentApi, 'getJob'> = {
    getJob: async (jobId, { timeoutMs }) => {
      asked.push(jobId);
      expect(timeoutMs).toBeGreaterThan(0);
      expect(timeoutMs).toBeLessThanOrEqual(10_000);
      return states[jobId] ?? createResponse(404);
    },
  };
  const signal = new AbortController().signal;
  const reuse = await findReusableJob({
    context: api.context,
    fingerprint: FINGERPRINT,
    agent: agent as AgentApi,
    timeoutMs: 20_000,
    signal,
  });
  return { reuse, asked };
}

const usable = (status: string): ApiResult => createResponse(200, { job: createTestJob({ status }) });
const reused = (jobId: string) => ({
  kind: 'reused',
  jobId,
  attempt: 1,
  page: 'https://github.com/acme/app/actions/runs/7/attempts/1',
});

describe('findReusableJob', () => {
  it.each(['active', 'completed', 'archived', 'paused'])('reuses a job that is %s', async (status) => {
    expect(await find(['a', 'b'], { a: usable(status) })).toEqual({ reuse: reused('a'), asked: ['a'] });
  });

  it.each<[string, ApiResult]>([
    ['it failed', usable('failed')],
    ['is gone', createResponse(404)],
    ['is gone', createResponse(400)],
    ['is gone', createResponse(499)],
  ])('starts a new job if the earlier one %s: %o', async (_, state) => {
    const word = state.kind === 'response' && state.job !== undefined ? 'failed' : 'is gone';
    expect((await find(['a'], { a: state })).reuse).toEqual({
      kind: 'new-job',
      reason: `the job of attempt 1 ${word}`,
    });
  });

  it.each<ApiResult>([
    { kind: 'no-response', detail: '' },
    { kind: 'not-sent', failure: 'unreachable', detail: '' },
    ...[200, 302, 401, 403, 408, 425, 429, 500, 503].map((status) => createResponse(status)),
  ])('rather reuses a job than pay twice if its state is unclear: %o', async (state) => {
    expect((await find(['a', 'b'], { a: state, b: state })).reuse).toEqual(reused('a'));
  });

  it('prefers a job that is surely there, and asks about each once', async () => {
    const states = { a: createResponse(500), b: usable('failed'), c: usable('active') };
    expect(await find(['a', 'b', 'a', 'c'], states)).toEqual({ reuse: reused('c'), asked: ['a', 'b', 'c'] });
  });

  it('asks about twenty jobs at most', async () => {
    const jobIds = Array.from({ length: 30 }, (_, index) => `job_${index}`);
    const { reuse, asked } = await find(jobIds, {});
    expect(asked).toHaveLength(20);
    expect(reuse.kind).toBe('new-job');
  });

  it('says that there is none, or why it cannot tell', async () => {
    expect((await find([], {})).reuse).toEqual({
      kind: 'new-job',
      reason: 'no earlier attempt recorded one',
    });
    expect((await find([], {}, { status: 403, body: { message: 'No' } })).reuse).toEqual({
      kind: 'new-job',
      reason: "couldn't read earlier attempts (HTTP 403: No); this needs `actions: read` and `checks: read`",
    });
    expect((await find([], {}, { status: 500 })).reuse).toEqual({
      kind: 'new-job',
      reason: "couldn't read earlier attempts (HTTP 500)",
    });
  });
});
