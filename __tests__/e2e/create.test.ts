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

const record = JSON.stringify(jobRecord());

/** An answer with a field that is nested deeper than any parser follows. */
function nest(step: Step): Step {
  const text = JSON.stringify({ ...((step.body ?? jobRecord()) as object), extra: 0 });
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  return { body: text.replace('"extra":0', `"extra":${nested}`) };
}

describe.concurrent('a create that succeeds', () => {
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

  it.each([7, 'urn:docs:7'])('knows the job by the id %s', async (id) => {
    const get = [{ body: jobRecord({ id, status: 'completed', prLink: link }) }];
    const { service, result } = await play({ create: [{ body: jobRecord({ id }) }], get }, success);
    expect(service.seen('get').map(({ path }) => path.split('/job/')[1])).toEqual([
      encodeURIComponent(String(id)),
    ]);
    expect(result.outputs['job-id']).toBe(String(id));
    expect(result.annotations.notices[0]).toContain(`[docs-agent-job v1 id ${id} attempt 1 `);
  });

  it.each<[string, Step, Step, typeof success]>([
    ['failed', { body: jobRecord({ status: 'failed' }) }, { body: jobRecord({ status: 'failed' }) }, failed],
    ['completed, but is not', { body: jobRecord({ status: 'completed' }) }, active, started],
  ])('asks once, without a wait, whether a job %s', async (_title, create, get, ending) => {
    const inputs = { wait: 'false' };
    const { calls } = await play({ create: [create], get: [get] }, ending, { inputs });
    expect(calls).toBe('create get');
  });

  it.each<[string, Step, Step[]]>([
    ['200 and a final record, which one poll confirms', { status: 200, body: opened.body }, [opened]],
    [
      '202 and a final record, which the next poll contradicts',
      { status: 202, body: jobRecord({ status: 'failed' }) },
      [active, opened],
    ],
    [
      'a field that is nested 100,000 deep, and polls with other records in odd forms',
      nest({}),
      [
        { headers: { 'content-type': 'text/html; charset=latin1' } },
        { body: { id: jobId, status: 'active' } },
        { body: jobRecord({ status: 'queued' }) },
        { body: jobRecord({ status: '' }) },
        { body: jobRecord({ source: 7, model: [], prLink: {}, createdAt: false, archivedAt: 'soon' }) },
        { body: Buffer.from(`\ufeff${record}`) },
        { fault: faults.earlyHints(1_000) },
        nest(opened),
      ],
    ],
  ])('answered with %s', async (_title, create, get) => {
    const { calls, result } = await play({ create: [create], get }, success);
    expect(calls).toBe(['create', ...get.map(() => 'get')].join(' '));
    expect(result.stdout).not.toMatch(/a poll failed \((?!no connection)/);
    expect(JSON.parse(result.outputs['job'] ?? '')).toMatchObject({ id: jobId, status: 'completed' });
  });
});

describe.concurrent('a create that was sent and got no response', () => {
  /** A POST may take 60 s, or less if the timeout comes first. */
  const short = { inputs: { 'timeout-minutes': '0.25' } };
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(50);

  it.each<[string, Fault, ServiceOptions?]>([
    ['reset', faults.reset],
    ['reset, over TLS', faults.reset, { tls: local }],
    ['closed', faults.close],
    ['closed, over TLS', faults.close, { tls: local }],
    ['short of its length', faults.shortLength],
    ['a bad chunk', faults.badChunk],
    ['cut, and only the close ends it', faults.cutBody],
    ['not HTTP', faults.notHttp],
    ['64 KB of headers', faults.hugeHeaders],
  ])('%s', async (_title, fault, transport) => {
    expect((await play({ create: [{ fault }] }, startUnknown, short, transport)).calls).toBe('create');
  });

  it.each([
    ['headers in drips', faults.dripHeaders(20)],
    ['the body drips', faults.dripBody(20)],
    ['early hints, then nothing', faults.write(hints)],
  ])('%s, until the timeout', async (_title, fault) => {
    const { calls, result } = await play({ create: [{ fault }] }, startUnknown, short);
    expect(calls).toBe('create');
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(15);
  });

  it('silence, ended by the limit of the request', async () => {
    const { result } = await play({ create: [{ fault: faults.silence }] }, startUnknown, { timeScale: 40 });
    expect(result.annotations.errors[0]).toContain('no complete response within 60 s');
  });
});

describe.concurrent('a create with an answer that does not say whether a job started', () => {
  const command = 'job_1\r\n::set-output name=status::completed';

  // unit/job has every other status, id, and body.
  it.each<[string, Step]>([
    ['the page of a captive portal with 200', { status: 200, ...page }],
    ['an id with a line break and a command', { body: jobRecord({ id: command }) }],
    ['the key as the id', { body: jobRecord({ id: key }) }],
    ['the key behind its prefix as the id', { body: jobRecord({ id: `job_${key.slice(5)}` }) }],
    ['500', { status: 500, body: { error: 'oops' } }],
    ['408', { status: 408, body: { error: 'too slow' } }],
    ['503 with Retry-After and HTML', { ...askToWait(1, 503), body: page.body }],
    ['503 with an error and a junk Retry-After', askToWait(1.5, 503)],
  ])('%s', async (_title, step) => {
    const { calls, result } = await play({ create: [{ ...step, madeJob: true }] }, startUnknown);
    expect(calls).toBe('create');
    expect(`${result.stdout}${result.summary}`).not.toMatch(/<h1>|job_4f9c2b7e6d1a8350/);
  });

  it.each<[string, Step]>([
    ['500 with the record', { status: 500, body: jobRecord({ id: 'job_7' }) }],
    ['no status', { body: { job: { id: 'job_7' } } }],
    [
      'a body that is cut',
      { fault: faults.write('HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{"id":"job_7",') },
    ],
    ['a header alone', { status: 303, headers: { location: `/v2/agent/x/job/job_7` }, body: '' }],
  ])('shows the id that it names: %s', async (_title, step) => {
    const code = step.status === 303 ? 'redirected' : 'start-unknown';
    const { result } = await play({ create: [{ ...step, madeJob: true }] }, { ...startUnknown, code });
    expect(result.outputs['job-id']).toBe('');
    for (const text of [result.annotations.errors[0], result.annotations.notices[0], result.summary]) {
      expect(text).toContain('job_7');
    }
  });

  it.each([
    ['chunks without end', faults.endlessChunks],
    ['a gzip bomb', faults.gzipBomb],
  ])('%s', async (_title, fault) => {
    const { calls, result } = await play({ create: [{ fault }] }, startUnknown);
    expect(calls).toBe('create');
    expect(result.maxRssMb).toBeLessThan(300);
    expect(result.annotations.errors[0]).toContain('compressed or larger than 1 MiB');
  });
});

// Refusals with an error are in untrusted-text and in messages.
describe.concurrent('a create that is redirected', () => {
  it.each([
    [302, { ...startUnknown, code: 'redirected', jobs: 0 }],
    [308, notStarted('redirected', 1)],
  ])('%i to another origin', async (status, ending) => {
    const other = await faultServer(faults.silence);
    const create = [{ status, headers: { location: `${other.url}/v2/agent/x/job` }, body: '' }];
    expect((await play({ create }, ending)).calls).toBe('create');
    expect(other.connections).toBe(0);
  });

  it('307 to the same origin', async () => {
    const create = [{ status: 307, headers: { location: `/v2/agent/${projectId}/job` }, body: '' }];
    expect((await play({ create }, notStarted('redirected', 1))).calls).toBe('create');
  });
});
