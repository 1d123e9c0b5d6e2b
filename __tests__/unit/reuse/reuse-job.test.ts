import { describe, expect, it } from 'vitest';
import { GitHubError } from '../../../src/github/client.ts';
import { type GitHubContext, readGitHubContext } from '../../../src/github/context.ts';
import { formatMarker } from '../../../src/github/job-annotation.ts';
import type { RunReader, WorkflowJob, WorkflowRun } from '../../../src/github/run-reader.ts';
import type { AgentApi, ApiResult } from '../../../src/job/agent-client.ts';
import { parseJob } from '../../../src/job/job.ts';
import { findReusableJob, type ReuseDecision } from '../../../src/reuse/reuse-job.ts';
import { createVirtualClock, type VirtualClock } from '../../helpers/virtual-clock.ts';

const fingerprint = '0123456789abcdef0123456789abcdef';

interface Scene {
  /** Variables of the runner, besides those of attempt 2 of run 7. */
  readonly env?: Record<string, string>;
  readonly checkRunId?: string;
  readonly tag?: string;
  /** By run and attempt, such as `7/1`: names of workflow jobs with the messages of their notices. */
  readonly attempts?: Record<string, Record<string, readonly string[]>>;
  readonly runs?: readonly WorkflowRun[];
  /** By read, such as `list 7/1 1`. */
  readonly errors?: Record<string, GitHubError>;
  /** Status of each job in the order of the looks, or the HTTP status of an error. The last one stays. */
  readonly jobs?: Record<string, readonly (string | number)[]>;
  readonly dryRun?: boolean;
  readonly remainingMs?: number;
}

interface Ending {
  readonly decision: ReuseDecision;
  readonly reads: readonly string[];
  readonly looks: readonly string[];
  readonly clock: VirtualClock;
}

function idOf(jobId: string, attempt = 1, runId?: number): string {
  return formatMarker({ kind: 'id', jobId, startedBy: { runId, attempt } }, fingerprint);
}

const unknown = formatMarker({ kind: 'unknown' }, fingerprint);

async function find(scene: Scene): Promise<Ending> {
  const reads: string[] = [];
  const looks: string[] = [];
  const clock = createVirtualClock();
  const decision = await findReusableJob({
    openReader: async () => createReader(scene, reads),
    github: createContext(scene),
    fingerprint,
    tag: scene.tag,
    agent: scene.dryRun ? undefined : createAgent(scene, looks),
    context: {
      clock,
      random: () => 0,
      deadline: clock.now() + (scene.remainingMs ?? 600_000),
      cancel: new AbortController().signal,
      forceCancel: new AbortController().signal,
    },
  });
  return { decision, reads, looks, clock };
}

function createContext({ env, checkRunId }: Scene): GitHubContext {
  const variables = {
    GITHUB_JOB: 'docs',
    GITHUB_REF_NAME: 'v1',
    GITHUB_REPOSITORY: 'acme/widgets',
    GITHUB_RUN_ATTEMPT: '2',
    GITHUB_RUN_ID: '7',
    GITHUB_WORKFLOW_REF: 'acme/widgets/.github/workflows/docs.yml@refs/tags/v1',
    ...env,
  };
  return readGitHubContext(variables, 'token', checkRunId);
}

function createReader({ attempts = {}, runs = [], errors = {} }: Scene, reads: string[]): RunReader {
  const jobs = Object.entries(attempts).flatMap(([place, named]) =>
    Object.entries(named).map(([name, notices], index) => ({
      place,
      name,
      notices,
      id: 10 * index + toNumber(place),
    })),
  );
  async function read<T>(name: string, answer: () => T): Promise<T> {
    reads.push(name);
    const error = errors[name];
    if (error !== undefined) throw error;
    return answer();
  }
  return {
    readJobName: (id) => read(`name ${id}`, () => 'docs (en)'),
    listJobs: (runId, attempt, page) =>
      read(`list ${runId}/${attempt} ${page}`, () => ({
        items: jobs.filter(({ place }) => place === `${runId}/${attempt}`).map(toWorkflowJob),
        pages: 1,
      })),
    listNotices: (id, page) =>
      read(`notices ${jobs.find((job) => job.id === id)?.name} ${page}`, () => ({
        items: jobs.find((job) => job.id === id)?.notices ?? [],
        pages: 1,
      })),
    listRuns: (file, branch) => read(`runs ${file} ${branch}`, () => runs),
  };
}

