import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../../src/github/get.ts';
import type { AgentApi, CallOptions } from '../../../src/job/agent-client.ts';
import { findEarlierJob } from '../../../src/plan/earlier-job.ts';
import type { JobMarker } from '../../../src/plan/job-marker.ts';
import { type Message, toPlainText } from '../../../src/text/message.ts';
import { createJobRecord, createResponse, createTestJob, createWorld, silent } from '../fixtures.ts';
import {
  type Change,
  createContext,
  createFakeGitHub,
  type FakeGitHub,
  type FakeJob,
  type FakeRun,
  FINGERPRINT,
  noticeOf,
  startedJob,
} from './fake-github.ts';

interface Scene extends Partial<FakeGitHub> {
  readonly runAttempt?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly tag?: string;
  /** The answers of the service about each job. The last one repeats. A number is the status of an error. */
  readonly jobs?: Readonly<Record<string, readonly (string | number)[]>>;
  readonly dryRun?: boolean;
  readonly timeoutMs?: number;
}

/** Searches in the last attempt of run 7, at the beginning of a run of ten minutes. */
async function find({ runs = [], runAttempt = 3, env, tag, jobs = {}, ...scene }: Scene) {
  const github = createContext(runAttempt, env);
  const { openGitHub, calls, opened } = createFakeGitHub({ runs, ...scene });
  const { context, cancel, clock } = createWorld({ timeoutMs: scene.timeoutMs ?? 600_000 });
  const looks: string[] = [];
  const options: CallOptions[] = [];
  const getJob: AgentApi['getJob'] = async (id, given) => {
    const states = jobs[id] ?? [404];
    const state = states[Math.min(looks.filter((look) => look === id).length, states.length - 1)];
    looks.push(id);
    options.push(given);
    if (state === 'silent') return silent;
    if (state === 'gateway') return createResponse(404);
    return typeof state === 'string'
      ? createResponse(200, { job: createTestJob({ id, status: state }) })
      : createResponse(state ?? 404, { hasErrorBody: true });
  };
  const notes: string[] = [];
  const warnings: string[] = [];
  const reporter = {
    onNote: (text: Message) => notes.push(toPlainText(text)),
    onWarning: (text: Message) => warnings.push(toPlainText(text)),
  };
  const dependencies = { agent: { getJob } as AgentApi, github, openGitHub, redact: String, reporter };
  const found = await findEarlierJob(FINGERPRINT, tag, scene.dryRun ?? false, dependencies, context);
  const reason = 'kind' in found && found.kind === 'none' ? toPlainText(found.reason) : undefined;
  return {
    found,
    reason,
    notes,
    warnings,
    calls,
    looks,
    options,
    opened,
    sleeps: clock.sleeps,
    signal: cancel.signal,
  };
}

/** Returns a workflow job that left these records. */
function left(id: number, markers: readonly JobMarker[], parts: Partial<FakeJob> = {}): FakeJob {
  return { id, notices: markers.map((marker) => noticeOf(marker)), ...parts };
}

/** Returns a run whose attempts left these records. */
function runOf(id: number, ...attempts: (readonly JobMarker[])[]): FakeRun {
  return { id, branch: 'v1', attempts: attempts.map((markers, index) => [left(id * 100 + index, markers)]) };
}

const unknown: JobMarker = 'unknown';
const none = { kind: 'none', mayBeSecond: false };
const risky = { kind: 'none', mayBeSecond: true };
const waitingFor = (jobId: string) => ({ kind: 'found', record: { jobId } });
const stopped = (failure: string) => ({ outcome: 'not-started', code: 'reuse-unknown', failure });
const failing = (httpStatus?: number) => new GitHubError('Why', httpStatus);

/** Makes calls fail or return another answer. */
function changes(by: Readonly<Record<string, unknown>>): Change {
  return (call, answer) => {
    if (!(call in by)) return answer;
    if (by[call] instanceof Error) throw by[call];
    return by[call];
  };
}

