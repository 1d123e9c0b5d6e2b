import { describe, expect, it } from 'vitest';
import { askService } from '../../../src/claims/ask-service.ts';
import { decide, type Answer as Reply } from '../../../src/claims/decide.ts';
import type { Claim } from '../../../src/claims/status.ts';
import type { AgentApi, ApiResult } from '../../../src/service/agent-client.ts';
import {
  type Answer,
  afterCancel,
  createRecordedAttempt,
  createResponse,
  createScript,
  createTestJob,
  createWorld,
  MINUTE,
  silent,
} from '../fixtures.ts';

/** Returns a claim from its order and words such as `7.1 starting` or `8.2 failed other-prompt`. */
function parseClaim(words: string, index: number): Claim {
  const [runId, attempt, state, fingerprint = 'this prompt'] = words.split(/[. ]/);
  const isOpen = state === 'starting' || state === 'unknown' || state === 'released';
  return {
    fingerprint,
    claim: `claim ${index + 1}`,
    order: index + 1,
    runId: Number(runId),
    attempt: Number(attempt),
    state: isOpen ? state : 'job',
    jobId: isOpen ? undefined : `job_${index + 1}`,
  };
}

/**
 * Decides in attempt 2 of run 7. `list` has the run, the attempt, and the state of each claim,
 * oldest first. For a job, the state is what the service says. Claim `own`, counted from 1, is the
 * run's own.
 */
async function decideOn(list: string, { isAnyRun = false, own = 0 } = {}): Promise<string> {
  const rows = list === '' ? [] : list.split(', ');
  const decision = await decide(rows.map(parseClaim).toReversed(), {
    runId: 7,
    runAttempt: 2,
    fingerprint: 'this prompt',
    ownClaim: `claim ${own}`,
    isAnyRun,
    ask: async (jobId) => rows[Number(jobId.slice(4)) - 1]?.split(' ')[1] as Reply,
    describe: ({ runId, attempt }) => createRecordedAttempt(runId, attempt),
  });
  const known = decision.kind === 'start' ? decision.earlierJob : decision;
  const words = decision.kind === 'start' ? ['start', known.kind] : [decision.kind];
  if ('jobId' in known) words.push(known.jobId);
  if ('attempt' in known) words.push(`${known.attempt.runId}.${known.attempt.attempt}`);
  return words.join(' ');
}

// The names and the order of the rows in the table "Re-runs" of docs/releases.md. course.test.ts
// shows what runs do about them.
describe('decide', () => {
  describe('a job that is active, completed, archived, or temporarily unreadable', () => {
    it.each([
      ['of an earlier attempt', '7.1 found', 'wait job_1 7.1'],
      ['of another step', '7.2 found', 'wait job_1 7.2'],
      ['before a job that failed', '7.1 found, 7.1 failed', 'wait job_1 7.1'],
      ['before an open claim', '7.1 found, 7.2 unknown', 'wait job_1 7.1'],
      ['after another one', '7.1 found, 7.1 found', 'wait job_2 7.1'],
    ])('is waited for: %s', async (_, list, expected) => {
      expect(await decideOn(list)).toBe(expected);
    });

    it('of another run is waited for only with `reuse: release`', async () => {
      expect(await decideOn('8.1 found')).toBe('start none');
      expect(await decideOn('8.1 found', { isAnyRun: true })).toBe('wait job_1 8.1');
    });
  });

  describe('another step or run is starting the job', () => {
    it.each([
      ['a step of this attempt', '7.2 starting', false, 0, 'busy 7.2'],
      ['another run', '8.1 starting', true, 0, 'busy 8.1'],
      ['a step that claimed first', '7.2 starting, 7.2 starting', false, 2, 'busy 7.2'],
      ['not one that claimed later', '7.2 starting, 7.2 starting', false, 1, 'start none'],
      ['not one that has released its claim', '7.2 released', false, 0, 'start none'],
      ['a step beside an earlier attempt', '7.1 starting, 7.2 starting', false, 0, 'busy 7.2'],
      ['the oldest run counts', '8.1 starting, 9.1 unknown', true, 0, 'busy 8.1'],
    ])('waits for its id: %s', async (_, list, isAnyRun, own, expected) => {
      expect(await decideOn(list, { isAnyRun, own })).toBe(expected);
    });
  });

  describe('another step or run may have started a job, but the id is missing', () => {
    it.each([
      ['a step of this attempt', '7.2 unknown', false, 0, 'unknown 7.2'],
      ['another run', '8.1 unknown', true, 0, 'unknown 8.1'],
      ['also after this run has claimed', '7.2 starting, 8.1 unknown', true, 1, 'unknown 8.1'],
      ['beside a job that failed', '8.1 unknown, 9.1 failed', true, 0, 'unknown 8.1'],
      ['an older claim than a stale one', '8.1 unknown, 9.1 starting', true, 0, 'unknown 8.1'],
    ])('stops: %s', async (_, list, isAnyRun, own, expected) => {
      expect(await decideOn(list, { isAnyRun, own })).toBe(expected);
    });
  });

  describe('an earlier attempt of this run may have started a job, but the id is missing', () => {
    it.each([
      ['it was killed', '7.1 starting', false, 'start open 7.1'],
      ['it got no response', '7.1 unknown', false, 'start open 7.1'],
      ['it claimed before a job failed', '7.1 starting, 7.1 failed', false, 'start open 7.1'],
      ['it claimed before a stale claim', '7.1 unknown, 8.1 starting', true, 'start open 7.1'],
    ])('starts a new job with a warning: %s', async (_, list, isAnyRun, expected) => {
      expect(await decideOn(list, { isAnyRun })).toBe(expected);
    });

    it('does not count if a later attempt has claimed since then', async () => {
      expect(await decideOn('7.0 starting, 7.1 failed')).toBe('start failed job_2 7.1');
      expect(await decideOn('7.1 failed, 7.0 starting')).toBe('start open 7.0');
    });
  });

  it.each([
    ['only jobs that failed', '7.1 failed, 7.1 failed', 'start failed job_2 7.1'],
    ['a job that the service has not found for a minute', '7.1 gone', 'start gone job_1 7.1'],
    ['only a job with another task', '7.1 found other-prompt', 'start other-task job_1 7.1'],
    ['a job with another task in this attempt', '7.2 found other-prompt', 'start none'],
    ['no jobs', '', 'start none'],
    ['jobs that never started', '7.1 released', 'start none'],
  ])('starts a new job: %s', async (_, list, expected) => {
    expect(await decideOn(list)).toBe(expected);
  });
});

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
  'askService tells what to do about a job that %s',
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