function toNumber(place: string): number {
  return Number(place.replace('/', '')) * 1_000;
}

function toWorkflowJob({ id, name }: { id: number; name: string }): WorkflowJob {
  return {
    id,
    name: name.replace(/ skipped$/, ''),
    attempt: undefined,
    isSkipped: name.endsWith(' skipped'),
    startedAt: id,
  };
}

function createAgent({ jobs = {} }: Scene, looks: string[]): AgentApi {
  return {
    createJob: async () => expect.fail('nothing is created here'),
    sendFollowUp: async () => expect.fail('nothing is sent here'),
    getJob: async (id): Promise<ApiResult> => {
      looks.push(id);
      const states = jobs[id] ?? [404];
      const state = states[Math.min(looks.filter((look) => look === id).length, states.length) - 1];
      const job = typeof state === 'string' ? parseJob({ id, status: state }, (text) => text) : undefined;
      const httpStatus = typeof state === 'number' ? state : 200;
      return { kind: 'response', httpStatus, job, hasErrorBody: false, retryAfterMs: undefined, detail: '' };
    },
  };
}

const failing = (status: number): GitHubError => new GitHubError(`HTTP ${status}`, status);

function otherRun(id: number, parts: Partial<WorkflowRun> = {}): WorkflowRun {
  return { id, newestAttempt: 1, createdAt: id, branch: 'v1', ...parts };
}

