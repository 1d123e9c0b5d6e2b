import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { GitHubApiOptions } from '../github/api.ts';
import { type FaultRule, toApiError, toLimit } from '../github/faults.ts';
import { headSha } from '../harness/action-environment.ts';
import { eventually } from '../helpers/eventually.ts';
import { silence } from '../helpers/faults.ts';
import { broken, setUp, TOKEN } from '../helpers/github.ts';
import { jobRecord } from '../helpers/job-record.ts';
import { acceptJob, attempt, readFields, setUpRuns } from '../helpers/record.ts';

/** The path of a write of a status. */
const POSTED = /\/statuses\//;
const WRITE = { path: POSTED } as const;
const ANY = { path: /statuses/ } as const;
/** The process is this much faster than the stand-in for GitHub. */
const SCALE = 4;
const down = toApiError(503);
const full = 'This SHA and context has reached the maximum number of statuses.';

/** Half of it is for the record. */
const short = { 'timeout-minutes': '1' };
const recordFailed = { 'job-result': 'not-started', 'error-code': 'record-failed', 'job-id': '' };
const unavailable = 'GitHub unavailable';

describe.concurrent('nothing is sent without a record', () => {
  it.each<[string, Partial<GitHubApiOptions>, string]>([
    ['GitHub is down for good', broken(down), unavailable],
    ['GitHub does not answer', broken('dropped'), unavailable],
    ['a firewall answers', broken({ status: 403, body: '<html>' }), unavailable],
    ['the token may not write', { forbidsStatuses: true }, "Can't record the job"],
    ['the token is rejected', { token: 'another' }, "Can't record the job"],
    ['there is no such API', broken(toApiError(404)), "Can't record the job"],
    ['the commit is full', broken(toApiError(422, full)), 'Too many commit statuses'],
    ['the claim is never listed', broken({ status: 200, body: [] }, /commits/), unavailable],
  ])('if %s', async (_, api, heading) => {
    const { startRun, service } = await setUpRuns({}, api);
    // The patience with GitHub is half of the time.
    const { outputs, annotations } = await startRun({}, short).ended;
    expect(outputs).toMatchObject(recordFailed);
    expect(annotations.errors).toHaveLength(1);
    expect(outputs['message']).toContain(heading);
    expect(service.requests).toEqual([]);
  });

  it('names the setting that a runner lacks', async () => {
    const { startRun, service } = await setUpRuns();
    const { outputs, annotations } = await startRun({ env: { GITHUB_SHA: '' } }).ended;
    expect(outputs).toMatchObject(recordFailed);
    expect(annotations.errors[0]).toContain('GITHUB_SHA');
    expect(service.requests).toEqual([]);
  });
});

describe.concurrent('one job is started', () => {
  it.each<[string, FaultRule]>([
    ['GitHub is down for 8 seconds', { ...ANY, fault: down, forMs: 8_000 / SCALE }],
    ['GitHub is down for 25 seconds', { ...ANY, fault: down, forMs: 25_000 / SCALE }],
    ['GitHub is silent for 25 seconds', { ...ANY, fault: 'dropped', forMs: 25_000 / SCALE }],
    ['a commit is unknown for seconds', { ...ANY, fault: toApiError(422), calls: [1, 2] }],
    ['a limit of writes ends in time', { ...WRITE, fault: toLimit(30), calls: [1] }],
    ['a limit has no end', { ...WRITE, fault: { status: 429, body: {} }, calls: [1] }],
  ])('if %s', async (_, fault) => {
    const { startRun, service } = await setUpRuns({}, { faults: [fault] });
    const { outputs, annotations } = await startRun().ended;
    expect(outputs['job-id']).toBe('job_1');
    expect(annotations.warnings).toEqual([]);
    expect(service.creates).toBe(1);
  });

  it.each([401, 403, 404])(
    'if attempt 2 has a token that is unknown (%i) for two seconds',
    async (status) => {
      // The first attempt reads once.
      const api = broken(toApiError(status), /commits/, 2, 3);
      const { startRun, service } = await setUpRuns({}, api);
      await startRun().ended;
      const { outputs } = await startRun(attempt(2)).ended;
      expect(outputs).toMatchObject({ 'job-id': 'job_1', reused: 'true' });
      expect(service.creates).toBe(1);
    },
  );

  it('if the id meets a limit of writes, and a re-run waits for it', async () => {
    const { startRun, service } = await setUpRuns({}, broken(toLimit(1), POSTED, 2));
    await startRun().ended;
    expect((await startRun(attempt(2)).ended).outputs).toMatchObject({
      'job-id': 'job_1',
      reused: 'true',
    });
    expect(service.creates).toBe(1);
  });

  it('by each of 6 steps with another prompt, although GitHub limits writes', async () => {
    const { startRun, service } = await setUpRuns(
      { create: [1, 2, 3, 4, 5, 6].map(acceptJob) },
      broken(toLimit(20), POSTED, 3, 4, 5, 6),
    );
    const runs = [1, 2, 3, 4, 5, 6].map((number) => startRun({}, { prompt: `Task ${number}` }));
    const results = await Promise.all(runs.map(({ ended }) => ended));
    expect(new Set(results.map(({ outputs }) => outputs['job-id'])).size).toBe(6);
    expect(service.creates).toBe(6);
  });
});

