import { describe, expect, it } from 'vitest';
import { createEmulator } from '../../emulator/server.ts';
import { headSha } from '../harness/action-environment.ts';
import { eventually } from '../helpers/eventually.ts';
import { broken, RUN_ID, setUp } from '../helpers/github.ts';
import { jobRecord } from '../helpers/job-record.ts';
import { acceptJob, attempt, getEnd, readFields, setUpRuns, tagRun } from '../helpers/record.ts';
import { createGate } from '../helpers/sockets.ts';

const page = `https://github.com/acme/widgets/actions/runs/${RUN_ID}/attempts/1`;
const pull = 'https://github.com/acme/docs/pull/128';

const working = acceptJob(1);
const ended = { body: jobRecord({ id: 'job_1', status: 'completed' }) };

describe.concurrent('the record of a job', () => {
  it('is written before the create request, and completed after it', async () => {
    const { finish, github, emulator, statuses } = await setUp();
    const { outputs } = await finish();
    const id = outputs['job-id'] ?? '';
    const written = statuses[headSha] ?? [];
    expect(written.map((one) => [one.description, one.target_url?.split('#')[0]])).toEqual([
      [`Rehearsal: Starting an agent job: run ${RUN_ID}, attempt 1`, page],
      [`Rehearsal: Agent job ${id} started by run ${RUN_ID}, attempt 1`, page],
      [`Rehearsal: Agent job ${id}: completed, acme/docs#128`, pull],
    ]);
    expect(written.map(({ state }) => state)).toEqual(['success', 'success', 'success']);
    const [first, ...others] = readFields(written);
    const claim = { 'docs-agent-job': 'v7', runId: RUN_ID, attempt: '1', state: 'starting' };
    expect(first).toMatchObject(claim);
    expect(others).toEqual([1, 2].map(() => ({ ...first, state: 'job', jobId: id })));
    expect(new Set(written.map(({ context }) => context))).toEqual(
      new Set([`Docs agent job (${first?.['fingerprint']?.slice(0, 8)})`]),
    );
    const [write, list] = github.requests.map(({ method }) => method);
    expect([write, list, emulator.requests[0]?.method]).toEqual(['POST', 'GET', 'POST']);
  });

  it('makes every re-run wait for it, but one with `reuse: never`; a dry run says so', async () => {
    const { run, statuses, github, service } = await setUpRuns();
    expect((await run()).end).toBe('started job_1');
    const written = statuses[headSha];
    for (const number of [1, 2]) {
      const dry = await run(attempt(number, { 'dry-run': 'true' }));
      expect(dry.end).toBe('dry-run job_1 reused');
      expect(dry.stdout).toContain('A real run would wait for job `job_1`');
    }
    expect(statuses[headSha]).toBe(written);
    for (const number of [2, 3]) {
      const { end, stdout } = await run(attempt(number));
      expect(end).toBe('started job_1 reused');
      expect(stdout).toContain('found job `job_1` of attempt 1');
    }
    expect(service.creates).toBe(1);
    const requests = github.requests.length;
    expect((await run(attempt(4, { reuse: 'never' }))).end).toBe('started job_2');
    expect(github.requests.length).toBe(requests);
  });

  it.each([
    ['is not written again by a run that finds the job ended', [ended], 2],
    ['tells the end that a run that waits has seen', [working, working, ended], 3],
  ])('%s', async (_, get, count) => {
    const { run, statuses } = await setUpRuns({ get: [...get] });
    await run();
    expect((await run(attempt(2, { wait: 'true' }))).outputs['status']).toBe('completed');
    expect(statuses[headSha]).toHaveLength(count);
  });

  it.each([
    ['steps', 'rerun', ['77', '77', '77']],
    ['runs for a release', 'auto', ['77', '78', '79']],
  ])('lets three %s at the same moment start one job', async (_, reuse, ids) => {
    const { startRun, service, readStates } = await setUpRuns();
    const runs = ids.map((id) => startRun(tagRun(id, { reuse })).ended);
    const ends = (await Promise.all(runs)).map(getEnd).sort();
    expect(ends).toEqual(['started job_1', 'started job_1 reused', 'started job_1 reused']);
    expect(service.creates).toBe(1);
    expect(readStates().filter((state) => state === 'job')).toHaveLength(1);
    expect(readStates()).not.toContain('released');
  });

  it('is awaited by a dry run while another step is starting the job', async () => {
    const gate = createGate();
    const { startRun, run, service, github } = await setUpRuns({
      create: [{ until: gate.opened }],
    });
    const action = startRun();
    await eventually(() => expect(service.creates).toBe(1));
    const reads = github.count(/statuses/, 'GET');
    const dryRun = run({ inputs: { 'dry-run': 'true' } });
    await eventually(() => expect(github.count(/statuses/, 'GET')).toBeGreaterThan(reads));
    gate.open();
    expect((await dryRun).stdout).toContain('A real run would wait for job');
    await action.ended;
  });
});

