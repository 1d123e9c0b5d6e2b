import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../../src/github/client.ts';
import type { AgentApi, CallOptions } from '../../../src/job/agent-client.ts';
import { findReusableJob } from '../../../src/plan/earlier-job.ts';
import type { JobMarker } from '../../../src/plan/job-marker.ts';
import { createJobRecord, createResponse, createTestJob, createWorld, silent } from '../fixtures.ts';
import { createContext, createFakeReader, type FakeRuns, FINGERPRINT, startedJob } from './fake-runs.ts';

interface Scene extends FakeRuns {
  readonly runAttempt?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly tag?: string;
  /** What the attempts left, by run and attempt, such as `7/1`. */
  readonly left?: Readonly<Record<string, readonly JobMarker[]>>;
  /** The status of each job in the order of the looks, or that of the response. The last one stays; without any: 404. */
  readonly jobs?: Readonly<Record<string, readonly (string | number)[]>>;
  readonly isDryRun?: boolean;
  readonly timeoutMs?: number;
}

/** Searches in the last attempt of run 7, at the beginning of a run of ten minutes. */
async function find({ runAttempt = 3, env, tag, left = {}, jobs = {}, ...scene }: Scene) {
  const markers = Object.entries(left).map(([place, markers], id) => [place, [{ id, markers }]] as const);
  const { openReader, calls } = createFakeReader({ attempts: Object.fromEntries(markers), ...scene });
  const { context, cancel, clock } = createWorld({ timeoutMs: scene.timeoutMs ?? 600_000 });
  const looks: string[] = [];
  const options: CallOptions[] = [];
  const getJob: AgentApi['getJob'] = async (id, given) => {
    const states = jobs[id] ?? [404];
    const state = states[Math.min(looks.filter((look) => look === id).length, states.length - 1)];
    looks.push(id);
    options.push(given);
    if (state === 'silent') return silent;
    return typeof state === 'string'
      ? createResponse(200, { job: createTestJob({ id, status: state }) })
      : createResponse(state ?? 404);
  };
  const searches: Parameters<typeof openReader>[1][] = [];
  const decision = await findReusableJob({
    openReader: (github, limits) => {
      searches.push(limits);
      return openReader(github, limits);
    },
    github: createContext(runAttempt, env),
    fingerprint: FINGERPRINT,
    tag,
    agent: scene.isDryRun ? undefined : ({ getJob } as AgentApi),
    context,
  });
  return { decision, calls, looks, options, searches, sleeps: clock.sleeps, signal: cancel.signal };
}

const unknown: JobMarker = { kind: 'unknown' };
const failing = (status?: number): GitHubError => new GitHubError(`HTTP ${status}`, status);
const otherRun = (id: number, newestAttempt: number) => ({ id, newestAttempt, createdAt: id, branch: 'v1' });