describe('findReusableJob', () => {
  it('attaches to the newest recorded job that has not failed, and asks no further', async () => {
    const { decision, reads, looks } = await find({
      env: { GITHUB_RUN_ATTEMPT: '4' },
      attempts: {
        '7/3': { docs: [idOf('job_c', 3)] },
        '7/2': { docs: [idOf('job_b', 1)] },
        '7/1': { docs: [idOf('job_a')] },
      },
      jobs: { job_c: ['failed'], job_b: ['active'] },
    });
    expect(decision).toEqual({
      kind: 'attach',
      record: {
        jobId: 'job_b',
        runId: 7,
        attempt: 1,
        page: 'https://github.com/acme/widgets/actions/runs/7/attempts/1',
        leftBy: { runId: 7, attempt: 2 },
      },
    });
    expect(reads).toEqual(['list 7/3 1', 'notices docs 1', 'list 7/2 1', 'notices docs 1']);
    expect(looks).toEqual(['job_c', 'job_b']);
  });

  it('looks at each job once, and twice more only at those that are not found', async () => {
    const { decision, looks, clock } = await find({
      env: { GITHUB_RUN_ATTEMPT: '4' },
      attempts: {
        '7/3': { docs: [idOf('job_b', 2)] },
        '7/2': { docs: [idOf('job_b', 2), idOf('job_a')] },
        '7/1': { docs: [idOf('job_a')] },
      },
      jobs: { job_b: ['failed'], job_a: [404, 410] },
    });
    expect(decision).toMatchObject({
      kind: 'create',
      ended: { jobId: 'job_b', attempt: 2, ending: 'failed' },
    });
    expect(looks).toEqual(['job_b', 'job_a', 'job_a', 'job_a']);
    expect(clock.sleeps).toEqual([2_000, 2_000]);
  });

  it.each<[string, readonly (string | number)[], string]>([
    ['found on the second look', [404, 'active'], 'attach'],
    ['found on the third look', [404, 404, 'completed'], 'attach'],
    ['an error on the third look', [404, 404, 500], 'attach'],
    ['found on a fourth look alone', [404, 404, 404, 'active'], 'create'],
    ['failed on the second look', [404, 'failed'], 'create'],
    ['a record without a job', [200], 'attach'],
    ['401', [401], 'attach'],
    ['409', [409], 'attach'],
  ])('decides by what the service says: %s', async (_, states, kind) => {
    const { decision } = await find({
      attempts: { '7/1': { docs: [idOf('job_a')] } },
      jobs: { job_a: states },
    });
    expect(decision.kind).toBe(kind);
  });

  it('shortens the pauses so that they fit the time that is left', async () => {
    const { clock } = await find({ attempts: { '7/1': { docs: [idOf('job_a')] } }, remainingMs: 1_000 });
    expect(clock.sleeps).toEqual([250, 187.5]);
  });

  it('does not ask the service in a dry run', async () => {
    const { decision, looks } = await find({ attempts: { '7/1': { docs: [idOf('job_a')] } }, dryRun: true });
    expect(decision.kind).toBe('attach');
    expect(looks).toEqual([]);
  });

  it.each<[string, Record<string, Record<string, readonly string[]>>, string]>([
    ['of this run', { '7/1': { docs: [unknown] } }, 'create-after-unknown'],
    [
      'before a job that ended',
      { '7/1': { docs: [unknown] }, '7/2': { docs: [idOf('job_a', 2)] } },
      'create',
    ],
    [
      'after a job that ended',
      { '7/2': { docs: [unknown] }, '7/1': { docs: [idOf('job_a')] } },
      'create-after-unknown',
    ],
    ['beside a job that ended', { '7/1': { docs: [unknown, idOf('job_a')] } }, 'create-after-unknown'],
    ['of another run', { '8/1': { docs: [unknown] } }, 'unknown'],
    [
      'of another run, before a job that ended',
      { '8/1': { docs: [unknown] }, '8/2': { docs: [idOf('job_a', 2)] } },
      'create',
    ],
    [
      'of another run, and a job that ended in this one',
      { '8/1': { docs: [unknown] }, '7/2': { docs: [idOf('job_a')] } },
      'unknown',
    ],
  ])('decides by a start that stayed unknown: %s', async (_, attempts, kind) => {
    const { decision } = await find({
      env: { GITHUB_RUN_ATTEMPT: '3' },
      tag: 'v1',
      attempts,
      runs: [otherRun(8, { newestAttempt: 2 }), otherRun(7)],
      jobs: { job_a: ['failed'] },
    });
    expect(decision.kind).toBe(kind);
  });

  it.each<[string, GitHubError[], string, string]>([
    ['403', [failing(403)], 'create-unsearched', 'not-permitted'],
    ['404', [failing(404)], 'create-unsearched', 'not-permitted'],
    ['502', [failing(502)], 'unsearched', 'incomplete'],
    ['401', [failing(401)], 'unsearched', 'bad-token'],
    ['403, then 502', [failing(403), failing(502)], 'unsearched', 'incomplete'],
    ['502, then 403', [failing(502), failing(403)], 'unsearched', 'incomplete'],
    ['a rate limit', [new GitHubError('HTTP 403', 403, 'rate-limit')], 'unsearched', 'incomplete'],
    ['no answer', [new GitHubError('reset')], 'unsearched', 'incomplete'],
  ])('decides by what cannot be read: %s', async (_, [newer = failing(0), older], kind, failure) => {
    const errors = { 'list 7/2 1': newer, ...(older === undefined ? {} : { 'list 7/1 1': older }) };
    const rerun = await find({ env: { GITHUB_RUN_ATTEMPT: '3' }, errors });
    const release = await find({ env: { GITHUB_RUN_ATTEMPT: '3' }, tag: 'v1', errors });
    expect(rerun.decision.kind).toBe(kind);
    expect(release.decision).toMatchObject({ kind: 'unsearched', failure });
  });

  it.each<[string, Scene]>([
    ['a run', { env: { GITHUB_RUN_ID: '' } }],
    ['a workflow file', { tag: 'v1', env: { GITHUB_WORKFLOW_REF: '' } }],
  ])('cannot search without %s', async (_, scene) => {
    const { decision, reads } = await find(scene);
    expect(decision).toMatchObject(
      scene.tag === undefined ? { kind: 'create-unsearched' } : { kind: 'unsearched', failure: 'impossible' },
    );
    expect(reads).toEqual([]);
  });

  it('reads nothing more once a limit is exhausted', async () => {
    const { reads } = await find({
      env: { GITHUB_RUN_ATTEMPT: '9' },
      errors: { 'list 7/8 1': new GitHubError('no requests left', 403, 'rate-limit') },
    });
    expect(reads).toEqual(['list 7/8 1']);
  });

  it.each<[string, string | undefined, readonly string[], readonly string[]]>([
    ['its own name alone', '5', ['build', 'docs (en)', 'docs (de)'], ['docs (en)']],
    ['its own name, unless it was skipped', '5', ['build', 'docs (en) skipped', 'docs (de)'], []],
    [
      'the same key, if no job has its name',
      '5',
      ['build', 'docs (de)', 'docs (fr)', 'ci / docs'],
      ['ci / docs', 'docs (fr)', 'docs (de)'],
    ],
    [
      'the newest, if no job has its key',
      '5',
      Array.from({ length: 20 }, (_, index) => `build ${index}`),
      Array.from({ length: 12 }, (_, index) => `build ${19 - index}`),
    ],
    [
      'all, the same key first, if its name is not known',
      undefined,
      ['docs (en)', 'build', 'docs', 'site skipped'],
      ['docs', 'docs (en)', 'build'],
    ],
  ])('reads of an attempt: %s', async (_, checkRunId, names, expected) => {
    const attempts = { '7/1': Object.fromEntries(names.map((name) => [name, []])) };
    const { reads } = await find({ attempts, ...(checkRunId === undefined ? {} : { checkRunId }) });
    expect(reads.filter((read) => read.startsWith('notices'))).toEqual(
      expected.map((name) => `notices ${name} 1`),
    );
  });

  it('reads all jobs if its own name cannot be read, which is no failure', async () => {
    const { decision } = await find({
      checkRunId: '5',
      errors: { 'name 5': failing(404) },
      attempts: { '7/1': { build: [], other: [] } },
    });
    expect(decision).toEqual({ kind: 'create', ended: undefined });
  });

  it('reads the other runs for the tag and for the branch it is on, once each, the newest 30 first', async () => {
    const runs = [
      otherRun(7),
      otherRun(9, { branch: 'other' }),
      ...Array.from({ length: 33 }, (_, index) => otherRun(100 + index)),
    ];
    const { reads } = await find({
      env: { GITHUB_RUN_ATTEMPT: '1', GITHUB_REF_NAME: 'v1' },
      tag: 'v1',
      runs,
    });
    expect(reads.slice(0, 1)).toEqual(['runs docs.yml v1']);
    expect(reads.slice(1)).toEqual(Array.from({ length: 30 }, (_, index) => `list ${132 - index}/1 1`));
    const dispatch = await find({ env: { GITHUB_RUN_ATTEMPT: '1', GITHUB_REF_NAME: 'main' }, tag: 'v1' });
    expect(dispatch.reads).toEqual(['runs docs.yml v1', 'runs docs.yml main']);
  });

  it('names the run that started the job, also where another one recorded it', async () => {
    const { decision } = await find({
      env: { GITHUB_RUN_ATTEMPT: '1' },
      tag: 'v1',
      runs: [otherRun(8)],
      attempts: { '8/1': { docs: [idOf('job_a', 3, 6)] } },
      jobs: { job_a: ['active'] },
    });
    expect(decision).toMatchObject({
      record: {
        runId: 6,
        attempt: 3,
        page: 'https://github.com/acme/widgets/actions/runs/6/attempts/3',
        leftBy: { runId: 8, attempt: 1 },
      },
    });
  });
});
