import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { askService } from '../../../src/claims/ask-service.ts';
import {
  type Decision,
  decide,
  type EarlierJobStatus,
  mayStartWithoutRecord,
} from '../../../src/claims/decide.ts';
import { foldClaims } from '../../../src/claims/fold.ts';
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
import { parseEntries } from './entries.ts';

/** Returns the job or the attempt that a decision is about. */
function getEarlier(decision: Decision) {
  switch (decision.kind) {
    case 'wait':
      return decision.job;
    case 'start':
    case 'claim':
      return decision.earlierJob;
    default:
      return decision;
  }
}

/**
 * Decides in attempt 2 of run 7. For `list`, see `parseEntries`; the state of a job is what the
 * service says. Claim `own`, counted from 1, is the run's own.
 */
async function decideOn(
  list: string,
  { isAnyRun = false, own = 0, asked = [] as string[] } = {},
): Promise<string> {
  const scope = isAnyRun ? 'release' : 'rerun';
  const { entries, words } = parseEntries(list, scope);
  const decision = await decide(foldClaims(entries), {
    fingerprint: 'this prompt',
    scope,
    runId: 7,
    attempt: 2,
    nonce: `claim ${own}`,
    ask: async (jobId) => {
      asked.push(jobId);
      return words.get(jobId) as EarlierJobStatus;
    },
    describe: ({ runId, attempt }) => createRecordedAttempt(runId, attempt),
  });
  const isFree = decision.kind === 'start' || decision.kind === 'claim';
  const known = getEarlier(decision);
  const shown: string[] = isFree ? [decision.kind, known.kind] : [decision.kind];
  if ('jobId' in known && known.jobId !== undefined) {
    shown.push(known.jobId);
  }
  if ('attempt' in known) {
    shown.push(`${known.attempt.runId}.${known.attempt.attempt}`);
  }
  if ('other' in known && known.other !== undefined) {
    shown.push(`beside ${known.other.runId}.${known.other.attempt}`);
  }
  if ('after' in decision && decision.after !== undefined) {
    shown.push(`after ${decision.after}`);
  }
  return shown.join(' ');
}