it.concurrent.each([
  ['waits for its job', 'quick', 'pull-request-opened', 0],
  ['starts another job once it has failed', 'failing', 'failed', 1],
])('a re-run of a rehearsal %s, although its emulator is a new one', async (...row) => {
  const [, project, end, creates] = row;
  const inputs = { 'project-id': project };
  const { finish, start, emulator } = await setUp();
  const first = await finish(inputs);
  await emulator.close();
  const next = createEmulator({ speed: 20 });
  const url = await next.listen();
  const { outputs } = await start({ ...inputs, 'base-url': url }, attempt(2)).ended;
  await next.close();
  expect([outputs['job-result'], next.counts().creates]).toEqual([end, creates]);
  expect(outputs['job-id'] === first.outputs['job-id']).toBe(creates === 0);
});

describe.concurrent('a canceled run', () => {
  // Half a second for the last write is too short for a busy machine.
  const slowTime = { timeScale: 0.1 };

  it('withdraws the claim that it just wrote, so that a re-run starts the job', async () => {
    const silence = { path: /statuses/, method: 'GET', calls: [1], fault: 'dropped' } as const;
    const { startRun, run, github, service, readStates } = await setUpRuns(
      {},
      { faults: [silence] },
    );
    const action = startRun(slowTime);
    await eventually(() => expect(github.count(/statuses/, 'GET')).toBe(1));
    await action.signal('SIGINT');
    expect(getEnd(await action.ended)).toBe('cancelled');
    expect(service.requests).toEqual([]);
    expect(readStates()).toEqual(['starting', 'released']);
    const second = await run(attempt(2));
    expect(second.end).toBe('started job_1');
    expect(second.annotations.warnings).toEqual([]);
  });

  it('claims nothing if it was still reading release facts', async () => {
    const tags = { tags: [{ name: 'v1.0.0', sha: headSha }] };
    const { start, github, statuses } = await setUp(tags, broken('dropped', /\/git\//));
    const action = start({ 'include-changes': 'true', 'release-tag': 'v1.0.0' }, slowTime);
    await eventually(() => expect(github.count(/\/git\//)).toBe(1));
    await action.signal('SIGINT');
    const { outputs, summary } = await action.ended;
    expect(outputs['job-result']).toBe('cancelled');
    expect(summary).toContain('| **Re‑run** | may start a job |');
    // The look for an earlier record is the only one.
    expect([github.count(/statuses/, 'POST'), statuses[headSha]]).toEqual([0, undefined]);
  });

  it('records the job whose create request was on its way, so a re-run waits for it', async () => {
    const gate = createGate();
    const { startRun, run, service, readStates } = await setUpRuns({
      create: [{ until: gate.opened }],
    });
    const action = startRun({ ...slowTime, inputs: { wait: 'true' } });
    await eventually(() => expect(service.creates).toBe(1));
    await action.signal('SIGINT');
    gate.open();
    expect(getEnd(await action.ended)).toBe('cancelled job_0123456789abcdef');
    expect(readStates()).toEqual(['starting', 'job']);
    expect((await run(attempt(2))).end).toBe('started job_0123456789abcdef reused');
    expect(service.creates).toBe(1);
  });
});
