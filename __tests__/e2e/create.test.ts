import { describe, expect, it } from 'vitest';
import type { Fault } from '../helpers/faults.ts';
import { faultServer, faults, jobRecord, type ServiceOptions, type Step } from '../helpers/servers.ts';
import {
  active,
  askToWait,
  failed,
  jobId,
  key,
  link,
  local,
  notStarted,
  opened,
  page,
  play,
  projectId,
  started,
  startUnknown,
  success,
} from './scenario.ts';

describe.concurrent('a create request that succeeds', () => {
  it('creates, polls, and sets every output', async () => {
    const get = [active, active, active, opened];
    const inputs = { prompt: '  Say "hi" – 你好 \u{1f600}\n\ttwice ' };
    const { service, calls, result } = await play({ get }, success, { inputs });
    expect(calls).toBe('create get get get get');
    const [create, poll] = service.requests;
    expect(create).toMatchObject({
      method: 'POST',
      path: `/v2/agent/${projectId}/job`,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'accept-encoding': 'identity',
      },
    });
    expect(create?.body.toString()).toBe(JSON.stringify({ prompt: 'Say "hi" – 你好 \u{1f600}\n\ttwice' }));
    expect(poll).toMatchObject({
      method: 'GET',
      path: `/v2/agent/${projectId}/job/${jobId}`,
      headers: { authorization: `Bearer ${key}` },
    });
    const { 'elapsed-seconds': elapsed, job, ...outputs } = result.outputs;
    expect(outputs).toEqual({
      status: 'completed',
      'pr-link': link,
      outcome: 'pull-request-opened',
      'job-id': jobId,
      'pr-number': '128',
      'source-repository': 'https://github.com/acme/docs',
      'source-ref': 'docs-agent/update',
      model: 'sonnet',
      'created-at': '2026-08-01T12:00:00.000Z',
      'archived-at': '',
      reused: 'false',
      'error-code': '',
    });
    expect(elapsed).toMatch(/^\d+$/);
    expect(JSON.parse(job ?? '')).toEqual(opened.body);
    expect(result.annotations).toMatchObject({ errors: [], warnings: [] });
    expect(result.annotations.notices.at(-1)).toContain(link);
  });

  it('polls a job with an id of any form', async () => {
    const id = 'urn:docs:7';
    const get = [{ body: jobRecord({ id, status: 'completed', prLink: link }) }];
    const { service, result } = await play({ create: [{ body: jobRecord({ id }) }], get }, success);
    expect(service.seen('get').map(({ path }) => path.split('/job/')[1])).toEqual([encodeURIComponent(id)]);
    expect(result.outputs['job-id']).toBe(id);
    expect(result.annotations.notices[0]).toContain(`agent job ${id}.`);
  });

  it.each([
    ['completed', started],
    ['failed', failed],
  ])('is not polled without a wait, even if the job is %s at once', async (status, ending) => {
    const create = [{ body: jobRecord({ status }) }];
    expect((await play({ create }, ending, { inputs: { wait: 'false' } })).calls).toBe('create');
  });

  it('continues to poll when a poll contradicts the final record in the first response', async () => {
    const create = [{ status: 202, body: jobRecord({ status: 'failed' }) }];
    expect((await play({ create, get: [active, opened] }, success)).calls).toBe('create get get');
  });
});

describe.concurrent('a create request without a complete response', () => {
  /** A POST may take 60 s, or less if the timeout comes first. */
  const short = { inputs: { 'timeout-minutes': '0.5' } };
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(50);

  // unit/service/agent-client.test.ts shows a reset and a close without TLS.
  it.each<[string, Fault, ServiceOptions?]>([
    ['the connection is reset over TLS', faults.reset, { tls: local }],
    ['the connection closes over TLS', faults.close, { tls: local }],
    ['the body is shorter than its length', faults.shortLength],
    ['the connection closes within a body without a length', faults.cutBody],
    ['the response is not HTTP', faults.notHttp],
  ])('is never retried when %s', async (_title, fault, transport) => {
    expect((await play({ create: [{ fault }] }, startUnknown, {}, transport)).calls).toBe('create');
  });

  it.each([
    ['the body drips', faults.dripBody(20)],
    ['only early hints arrive', faults.write(hints)],
  ])('ends at the timeout when %s', async (_title, fault) => {
    const { calls, result } = await play({ create: [{ fault }] }, startUnknown, short);
    expect(calls).toBe('create');
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(30);
  });

  it('ends after 60 seconds of silence', async () => {
    const { result } = await play({ create: [{ fault: faults.silence }] }, startUnknown, { timeScale: 10 });
    expect(result.annotations.errors[0]).toContain('no complete response within 1 min');
  });
});

