import { afterAll, describe, expect, it } from 'vitest';
import { closeActions } from '../helpers/action.ts';
import {
  closeServers,
  faultServer,
  faults,
  jobRecord,
  reservePort,
  type Step,
  scriptedService,
} from '../helpers/servers.ts';
import { begin, jobId, lost, opened, success } from './faults-scenario.ts';

afterAll(async () => {
  await closeActions();
  await closeServers();
});

const portal = '<!doctype html><html><body><h1>Blocked</h1></body></html>';
const html = { headers: { 'content-type': 'text/html' }, body: portal };
const active: Step = {};
const missing: Step = { status: 404, body: { error: 'no such job' } };

/** The same step, repeated. */
function repeat(step: Step, count: number): Step[] {
  return Array.from({ length: count }, () => step);
}

describe.concurrent('polls that fail for a time', () => {
  const failures: [string, Step][] = [
    ['reset', { fault: faults.reset }],
    ['close', { fault: faults.close }],
    ['silence', { fault: faults.silence }],
    ['500', { status: 500, body: { error: 'oops' } }],
    ['502 with HTML', { status: 502, ...html }],
    ['503', { status: 503, body: '' }],
    ['504', { status: 504, body: '' }],
    ['408', { status: 408, body: '' }],
    ['a cut body', { fault: faults.cutBody }],
    ['a body that is short of its length', { fault: faults.shortLength }],
    ['not HTTP', { fault: faults.notHttp }],
    ['64 KB of headers', { fault: faults.hugeHeaders }],
  ];

  it('one of each kind, one after the other', async () => {
    const service = await scriptedService({ get: [...failures.map(([, step]) => step), opened] });
    const result = await begin(service.url).end(service, success);
    expect(service.seen('get')).toHaveLength(failures.length + 1);
    expect(result.stdout.match(/a poll failed/g)?.length).toBeLessThanOrEqual(10);
    expect(result.annotations.warnings.length).toBeLessThanOrEqual(10);
    expect(result.stdout).not.toContain('<h1>');
  });

  it('one of each kind, with answers between them', async () => {
    const get = [...failures.flatMap(([, step]) => [step, active]), opened];
    const service = await scriptedService({ get });
    const result = await begin(service.url).end(service, success);
    expect(service.seen('get')).toHaveLength(2 * failures.length + 1);
    expect(result.stdout.match(/a poll failed/g)?.length).toBeLessThanOrEqual(10);
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

  it('idle sockets are closed between gets', async () => {
    const service = await scriptedService({ get: [...repeat(active, 4), opened] }, { idleMs: 20 });
    await begin(service.url).end(service, success);
    expect(service.seen('get')).toHaveLength(5);
  });

  it('the connection is closed after each answer', async () => {
    const close = { closeAfter: true };
    const get = [...repeat(close, 4), { ...opened, ...close }];
    const service = await scriptedService({ create: [close], get });
    await begin(service.url).end(service, success);
    expect(service.seen('get')).toHaveLength(5);
  });

  it('404 twice right after the create', async () => {
    const service = await scriptedService({ get: [missing, missing, opened] });
    await begin(service.url).end(service, success);
    expect(service.seen('get')).toHaveLength(3);
  });

  it('403 with HTML twice', async () => {
    const blocked = { status: 403, ...html };
    const service = await scriptedService({ get: [blocked, blocked, opened] });
    await begin(service.url).end(service, success);
    expect(service.seen('get')).toHaveLength(3);
  });

  it('429 with Retry-After 3', async () => {
    const get = [{ status: 429, headers: { 'retry-after': '3' }, body: { error: 'slow down' } }, opened];
    const service = await scriptedService({ get });
    const result = await begin(service.url, { timeScale: 4 }).end(service, success);
    const [first, second] = service.seen('get');
    expect(((second?.atMs ?? 0) - (first?.atMs ?? 0)) * 4 * 1.05).toBeGreaterThanOrEqual(3_000);
    expect(result.stdout).toContain('the service asked to wait (HTTP 429: slow down)');
  });

  it('four records of something else, then the right one', async () => {
    const get = [...repeat({ body: jobRecord({ id: 'job_other' }) }, 4), opened];
    const service = await scriptedService({ get });
    await begin(service.url).end(service, success);
    expect(service.seen('get')).toHaveLength(5);
  });

  it('unknown statuses, then completed', async () => {
    const unknown = ['queued', 'reviewing', 'queued', 'constructor', ''];
    const get = [...unknown.map((status) => ({ body: jobRecord({ status }) })), opened];
    const service = await scriptedService({ get });
    const result = await begin(service.url).end(service, success);
    expect(service.seen('get')).toHaveLength(unknown.length + 1);
    expect(result.annotations.warnings).toEqual([expect.stringContaining('queued')]);
    expect(result.stdout).toContain('status reviewing');
  });
});

describe.concurrent('polls that fail for good', () => {
  it('404 forever, after the time in which a new job may not be visible', async () => {
    const service = await scriptedService({ get: [missing] });
    const inputs = { 'poll-interval-seconds': '5' };
    const result = await begin(service.url, { inputs, timeScale: 40 }).end(service, lost);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(60);
    expect(result.annotations.errors[0]).toContain('HTTP 404: no such job');
  });

  it.each<[string, Step, number]>([
    ['401', { status: 401, body: { error: 'the key has expired' } }, 1],
    ['403 with an error', { status: 403, body: { error: 'not from this address' } }, 1],
    ['403 with HTML, forever', { status: 403, ...html }, 3],
    ['410', { status: 410, body: { error: 'gone' } }, 1],
    ['another id', { body: jobRecord({ id: 'job_other' }) }, 5],
    ['status null', { body: jobRecord({ status: null }) }, 5],
    ['an array', { body: [jobRecord()] }, 5],
    ['HTML', html, 5],
    ['204', { status: 204 }, 5],
    ['a gzip bomb', { fault: faults.gzipBomb }, 5],
    ['chunks without end', { fault: faults.endlessChunks }, 5],
  ])('%s', async (_title, step, gets) => {
    const service = await scriptedService({ get: [active, step] });
    const result = await begin(service.url).end(service, lost);
    expect(service.seen('get')).toHaveLength(1 + gets);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
    expect(result.stdout).not.toContain('<h1>');
    expect(result.maxRssMb).toBeLessThan(200);
  });

  it('five answers that are no record of the job, each of another kind than the one before', async () => {
    const blocked = { status: 403, ...html };
    const list = { body: [jobRecord()] };
    const service = await scriptedService({ get: [list, blocked, list, blocked, list, opened] });
    await begin(service.url).end(service, lost);
    expect(service.seen('get')).toHaveLength(5);
  });

  it.each([302, 303, 307])('%i on a get is not followed', async (status) => {
    const other = await faultServer(faults.silence);
    const headers = { location: `${other.url}/v2/agent/x/job/${jobId}` };
    const service = await scriptedService({ get: [{ status, headers, body: '' }] });
    await begin(service.url).end(service, lost);
    expect(other.connections).toBe(0);
    expect(service.requests.map(({ call }) => call)).toEqual(['create', 'get']);
  });
});

describe.concurrent('the deadline', () => {
  // In real time: the last poll has 1.8 s.
  const timeScale = 1;
  const timedOut = { ...lost, outcome: 'timed-out', code: 'timed-out' };

  /** A run of 3 s with a poll interval that leaves room for the last poll only. */
  async function setUp(...get: Step[]) {
    const service = await scriptedService({ get });
    const inputs = { 'timeout-minutes': '0.05', 'poll-interval-seconds': '300' };
    const { end } = begin(service.url, { inputs, timeScale });
    return { service, end };
  }

  it('active forever', async () => {
    const { service, end } = await setUp(active);
    const result = await end(service, timedOut);
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(3);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
    expect(result.annotations.errors[0]).toContain('`job-id`');
  });

  it('final at the last get', async () => {
    const { service, end } = await setUp(opened);
    const result = await end(service, success);
    expect(service.seen('get')).toHaveLength(1);
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(3);
  });

  it.each<[string, Step]>([
    ['silence', { fault: faults.silence }],
    ['a body in drips', { fault: faults.dripBody(20) }],
    [
      '503 with a Retry-After of a day',
      { status: 503, headers: { 'retry-after': '86400' }, body: { error: 'x' } },
    ],
    ['429', { status: 429, body: { error: 'x' } }],
    ['404', missing],
  ])('the last poll is met with %s', async (_title, step) => {
    const { service, end } = await setUp(step);
    await end(service, timedOut);
    expect(service.seen('get')).toHaveLength(1);
  });

  it('a pause that the service asked for ends at the deadline', async () => {
    const get = [{ status: 429, headers: { 'retry-after': '86400' }, body: { error: 'x' } }, opened];
    const service = await scriptedService({ get });
    const inputs = { 'timeout-minutes': '0.1' };
    await begin(service.url, { inputs, timeScale }).end(service, success);
    expect(service.seen('get')).toHaveLength(2);
  });
});