describe('findEarlierJob', () => {
  it('waits for the newest recorded job that continues, and reads no older records', async () => {
    const own = runOf(
      7,
      [startedJob('job_a', 1)],
      [startedJob('job_b', 1)],
      [startedJob('job_d', 3), startedJob('job_c', 3)],
    );
    const jobs = { job_d: ['failed'], job_c: [404], job_b: ['active'] };
    const { found, calls, looks, sleeps } = await find({ runAttempt: 4, tag: 'v1', runs: [own], jobs });
    expect(found).toEqual({ kind: 'found', record: createJobRecord('job_b', 7, 1) });
    expect(calls).toEqual(['jobs 7/3', 'annotations 702', 'jobs 7/2', 'annotations 701']);
    expect([looks, sleeps]).toEqual([['job_d', 'job_c', 'job_b'], []]);
  });

  it('names the attempt of another run that started the job', async () => {
    const { found } = await find({
      runs: [runOf(7, [], [startedJob('job_a', 4, 6)])],
      jobs: { job_a: ['active'] },
    });
    expect(found).toEqual({ kind: 'found', record: createJobRecord('job_a', 6, 4) });
  });

  it('looks at each job once, and again only at missing ones', async () => {
    const runs = [
      runOf(
        7,
        [startedJob('job_a', 1)],
        [startedJob('job_b', 2), startedJob('job_a', 1)],
        [startedJob('job_b', 2)],
      ),
    ];
    const { found, reason, looks, sleeps } = await find({
      runAttempt: 4,
      runs,
      jobs: { job_b: ['failed'], job_a: [404, 410] },
    });
    expect([found, reason]).toMatchObject([none, 'job job_b, which attempt 2 started, failed']);
    expect(looks).toEqual(['job_b', ...Array.from({ length: 7 }, () => 'job_a')]);
    expect(sleeps).toHaveLength(6);
  });

  it.each<[string, readonly (string | number)[], number, object]>([
    ['found on the second look', [404, 'active'], 2, waitingFor('job_a')],
    ['found on the third look', [404, 404, 'completed'], 3, waitingFor('job_a')],
    ['an error on the third look', [404, 404, 500], 3, waitingFor('job_a')],
    ['a page of a gateway on the third look', [404, 404, 'gateway'], 3, waitingFor('job_a')],
    ['404 and 410 in turn', [404, 410, 404], 7, none],
    ['failed on the second look', [404, 'failed'], 2, none],
    // No other answer proves that the job has ended. 200 is a response without a job, or with another one.
    ...[
      'active',
      'completed',
      'archived',
      'paused',
      'gateway',
      200,
      400,
      401,
      403,
      409,
      429,
      500,
      503,
      'silent',
    ].map((state): [string, [string | number], number, object] => [
      `${state}`,
      [state],
      1,
      waitingFor('job_a'),
    ]),
  ])('decides by its looks at the job: %s', async (_, states, count, expected) => {
    const { found, looks, sleeps } = await find({
      runs: [runOf(7, [startedJob('job_a', 1)])],
      jobs: { job_a: states },
    });
    expect(found).toMatchObject(expected);
    expect([looks.length, sleeps.length]).toEqual([count, count - 1]);
  });

  it.each([
    [600_000, [10_000, 10_000, 10_000, 10_000, 10_000, 10_000], none],
    [50_000, [10_000, 10_000, 5_000], waitingFor('job_a')],
    [0, [], waitingFor('job_a')],
  ])('looks at a missing job for a minute, or half of %i ms', async (timeoutMs, pauses, expected) => {
    const runs = [runOf(7, [startedJob('job_a', 1)])];
    const { found, sleeps, notes } = await find({ runs, timeoutMs });
    expect([found, sleeps]).toMatchObject([expected, pauses]);
    expect(notes[0]).toBe('job job_a was not found; looking again for up to a minute');
  });

  it('limits the time of the search and of each look at a job', async () => {
    const runs = [runOf(7, [startedJob('job_a', 1)])];
    for (const [timeoutMs, searchMs, lookMs] of [
      [600_000, 20_000, 10_000],
      [8_000, 4_000, 8_000],
    ] as const) {
      const { opened, options, signal } = await find({ runs, timeoutMs, jobs: { job_a: ['active'] } });
      expect(opened).toEqual([{ timeoutMs: searchMs, requestTimeoutMs: 5_000, signal }]);
      expect(options).toEqual([{ timeoutMs: lookMs, signal }]);
    }
  });

  const first = startedJob('job_a', 1);
  const second = startedJob('job_a', 2);
  it.each<[string, readonly FakeRun[], object]>([
    ['of this run', [runOf(7, [unknown])], risky],
    ['before a job that ended', [runOf(7, [unknown], [second])], none],
    ['before two jobs that ended', [runOf(7, [unknown, first], [second])], none],
    ['after a job that ended', [runOf(7, [first], [unknown])], risky],
    ['beside a job that ended', [runOf(7, [unknown, first])], risky],
    // An attempt that waits for another job knows nothing about this one.
    [
      'before an attempt that waited for the job of another run',
      [runOf(7, [unknown], [startedJob('job_a', 2, 6)])],
      risky,
    ],
    ['of another run', [runOf(6, [unknown])], { outcome: 'start-unknown', record: { runId: 6, attempt: 1 } }],
    ['of another run, before a job that ended', [runOf(6, [unknown], [second])], none],
    [
      'of another run, and a job that ended here',
      [runOf(6, [unknown]), runOf(7, [], [second])],
      { outcome: 'start-unknown' },
    ],
    ['after a job that continues', [runOf(7, [startedJob('job_b', 1)], [unknown])], waitingFor('job_b')],
    ['of this run and another', [runOf(7, [], [unknown]), runOf(6, [unknown])], { outcome: 'start-unknown' }],
  ])('decides by the record of an unknown start %s', async (_, runs, expected) => {
    const jobs = { job_a: ['failed'], job_b: ['active'] };
    const { found, warnings } = await find({ tag: 'v1', runs, jobs });
    expect(found).toMatchObject(expected);
    expect(warnings).toHaveLength(expected === risky ? 1 : 0);
  });

  it('does not warn in a dry run', async () => {
    const { found, reason, warnings } = await find({ runs: [runOf(7, [unknown])], dryRun: true });
    expect([found, reason, warnings]).toMatchObject([
      risky,
      'attempt 1 may have started one, but its response was lost',
      [],
    ]);
  });

  const unread = [null, '', '<html>', {}, [], { message: 'x' }, { jobs: [] }, { total_count: 1, jobs: [] }];
  it.each<[string, unknown, string, (readonly string[])?]>([
    ['every list of jobs', failing(403), 'not-permitted', ['jobs 7/2', 'jobs 7/1']],
    ['every list of jobs', failing(404), 'not-permitted', ['jobs 7/2', 'jobs 7/1']],
    ['all annotations', failing(403), 'not-permitted', ['annotations 701', 'annotations 700']],
    ['jobs 7/1', failing(404), 'incomplete'],
    ['jobs 7/2', failing(404), 'incomplete'],
    ['annotations 700', failing(404), 'incomplete'],
    ['every list of jobs', failing(), 'incomplete', ['jobs 7/2', 'jobs 7/1']],
    ['jobs 7/2', failing(401), 'bad-token'],
    ['jobs 7/2', failing(), 'incomplete'],
    ...unread.map((answer): [string, unknown, string] => ['jobs 7/2', answer, 'incomplete']),
    ['jobs 7/2', { total_count: -1, jobs: [] }, 'incomplete'],
    ['annotations 701', { annotations: [] }, 'incomplete'],
    ['annotations 701', [7], 'incomplete'],
  ])('decides by a failed read of %s with %j', async (call, answer, failure, calls = [call]) => {
    const by = Object.fromEntries(calls.map((name) => [name, answer]));
    const scene = { runs: [runOf(7, [], [])], change: changes(by) };
    const mayGoOn = failure === 'not-permitted';
    const { found, warnings } = await find(scene);
    expect(found).toMatchObject(mayGoOn ? risky : stopped(failure));
    expect(warnings.join().includes('`actions: read`')).toBe(mayGoOn);
    expect((await find({ ...scene, tag: 'v1' })).found).toMatchObject(stopped(failure));
    // A job in another record counts.
    const both = [startedJob('job_b', 1)];
    const beside = await find({ ...scene, runs: [runOf(7, both, both)], jobs: { job_b: ['active'] } });
    if (calls.length === 1) expect(beside.found).toMatchObject(waitingFor('job_b'));
  });

  it.each([
    failing(),
    { total_count: 2, workflow_runs: [{ id: 7, run_attempt: 1 }] },
    { workflow_runs: [] },
    { total_count: 1, workflow_runs: [{ id: 6 }] },
  ])('sends nothing if the list of runs is %j', async (answer) => {
    const { found } = await find({ runAttempt: 1, tag: 'v1', change: changes({ 'runs v1': answer }) });
    expect(found).toMatchObject(stopped('incomplete'));
  });

  it.each<[Scene, object]>([
    [{ env: { GITHUB_RUN_ID: '' } }, risky],
    [
      { env: { GITHUB_RUN_ID: '' }, tag: 'v1' },
      { ...stopped('impossible'), detail: 'GITHUB_RUN_ID is not set' },
    ],
    [
      { env: { GITHUB_WORKFLOW_REF: '' }, tag: 'v1' },
      { ...stopped('impossible'), detail: 'GITHUB_WORKFLOW_REF is not set' },
    ],
  ])('does not search with %o', async (scene, expected) => {
    const { found, calls } = await find(scene);
    expect([found, calls]).toMatchObject([expected, []]);
  });

  it('reads every page, and each workflow job once', async () => {
    const old = left(1, [startedJob('job_1', 1)], { attempt: 1 });
    const attempts = [[old], [...Array.from({ length: 5 }, (_, index) => left(index + 10, [])), old]];
    const { found, calls } = await find({
      runs: [{ id: 7, attempts }],
      pageSize: 2,
      jobs: { job_1: ['active'] },
    });
    expect(found).toMatchObject({ record: { attempt: 1 } });
    expect(calls.filter((call) => call.startsWith('jobs'))).toEqual([
      'jobs 7/2',
      'jobs 7/2 page 2',
      'jobs 7/2 page 3',
    ]);
    const again = { total_count: 6, jobs: [{ id: 10, name: 'docs' }] };
    const ignored = changes({ 'jobs 7/2': again, 'jobs 7/2 page 2': again });
    expect((await find({ runs: [{ id: 7, attempts }], pageSize: 2, change: ignored })).found).toMatchObject(
      stopped('incomplete'),
    );
  });

  it('does not trust a full page of annotations', async () => {
    const note = { annotation_level: 'notice', title: 'x', message: 'y' };
    const scene = {
      runs: [runOf(7, [])],
      runAttempt: 2,
      change: changes({ 'annotations 700': Array(100).fill(note) }),
    };
    expect((await find(scene)).found).toMatchObject(stopped('incomplete'));
  });
});

