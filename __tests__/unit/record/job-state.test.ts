import { expect, it } from 'vitest';
import { type GitHubApi, GitHubError } from '../../../src/github/api.ts';
import { createRecord } from '../../../src/record/record.ts';
import { getSeries } from '../../../src/record/task.ts';
import type { ApiResult } from '../../../src/service/agent-client.ts';
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

const MINUTE = 60_000;
const inputs = createInputs({ changesSince: 'last job' });
const github = createGitHubContext();
const sha = github.sha ?? '';

/** Finds the last job if run 5 started one some time ago, and the service replies like this. */
async function find(reply: ApiResult, ageMs: number): Promise<unknown> {
  const fields = `fingerprint=${'1'.repeat(32)}&runId=5&series=${getSeries(inputs).series}`;
  const claim = `nonce=${'1'.repeat(16)}&attempt=1&scope=rerun&state=job&jobId=job_1`;
  const targetUrl = `https://github.com/#docs-agent-job=v6&${fields}&${claim}`;
  const created_at = new Date(Date.now() - ageMs).toISOString();
  const api: GitHubApi = {
    ...createFakeGitHub(() => [{ id: 1, target_url: targetUrl, created_at }]),
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
  const { clock, timing } = createWorld();
  const record = createRecord(inputs, {
    ...timing,
    agent: { getJob: async () => reply, send: () => Promise.reject(new Error('nothing is sent')) },
    github,
    openGitHub: () => api,
    openPullRequests: () => api,
    tracker: new RunTracker(clock),
    emit: () => {},
    redact: String,
  });
  return record.findLastJob(api).catch(({ message }: Error) => message);
}

const missing = createResponse(404, { hasErrorBody: true });
const reply = (status: string) => createResponse(200, { job: createTestJob({ status }) });
const found = expect.objectContaining({ sha, atWork: [] });
const none = expect.objectContaining({ sha: undefined, atWork: [] });
const unknown = expect.stringMatching(/^job job_1 is at work, or can't be read/);

it.each<[string, ApiResult, number, unknown]>([
  ['that completed is the last one', reply('completed'), 0, found],
  ['that was archived is the last one', reply('archived'), 0, found],
  ['that failed is none', reply('failed'), 0, none],
  ['at work may become the last one', reply('active'), 60 * MINUTE, unknown],
  ['that the service no longer finds is the last one', missing, 2 * MINUTE, found],
  ['that the service does not find yet may become the last one', missing, 0.5 * MINUTE, unknown],
  ['behind a page with a 404 is unknown', createResponse(404), 60 * MINUTE, unknown],
  ['that cannot be read is unknown', silent, 60 * MINUTE, unknown],
])('a job %s', async (_, response, ageMs, expected) => {
  expect(await find(response, ageMs)).toEqual(expected);
});
