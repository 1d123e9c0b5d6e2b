import { describe, expect, it } from 'vitest';
import { faultServer, faults, type Step } from '../helpers/servers.ts';
import {
  active,
  askToWait,
  debugging,
  jobId,
  lost,
  opened,
  page,
  play,
  success,
  timedOut,
} from './scenario.ts';

const blocked: Step = { status: 403, ...page };

describe.concurrent('a poll', () => {
  const failures: [Step, string][] = [
    [{ fault: faults.reset }, 'before a complete response'],
    [{ fault: faults.close }, 'closed'],
    [{ status: 408, body: '' }, 'HTTP 408'],
    [{ status: 500, body: { error: 'oops' } }, 'HTTP 500: oops'],
    [{ status: 502, ...page }, 'HTTP 502'],
    [{ fault: faults.shortLength }, 'closed'],
    [{ fault: faults.notHttp }, 'Expected HTTP/'],
    [{ fault: faults.lengthAndChunked }, 'content-length'],
    [{ fault: faults.cutBody }, 'not a job record'],
  ];
  const stalls: [Step, string][] = [
    [{ fault: faults.silence }, 'within 30 s'],
    [{ fault: faults.stallBody }, 'within 30 s'],
    [{ fault: faults.dripHeaders(20) }, 'within 30 s'],
  ];

  it.each<[string, number, [Step, string][]]>([
    ['failed responses', 5, failures],
    ['responses that never end', 10, stalls],
  ])('is retried after %s', async (_title, timeScale, faulty) => {
    const get = [...faulty.flatMap(([step]) => [step, active]), opened];
    const { result } = await play({ get }, success, { ...debugging, timeScale });
    for (const [, detail] of faulty) expect(result.stdout).toContain(detail);
    expect(result.stdout).not.toContain('<h1>');
  });

  it('is retried after the pause that the service asks for', async () => {
    const timeScale = 10;
    const get = [askToWait(30), opened];
    const { service, result } = await play({ get }, success, { timeScale });
    expect(result.stdout).toContain('pausing (HTTP 429: not now)');
    const [limited = 0, last = 0] = service.seen('get').map(({ atMs }) => atMs);
    expect((last - limited) * timeScale * 1.05).toBeGreaterThanOrEqual(30_000);
  });

  it('does not follow a redirect', async () => {
    const other = await faultServer(faults.silence);
    const headers = { location: `${other.url}/v2/agent/x/job/${jobId}` };
    const { calls } = await play({ get: [{ status: 302, headers, body: '' }, opened] }, success);
    expect(other.connections).toBe(0);
    expect(calls).toBe('create get get');
  });
});

it('two minutes of responses without a record end the wait, and the job is reported as lost', async () => {
  const { gzipBomb, hugeBody, endlessChunks } = faults;
  const odd = [gzipBomb, hugeBody, endlessChunks].map((fault) => ({ fault }));
  const inputs = { 'poll-interval-seconds': '20' };
  const get = [active, blocked, ...odd, blocked];
  const { result } = await play({ get }, lost, { inputs, timeScale: 20 });
  expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(120);
  expect(result.outputs).toMatchObject({ 'job-id': jobId, status: 'active' });
  expect(result.stdout).not.toContain('<h1>');
  expect(result.maxRssMb).toBeLessThan(300);
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
    expect(result.outputs['status']).toBe(ending === success ? 'completed' : 'active');
  });
});
