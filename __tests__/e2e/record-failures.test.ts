import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { GitHubApiOptions } from '../github/api.ts';
import { type FaultRule, toApiError, toLimit } from '../github/faults.ts';
import type { ActionOptions } from '../harness/action.ts';
import { headSha } from '../harness/action-environment.ts';
import { eventually } from '../helpers/eventually.ts';
import { silence } from '../helpers/faults.ts';
import { broken, setUp, TOKEN } from '../helpers/github.ts';
import { jobRecord } from '../helpers/job-record.ts';
import { acceptJob, attempt, getEnd, setUpRuns } from '../helpers/record.ts';
import type { Step } from '../helpers/scripted-service.ts';

/** The path of a write of a status. */
const POSTED = /\/statuses\//;
const ANY = { path: /statuses/ } as const;
/** The process is this much faster than the stand-in for GitHub. */
const SCALE = 4;
const down = toApiError(503);
const full = 'This SHA and context has reached the maximum number of statuses.';

/** Half of it is for the record. */
const short = { 'timeout-minutes': '1' };

describe.concurrent('nothing is sent without a record', () => {
  it.each<[string, Partial<GitHubApiOptions>, string, ActionOptions?]>([
    ['GitHub is down for good', broken(down), 'GitHub unavailable'],
    ['GitHub does not answer', broken('dropped'), 'GitHub unavailable'],
    ['a firewall answers', broken({ status: 403, body: '<html>' }), 'GitHub unavailable'],
    ['the token may not write', { forbidsStatuses: true }, "Can't record the job"],
    ['the token is rejected', { token: 'another' }, 'GitHub token rejected'],
    ['there is no such API', broken(toApiError(404)), "Can't record the job"],
    ['the commit is full', broken(toApiError(422, full)), 'Too many commit statuses'],
    ['no claim is listed', broken({ status: 200, body: [] }, /commits/), 'GitHub unavailable'],
    ['the runner lacks a setting', {}, 'GITHUB_SHA', { env: { GITHUB_SHA: '' } }],
  ])('if %s', async (_, api, shown, options) => {
    const { run, service } = await setUpRuns({}, api);
    const { end, outputs, annotations } = await run({ inputs: short, ...options });
    expect([end, outputs['job-result']]).toEqual(['record-failed', 'not-started']);
    expect(`${outputs['message']} ${annotations.errors[0]}`).toContain(shown);
    expect(service.requests).toEqual([]);
  });
});

const seconds = (count: number): number => (count * 1_000) / SCALE;
const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);

describe.concurrent('one job is started', () => {
  it.each<[string, FaultRule, number]>([
    ['GitHub is down for 25 seconds', { ...ANY, fault: down, forMs: seconds(25) }, 1],
    ['GitHub is silent for 25 seconds', { ...ANY, fault: 'dropped', forMs: seconds(25) }, 1],
    ['a commit is unknown for seconds', { ...ANY, fault: toApiError(422), calls: [1, 2] }, 1],
    ['a limit of writes ends in time', { path: POSTED, fault: toLimit(30), calls: [1] }, 1],
    ['a limit has no end', { path: POSTED, fault: { status: 429, body: {} }, calls: [1] }, 1],
    ['the id meets a limit of writes', { path: POSTED, fault: toLimit(1), calls: [2] }, 2],
    ['the id meets 15 failures', { path: POSTED, fault: down, calls: from(2, 15) }, 2],
    [
      'attempt 2 has a token that is unknown for two seconds',
      // The first attempt reads once. unit/github/api.test.ts shows other refusals.
      { path: /commits/, fault: toApiError(404), calls: [2, 3] },
      2,
    ],
  ])('if %s', async (_, fault, attempts) => {
    const { run, service } = await setUpRuns({}, { faults: [fault] });
    for (let number = 1; number <= attempts; number += 1) {
      // A busy machine could use up the ten seconds of doubt if they were shorter.
      const timeScale = number === 1 ? SCALE : 1;
      const { end, annotations } = await run({ ...attempt(number), timeScale });
      expect(end).toBe(number === 1 ? 'started job_1' : 'started job_1 reused');
      expect(annotations.warnings).toEqual([]);
    }
    expect(service.creates).toBe(1);
  });

  it('by each of 6 steps with another prompt, although GitHub limits writes', async () => {
    const numbers = [1, 2, 3, 4, 5, 6];
    const api = broken(toLimit(20), POSTED, 3, 4, 5, 6);
    const { startRun, service } = await setUpRuns({ create: numbers.map(acceptJob) }, api);
    const runs = numbers.map((number) => startRun({ inputs: { prompt: `Task ${number}` } }).ended);
    const ends = (await Promise.all(runs)).map(getEnd).sort();
    expect(ends).toEqual(numbers.map((number) => `started job_${number}`));
    expect(service.creates).toBe(6);
  });
});

