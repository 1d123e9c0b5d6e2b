import { describe, expect, it } from 'vitest';
import { askService, judge } from '../../../src/record/judge.ts';
import type { Claim } from '../../../src/record/status.ts';
import type { AgentApi, ApiResult } from '../../../src/service/agent-client.ts';
import {
  type Answer,
  afterCancel,
  createGitHubContext,
  createRecordedAttempt,
  createResponse,
  createScript,
  createTestJob,
  createWorld,
  MINUTE,
  silent,
} from '../fixtures.ts';

/**
 * Judges claims in attempt 2 of run 7. `list` has their run, attempt, and state, oldest first. For
 * a job, the state is what the service says. Claim `own`, counted from 1, is the run's own.
 */
async function decide(list: string, { isAnyRun = false, own = 0 } = {}): Promise<string> {
  const rows = list === '' ? [] : list.split(', ').map((row) => row.split(/[. ]/));
  const claims = rows.map(([runId, attempt, state], index): Claim => {
    const isOpen = state === 'starting' || state === 'unknown' || state === 'released';
    const jobId = isOpen ? undefined : `job_${index + 1}`;
    const shared = { claim: `claim ${index + 1}`, order: index + 1, jobId };
    return {
      ...shared,
      runId: Number(runId),
      attempt: Number(attempt),
      state: isOpen ? state : 'job',
    };
  });
  const ask = async (jobId: string) =>
    rows[Number(jobId.slice(4)) - 1]?.[2] as 'found' | 'failed' | 'gone';
  const github = createGitHubContext({ runAttempt: 2 });
  const decision = await judge(claims.toReversed(), `claim ${own}`, { github, isAnyRun, ask });
  const known = decision.kind === 'start' ? decision.earlierJob : decision;
  const attempt = 'attempt' in known ? known.attempt : undefined;
  expect(attempt).toEqual(attempt && createRecordedAttempt(attempt.runId, attempt.attempt));
  const words = decision.kind === 'start' ? ['start', known.kind] : [decision.kind];
  words.push(
    'jobId' in known ? known.jobId : '',
    attempt ? `${attempt.runId}.${attempt.attempt}` : '',
  );
  return words.filter((word) => word !== '').join(' ');
}

// course.test.ts shows decisions on a single claim, and on the claims of two runs at once.
describe('judge', () => {
  it.each<[string, string, string]>([
    ['nothing', '', 'start none'],
    ['a released claim', '7.1 released', 'start none'],
    ['a job of another run', '8.1 found', 'start none'],
    ['a job before a failed one', '7.1 found, 7.1 failed', 'wait job_1 7.1'],
    ['only failed jobs', '7.1 failed, 7.1 failed', 'start failed job_2 7.1'],
    ['a job that is gone', '7.1 gone, 7.1 released', 'start gone job_1 7.1'],
    ['another step beside an earlier attempt', '7.2 starting, 7.1 starting', 'busy 7.2'],
    ['an open claim before a failed job', '7.1 starting, 7.1 failed', 'start open 7.1'],
    ['an open claim before a later attempt', '7.0 starting, 7.1 failed', 'start failed job_2 7.1'],
  ])('decides on %s', async (_, rows, expected) => {
    expect(await decide(rows)).toBe(expected);
  });

  it.each<[string, string, number, string]>([
    ['a run with an unknown result', '8.1 unknown', 0, 'unknown 8.1'],
    ['a later attempt of yet another run', '8.1 starting, 9.3 failed', 0, 'busy 8.1'],
    ['a run beside an earlier attempt', '8.1 starting, 7.1 starting', 0, 'busy 8.1'],
    ['a newer claim with an unknown result', '7.2 starting, 8.1 unknown', 1, 'unknown 8.1'],
  ])('decides on other runs: %s', async (_, rows, own, expected) => {
    expect(await decide(rows, { isAnyRun: true, own })).toBe(expected);
  });
});

describe('askService', () => {
  const record = (status: string): ApiResult =>
    createResponse(200, { job: createTestJob({ status }) });
  const missing = createResponse(404, { hasErrorBody: true });
  it.each<[string, readonly Answer<ApiResult>[], string, number, number?]>([
    ['is missing for a minute', [missing], 'gone', MINUTE],
    ['is gone (410) for a minute', [createResponse(410, { hasErrorBody: true })], 'gone', MINUTE],
    ['is missing at first', [missing, missing, record('failed')], 'failed', 20_000],
    ['is missing for half of the time', [missing], 'found', 25_000, 50_000],
    ['is missing when the step is canceled', [afterCancel(missing)], 'found', 0],
    ['is hidden by a page', [createResponse(404)], 'found', 0],
    ['is refused', [createResponse(401, { hasErrorBody: true })], 'found', 0],
    ['gets no answer', [silent], 'found', 0],
  ])(
    'tells what to do about a job that %s',
    async (_, answers, expected, elapsedMs, timeoutMs = 30 * MINUTE) => {
      const world = createWorld({ timeoutMs });
      const answer = createScript(world, answers);
      const limits: number[] = [];
      const getJob: AgentApi['getJob'] = async (_, options) => {
        limits.push(options.timeoutMs);
        return answer();
      };
      const agent = { getJob } as AgentApi;
      const startedAt = world.clock.now();
      expect(await askService('job_1', { ...world.context, agent })).toBe(expected);
      expect(world.clock.now() - startedAt).toBe(elapsedMs);
      expect(limits.every((limit) => limit === 10_000)).toBe(true);
    },
  );
});
