import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { createGate, faults, jobRecord, type Step } from '../helpers/servers.ts';
import {
  askToWait,
  BUSY_MS,
  cancelled,
  type Ending,
  endBy,
  jobId,
  key,
  opened,
  play,
  start,
  startUnknown,
  success,
  timedOut,
} from './scenario.ts';

const silence: Step = { fault: faults.silence };
/** An interval that keeps the action in a sleep between polls. */
const asleep = { 'poll-interval-seconds': '300' };

// A run that misses the signal must take far longer than a busy machine needs to end a run. Polls
// and sleeps are long enough in real time. The five seconds for a create request, and the pauses
// before it, need a tenth of the speed.
const realTime = { timeScale: 1 };
const slowTime = { timeScale: 0.1 };

describe.concurrent('a canceled step', () => {
  it.each(['SIGTERM', 'SIGBREAK'] as const)('ends at once on %s in a sleep', async (signal) => {
    const { action, end } = await start({}, { inputs: asleep, ...realTime });
    await eventually(() => expect(action.outputs['job-id']).toBe(jobId), action);
    expect(await endBy(action, signal)).toBeLessThan(BUSY_MS);
    const result = await end(cancelled);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
    expect(result.summary).toContain(jobId);
  });

  it.each([
    ['SIGINT', 'SIGINT'],
    ['the SIGINT and SIGTERM of a runner', 'SIGTERM'],
  ] as const)('ends at once on %s during a poll', async (_title, last) => {
    const { action, receives, end } = await start({ get: [silence] }, realTime);
    await receives('get');
    // The process may end before a second signal could be sent.
    if (last === 'SIGTERM') {
      void action.signal('SIGINT');
    }
    expect(await endBy(action, last)).toBeLessThan(BUSY_MS);
    const { outputs } = await end(cancelled);
    expect(outputs['job-id']).toBe(jobId);
  });
});

describe.concurrent('a step that is canceled during the create request', () => {
  it.each<[string, Step, Ending, string]>([
    ['a record', {}, cancelled, '| **Cost** | 1 job |'],
    ['a 500', { status: 500, madeJob: true }, startUnknown, '| **Cost** | maybe 1 job |'],
  ])('reports %s that arrives after SIGINT', async (_title, step, ending, text) => {
    const gate = createGate();
    const create = [{ ...step, until: gate.opened }];
    const { service, action, receives, end } = await start({ create }, slowTime);
    await receives('create');
    await action.signal('SIGINT');
    gate.open();
    const result = await end(ending);
    expect(result.outputs['job-id']).toBe(ending === cancelled ? jobId : '');
    expect(result.summary).toContain(text);
    expect(service.seen('get')).toEqual([]);
  });

  it('waits five seconds for a response that never comes', async () => {
    const timeScale = 4;
    const { action, receives, end } = await start({ create: [silence] }, { timeScale });
    await receives('create');
    const tookMs = await endBy(action, 'SIGINT');
    expect(tookMs).toBeGreaterThan(4_900 / timeScale);
    expect(tookMs).toBeLessThan(5_000 / timeScale + BUSY_MS);
    const result = await end(cancelled);
    expect(result.outputs['job-id']).toBe('');
    expect(result.summary).toContain('| **Cost** | maybe 1 job |');
  });

  it('ends at once on a second SIGINT', async () => {
    const { action, receives, end } = await start({ create: [silence] }, slowTime);
    await receives('create');
    await action.signal('SIGINT');
    expect(await endBy(action, 'SIGINT')).toBeLessThan(BUSY_MS);
    const { summary } = await end(cancelled);
    expect(summary).toContain('| **Cost** | maybe 1 job |');
  });
});

it.each([
  ['create', '', '## ⏳ Sending the request …'],
  ['get', jobId, '## ⏳ Waiting for the documentation job'],
] as const)('a step killed during the %s request leaves all that it knows', async (...row) => {
  const [call, id, heading] = row;
  const { service, action, receives } = await start({ [call]: [silence] });
  await receives(call);
  await action.signal('SIGKILL');
  const result = await action.ended;
  expectInvariants(result, { key, creates: service.creates, jobs: service.jobs });
  expect(service).toMatchObject({ creates: 1, jobs: 1 });
  const { signal, outputs, summary, stdout } = result;
  expect([signal, outputs['job-id']]).toEqual(['SIGKILL', id]);
  expect(summary).toContain(heading);
  if (call === 'create') {
    return;
  }
  expect(stdout).toContain(`started job ${id}`);
  expect(outputs).toMatchObject({ status: 'active', reused: 'false' });
  expect(JSON.parse(outputs['job'] ?? '')).toEqual(jobRecord());
  expect(summary).toContain(`| **Job** | \`${id}\` |`);
});

it('a step killed before its next try says that it has started no job', async () => {
  const { action, service } = await start({ create: [askToWait(600)] });
  let log = '';
  action.child.stdout?.on('data', (chunk) => {
    log += String(chunk);
  });
  await eventually(() => expect(log).toContain('retrying in 10 min'), action);
  await action.signal('SIGKILL');
  const { summary } = await action.ended;
  expect(service).toMatchObject({ creates: 1, jobs: 0 });
  expect(summary).toContain('it was killed before it sent anything');
  expect(summary).toContain('| **Cost** | nothing |');
});

// Windows has neither SIGSTOP nor SIGCONT.
it.skipIf(process.platform === 'win32')(
  'a process that is paused past its deadline reads a response that arrived meanwhile',
  async () => {
    const gate = createGate();
    const script = { create: [{ until: gate.opened }], get: [opened] };
    // The deadline is after 7.5 s, so that a busy machine has time before it.
    const options = { inputs: { ...asleep, 'timeout-minutes': '0.025' }, timeScale: 0.2 };
    const { action, receives, end } = await start(script, options);
    await receives('create');
    await action.signal('SIGSTOP');
    gate.open();
    await new Promise((resolve) => setTimeout(resolve, 7_800));
    await action.signal('SIGCONT');
    await end(success);
  },
);

it('a change of the wall clock by a day in a sleep does not move the deadline', async () => {
  const preload = [fileURLToPath(new URL('./wall-clock.cjs', import.meta.url))];
  const env = { TIME_JUMP: '6000,86400000' };
  const inputs = { 'timeout-minutes': '0.2' };
  const { result } = await play({}, timedOut, { env, preload, inputs });
  expect(result.stdout).toContain('wall clock off by 1 d');
  const elapsed = Number(result.outputs['elapsed-seconds']);
  expect(elapsed).toBeGreaterThanOrEqual(12);
  expect(elapsed).toBeLessThan(3_600);
});

// The limit is too short for a busy machine, but not for every try.
it('a canceled step ends within a second in at least one of ten tries', async () => {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 10 && leastMs >= 1_000; tries += 1) {
    const { action, end } = await start({}, { inputs: asleep, ...realTime });
    await eventually(() => expect(action.outputs['job-id']).toBe(jobId), action);
    leastMs = Math.min(leastMs, await endBy(action, 'SIGINT'));
    await end(cancelled);
  }
  expect(leastMs).toBeLessThan(1_000);
});