describe('decide', () => {
  const alive = 'a job that is active, completed, archived, or temporarily unreadable';
  describe(alive, () => {
    it.each([
      ['of an earlier attempt', '7.1 found', 0, 'wait job_1 7.1'],
      ['of another step', '7.2 found', 0, 'wait job_1 7.2'],
      ['before a job that failed', '7.1 found, 7.1 failed', 0, 'wait job_1 7.1'],
      ['before an unknown start', '7.1 found, 7.2 unknown', 0, 'wait job_1 7.1 beside 7.2'],
      ['before an open claim', '7.1 found, 7.2 starting', 0, 'wait job_1 7.1'],
      ['after a killed attempt', '7.1 starting, 7.1 found', 0, 'wait job_2 7.1 beside 7.1'],
      ['after another one', '7.1 found, 7.1 found', 0, 'wait job_2 7.1'],
      ['that a void claim has led to', '7.2 starting, 7.1 found', 0, 'wait job_2 7.1'],
      [
        'although the run has a claim that stands',
        '7.1 starting, 7.2 failed, 7.2 starting, #1 found',
        3,
        'wait job_1 7.1',
      ],
    ])('is waited for: %s', async (_, list, own, expected) => {
      expect(await decideOn(list, { own })).toBe(expected);
    });

    it('ends the questions to the service, since each can take a minute', async () => {
      const asked: string[] = [];
      await decideOn('7.1 gone, 7.1 found, 7.1 failed', { asked });
      expect(asked).toEqual(['job_3', 'job_2']);
    });

    it('of another run is waited for only with `reuse: release`', async () => {
      expect(await decideOn('8.1 found')).toBe('claim none');
      expect(await decideOn('8.1 found', { isAnyRun: true })).toBe('wait job_1 8.1');
    });
  });

  const starting = 'open claims of other steps or runs; the newest is starting the job';
  describe(starting, () => {
    it.each([
      ['a step of this attempt', '7.2 starting', false, 0, 'busy 7.2'],
      ['another run', '8.1 starting', true, 0, 'busy 8.1'],
      ['a step that claimed first', '7.2 starting, 7.2 starting', false, 2, 'busy 7.2'],
      ['not one that claimed later', '7.2 starting, 7.2 starting', false, 1, 'start none'],
      ['not one that has withdrawn its claim', '7.2 released', false, 0, 'claim none'],
      ['a step beside an earlier attempt', '7.1 starting, 7.2 starting', false, 0, 'busy 7.2'],
      ['not a void claim', '8.1 starting, 9.1 starting', true, 0, 'busy 8.1'],
      ['a newer one than an unknown start', '8.1 unknown, 8.2 starting', true, 0, 'busy 8.2'],
      ['a later claim of `reuse: rerun`', '7.2 starting, 8.1 starting rerun', true, 1, 'busy 8.1'],
      ['a later attempt', '7.2 starting, 7.3 starting', false, 1, 'busy 7.3'],
    ])('waits for its id: %s', async (_, list, isAnyRun, own, expected) => {
      expect(await decideOn(list, { isAnyRun, own })).toBe(expected);
    });
  });

  const unknown = 'open claims of other steps or runs; the newest may have started a job';
  describe(unknown, () => {
    it.each([
      ['a step of this attempt', '7.2 unknown', false, 0, 'unknown 7.2'],
      ['another run', '8.1 unknown', true, 0, 'unknown 8.1'],
      ['also if its claim was void', '7.2 starting, 8.1 unknown', true, 1, 'unknown 8.1'],
      ['beside a job that failed', '8.1 unknown, 9.2 failed', true, 0, 'unknown 8.1'],
      ['beside a void claim', '8.1 unknown, 9.1 starting', true, 0, 'unknown 8.1'],
      ['beside an earlier attempt', '7.1 unknown, 8.1 unknown', true, 0, 'unknown 8.1'],
    ])('stops: %s', async (_, list, isAnyRun, own, expected) => {
      expect(await decideOn(list, { isAnyRun, own })).toBe(expected);
    });
  });

  const earlier = 'open claims only of earlier attempts of this run';
  describe(earlier, () => {
    it.each([
      ['it was killed', '7.1 starting', false, 'claim open 7.1'],
      ['it got no response', '7.1 unknown', false, 'claim open 7.1'],
      [
        'it claimed before a job failed',
        '7.0 starting, 7.1 failed',
        false,
        'claim open 7.0 after claim 2',
      ],
      ['another run claimed after it', '7.1 unknown, 8.1 starting', true, 'claim open 7.1'],
      ['the newest is named', '7.0 unknown, 7.1 unknown', false, 'claim open 7.1'],
    ])('starts a new job with a warning: %s', async (_, list, isAnyRun, expected) => {
      expect(await decideOn(list, { isAnyRun })).toBe(expected);
      const own = list.split(', ').length + 1;
      const claimed = expected.replace('claim', 'start').replace(/ after.*/, '');
      expect(await decideOn(`${list}, 7.2 starting`, { isAnyRun, own })).toBe(claimed);
    });
  });

  const failed = 'only jobs that failed or are gone, the newest failed';
  it(`${failed}: starts a new job`, async () => {
    expect(await decideOn('7.1 failed, 7.1 failed')).toBe('claim failed job_2 7.1 after claim 2');
    expect(await decideOn('7.1 gone, 7.1 failed')).toBe('claim failed job_2 7.1 after claim 2');
    expect(await decideOn('7.1 failed, 7.2 starting', { own: 2 })).toBe('start failed job_1 7.1');
  });

  const gone =
    'only jobs that failed or are gone, the newest not found by the service for a minute';
  it(`${gone}: starts a new job with a warning`, async () => {
    expect(await decideOn('7.1 failed, 7.1 gone')).toBe('claim gone job_2 7.1 after claim 2');
  });

  const changed =
    'only a job or an open claim with another task: other prompt, project, address, `paths`, or `changes-since`';
  it(`${changed}: starts a new job, with a warning if no earlier attempt had it`, async () => {
    expect(await decideOn('7.1 found other-prompt')).toBe('claim other-task job_1 7.1');
    expect(await decideOn('7.1 unknown other-prompt')).toBe('claim other-task 7.1');
    expect(await decideOn('7.1 released other-prompt')).toBe('claim none');
    expect(await decideOn('7.1 found other-prompt, 7.1 released')).toBe('claim none');
    expect(await decideOn('7.2 found other-prompt')).toBe('claim none');
    const voided = '7.1 found other-prompt, 7.1 starting other-prompt after:none';
    expect(await decideOn(voided)).toBe('claim other-task job_1 7.1');
  });

  const none = 'no jobs, or jobs that never started';
  it(`${none}: starts a new job`, async () => {
    expect(await decideOn('')).toBe('claim none');
    expect(await decideOn('7.1 released')).toBe('claim none');
    expect(await decideOn('7.1 released, 7.2 starting', { own: 2 })).toBe('start none');
  });

  it('claims again if what made the claim void has ended', async () => {
    const before = '7.2 starting, 7.2 starting';
    expect(await decideOn(`${before}, #1 released`, { own: 2 })).toBe('claim none');
    const ended = 'claim failed job_1 7.2 after claim 1';
    expect(await decideOn(`${before}, #1 failed`, { own: 2 })).toBe(ended);
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

  it('has a rule for each row of the table in docs/changes.md, in its order', () => {
    const page = readFileSync(new URL('../../../docs/changes.md', import.meta.url), 'utf8');
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