describe('findReusableJob', () => {
  it('attaches to the newest recorded job that has not ended, and asks no further', async () => {
    const { decision, calls, looks, sleeps } = await find({
      runAttempt: 4,
      tag: 'v1',
      left: {
        '7/3': [startedJob('job_d', 3), startedJob('job_c', 3)],
        '7/2': [startedJob('job_b', 1)],
        '7/1': [startedJob('job_a', 1)],
      },
      jobs: { job_d: ['failed'], job_c: [404], job_b: ['active'] },
    });
    const record = createJobRecord('job_b', 7, 1, { runId: 7, attempt: 2 });
    expect(decision).toEqual({ kind: 'attach', record });
    expect(calls).toEqual(['jobs 7/3', 'notices 0', 'jobs 7/2', 'notices 1']);
    expect([looks, sleeps]).toEqual([['job_d', 'job_c', 'job_b'], []]);
  });

  it('looks at each job once, and twice more only at those that are not found', async () => {
    const { decision, looks, sleeps } = await find({
      runAttempt: 4,
      left: {
        '7/3': [startedJob('job_b', 2)],
        '7/2': [startedJob('job_b', 2), startedJob('job_a', 1)],
        '7/1': [startedJob('job_a', 1)],
      },
      jobs: { job_b: ['failed'], job_a: [404, 410] },
    });
    const ended = { jobId: 'job_b', attempt: 2, ending: 'failed' };
    expect(decision).toMatchObject({ kind: 'create', ended });
    expect(looks).toEqual(['job_b', 'job_a', 'job_a', 'job_a']);
    expect(sleeps).toEqual([2_000, 2_000]);
  });

  it.each<[string, readonly (string | number)[], number, object]>([
    ['found on the second look', [404, 'active'], 2, { kind: 'attach' }],
    ['found on the third look', [404, 404, 'completed'], 3, { kind: 'attach' }],
    ['an error on the third look', [404, 404, 500], 3, { kind: 'attach' }],
    ['found on a fourth look alone', [404, 404, 404, 'active'], 3, { ended: { ending: 'gone' } }],
    ['404 and 410 in turn', [404, 410, 404], 3, { ended: { ending: 'gone' } }],
    ['failed on the second look', [404, 'failed'], 2, { ended: { ending: 'failed' } }],
    // Anything else is no proof that the job has ended; 200 is a response without a job, or with another one.
    ...['active', 'completed', 'archived', 'paused', 200, 400, 401, 403, 409, 429, 500, 503, 'silent'].map(
      (state): [string, [string | number], number, object] => [`${state}`, [state], 1, { kind: 'attach' }],
    ),
  ])('decides by what the service says: %s', async (_, states, count, expected) => {
    const left = { '7/1': [startedJob('job_a', 1)] };
    const { decision, looks, sleeps } = await find({ left, jobs: { job_a: states } });
    expect(decision).toMatchObject(expected);
    expect([looks.length, sleeps.length]).toEqual([count, count - 1]);
  });

  it('looks again at all that are not found together', async () => {
    const left = { '7/1': [1, 2, 3, 4, 5].map((number) => startedJob(`job_${number}`, 1)) };
    const { looks, sleeps } = await find({ left });
    expect([looks.length, sleeps]).toEqual([15, [2_000, 2_000]]);
  });

  it.each([
    [600_000, 20_000, 10_000, [2_000, 2_000]],
    [8_000, 4_000, 8_000, [2_000, 1_500]],
    [1_000, 500, 1_000, [250, 187.5]],
    [0, 0, 1, [0, 0]],
  ])('with %i ms left searches and looks as long as fits', async (timeoutMs, searchMs, lookMs, pauses) => {
    const { signal, ...seen } = await find({ left: { '7/1': [startedJob('job_a', 1)] }, timeoutMs });
    const limits = { timeoutMs: searchMs, requestTimeoutMs: 5_000, maxRequests: 300, signal };
    expect(seen.searches).toEqual([limits]);
    expect(seen.options[0]).toEqual({ timeoutMs: lookMs, signal });
    expect(seen.sleeps).toEqual(pauses);
  });

  it('does not ask the service in a dry run', async () => {
    const { decision, looks } = await find({ left: { '7/1': [startedJob('job_a', 1)] }, isDryRun: true });
    expect([decision.kind, looks]).toEqual(['attach', []]);
  });

  const [first, second] = [startedJob('job_a', 1), startedJob('job_a', 2)];
  it.each<[string, Record<string, readonly JobMarker[]>, string]>([
    ['of this run', { '7/1': [unknown] }, 'create-after-unknown'],
    ['before a job that ended', { '7/1': [unknown], '7/2': [second] }, 'create'],
    ['before two jobs that ended', { '7/1': [unknown, first], '7/2': [second] }, 'create'],
    ['after a job that ended', { '7/2': [unknown], '7/1': [first] }, 'create-after-unknown'],
    ['beside a job that ended', { '7/1': [unknown, first] }, 'create-after-unknown'],
    ['of another run', { '8/1': [unknown] }, 'unknown'],
    ['of another run, before a job that ended', { '8/1': [unknown], '8/2': [second] }, 'create'],
    ['of another run, and a job that ended here', { '8/1': [unknown], '7/2': [first] }, 'unknown'],
    ['of another run, beside a job that ended', { '8/1': [unknown, first] }, 'unknown'],
    ['after a job that goes on', { '7/2': [unknown], '7/1': [startedJob('job_b', 1)] }, 'attach'],
    ['of this run and another', { '7/2': [unknown], '8/1': [unknown] }, 'unknown'],
  ])('decides by a start that stayed unknown: %s', async (_, left, kind) => {
    const runs = [otherRun(8, 2), otherRun(7, 2)];
    const { decision } = await find({
      tag: 'v1',
      left,
      runs,
      jobs: { job_a: ['failed'], job_b: ['active'] },
    });
    expect(decision.kind).toBe(kind);
  });

  it.each<[string, readonly GitHubError[], string, string]>([
    ['403', [failing(403)], 'create-unsearched', 'not-permitted'],
    ['404', [failing(404)], 'create-unsearched', 'not-permitted'],
    ['502', [failing(502)], 'unsearched', 'incomplete'],
    ['401', [failing(401)], 'unsearched', 'bad-token'],
    ['403, then 502', [failing(403), failing(502)], 'unsearched', 'incomplete'],
    ['502, then 403', [failing(502), failing(403)], 'unsearched', 'incomplete'],
    ['a rate limit', [new GitHubError('HTTP 403', 403, 'rate-limit')], 'unsearched', 'incomplete'],
    ['no answer', [failing()], 'unsearched', 'incomplete'],
  ])('decides by what cannot be read: %s', async (_, [newer, older], kind, failure) => {
    const errors: Record<string, GitHubError | undefined> = { 'jobs 7/2': newer, 'jobs 7/1': older };
    const fail = (call: string) => errors[call];
    expect((await find({ fail })).decision).toMatchObject({ kind, failure });
    expect((await find({ fail, tag: 'v1' })).decision).toMatchObject({ kind: 'unsearched', failure });
  });

  it.each<[string, JobMarker, string]>([
    ['a job that ended', startedJob('job_a', 1), 'unsearched'],
    ['a start that stayed unknown', unknown, 'unsearched'],
    ['a job that goes on', startedJob('job_b', 1), 'attach'],
  ])('decides by what it found beside what cannot be read: %s', async (_, marker, kind) => {
    const fail = (call: string) => (call === 'jobs 7/2' ? failing(502) : undefined);
    const scene = { fail, left: { '7/1': [marker] }, jobs: { job_a: ['failed'], job_b: ['active'] } };
    expect((await find(scene)).decision.kind).toBe(kind);
    expect((await find({ ...scene, tag: 'v1' })).decision.kind).toBe(kind);
  });

  it.each<[Scene, string]>([
    [{ env: { GITHUB_RUN_ID: '' } }, 'create-unsearched'],
    [{ env: { GITHUB_WORKFLOW_REF: '' }, tag: 'v1' }, 'unsearched'],
  ])('cannot search with %o', async (scene, kind) => {
    const { decision, calls } = await find(scene);
    expect(decision).toMatchObject({ kind, failure: 'impossible' });
    expect(calls).toEqual([]);
  });

  it('starts a job if no attempt left anything, and reads none in which this one was skipped', async () => {
    const docs = { id: 2, name: 'docs (en)', isSkipped: true };
    const attempts = { '7/1': [{ id: 1, name: 'build' }, docs] };
    const env = { CHECK_RUN_ID: '5' };
    const { decision, calls } = await find({ runAttempt: 2, attempts, ownName: 'docs (en)', env });
    expect(decision).toEqual({ kind: 'create', ended: undefined });
    expect(calls).toEqual(['name 5', 'jobs 7/1']);
  });
});