describe.concurrent('a create request whose response does not say whether a job started', () => {
  const command = 'job_1\r\n::set-output name=status::completed';

  // unit/service/ shows every other status, id, and body.
  it.each<[string, Step]>([
    ['is the page of a captive portal', { status: 200, ...page }],
    ['has an id with a line break and a command', { body: jobRecord({ id: command }) }],
    ['is a 503 with an error and Retry-After', askToWait(1, 503)],
    ['is a 429 with a record', { status: 429, body: jobRecord() }],
  ])('is never retried when the response %s', async (_title, step) => {
    const { calls } = await play({ create: [{ ...step, madeJob: true }] }, startUnknown);
    expect(calls).toBe('create');
  });

  it.each<[string, Step]>([
    ['a 500 with a record', { status: 500, body: jobRecord({ id: 'job_7' }) }],
    [
      'a cut body',
      { fault: faults.write('HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":"job_7",') },
    ],
    ['a redirect', { status: 303, headers: { location: `/v2/agent/x/job/job_7` }, body: '' }],
  ])('shows the id in %s', async (_title, step) => {
    const code = step.status === 303 ? 'redirected' : 'start-unknown';
    const { result } = await play({ create: [{ ...step, madeJob: true }] }, { ...startUnknown, code });
    expect(result.outputs['job-id']).toBe('');
    expect(result.annotations.errors[0]).toContain('job_7');
    expect(result.summary?.replaceAll('\\', '')).toContain('job_7');
  });

  it('stops reading endless chunks', async () => {
    const create = [{ fault: faults.endlessChunks }];
    const { calls, result } = await play({ create }, startUnknown);
    expect(calls).toBe('create');
    expect(result.maxRssMb).toBeLessThan(300);
    expect(result.annotations.errors[0]).toContain('compressed or larger than 1 MiB');
  });
});

describe.concurrent('a create request that is refused', () => {
  it.each<[number, unknown]>([
    [424, { error: 'job_7 depends on another' }],
    [403, '<p>job_7</p>'],
    [308, { id: 'job_7' }],
  ])('with a %i that may name a job does not say that it spent nothing', async (status, body) => {
    const code = status === 308 ? 'redirected' : status === 403 ? 'forbidden' : 'bad-request';
    const { result } = await play({ create: [{ status, body }] }, { ...startUnknown, code, jobs: 0 });
    for (const text of [result.annotations.errors[0], result.summary]) {
      expect(text).toContain('job_7');
      expect(text).not.toMatch(/spent nothing|started no job/);
    }
  });

  it('with a documented error says that no job was started', async () => {
    const create = [{ status: 404, body: { error: 'no such project' } }];
    const { result } = await play({ create }, notStarted('not-found', 1));
    expect(result.annotations.errors[0]).toContain('This run started no job.');
  });
});

// untrusted-text.test.ts and unit/report/messages.test.ts show refusals with an error.
describe.concurrent('a create request that is redirected', () => {
  it.each([
    [302, { ...startUnknown, code: 'redirected', jobs: 0 }],
    [308, notStarted('redirected', 1)],
  ])('is not sent to another origin after a %i', async (status, ending) => {
    const other = await faultServer(faults.silence);
    const create = [{ status, headers: { location: `${other.url}/v2/agent/x/job` }, body: '' }];
    expect((await play({ create }, ending)).calls).toBe('create');
    expect(other.connections).toBe(0);
  });

  it('is not sent again to the same origin after a 307', async () => {
    const create = [{ status: 307, headers: { location: `/v2/agent/${projectId}/job` }, body: '' }];
    expect((await play({ create }, notStarted('redirected', 1))).calls).toBe('create');
  });
});
