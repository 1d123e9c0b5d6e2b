import { describe, expect, it } from 'vitest';
import { adminKey } from '../../emulator/keys.ts';
import { type ActionResult, runAction } from '../helpers/action.ts';
import { reset } from '../helpers/faults.ts';
import { PROMPT, TOKEN } from '../helpers/github.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { jobRecord } from '../helpers/job-record.ts';
import {
  attempt,
  findRecords,
  jobWith,
  type RunWorld,
  recordOf,
  setUpRun,
  tagAttempt,
} from '../helpers/reuse.ts';
import { type ScriptedService, type Step, scriptedService } from '../helpers/scripted-service.ts';

const active: Step = { body: jobRecord({ id: 'job_1' }) };
const missing: Step = { status: 404, body: { error: 'no such job' } };
const gone: Step = { status: 410, body: { error: 'deleted' } };
const failed: Step = { body: jobRecord({ id: 'job_1', status: 'failed' }) };

interface Scene {
  readonly service: ScriptedService;
  readonly world: RunWorld;
  readonly finish: (
    inputs?: Record<string, string>,
    options?: Parameters<typeof runAction>[0],
  ) => Promise<ActionResult>;
}

/** A service that answers as scripted, and GitHub beside it. */
async function setUpScene(
  get: Step[],
  create: Step[] = [{ body: jobRecord({ id: 'job_2' }) }],
): Promise<Scene> {
  const service = await scriptedService({ get, create });
  const world = await setUpRun();
  return {
    service,
    world,
    async finish(inputs = {}, options = {}) {
      const before = service.creates;
      const result = await runAction({
        timeScale: 3,
        ...options,
        env: { GITHUB_API_URL: world.apiUrl, ...options.env },
        inputs: {
          prompt: PROMPT,
          'project-id': 'quick',
          'api-key': adminKey,
          'base-url': service.url,
          'github-token': TOKEN,
          wait: 'false',
          ...inputs,
        },
      }).ended;
      expectInvariants(result, {
        key: adminKey,
        creates: service.creates - before,
        jobs: service.creates - before,
      });
      return result;
    },
  };
}

describe.concurrent('a recorded job, by what the service says about it', () => {
  it.each<[string, Step[]]>([
    ['active', [active]],
    ['completed', [{ body: jobRecord({ id: 'job_1', status: 'completed' }) }]],
    ['archived', [{ body: jobRecord({ id: 'job_1', status: 'archived' }) }]],
    ['a status that this version does not know', [{ body: jobRecord({ id: 'job_1', status: 'paused' }) }]],
    ['404 once, then found', [missing, active]],
    ['404 twice, then found', [missing, missing, active]],
    ['404 twice, then an error', [missing, missing, { status: 500 }, active]],
    ['401', [{ status: 401, body: { error: 'expired' } }]],
    ['403', [{ status: 403, body: { error: 'scope' } }]],
    ['400', [{ status: 400, body: { error: 'odd' } }]],
    ['429', [{ status: 429, headers: { 'retry-after': '1' } }, active]],
    ['500', [{ status: 500 }, active]],
    ['503', [{ status: 503 }, active]],
    ['no answer', [{ fault: reset }, active]],
    ['another job', [{ body: jobRecord({ id: 'job_9' }) }, active]],
    ['nonsense', [{ body: '<html>' }, active]],
  ])('is waited for, and no other is started: %s', async (_, get) => {
    const { service, world, finish } = await setUpScene(get);
    world.attempts.push([jobWith(11, 'docs', recordOf('job_1', { baseUrl: service.url }))]);
    const result = await finish({}, attempt(2));
    expect(service.creates).toBe(0);
    expect(result.outputs).toMatchObject({ 'job-id': 'job_1', reused: 'true' });
    expect(result.stdout).toContain('waiting for job job_1, which attempt 1 started');
    expect(findRecords(result)).toEqual([expect.stringContaining('[docs-agent-job v1 id job_1 attempt 1 ')]);
  });

  it.each<[string, Step[], string]>([
    ['failed', [failed], 'failed'],
    ['404 on three looks', [missing], 'is gone'],
    ['410 on three looks', [gone], 'is gone'],
    ['404 and 410 on three looks', [missing, gone, missing], 'is gone'],
    ['404, then failed', [missing, failed], 'failed'],
  ])('is replaced by a new one: %s', async (_, get, why) => {
    const { service, world, finish } = await setUpScene(get);
    world.attempts.push([jobWith(11, 'docs', recordOf('job_1', { baseUrl: service.url }))]);
    const result = await finish({}, attempt(2));
    expect(service.creates).toBe(1);
    expect(result.outputs).toMatchObject({ outcome: 'started', 'job-id': 'job_2', reused: 'false' });
    expect(result.summary).toContain(`| Reuse | new job: the job that attempt 1 started ${why} |`);
    expect(result.annotations.warnings).toEqual([]);
  });

  it('pauses between the three looks', async () => {
    const { service, world, finish } = await setUpScene([missing]);
    world.attempts.push([jobWith(11, 'docs', recordOf('job_1', { baseUrl: service.url }))]);
    await finish({}, attempt(2));
    const looks = service.seen('get').map(({ atMs }) => atMs);
    expect(looks).toHaveLength(3);
    // Two seconds in the scaled time of the process, less what its timers may be early.
    for (const [index, at] of looks.slice(1).entries()) expect(at - (looks[index] ?? 0)).toBeGreaterThan(600);
  });

  it('is looked at again together with others that are not found', async () => {
    const { service, world, finish } = await setUpScene([missing]);
    const { url: baseUrl } = service;
    for (const number of [1, 2, 3, 4, 5]) {
      world.attempts.push([jobWith(number, 'docs', recordOf(`job_${number}`, { baseUrl, attempt: number }))]);
    }
    const result = await finish({}, attempt(6));
    expect(service.seen('get')).toHaveLength(15);
    expect(result.summary).toContain('new job: the job that attempt 5 started is gone');
  });
});

