import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../../src/github/client.ts';
import type { AgentApi, ApiResult } from '../../../src/job/agent-client.ts';
import { findReusableJob } from '../../../src/reuse/reuse-job.ts';
import { createVirtualClock } from '../../helpers/virtual-clock.ts';
import { createResponse, createTestJob } from '../fixtures.ts';
import {
  createContext,
  createFakeReader,
  type FakeRuns,
  FINGERPRINT,
  startedJob,
} from '../github/fake-runs.ts';

const forbidden = new GitHubError('HTTP 403', 403);
const broken = new GitHubError('HTTP 502', 502);
const unknown = { kind: 'unknown' } as const;
const usable = (status: string): ApiResult => createResponse(200, { job: createTestJob({ status }) });

interface Options {
  readonly runAttempt?: number;
  readonly tag?: string;
  /** False if the service must not be asked. */
  readonly asks?: boolean;
  readonly timeoutMs?: number;
}

/** Decides on a clock that stands still except for sleeps; the last state of each job repeats. */
async function decide(
  runs: FakeRuns,
  states: Readonly<Record<string, readonly ApiResult[]>> = {},
  { runAttempt = 2, tag, asks = true, timeoutMs = 60_000 }: Options = {},
) {
  const { openReader, calls } = createFakeReader(runs);
  const clock = createVirtualClock();
  const asked: string[] = [];
  const getJob: AgentApi['getJob'] = async (jobId, options) => {
    expect(options.timeoutMs).toBeGreaterThan(0);
    expect(options.timeoutMs).toBeLessThanOrEqual(10_000);
    asked.push(jobId);
    const list = states[jobId] ?? [];
    const looks = asked.filter((id) => id === jobId).length;
    return list[Math.min(looks, list.length) - 1] ?? createResponse(404);
  };
  const never = new AbortController().signal;
  const decision = await findReusableJob({
    openReader,
    github: createContext(runAttempt),
    fingerprint: FINGERPRINT,
    tag,
    agent: asks ? ({ getJob } as AgentApi) : undefined,
    context: { clock, random: () => 0, deadline: clock.now() + timeoutMs, cancel: never, forceCancel: never },
  });
  return { decision, asked, calls, sleeps: clock.sleeps };
}

/** Attempts of run 7, oldest first, each with one workflow job that left these markers. */
function chain(...attempts: (readonly (string | typeof unknown)[])[]): FakeRuns {
  return {
    attempts: Object.fromEntries(
      attempts.map((markers, index) => [
        `7/${index + 1}`,
        [
          {
            id: index + 1,
            markers: markers.map((marker) =>
              typeof marker === 'string' ? startedJob(marker, index + 1) : marker,
            ),
          },
        ],
      ]),
    ),
  };
}

const elsewhere: FakeRuns = {
  attempts: { '6/1': [{ id: 60, markers: [unknown] }] },
  runs: [{ id: 6, newestAttempt: 1, createdAt: 0, branch: 'v1' }],
};