describe('the search reads', () => {
  const names = ['build', 'docs (en)', 'docs (en)', 'docs (de)', 'caller / docs'];
  const jobs = names.map((name, index) => left(index + 1, [], { name, startedAt: index }));
  const skipped = { ...left(9, [], { name: 'docs (fr)' }), state: 'skipped' } as const;
  const own = (name: string): FakeJob => ({ id: 50, name, state: 'running' });

  it.each<[string, string | undefined, number[]]>([
    ['the workflow jobs of the same name', 'docs (en)', [3, 2]],
    ['all workflow jobs if none has the name', 'docs', [5, 4, 3, 2, 1]],
    ['all workflow jobs if the one with the name was skipped', 'docs (fr)', [5, 4, 3, 2, 1]],
    ['all workflow jobs if its own name is unknown', undefined, [5, 4, 3, 2, 1]],
  ])('%s, newest first', async (_, name, expected) => {
    const attempts = [[...jobs, skipped], name === undefined ? [] : [own(name)]];
    const env: Record<string, string> = name === undefined ? {} : { CHECK_RUN_ID: '50' };
    const { found, calls } = await find({ runs: [{ id: 7, attempts }], runAttempt: 2, env });
    expect(found).toMatchObject(none);
    const read = calls.filter((call) => call.startsWith('annotations'));
    expect(read).toEqual(expected.map((id) => `annotations ${id}`));
  });

  it('the newest 30 runs on the tag and the newest 30 on its branch', async () => {
    const others = (branch: string | null, firstId: number) =>
      Array.from({ length: 40 }, (_, index) => ({ id: firstId + index, branch, attempts: [[]] }));
    const runs = [...others('v1', 100), ...others('main', 200)];
    const env = { GITHUB_REF_NAME: 'main' };
    const { calls } = await find({ runs, runAttempt: 1, tag: 'v1', env });
    const read = calls.filter((call) => call.startsWith('jobs')).map((call) => Number(call.slice(5, 8)));
    expect(read).toEqual([
      ...Array.from({ length: 30 }, (_, index) => 239 - index),
      ...Array.from({ length: 30 }, (_, index) => 139 - index),
    ]);
    // GitHub lists a run without a branch for the requested tag. A run of another branch is a mistake.
    const stray = [
      { id: 4, run_attempt: 0, head_branch: 'v1' },
      { id: 5, run_attempt: 1, head_branch: null },
      { id: 6, run_attempt: 1, head_branch: 'x' },
    ];
    const change = changes({ 'runs v1': { total_count: 3, workflow_runs: stray } });
    const { calls: found } = await find({ runs, runAttempt: 1, tag: 'v1', change });
    expect(found).toEqual(['runs v1', 'jobs 5/1', 'jobs 4/1']);
  });
});

