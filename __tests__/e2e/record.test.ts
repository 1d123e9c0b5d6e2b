import { describe, expect, it } from 'vitest';
import { headSha } from '../harness/action-environment.ts';
import { eventually } from '../helpers/eventually.ts';
import { broken, RUN_ID, setUp } from '../helpers/github.ts';
import { jobRecord } from '../helpers/job-record.ts';
import { attempt, readFields } from '../helpers/record.ts';
import { scriptedService } from '../helpers/scripted-service.ts';
import { createGate } from '../helpers/sockets.ts';

const page = `https://github.com/acme/widgets/actions/runs/${RUN_ID}/attempts/1`;
const started = { wait: 'false' };

describe.concurrent('the record of a job', () => {
  it('is written before the create request, and completed after it', async () => {
    const { finish, github, emulator, statuses } = await setUp();
    const { outputs } = await finish();
    const id = outputs['job-id'] ?? '';
    const written = statuses[headSha] ?? [];
    expect(
      written.map(({ state, description, target_url: link }) => [
        state,
        description,
        link?.split('#')[0],
      ]),
    ).toEqual([
      ['success', `Rehearsal: Starting an agent job: run ${RUN_ID}, attempt 1`, page],
      ['success', `Rehearsal: Agent job ${id} started by run ${RUN_ID}, attempt 1`, page],
      [
        'success',
        `Rehearsal: Agent job ${id}: completed, acme/docs#128`,
        'https://github.com/acme/docs/pull/128',
      ],
    ]);
    const [first, ...others] = readFields(written);
    expect(first).toMatchObject({
      'docs-agent-job': 'v6',
      runId: RUN_ID,
      attempt: '1',
      state: 'starting',
    });
    expect(others).toEqual([1, 2].map(() => ({ ...first, state: 'job', jobId: id })));
    expect(new Set(written.map(({ context }) => context))).toEqual(
      new Set([`Docs agent job (${first?.['fingerprint']?.slice(0, 8)})`]),
    );
    const [write, list] = github.requests.map(({ method }) => method);
    expect([write, list, emulator.requests[0]?.method]).toEqual(['POST', 'GET', 'POST']);
  });

  it('makes every re-run wait for the job', async () => {
    const { finish, emulator } = await setUp();
    const first = await finish(started);
    for (const number of [2, 3]) {
      const { outputs, stdout } = await finish({}, attempt(number));
      expect(outputs).toMatchObject({ 'job-id': first.outputs['job-id'], reused: 'true' });
      expect(stdout).toContain(`found job ${first.outputs['job-id']} of attempt 1`);
    }
    expect(emulator.counts().creates).toBe(1);
  });

  it('lets three steps at the same moment start one job', async () => {
    const { start, emulator } = await setUp();
    const results = await Promise.all([1, 2, 3].map(() => start(started).ended));
    expect(emulator.counts().creates).toBe(1);
    const [job, ...others] = results.map(({ outputs }) => outputs['job-id']);
    expect(others).toEqual([job, job]);
    expect(results.map(({ outputs }) => outputs['reused']).sort()).toEqual([
      'false',
      'true',
      'true',
    ]);
  });

  it('is not used or written with `reuse: never`', async () => {
    const { finish, emulator, github } = await setUp();
    await finish(started);
    const requests = github.requests.length;
    const second = await finish({ ...started, reuse: 'never' }, attempt(2));
    expect(second.outputs['reused']).toBe('false');
    expect(github.requests.length).toBe(requests);
    expect(emulator.counts().creates).toBe(2);
  });

  it.each([1, 2])('is read but not written by a dry run of attempt %i', async (number) => {
    const { finish, emulator, statuses } = await setUp();
    const first = await finish(started);
    const written = statuses[headSha]?.length;
    const second = await finish({ 'dry-run': 'true' }, attempt(number));
    expect(second.outputs).toMatchObject({ 'job-result': 'dry-run', reused: 'true' });
    expect(second.stdout).toContain(`A real run would wait for job \`${first.outputs['job-id']}\``);
    expect(statuses[headSha]?.length).toBe(written);
    expect(emulator.counts().creates).toBe(1);
  });
});

it('a dry run waits for the id while another step is starting the job', async () => {
  const gate = createGate();
  const service = await scriptedService({ create: [{ until: gate.opened }] });
  const { start, finish } = await setUp();
  const inputs = { 'base-url': service.url, ...started };
  const action = start(inputs);
  await eventually(() => expect(service.seen('create')).not.toEqual([]), action);
  const dryRun = finish({ ...inputs, 'dry-run': 'true' });
  gate.open();
  const { stdout } = await dryRun;
  expect(stdout).toMatch(/A real run would (?:wait for job|start a job)/);
  expect(service.creates).toBe(1);
  await action.ended;
});

describe.concurrent('a canceled run', () => {
  // Half a second for the last write is too short for a busy machine.
  const slowTime = { timeScale: 0.1 };

  it('withdraws the claim that it just wrote, so that a re-run starts the job', async () => {
    const silence = { path: /statuses/, method: 'GET', calls: [1], fault: 'dropped' } as const;
    const { start, finish, github, emulator, statuses } = await setUp({}, { faults: [silence] });
    const action = start({}, slowTime);
    await eventually(() => expect(github.count(/statuses/, 'GET')).toBe(1));
    await action.signal('SIGINT');
    expect((await action.ended).outputs).toMatchObject({ 'job-result': 'cancelled', 'job-id': '' });
    expect(emulator.requests).toEqual([]);
    expect(readFields(statuses[headSha]).map(({ state }) => state)).toEqual([
      'starting',
      'released',
    ]);
    const second = await finish(started, attempt(2));
    expect(second.outputs).toMatchObject({ 'job-result': 'started', reused: 'false' });
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
    expect(summary).toContain('| **Re‑run** | tries again, paid if it works |');
    expect([github.count(/statuses/), statuses[headSha]]).toEqual([0, undefined]);
  });

  it('records the job whose create request was on its way, so that a re-run waits for it', async () => {
    const gate = createGate();
    const service = await scriptedService({ create: [{ until: gate.opened }] });
    const { start, finish, statuses } = await setUp();
    const inputs = { 'base-url': service.url, ...started };
    const action = start({ ...inputs, wait: 'true' }, slowTime);
    await eventually(() => expect(service.seen('create')).not.toEqual([]));
    await action.signal('SIGINT');
    gate.open();
    const { outputs } = await action.ended;
    expect(outputs).toMatchObject({ 'job-result': 'cancelled', 'job-id': jobRecord()['id'] });
    expect(readFields(statuses[headSha]).map(({ state }) => state)).toEqual(['starting', 'job']);
    const second = await finish(inputs, attempt(2));
    expect(second.outputs).toMatchObject({ 'job-id': outputs['job-id'], reused: 'true' });
    expect(service.creates).toBe(1);
  });
});
