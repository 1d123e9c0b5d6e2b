import { describe, expect, it } from 'vitest';
import {
  faultServer,
  faults,
  jobRecord,
  reservePort,
  type Step,
  scriptedService,
} from '../helpers/servers.ts';
import {
  active,
  begin,
  jobId,
  lost,
  opened,
  page,
  play,
  success,
  TIME_SCALE,
  timedOut,
} from './faults-scenario.ts';

const missing: Step = { status: 404, body: { error: 'no such job' } };
const blocked: Step = { status: 403, ...page };
const ofAnother: Step = { body: jobRecord({ id: 'job_other' }) };
const closing: Step = { closeAfter: true };

/** The same step, repeated. */
function repeat(step: Step, count: number): Step[] {
  return Array.from({ length: count }, () => step);
}

describe.concurrent('polls that fail for a time', () => {
  const silence: Step = { fault: faults.silence };
  const failures: Step[] = [
    { fault: faults.reset },
    { fault: faults.close },
    { status: 500, body: { error: 'oops' } },
    { status: 502, ...page },
    { status: 503, body: '' },
    { status: 504, body: '' },
    { status: 408, body: '' },
    { fault: faults.cutBody },
    { fault: faults.shortLength },
    { fault: faults.notHttp },
    { fault: faults.hugeHeaders },
  ];
  const unknown = ['queued', 'reviewing', 'queued', 'constructor', ''].map((status) => ({
    body: jobRecord({ status }),
  }));

  it.each<[string, Step[], timeScale?: number]>([
    ['one of each kind, one after the other', failures],
    ['one of each kind, with answers between them', failures.flatMap((step) => [step, active])],
    ['silence', [silence, active], 10],
    ['404 twice right after the create', [missing, missing]],
    ['403 with HTML twice', [blocked, blocked]],
    ['four records of something else, then the right one', repeat(ofAnother, 4)],
    ['unknown statuses', unknown],
  ])('%s', async (_title, steps, timeScale = TIME_SCALE) => {
    const { calls, result } = await play({ get: [...steps, opened] }, success, { timeScale });
    expect(calls).toBe(['create', ...steps.map(() => 'get'), 'get'].join(' '));
    expect(result.stdout.match(/a poll failed/g)?.length ?? 0).toBeLessThanOrEqual(10);
    expect(result.stdout).not.toContain('<h1>');
    if (steps !== unknown) return;
    expect(result.annotations.warnings).toEqual([expect.stringContaining('queued')]);
    expect(result.stdout).toContain('status reviewing');
  });

  it('the service is down for a while', async () => {
    const service = await scriptedService({}, { port: await reservePort() });
    const { action, end } = begin(service.url);
    await action.waitForOutput('job-id');
    await service.close();
    await action.waitForLog('ECONNREFUSED');
    const again = await scriptedService({ get: [opened] }, { port: service.port });
    await end(service, success);
    expect(again.creates).toBe(0);
  });

  it.each([
    ['idle sockets are closed between gets', active, { idleMs: 20 }],
    ['the connection is closed after each answer', closing, {}],
  ])('%s', async (_title, step, transport) => {
    const get = [...repeat(step, 4), { ...opened, ...step }];
    const { calls } = await play({ create: [step], get }, success, {}, transport);
    expect(calls).toBe('create get get get get get');
  });

  it('429 with Retry-After 3', async () => {
    const get = [{ status: 429, headers: { 'retry-after': '3' }, body: { error: 'slow down' } }, opened];
    const { service, result } = await play({ get }, success, { timeScale: 4 });
    const [first = 0, second = 0] = service.seen('get').map(({ atMs }) => atMs);
    expect((second - first) * 4 * 1.05).toBeGreaterThanOrEqual(3_000);
    expect(result.stdout).toContain('the service asked to wait (HTTP 429: slow down)');
  });
});

describe.concurrent('polls that fail for good', () => {
  it('404 forever, after the time in which a new job may not be visible', async () => {
    const inputs = { 'poll-interval-seconds': '5' };
    const { result } = await play({ get: [missing] }, lost, { inputs, timeScale: 40 });
    expect(result.outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(60);
    expect(result.annotations.errors[0]).toContain('HTTP 404: no such job');
  });

  const list: Step = { body: [jobRecord()] };
  it.each<[string, number, Step[]]>([
    ['401', 1, [{ status: 401, body: { error: 'the key has expired' } }]],
    ['403 with an error', 1, [{ status: 403, body: { error: 'not from this address' } }]],
    ['403 with HTML, forever', 3, [blocked]],
    ['410', 1, [{ status: 410, body: { error: 'gone' } }]],
    ['another id', 5, [ofAnother]],
    ['status null', 5, [{ body: jobRecord({ status: null }) }]],
    ['an array', 5, [list]],
    ['HTML', 5, [page]],
    ['204', 5, [{ status: 204 }]],
    ['a gzip bomb', 5, [{ fault: faults.gzipBomb }]],
    ['chunks without end', 5, [{ fault: faults.endlessChunks }]],
    ['no record of the job, each of another kind', 5, [list, blocked, list, blocked, list, opened]],
  ])('%s', async (_title, gets, steps) => {
    const { service, result } = await play({ get: [active, ...steps] }, lost);
    expect(service.seen('get')).toHaveLength(1 + gets);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
    expect(result.stdout).not.toContain('<h1>');
    expect(result.maxRssMb).toBeLessThan(300);
  });

  it.each([302, 303, 307])('%i on a get is not followed', async (status) => {
    const other = await faultServer(faults.silence);
    const headers = { location: `${other.url}/v2/agent/x/job/${jobId}` };
    const { calls } = await play({ get: [{ status, headers, body: '' }] }, lost);
    expect(other.connections).toBe(0);
    expect(calls).toBe('create get');
  });
});

describe.concurrent('the deadline', () => {
  // In real time: the last poll has 1.8 s.
  const timeScale = 1;
  const pause: Step = { status: 429, headers: { 'retry-after': '86400' }, body: { error: 'x' } };

  it.each<[string, Step, typeof success]>([
    ['a job that is active', active, timedOut],
    ['a final job', opened, success],
    ['silence', { fault: faults.silence }, timedOut],
    ['a body in drips', { fault: faults.dripBody(20) }, timedOut],
    ['503 with a Retry-After of a day', { ...pause, status: 503 }, timedOut],
    ['429', { status: 429, body: { error: 'x' } }, timedOut],
    ['404', missing, timedOut],
  ])('the last poll is met with %s', async (_title, step, ending) => {
    // Three seconds, and an interval that leaves room for the last poll only.
    const inputs = { 'timeout-minutes': '0.05', 'poll-interval-seconds': '300' };
    const { calls, result } = await play({ get: [step] }, ending, { inputs, timeScale });
    expect(calls).toBe('create get');
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(3);
    expect(result.outputs['job-id']).toBe(jobId);
    if (ending === success) return;
    expect(result.outputs['status']).toBe('active');
    expect(result.annotations.errors[0]).toContain('`job-id`');
  });

  it('a pause that the service asked for ends at the deadline', async () => {
    const inputs = { 'timeout-minutes': '0.1' };
    const { calls } = await play({ get: [pause, opened] }, success, { inputs, timeScale });
    expect(calls).toBe('create get get');
  });
});
