import { expect, it } from 'vitest';
import { type GitHubApi, GitHubError } from '../../../src/github/api.ts';
import { createRecord } from '../../../src/record/record.ts';
import { getSeries } from '../../../src/record/task.ts';
import type { ApiResult } from '../../../src/service/agent-client.ts';
import { Stop } from '../../../src/state/outcome.ts';
import { RunTracker } from '../../../src/state/run-state.ts';
import {
  createFakeGitHub,
  createGitHubContext,
  createInputs,
  createResponse,
  createTestJob,
  createWorld,
  silent,
} from '../fixtures.ts';

const inputs = createInputs({ changesSince: 'last job' });
const github = createGitHubContext();
const sha = github.sha ?? '';

/** Finds the last job if run 5 started one, and the service replies like this, in order. */
async function find(replies: readonly ApiResult[], timeoutMs?: number) {
  const fields = `fingerprint=${'1'.repeat(32)}&runId=5&series=${getSeries(inputs).series}`;
  const claim = `nonce=${'1'.repeat(16)}&attempt=1&scope=rerun&state=job&jobId=job_1`;
  const targetUrl = `https://github.com/#docs-agent-job=v6&${fields}&${claim}`;
  const api: GitHubApi = {
    ...createFakeGitHub(() => [{ id: 1, target_url: targetUrl }]),
    query: async (_, __, parse) => {
      const nodes = [{ oid: sha, status: { contexts: [{ targetUrl }] } }];
      const history = { nodes, pageInfo: { hasNextPage: false, endCursor: null } };
      const answer = parse({ repository: { object: { history } } });
      if (answer instanceof GitHubError) {
        throw answer;
      }
      return answer;
    },
  };
  const { clock, timing } = createWorld({ ...(timeoutMs && { timeoutMs }) });
  const startedAt = clock.now();
  let reads = 0;
  const getJob = async () => replies[reads++] ?? (replies.at(-1) as ApiResult);
  const record = createRecord({
    ...timing,
    inputs,
    agent: { getJob, send: () => Promise.reject(new Error('nothing is sent')) },
    github,
    openGitHub: () => api,
    openPullRequests: () => api,
    tracker: new RunTracker(clock),
    emit: () => {},
    redact: String,
  });
  const found = await record.findLastJob().then(
    ({ sha: start, undone }) => (start === sha ? 'start' : (undone[0]?.state ?? 'none')),
    (error) => (error instanceof Stop ? error.outcome.code : error.message),
  );
  return [found, (clock.now() - startedAt) / 1_000];
}

const missing = createResponse(404, { hasErrorBody: true });
const reply = (status: string) => createResponse(200, { job: createTestJob({ status }) });
const limit = createResponse(429, { retryAfterMs: 5_000 });
const longLimit = createResponse(429, { retryAfterMs: 3_600_000 });
const silence = "job job_1 can't be read: HTTP 404";
const refusedKey = createResponse(403, { hasErrorBody: true });
const atWork = 'job job_1 is at work, and there is none before it';

it.each<[string, ApiResult[], string, number, number?]>([
  ['that completed is the last one', [reply('completed')], 'start', 0],
  ['that was archived is the last one', [reply('archived')], 'start', 0],
  ['that failed is none', [reply('failed')], 'failed', 0],
  ['at work may become the last one', [reply('active')], atWork, 0],
  ['that the service no longer finds is the last one, after a minute', [missing], 'start', 60],
  ['that the service does not find yet is looked for', [missing, reply('failed')], 'failed', 2],
  ['is read again after HTTP 503', [createResponse(503), reply('completed')], 'start', 2],
  ['is read again after a limit', [limit, reply('completed')], 'start', 5],
  ['behind a page with a 404 stops the run', [createResponse(404)], silence, 60],
  ['that is not found only at last stops the run', [createResponse(503), missing], silence, 60],
  ['that cannot be read stops the run', [silent], "job job_1 can't be read: reset", 60],
  ['is the last one sooner in a short run', [missing], 'start', 14, 60_000],
  ['is not doubted enough in a shorter one', [missing], silence, 2, 6_000],
  ['behind a limit that lasts too long stops the run', [longLimit], 'rate-limited', 0],
  ['that the key may not read stops the run', [refusedKey], 'forbidden', 0],
])('a job %s', async (_, replies, expected, seconds, timeoutMs) => {
  expect(await find(replies, timeoutMs)).toEqual([expected, seconds]);
});