const gone: Step = { status: 404, body: { error: 'Job not found' } };
const failed: Step = { body: jobRecord({ id: 'job_1', status: 'failed' }) };

it.concurrent('an id is not written again to a commit that takes no more statuses', async () => {
  const fault = { path: /\/statuses\//, body: /state=job/, fault: toApiError(422, full) };
  const { run, github } = await setUpRuns({}, { faults: [fault] });
  const { end, annotations } = await run();
  expect([end, annotations.warnings.length]).toEqual(['started job_1', 1]);
  const ids = github.requests.filter(({ body }) => body.includes('state=job'));
  expect(ids).toHaveLength(1);
});

describe.concurrent('a re-run sends nothing', () => {
  it('after the response to the create was lost; a new run starts a job', async () => {
    const create = [{ fault: silence }, acceptJob(2)];
    const { run, service, readStates } = await setUpRuns({ create });
    expect((await run()).end).toBe('start-unknown');
    expect(readStates()).toEqual(['starting']);
    // For all another step of the attempt knows, the first one may still start a job.
    const beside = await run(attempt(1, short));
    expect(beside.annotations.errors[0]).toMatch(
      /^See another step of this run. Once it ends, re-run/,
    );
    const second = await run(attempt(2, short));
    expect(second.end).toBe('start-unknown');
    expect(second.annotations.errors[0]).toContain('Attempt 1 may have started one');
    expect(service.creates).toBe(1);
    expect((await run({ env: { GITHUB_RUN_ID: '77' } })).end).toBe('started job_2');
  });

  it('after the claim could not be withdrawn, until somebody withdraws it by hand', async () => {
    const faults: FaultRule[] = [
      { ...ANY, calls: [1], fault: 'none' },
      { ...ANY, fault: down, forMs: 10_000 },
    ];
    const { run, service, statuses, readStates, apiUrl } = await setUpRuns({}, { faults });
    const endsAt = Date.now() + 10_500;
    const first = await run({ inputs: { 'timeout-minutes': '0.5' } });
    expect(first.end).toBe('record-failed');
    expect(first.annotations.errors[0]).toMatch(/didn't store the result .*Re-run later/);
    expect(readStates()).toEqual(['starting']);

    await setTimeout(endsAt - Date.now());
    expect((await run(attempt(2, short))).end).toBe('start-unknown');
    // As the page says, with `gh api`.
    const [claim] = statuses[headSha] ?? [];
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
    expect((await run(attempt(3))).end).toBe('started job_1');
    expect(service.creates).toBe(1);
  });

  it.each<[string, Step, string, string, number]>([
    ['if the service no longer finds the job', gone, 'true', 'job-lost job_1 reused', 1],
    ['but for another job once the last one has failed', failed, 'false', 'started job_2', 2],
  ])('%s', async (_, step, wait, end, creates) => {
    const { run, service, readStates } = await setUpRuns({ get: [step] });
    await run();
    const again = await run(attempt(2, { wait }));
    expect(again.end).toBe(end);
    expect(service.creates).toBe(creates);
    // One claim for each job, and one line about the first one.
    expect(readStates().join(' ')).toBe('starting job '.repeat(creates).trim());
    expect(again.stdout.match(/job `job_1` of attempt 1/g)).toHaveLength(1);
  });
});

const endless = { 'project-id': 'endless' };
const expired = { 'api-key': 'mint_emulator_expired_key_0001' };
const done = 'pull-request-opened';
/** The number of the write that hangs, and the signal that the step gets then. */
const hanging: [string, number, Record<string, string>, NodeJS.Signals | undefined, string][] = [
  ['the claim', 1, {}, 'SIGINT', 'cancelled'],
  ['the withdrawal of the claim', 2, expired, 'SIGINT', 'not-started'],
  ['the id', 2, endless, 'SIGINT', 'cancelled'],
  ['the id', 2, endless, undefined, 'timed-out'],
  ['the last status', 3, {}, 'SIGINT', done],
  ['the last status', 3, {}, 'SIGKILL', done],
];

it.concurrent.each(hanging)(
  'a run ends soon while GitHub hangs, writing %s (%i, %o, signal: %s)',
  async (_, call, inputs, signal, outcome) => {
    // Other limits take a minute.
    const timeScale = signal === undefined ? 0.25 : 0.1;
    const { start, github } = await setUp({}, broken('dropped', POSTED, call), timeScale);
    const action = start(signal === undefined ? { ...inputs, 'timeout-minutes': '0.05' } : inputs);
    await eventually(() => expect(github.count(POSTED)).toBe(call));
    const hangsAt = performance.now();
    await (signal && action.signal(signal));
    const { outputs, summary } = await action.ended;
    expect(performance.now() - hangsAt).toBeLessThan(40_000);
    expect(outputs['job-result']).toBe(outcome);
    expect(summary?.includes('Documentation pull request opened')).toBe(outcome === done);
    expect(summary).not.toContain('## ⏳');
  },
);