describe.concurrent('a re-run sends nothing', () => {
  const unknown = { 'error-code': 'start-unknown', 'job-id': '' };

  it('after the response to the create was lost; a new run starts a job', async () => {
    const { startRun, service, statuses } = await setUpRuns({
      create: [{ fault: silence }, acceptJob(2)],
    });
    const first = await startRun().ended;
    expect(first.outputs).toMatchObject(unknown);
    const [written] = Object.values(statuses);
    expect(readFields(written).map(({ state }) => state)).toEqual(['starting']);
    const second = await startRun(attempt(2), short).ended;
    expect(second.outputs).toMatchObject(unknown);
    expect(second.annotations.errors[0]).toContain('Attempt 1 may have started the job');
    expect(service.creates).toBe(1);
    const other = await startRun({ env: { GITHUB_RUN_ID: '77' } }).ended;
    expect(other.outputs['job-id']).toBe('job_2');
  });

  it('after the claim could not be withdrawn, until somebody withdraws it by hand', async () => {
    const faults: FaultRule[] = [
      { ...ANY, calls: [1], fault: 'none' },
      { ...ANY, fault: down, forMs: 10_000 },
    ];
    const { startRun, service, statuses, apiUrl } = await setUpRuns({}, { faults });
    const endsAt = Date.now() + 10_500;
    const first = await startRun({}, { 'timeout-minutes': '0.5' }).ended;
    expect(first.outputs).toMatchObject(recordFailed);
    expect(first.annotations.errors[0]).toMatch(/Start a new run/);
    const [written = []] = Object.values(statuses);
    expect(readFields(written)).toMatchObject([{ state: 'starting' }]);

    await setTimeout(endsAt - Date.now());
    expect((await startRun(attempt(2), short).ended).outputs).toMatchObject(unknown);
    // As the page says, with `gh api`.
    const [claim] = written;
    const withdrawn = await fetch(`${apiUrl}/repos/acme/widgets/statuses/${headSha}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        state: 'success',
        context: claim?.context,
        target_url: claim?.target_url?.replace('state=starting', 'state=released'),
      }),
    });
    expect(withdrawn.status).toBe(201);
    expect((await startRun(attempt(3)).ended).outputs['job-id']).toBe('job_1');
    expect(service.creates).toBe(1);
  });

  it('if the service no longer finds the job', async () => {
    const get = [{ status: 404, body: { error: 'Job not found' } }];
    const { startRun, service } = await setUpRuns({ get });
    await startRun().ended;
    const { outputs } = await startRun(attempt(2), { wait: 'true' }).ended;
    expect(outputs).toMatchObject({ 'job-result': 'lost', 'error-code': 'job-lost' });
    expect(service.creates).toBe(1);
  });

  it('but for another job once the last one has failed', async () => {
    const get = [{ body: jobRecord({ id: 'job_1', status: 'failed' }) }];
    const { startRun, service } = await setUpRuns({ get });
    await startRun().ended;
    const { outputs } = await startRun(attempt(2)).ended;
    expect(outputs).toMatchObject({ 'job-id': 'job_2', reused: 'false' });
    expect(service.creates).toBe(2);
  });
});

const expiredKey = 'mint_emulator_expired_key_0001';
/** The number of the write that hangs, and whether the step is canceled then. */
const hanging: [string, number, Record<string, string>, boolean, string][] = [
  ['the claim', 1, {}, true, 'cancelled'],
  ['the withdrawal of the claim', 2, { 'api-key': expiredKey }, true, 'not-started'],
  ['the id', 2, { 'project-id': 'endless' }, true, 'cancelled'],
  ['the id', 2, { 'project-id': 'endless' }, false, 'timed-out'],
  ['the last status', 3, {}, true, 'pull-request-opened'],
];

it.concurrent.each(hanging)(
  'a run ends soon while GitHub hangs, writing %s (%i, %o, canceled: %s)',
  async (_, ...row) => {
    const [call, inputs, isCanceled, outcome] = row;
    // Other limits take a minute.
    const timeScale = isCanceled ? 0.1 : 0.25;
    const { start, github } = await setUp({}, broken('dropped', POSTED, call), timeScale);
    const action = start(isCanceled ? inputs : { ...inputs, 'timeout-minutes': '0.05' });
    await eventually(() => expect(github.count(/\/statuses\//, 'POST')).toBe(call));
    const hangsAt = performance.now();
    if (isCanceled) {
      await action.signal('SIGINT');
    }
    const { outputs, summary } = await action.ended;
    expect(performance.now() - hangsAt).toBeLessThan(40_000);
    expect(outputs['job-result']).toBe(outcome);
    expect(summary).not.toContain('## ⏳');
  },
);

it('a run that is killed while it records its end leaves that end in its summary', async () => {
  const { start, github } = await setUp({}, broken('dropped', POSTED, 3), 0.5);
  const action = start({});
  await eventually(() => expect(github.count(/\/statuses\//, 'POST')).toBe(3), action);
  await action.signal('SIGKILL');
  const { summary, outputs } = await action.ended;
  expect(summary).toContain('Documentation pull request opened');
  expect(outputs['job-result']).toBe('pull-request-opened');
});