describe('another run for the tag', () => {
  const running: FakeJob = { id: 61, name: 'docs', state: 'running' };
  const ended: FakeJob = { id: 62, name: 'docs' };
  const other: FakeJob = { id: 63, name: 'other', state: 'running' };
  const env = { CHECK_RUN_ID: '70' };
  const blocked = {
    ...stopped('run-in-progress'),
    detail: expect.stringMatching(/^run \d of this workflow is/),
  };

  it.each<[string, number, readonly FakeJob[], Record<string, string>, object]>([
    ['stops this run while its job of that name runs', 6, [running], env, blocked],
    ['stops this run while one of its jobs of that name runs', 6, [running, ended], env, blocked],
    ['stops this run while its only job runs', 6, [other], env, blocked],
    [
      'stops this run while another job runs and the one of that name was skipped',
      6,
      [other, { ...ended, state: 'skipped' }],
      env,
      blocked,
    ],
    ['stops this run while a job runs and the name is unknown', 6, [ended, other], {}, blocked],
    ['does not matter if its job of that name has ended', 6, [ended, other], env, none],
    ['does not matter if it is newer', 8, [running], env, none],
  ])('%s', async (_, id, jobs, variables, expected) => {
    const runs = [
      { id, branch: 'v1', attempts: [jobs] },
      { id: 7, branch: 'v1', attempts: [[{ id: 70, name: 'docs', state: 'running' as const }]] },
    ];
    expect((await find({ runs, runAttempt: 1, tag: 'v1', env: variables })).found).toMatchObject(expected);
  });

  it.each([
    [2, [running], blocked],
    [2, [ended], none],
    [1, [running], none],
  ] as const)(
    'matters to attempt %i although it is newer, until its job has ended',
    async (runAttempt, jobs, expected) => {
      const runs = [
        { id: 8, branch: 'v1', attempts: [jobs] },
        { id: 7, branch: 'v1', attempts: [[{ id: 70, name: 'docs' }], [{ id: 71, name: 'docs' }]] },
      ];
      const variables = { CHECK_RUN_ID: `${69 + runAttempt}` };
      expect((await find({ runs, runAttempt, tag: 'v1', env: variables })).found).toMatchObject(expected);
    },
  );

  it('does not matter if its earlier attempt left a job that continues', async () => {
    const runs = [{ id: 6, branch: 'v1', attempts: [[left(60, [startedJob('job_a', 1)])], [running]] }];
    const { found } = await find({ runs, runAttempt: 1, tag: 'v1', env, jobs: { job_a: ['active'] } });
    expect(found).toMatchObject(waitingFor('job_a'));
  });
});

describe('an unreadable record', () => {
  it('stops this run, unless another record names a job that continues', async () => {
    const { title, message } = noticeOf(startedJob('job_12', 1));
    const masked = { title, message: message.replaceAll('1', '***') };
    const broken = (notices: FakeJob['notices'] = [masked]) => [{ id: 7, attempts: [[{ id: 1, notices }]] }];
    expect((await find({ runs: broken(), runAttempt: 2 })).found).toEqual({
      ...stopped('unreadable-record'),
      detail: 'the record of run 7, attempt 1, is masked or broken',
    });
    const beside = broken([masked, noticeOf(startedJob('job_b', 1))]);
    expect((await find({ runs: beside, runAttempt: 2, jobs: { job_b: ['active'] } })).found).toMatchObject(
      waitingFor('job_b'),
    );
    expect((await find({ runs: beside, runAttempt: 2, jobs: { job_b: ['failed'] } })).found).toMatchObject(
      stopped('unreadable-record'),
    );
  });
});
