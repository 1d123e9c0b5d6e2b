import { describe, expect, it } from 'vitest';
import type { Fault } from '../github/faults.ts';
import { eventually } from '../helpers/eventually.ts';
import { broken, setUp } from '../helpers/github.ts';
import { attempt } from '../helpers/record.ts';

const started = { wait: 'false' };

it('a run that may not write its record starts its job, and says what a re-run does', async () => {
  const { finish, emulator } = await setUp({}, { permissions: ['contents'] });
  const { outputs, annotations, summary } = await finish(started);
  expect(outputs['job-result']).toBe('started');
  expect(annotations.warnings).toEqual([
    expect.stringMatching(/can't be read or written.* duplicate.*give .* `statuses: write`/),
  ]);
  const rerun =
    "starts another job, unless a commit status names one that hasn't failed. This one couldn't be saved.";
  expect(summary).toContain(rerun);
  expect(annotations.notices.join()).toContain(`Re-run: ${rerun}`);
  expect(emulator.counts().creates).toBe(1);
});

it('a run that may not read the tag of the release sends nothing, and names the permission', async () => {
  const { finish, emulator } = await setUp({}, { permissions: ['statuses'] });
  const { annotations } = await finish({ reuse: 'release', 'release-tag': 'v1.0.0' });
  expect(annotations.errors).toEqual([expect.stringContaining('`contents: read`')]);
  expect(emulator.requests).toEqual([]);
});

const expiredKey = 'mint_emulator_expired_key_0001';
/** The number of the write that hangs, and whether the step is canceled then. */
const hanging: [string, number, Record<string, string>, boolean, string][] = [
  ['the claim', 1, {}, true, 'cancelled'],
  ['the withdrawal of the claim', 2, { 'api-key': expiredKey }, true, 'not-started'],
  ['an unknown start', 2, { 'project-id': 'unreadable' }, true, 'start-unknown'],
  ['the id', 2, { 'project-id': 'endless' }, true, 'cancelled'],
  ['the id', 2, { 'project-id': 'endless' }, false, 'timed-out'],
  ['the last status', 3, {}, true, 'pull-request-opened'],
];

it.concurrent.each(hanging)(
  'a run ends soon while GitHub hangs, writing %s (%i, %o, canceled: %s)',
  async (_, ...row) => {
    const [call, inputs, isCanceled, outcome] = row;
    const fault: Fault = { kind: 'slow', delayMs: 600_000 };
    const faults = [{ path: /\/statuses\//, method: 'POST', fault, calls: [call] } as const];
    // Other limits take a minute.
    const { start, github } = await setUp({}, { faults }, isCanceled ? 0.1 : 0.25);
    const action = start(isCanceled ? inputs : { ...inputs, 'timeout-minutes': '0.05' });
    await eventually(() => expect(github.count(/\/statuses\//, 'POST')).toBe(call));
    const hangsAt = performance.now();
    if (isCanceled) {
      await action.signal('SIGINT');
    }
    const { outputs, summary } = await action.ended;
    expect(performance.now() - hangsAt).toBeLessThan(40_000);
    expect(outputs['job-result']).toBe(outcome);
    expect(summary).not.toContain('Waiting for the');
  },
);

it('a run that is killed while it records its end leaves that end in its summary', async () => {
  const fault: Fault = { kind: 'dropped' };
  const faults = [{ path: /\/statuses\//, method: 'POST', fault, calls: [3] } as const];
  const { start, github } = await setUp({}, { faults });
  const action = start({});
  await eventually(() => expect(github.count(/\/statuses\//, 'POST')).toBe(3), action);
  await action.signal('SIGKILL');
  const { summary, outputs } = await action.ended;
  expect(summary).toContain('Documentation pull request opened');
  expect(outputs['job-result']).toBe('pull-request-opened');
});

describe.concurrent('a claim', () => {
  it('that GitHub lists four seconds later is read, and starts the job without a warning', async () => {
    // With a time scale of 2, two seconds are four.
    const { finish, emulator } = await setUp({}, { listLagMs: 2_000 }, 2);
    const { outputs, annotations } = await finish(started, attempt(2));
    expect(outputs['job-result']).toBe('started');
    expect(annotations.warnings).toEqual([]);
    expect(emulator.counts().creates).toBe(1);
  });

  it('gets its job id after a write limit, so that a re-run waits for the job', async () => {
    const fault: Fault = { kind: 'limit', seconds: 1 };
    const faults = [{ path: /\/statuses\//, method: 'POST', fault, calls: [2] } as const];
    const { finish, emulator } = await setUp({}, { faults });
    const slow = { 'project-id': 'slow' };
    const first = await finish(slow);
    const second = await finish({ ...slow, ...started }, attempt(2));
    expect(second.outputs).toMatchObject({ 'job-id': first.outputs['job-id'], reused: 'true' });
    expect(emulator.counts().creates).toBe(1);
  });
});

const rerun: [Record<string, string>, number] = [{}, 2];
const ofRelease: [Record<string, string>, number] = [
  { reuse: 'release', 'release-tag': 'v1.0.0' },
  1,
];
const faults: [string, Fault, typeof rerun][] = [
  ['is down', { kind: 'error', status: 503 }, rerun],
  ['does not answer', { kind: 'dropped' }, rerun],
  ['refuses more statuses', { kind: 'error', status: 422 }, rerun],
  ['sends the page of a firewall', { kind: 'written', status: 403, body: '<html>' }, ofRelease],
];

describe.concurrent.each(faults)('if GitHub %s', (_title, fault, [inputs, number]) => {
  it('a first attempt starts its job within seconds', async () => {
    const { finish, emulator } = await setUp({}, broken(fault), 1);
    const startedAt = Date.now();
    const { outputs, annotations } = await finish(started);
    expect(outputs['job-result']).toBe('started');
    expect(annotations.warnings).toEqual([expect.stringMatching(/ duplicate/)]);
    expect((emulator.requests[0]?.receivedAtMs ?? Number.NaN) - startedAt).toBeLessThan(25_000);
  });

  it(`${number === 2 ? 'a re-run' : 'a run with `reuse: release`'} sends nothing`, async () => {
    const { finish, emulator } = await setUp({}, broken(fault), 4);
    const { outputs, annotations } = await finish({ ...started, ...inputs }, attempt(number));
    expect(outputs).toMatchObject({
      'job-result': 'not-started',
      'error-code': 'reuse-unknown',
      'job-id': '',
    });
    expect(annotations.errors.join()).toContain('An earlier job may exist');
    expect(emulator.requests).toEqual([]);
  });
});