describe('findReusableJob', () => {
  it.each(['active', 'completed', 'archived', 'paused'])('attaches to a job that is %s', async (status) => {
    const { decision, asked } = await decide(chain(['a'], ['b']), { b: [usable(status)] }, { runAttempt: 3 });
    expect(decision).toMatchObject({ kind: 'attach', record: { jobId: 'b', runId: 7, attempt: 2 } });
    expect(asked).toEqual(['b']);
  });

  it.each<ApiResult>([
    { kind: 'no-response', detail: '' },
    { kind: 'not-sent', failure: 'unreachable', detail: '' },
    ...[200, 302, 400, 401, 403, 429, 500, 503].map((status) => createResponse(status)),
  ])('attaches rather than pay twice on a guess: %o', async (state) => {
    expect((await decide(chain(['a']), { a: [state] })).decision).toMatchObject({ kind: 'attach' });
  });

  it('creates a job if the earlier one failed', async () => {
    const { decision, sleeps } = await decide(chain(['a']), { a: [usable('failed')] });
    expect(decision).toMatchObject({ kind: 'create', ended: { jobId: 'a', ending: 'failed' } });
    expect(sleeps).toEqual([]);
  });

  it.each([404, 410])('creates a job if the earlier one is gone after three looks (%i)', async (status) => {
    const { decision, asked, sleeps } = await decide(chain(['a']), { a: [createResponse(status)] });
    expect(decision).toMatchObject({ kind: 'create', ended: { jobId: 'a', ending: 'gone' } });
    expect(asked).toEqual(['a', 'a', 'a']);
    expect(sleeps).toEqual([2_000, 2_000]);
  });

  it('attaches to a job that is found at a later look', async () => {
    for (const looks of [1, 2]) {
      const states = [...Array(looks).fill(createResponse(404)), usable('active')];
      expect((await decide(chain(['a']), { a: states })).decision.kind).toBe('attach');
    }
  });

  it('keeps its looks within a quarter of the time that is left', async () => {
    expect((await decide(chain(['a']), {}, { timeoutMs: 4_000 })).sleeps).toEqual([1_000, 750]);
  });

  it('attaches to an older job if the newer ones ended, and asks about each once', async () => {
    const runs = chain(['a'], ['b', 'a'], ['c']);
    const states = { a: [usable('completed')], b: [usable('failed')], c: [createResponse(404)] };
    const { decision, asked } = await decide(runs, states, { runAttempt: 4 });
    expect(decision).toMatchObject({ kind: 'attach', record: { jobId: 'a' } });
    expect(asked).toEqual(['c', 'b', 'a']);
  });

  it('takes the newest record without asking the service', async () => {
    const { decision, asked } = await decide(chain(['a']), {}, { asks: false });
    expect(decision).toMatchObject({ kind: 'attach', record: { jobId: 'a' } });
    expect(asked).toEqual([]);
  });

  it('creates a job if none was recorded', async () => {
    expect((await decide(chain([]))).decision).toEqual({ kind: 'create', ended: undefined });
  });

  it.each<[string, FakeRuns, Options, string]>([
    ['an own create is unknown', chain([unknown]), {}, 'create-after-unknown'],
    [
      'an own create is unknown, and a later attempt knew a job',
      chain([unknown], ['a']),
      { runAttempt: 3 },
      'create',
    ],
    [
      'an own create is unknown after a known job',
      chain(['a'], [unknown]),
      { runAttempt: 3 },
      'create-after-unknown',
    ],
    ['an own create is unknown beside a known job', chain(['a', unknown]), {}, 'create-after-unknown'],
    ['the create of another run is unknown', elsewhere, { tag: 'v1' }, 'unknown'],
    ['records can not be read', { fail: () => forbidden }, {}, 'create-unsearched'],
    ['records of a release can not be read', { fail: () => forbidden }, { tag: 'v1' }, 'unsearched'],
    ['the search is incomplete', { fail: () => broken }, {}, 'unsearched'],
    ['the search for a release is incomplete', { fail: () => broken }, { tag: 'v1' }, 'unsearched'],
    ['the token is refused', { fail: () => new GitHubError('HTTP 401', 401) }, {}, 'unsearched'],
  ])('decides what to do if %s', async (_, runs, options, kind) => {
    expect((await decide(runs, { a: [usable('failed')] }, options)).decision.kind).toBe(kind);
  });

  it('says what it could not read, or whose create is unknown', async () => {
    expect((await decide({ fail: () => broken })).decision).toEqual({
      kind: 'unsearched',
      failure: 'incomplete',
      error: broken,
    });
    expect((await decide(elsewhere, {}, { tag: 'v1' })).decision).toMatchObject({
      record: { runId: 6, attempt: 1 },
    });
    expect((await decide(chain([unknown]))).decision).toMatchObject({ record: { runId: 7, attempt: 1 } });
  });

  it('attaches to a usable job whatever else failed or is unknown', async () => {
    const runs = {
      ...chain(['a'], [unknown]),
      fail: (call: string) => (call === 'jobs 7/3' ? broken : undefined),
    };
    const { decision } = await decide(runs, { a: [usable('active')] }, { runAttempt: 4 });
    expect(decision.kind).toBe('attach');
  });
});
