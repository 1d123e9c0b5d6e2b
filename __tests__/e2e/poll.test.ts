import { describe, expect, it } from 'vitest';
import {
  faultServer,
  faults,
  jobRecord,
  reservePort,
  type Step,
  scriptedService,
} from '../helpers/servers.ts';
import { active, askToWait, jobId, lost, opened, page, play, start, success, timedOut } from './scenario.ts';

const missing: Step = { status: 404, body: { error: 'no such job' } };
const blocked: Step = { status: 403, ...page };
const ofAnother: Step = { body: jobRecord({ id: 'job_other' }) };
const ofStatus = (status: unknown): Step => ({ body: jobRecord({ status }) });

describe.concurrent('polls that fail for a time', () => {
  it('in every way, then in those that may mean a loss, with unknown statuses between', async () => {
    const get = [
      { fault: faults.reset },
      { fault: faults.close },
      { status: 500, body: { error: 'oops' } },
      { status: 502, ...page },
      { status: 503, body: '' },
      { status: 504, body: '' },
      { status: 408, body: '' },
      { fault: faults.shortLength },
      { fault: faults.badChunk },
      { fault: faults.notHttp },
      { fault: faults.hugeHeaders },
      { fault: faults.lengthAndChunked },
      ...[ofStatus('queued'), blocked, blocked],
      ...[ofStatus('reviewing'), missing, missing],
      ...[ofStatus('queued'), { fault: faults.cutBody }, ofAnother, ofAnother, ofAnother],
      ...[ofStatus('constructor'), ofStatus(''), opened],
    ];
    const { calls, result } = await play({ get }, success);
    expect(calls).toBe(['create', ...get.map(() => 'get')].join(' '));
    expect(result.stdout.match(/a poll failed/g)?.length).toBeLessThanOrEqual(10);
    expect(result.stdout).not.toContain('<h1>');
    expect(result.annotations.warnings).toEqual([expect.stringContaining('queued')]);
    expect(result.stdout).toContain('status reviewing');
  });

  it('in answers that do not come or end, then in one that asks for a pause', async () => {
    const timeScale = 10;
    const get = [
      { fault: faults.silence },
      { fault: faults.stallBody },
      { fault: faults.dripHeaders(20) },
      askToWait(30),
      opened,
    ];
    const { service, calls, result } = await play({ get }, success, { timeScale });
    expect(calls).toBe('create get get get get get');
    expect(result.stdout.match(/a poll failed \(no complete response within 30 s\)/g)).toHaveLength(3);
    expect(result.stdout).toContain('the service asked to wait (HTTP 429: not now)');
    const [last = 0, limited = 0] = service
      .seen('get')
      .map(({ atMs }) => atMs)
      .reverse();
    expect((last - limited) * timeScale * 1.05).toBeGreaterThanOrEqual(30_000);
  });

  it('while the service is down', async () => {
    const { service, action, end } = await start({}, {}, { port: await reservePort() });
    await action.waitForOutput('job-id');
    await service.close();
    await action.waitForLog('ECONNREFUSED');
    const again = await scriptedService({ get: [opened] }, { port: service.port });
    await end(success);
    expect(again.creates).toBe(0);
  });

  it('never because a connection was closed after an answer, or when it was idle', async () => {
    const closing: Step = { closeAfter: true };
    const get = [active, active, closing, closing, { ...opened, ...closing }];
    const { calls, result } = await play({ create: [closing], get }, success, {}, { idleMs: 20 });
    expect(calls).toBe('create get get get get get');
    expect(result.stdout).not.toMatch(/a poll failed \((?!no connection)/);
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

  it.each<[string, Step[]]>([
    ['401', [{ status: 401, body: { error: 'the key has expired' } }]],
    ['403 with HTML', [blocked, blocked, blocked]],
    [
      'responses that are no record of the job',
      [ofAnother, ofStatus(null), { body: [jobRecord()] }, page, { status: 204 }],
    ],
    [
      'responses that are too large, with another failure between',
      [
        { fault: faults.gzipBomb },
        blocked,
        { fault: faults.endlessChunks },
        blocked,
        { fault: faults.hugeBody },
      ],
    ],
  ])('%s', async (_title, steps) => {
    const { service, result } = await play({ get: [active, ...steps, opened] }, lost);
    expect(service.seen('get')).toHaveLength(1 + steps.length);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
    expect(result.stdout).not.toContain('<h1>');
    expect(result.maxRssMb).toBeLessThan(300);
  });

  it('a redirect is not followed', async () => {
    const other = await faultServer(faults.silence);
    const headers = { location: `${other.url}/v2/agent/x/job/${jobId}` };
    const { calls } = await play({ get: [{ status: 302, headers, body: '' }] }, lost);
    expect(other.connections).toBe(0);
    expect(calls).toBe('create get');
  });
});

describe.concurrent('the deadline ends a pause that the service asked for, and the last poll is met with', () => {
  it.each<[string, Step, typeof success]>([
    ['a final job', opened, success],
    ['a body in drips', { fault: faults.dripBody(20) }, timedOut],
    ['503 with a Retry-After of a day', askToWait(86_400, 503), timedOut],
  ])('%s', async (_title, step, ending) => {
    // In real time: the last poll has 1.8 s.
    const options = { inputs: { 'timeout-minutes': '0.1' }, timeScale: 1 };
    const { calls, result } = await play({ get: [askToWait(86_400), step] }, ending, options);
    expect(calls).toBe('create get get');
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(6);
    expect(result.outputs['job-id']).toBe(jobId);
    if (ending === success) return;
    expect(result.outputs['status']).toBe('active');
    expect(result.annotations.errors[0]).toContain('`job-id`');
  });
});
