import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { expectInvariants } from '../helpers/invariants.ts';
import { createGate, faults, jobRecord, type Script, type Step } from '../helpers/servers.ts';
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
const polling: Script = { get: [silence] };
const maybePaid = '| **Cost** | maybe 1 job |';

// A run that misses the signal must take far longer than a busy machine needs to end a run. Polls
// and sleeps are long enough in real time. The five seconds for a create request, and the pauses
// before it, need a tenth of the speed.
const realTime = { timeScale: 1 };
const slowTime = { timeScale: 0.1 };

describe.concurrent('a canceled step', () => {
  it.each<[string, Script, NodeJS.Signals, NodeJS.Signals?]>([
    ['SIGTERM in a sleep', {}, 'SIGTERM'],
    ['SIGBREAK in a sleep', {}, 'SIGBREAK'],
    ['SIGINT during a poll', polling, 'SIGINT'],
    ['the SIGINT and SIGTERM of a runner during a poll', polling, 'SIGTERM', 'SIGINT'],
  ])('ends at once on %s', async (_, script, last, first) => {
    const inputs = script === polling ? {} : asleep;
    const { action, receives, end } = await start(script, { inputs, ...realTime });
    await eventually(() => expect(action.outputs['job-id']).toBe(jobId));
    await (script === polling && receives('get'));
    // The process may end before a second signal could be sent.
    void (first && action.signal(first));
    expect(await endBy(action, last)).toBeLessThan(BUSY_MS);
    expect((await end(cancelled)).outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
  });
});

describe.concurrent('a step that is canceled during the create request', () => {
  it.each<[string, Step, Ending, string, string]>([
    ['a record', {}, cancelled, jobId, '| **Cost** | 1 job |'],
    ['a 500', { status: 500, madeJob: true }, startUnknown, '', maybePaid],
  ])('reports %s that arrives after SIGINT', async (_title, step, ending, id, cost) => {
    const gate = createGate();
    const create = [{ ...step, until: gate.opened }];
    const { service, action, receives, end } = await start({ create }, slowTime);
    await receives('create');
    await action.signal('SIGINT');
    gate.open();
    const { outputs, summary } = await end(ending);
    expect([outputs['job-id'], summary]).toEqual([id, expect.stringContaining(cost)]);
    expect(service.seen('get')).toEqual([]);
  });

  it.each([
    ['waits five seconds for a response that never comes', 4, 1, 4_900 / 4, 5_000 / 4 + BUSY_MS],
    ['ends at once on a second SIGINT', 0.1, 2, 0, BUSY_MS],
  ])('%s', async (_, timeScale, signals, leastMs, mostMs) => {
    const { action, receives, end } = await start({ create: [silence] }, { timeScale });
    await receives('create');
    await (signals === 2 && action.signal('SIGINT'));
    const tookMs = await endBy(action, 'SIGINT');
    expect(tookMs).toBeGreaterThan(leastMs);
    expect(tookMs).toBeLessThan(mostMs);
    const { outputs, summary } = await end(cancelled);
    expect([outputs['job-id'], summary]).toEqual(['', expect.stringContaining(maybePaid)]);
  });
});

const known = { status: 'active', reused: 'false', job: JSON.stringify(jobRecord()) };
const waiting = '## ⏳ Waiting for the documentation job';
it.each<['create' | 'get', object, string[]]>([
  ['create', { 'job-id': '' }, ['## ⏳ Sending the request …']],
  ['get', { 'job-id': jobId, ...known }, [waiting, `| **Job** | \`${jobId}\` |`]],
])('a step killed during the %s request leaves all it knows', async (call, outputs, shown) => {
  const { service, action, receives } = await start({ [call]: [silence] });
  await receives(call);
  await action.signal('SIGKILL');
  const result = await action.ended;
  expectInvariants(result, { key, creates: service.creates, jobs: service.jobs });
  expect(service).toMatchObject({ creates: 1, jobs: 1 });
  expect(result.signal).toBe('SIGKILL');
  expect(result.outputs).toMatchObject(outputs);
  expect(shown.filter((text) => !result.summary?.includes(text))).toEqual([]);
  expect(result.stdout.includes(`started job ${jobId}`)).toBe(call === 'get');
});

it('a step killed before its next try says that it has started no job', async () => {
  const { action, service } = await start({ create: [askToWait(600)] });
  let log = '';
  action.child.stdout?.on('data', (chunk) => {
    log += String(chunk);
  });
  await eventually(() => expect(log).toContain('retrying in 10 min'));
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

// GitHub's runner waits for 7.5 s. A busy machine may need them, but not in every try.
it('a canceled step ends within five seconds in at least one of ten tries', async () => {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 10 && leastMs >= 5_000; tries += 1) {
    const { action, end } = await start({}, { inputs: asleep, ...realTime });
    await eventually(() => expect(action.outputs['job-id']).toBe(jobId));
    leastMs = Math.min(leastMs, await endBy(action, 'SIGINT'));
    await end(cancelled);
  }
  expect(leastMs).toBeLessThan(5_000);
});