describe.concurrent('a start that stayed unknown', () => {
  const lost: Step[] = [{ fault: reset, madeJob: true }, { body: jobRecord({ id: 'job_2' }) }];

  it('leaves a record that tells people to look', async () => {
    const { finish } = await setUpScene([active], lost);
    const result = await finish();
    expect(result.outputs['outcome']).toBe('start-unknown');
    expect(findRecords(result)).toEqual([
      expect.stringMatching(
        /^An agent job may have been started, but its id is unknown\. Look for it before you re-run: a re-run starts a new one\. \[docs-agent-job v1 unknown fingerprint [0-9a-f]{32}\]$/,
      ),
    ]);
  });

  it('is followed by a new job on a re-run, with a warning that names the attempt', async () => {
    const { service, world, finish } = await setUpScene([active]);
    world.attempts.push([jobWith(11, 'docs', recordOf(undefined, { baseUrl: service.url }))]);
    const result = await finish({}, attempt(2));
    expect(service.creates).toBe(1);
    expect(result.annotations.warnings).toEqual([
      'Attempt 1 may have started an agent job: its request was sent, but the response was lost. This attempt does not wait for that job.',
    ]);
    expect(result.summary).toContain('new job: attempt 1 may have started one, but its response was lost');
  });

  it('no longer matters once a later attempt of that run knows its job', async () => {
    const { service, world, finish } = await setUpScene([failed]);
    const { url: baseUrl } = service;
    world.attempts.push(
      [jobWith(11, 'docs', recordOf(undefined, { baseUrl }))],
      [jobWith(12, 'docs', recordOf('job_1', { baseUrl, attempt: 2 }))],
    );
    const result = await finish({}, attempt(3));
    expect(result.outputs).toMatchObject({ 'job-id': 'job_2', reused: 'false' });
    expect(result.summary).toContain('new job: the job that attempt 2 started failed');
    expect(result.annotations.warnings).toEqual([]);
  });

  it('does not hide an older job that can be waited for', async () => {
    const { service, world, finish } = await setUpScene([active]);
    const { url: baseUrl } = service;
    world.attempts.push(
      [jobWith(11, 'docs', recordOf('job_1', { baseUrl }))],
      [jobWith(12, 'docs', recordOf(undefined, { baseUrl }))],
    );
    const result = await finish({}, attempt(3));
    expect(result.outputs).toMatchObject({ 'job-id': 'job_1', reused: 'true' });
    expect(service.creates).toBe(0);
  });

  it('stops another run for the tag: nobody has looked yet', async () => {
    const { service, world, finish } = await setUpScene([active]);
    const record = recordOf(undefined, { baseUrl: service.url, tag: 'v1.0.0' });
    world.runs['77'] = { headBranch: 'v1.0.0', attempts: [[jobWith(11, 'docs', record)]] };
    const result = await finish({ reuse: 'release' }, tagAttempt(1, 'v1.0.0'));
    expect(service.requests).toEqual([]);
    expect(result.outputs).toMatchObject({
      outcome: 'start-unknown',
      'error-code': 'start-unknown',
      'job-id': '',
      reused: 'false',
    });
    expect(result.annotations.errors.join()).toContain(
      'Attempt 1 of another run (https://github.com/acme/widgets/actions/runs/77/attempts/1) sent a create, but its response was lost.',
    );
    expect(findRecords(result)).toEqual([]);
  });

  it('stops another run even beside a job of the same attempt that failed', async () => {
    const { service, world, finish } = await setUpScene([failed]);
    const options = { baseUrl: service.url, tag: 'v1.0.0' };
    world.runs['77'] = {
      headBranch: 'v1.0.0',
      attempts: [
        [jobWith(11, 'docs', recordOf(undefined, options)), jobWith(12, 'docs', recordOf('job_1', options))],
      ],
    };
    const result = await finish({ reuse: 'release' }, tagAttempt(1, 'v1.0.0'));
    expect(service.creates).toBe(0);
    expect(result.outputs['outcome']).toBe('start-unknown');
  });

  it('lets another run go on once that run was re-run and its job failed', async () => {
    const { service, world, finish } = await setUpScene([failed]);
    const options = { baseUrl: service.url, tag: 'v1.0.0' };
    world.runs['77'] = {
      headBranch: 'v1.0.0',
      attempts: [
        [jobWith(11, 'docs', recordOf(undefined, options))],
        [jobWith(12, 'docs', recordOf('job_1', { ...options, attempt: 2 }))],
      ],
    };
    const result = await finish({ reuse: 'release' }, tagAttempt(1, 'v1.0.0'));
    expect(result.outputs).toMatchObject({ outcome: 'started', 'job-id': 'job_2' });
    expect(result.stdout).toContain('no job to wait for: the job that attempt 2 of another run (');
  });
});
