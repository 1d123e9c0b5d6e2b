import { describe, expect, it } from 'vitest';
import { faultServer, faults, type Step } from '../helpers/servers.ts';
import {
  active,
  askToWait,
  debugging,
  jobId,
  listPolls,
  lost,
  opened,
  page,
  play,
  success,
  timedOut,
} from './scenario.ts';

const blocked: Step = { status: 403, ...page };

describe.concurrent('a poll', () => {
  it('is retried after each kind of failure', async () => {
    const failures: [Step, string][] = [
      [{ fault: faults.reset }, 'ECONNRESET'],
      [{ fault: faults.close }, 'closed'],
      [{ status: 408, body: '' }, 'HTTP 408'],
      [{ status: 500, body: { error: 'oops' } }, 'HTTP 500: oops'],
      [{ status: 502, ...page }, 'HTTP 502'],
      [{ fault: faults.shortLength }, 'closed'],
      [{ fault: faults.badChunk }, 'chunk size'],
      [{ fault: faults.notHttp }, 'Expected HTTP/'],
      [{ fault: faults.hugeHeaders }, 'Headers Overflow'],
      [{ fault: faults.lengthAndChunked }, 'content-length'],
      [{ fault: faults.cutBody }, 'not a job record'],
      [{ fault: faults.silence }, 'within 30 s'],
      [{ fault: faults.stallBody }, 'within 30 s'],
      [{ fault: faults.dripHeaders(20) }, 'within 30 s'],
    ];
    const get = [...failures.flatMap(([step]) => [step, active]), opened];
    const { service, result } = await play({ get }, success, { ...debugging, timeScale: 6 });
    expect(service.seen('get')).toHaveLength(get.length);
    const failed = listPolls(result).filter(
      (_, index) => index % 2 === 0 && index < get.length - 1,
    );
    expect(failed).toEqual(failures.map(([, detail]) => expect.stringContaining(detail)));
    expect(result.stdout).not.toContain('<h1>');
  });

  it('is retried after the pause that the service asks for', async () => {
    const timeScale = 10;
    const { service, result } = await play({ get: [askToWait(30), opened] }, success, {
      timeScale,
    });
    expect(result.stdout).toContain('pausing (HTTP 429: not now)');
    const [limited = 0, last = 0] = service.seen('get').map(({ atMs }) => atMs);
    expect((last - limited) * timeScale * 1.05).toBeGreaterThanOrEqual(30_000);
  });
});

describe.concurrent('a poll that fails for good', () => {
  it('ends the wait after two minutes of responses without a record', async () => {
    const odd = [
      blocked,
      { fault: faults.gzipBomb },
      { fault: faults.hugeBody },
      { fault: faults.endlessChunks },
      blocked,
    ];
    const inputs = { 'poll-interval-seconds': '20' };
    const { service, result } = await play({ get: [active, ...odd] }, lost, {
      inputs,
      timeScale: 20,
    });
    expect(service.seen('get').length).toBeGreaterThan(5);
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(120);
    expect(result.outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
    expect(result.stdout).not.toContain('<h1>');
    expect(result.maxRssMb).toBeLessThan(300);
  });

  it('does not follow a redirect', async () => {
    const other = await faultServer(faults.silence);
    const headers = { location: `${other.url}/v2/agent/x/job/${jobId}` };
    const { calls } = await play({ get: [{ status: 302, headers, body: '' }, opened] }, success);
    expect(other.connections).toBe(0);
    expect(calls).toBe('create get get');
  });
});

describe.concurrent('the last poll, at a deadline within a pause', () => {
  it.each<[string, Step, typeof success]>([
    ['succeeds with a final job', opened, success],
    ['times out while a body drips', { fault: faults.dripBody(20) }, timedOut],
    ['times out with a 503 that asks for a day', askToWait(86_400, 503), timedOut],
  ])('%s', async (_title, step, ending) => {
    // The 1.8 s of the last poll take 3.6 s.
    const options = { inputs: { 'timeout-minutes': '0.1' }, timeScale: 0.5 };
    const { calls, result } = await play({ get: [askToWait(86_400), step] }, ending, options);
    expect(calls).toBe('create get get');
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(6);
    expect(result.outputs['job-id']).toBe(jobId);
    if (ending === success) return;
    expect(result.outputs['status']).toBe('active');
    expect(result.annotations.errors[0]).toContain('`job-id`');
  });
});
