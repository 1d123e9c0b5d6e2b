import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { askService } from '../../../src/claims/ask-service.ts';
import {
  decide,
  type EarlierJobStatus,
  mayStartWithoutRecord,
} from '../../../src/claims/decide.ts';
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
    nonce: `claim ${index + 1}`,
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
async function decideOn(
  list: string,
  { isAnyRun = false, own = 0, asked = [] as string[] } = {},
): Promise<string> {
  const rows = list === '' ? [] : list.split(', ');
  const decision = await decide(rows.map(parseClaim).toReversed(), {
    runId: 7,
    runAttempt: 2,
    fingerprint: 'this prompt',
    ownNonce: `claim ${own}`,
    isAnyRun,
    ask: async (jobId) => {
      asked.push(jobId);
      return rows[Number(jobId.slice(4)) - 1]?.split(' ')[1] as EarlierJobStatus;
    },
    describe: ({ runId, attempt }) => createRecordedAttempt(runId, attempt),
  });
  const known = decision.kind === 'start' ? decision.earlierJob : decision;
  const words = decision.kind === 'start' ? ['start', known.kind] : [decision.kind];
  if ('jobId' in known && known.jobId !== undefined) words.push(known.jobId);
  if ('attempt' in known) words.push(`${known.attempt.runId}.${known.attempt.attempt}`);
  return words.join(' ');
}

describe('decide', () => {
  const alive = 'a job that is active, completed, archived, or temporarily unreadable';
  describe(alive, () => {
    it.each([
      ['of an earlier attempt', '7.1 found', 'wait job_1 7.1'],
      ['of another step', '7.2 found', 'wait job_1 7.2'],
      ['before a job that failed', '7.1 found, 7.1 failed', 'wait job_1 7.1'],
      ['before an open claim', '7.1 found, 7.2 unknown', 'wait job_1 7.1'],
      ['after another one', '7.1 found, 7.1 found', 'wait job_2 7.1'],
    ])('is waited for: %s', async (_, list, expected) => {
      expect(await decideOn(list)).toBe(expected);
    });

    it('ends the questions to the service, since each can take a minute', async () => {
      const asked: string[] = [];
      await decideOn('7.1 gone, 7.1 found, 7.1 failed', { asked });
      expect(asked).toEqual(['job_3', 'job_2']);
    });

    it('of another run is waited for only with `reuse: release`', async () => {
      expect(await decideOn('8.1 found')).toBe('start none');
      expect(await decideOn('8.1 found', { isAnyRun: true })).toBe('wait job_1 8.1');
    });
  });

  const starting = 'open claims, the oldest from another step or run that is starting the job';
  describe(starting, () => {
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

  const unknown = 'open claims, the oldest from another step or run that may have started a job';
  describe(unknown, () => {
    it.each([
      ['a step of this attempt', '7.2 unknown', false, 0, 'unknown 7.2'],
      ['another run', '8.1 unknown', true, 0, 'unknown 8.1'],
      ['also after this run has claimed', '7.2 starting, 8.1 unknown', true, 1, 'unknown 8.1'],
      ['beside a later attempt of another run', '8.1 unknown, 9.2 failed', true, 0, 'unknown 8.1'],
      ['an older claim than a stale one', '8.1 unknown, 9.1 starting', true, 0, 'unknown 8.1'],
    ])('stops: %s', async (_, list, isAnyRun, own, expected) => {
      expect(await decideOn(list, { isAnyRun, own })).toBe(expected);
    });
  });

  const earlier = 'open claims, the oldest from an earlier attempt of this run';
  describe(earlier, () => {
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

  const failed = 'only jobs that failed or are gone, the newest failed';
  it(`${failed}: starts a new job`, async () => {
    expect(await decideOn('7.1 failed, 7.1 failed')).toBe('start failed job_2 7.1');
    expect(await decideOn('7.1 gone, 7.1 failed')).toBe('start failed job_2 7.1');
  });

  const gone =
    'only jobs that failed or are gone, the newest not found by the service for a minute';
  it(`${gone}: starts a new job with a warning`, async () => {
    expect(await decideOn('7.1 failed, 7.1 gone')).toBe('start gone job_2 7.1');
  });

  const changed =
    'only a job or an open claim with another task: other prompt, project, address, or `paths`';
  it(`${changed}: starts a new job, with a warning if no earlier attempt had it`, async () => {
    expect(await decideOn('7.1 found other-prompt')).toBe('start other-task job_1 7.1');
    expect(await decideOn('7.1 unknown other-prompt')).toBe('start other-task 7.1');
    expect(await decideOn('7.1 released other-prompt')).toBe('start none');
    expect(await decideOn('7.1 found other-prompt, 7.1 released')).toBe('start none');
    expect(await decideOn('7.2 found other-prompt')).toBe('start none');
  });

  const none = 'no jobs, or jobs that never started';
  it(`${none}: starts a new job`, async () => {
    expect(await decideOn('')).toBe('start none');
    expect(await decideOn('7.1 released')).toBe('start none');
  });

  const may = (problem: 'refused' | 'no-access' | 'unavailable', change = {}): boolean =>
    mayStartWithoutRecord(problem, {
      ...{ reuse: 'rerun', isFirst: true, hasSeenRival: false },
      ...change,
    });
  const refused = 'no permission, token, or statuses API';
  it(`${refused}: starts a job only with \`reuse: rerun\``, () => {
    const first = [may('refused'), may('no-access'), may('refused', { isFirst: false })];
    expect(first).toEqual([true, true, true]);
    const others = [{ reuse: 'release' }, { hasSeenRival: true }];
    expect(others.map((change) => may('refused', change))).toEqual([false, false]);
  });

  const down = 'GitHub is down, slow, rate-limiting, or refuses more statuses (HTTP 422)';
  it(`${down}: starts a job only as a first attempt with \`reuse: rerun\``, () => {
    expect(may('unavailable')).toBe(true);
    const others = [{ isFirst: false }, { reuse: 'release' }, { hasSeenRival: true }];
    expect(others.map((change) => may('unavailable', change))).toEqual([false, false, false]);
  });

  it('has a rule for each row of the table in docs/releases.md, in its order', () => {
    const page = readFileSync(new URL('../../../docs/releases.md', import.meta.url), 'utf8');
    const [, table = ''] = /\n\| Record \|.*\n\|-.*\n((?:\|.*\n)+)/.exec(page) ?? [];
    const rows = table
      .trim()
      .split('\n')
      .map((row) => row.split(' | ')[0]?.slice(2));
    const rules = [alive, starting, unknown, earlier, failed, gone, changed, none, refused, down];
    expect(rows).toEqual(rules);
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
    expect(await askService('job_1', { ...world.timing, agent })).toBe(expected);
    expect(world.clock.now() - startedAt).toBe(elapsedMs);
    expect(limits.every((limit) => limit === 10_000)).toBe(true);
  },
);
