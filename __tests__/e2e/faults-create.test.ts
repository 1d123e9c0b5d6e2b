import { afterAll, describe, expect, it } from 'vitest';
import { closeActions } from '../helpers/action.ts';
import {
  closeServers,
  createAuthority,
  faultServer,
  faults,
  jobRecord,
  type ScriptedService,
  type Step,
  scriptedService,
} from '../helpers/servers.ts';
import {
  begin,
  type Ending,
  jobId,
  key,
  link,
  notStarted,
  opened,
  projectId,
  startUnknown,
  success,
  unchanged,
} from './faults-scenario.ts';

const authority = createAuthority();
const local = authority.issue(['localhost', '127.0.0.1']);

afterAll(async () => {
  await closeActions();
  await closeServers();
});

const active: Step = {};
const record = JSON.stringify(jobRecord());
const portal = '<!doctype html><html><body onload="login()"><h1>Sign in to Wi-Fi</h1></body></html>';

/** The calls that the service received, in order. */
function listCalls(service: ScriptedService): string {
  return service.requests.map(({ call }) => call).join(' ');
}

describe.concurrent('a create that succeeds', () => {
  it('no fault', async () => {
    const service = await scriptedService({ get: [active, active, active, opened] });
    const result = await begin(service.url, {
      inputs: { prompt: '  Say "hi" – 你好 \u{1f600}\n\ttwice ' },
    }).end(service, success);
    expect(listCalls(service)).toBe('create get get get get');
    const [create, get] = service.requests;
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
    expect(get).toMatchObject({
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

  it('completed without a link', async () => {
    const service = await scriptedService({ get: [active, unchanged] });
    const result = await begin(service.url).end(service, { ...success, outcome: 'no-pull-request' });
    expect(result.outputs).toMatchObject({ status: 'completed', 'pr-link': '', 'pr-number': '' });
  });

  it('failed with a link, which is kept', async () => {
    const service = await scriptedService({ get: [{ body: jobRecord({ status: 'failed', prLink: link }) }] });
    const result = await begin(service.url).end(service, {
      ...success,
      outcome: 'failed',
      code: 'job-failed',
    });
    expect(result.outputs).toMatchObject({ status: 'failed', 'pr-link': link, 'pr-number': '128' });
    expect(result.annotations.errors[0]).toContain(link);
  });

  it('archived', async () => {
    const archivedAt = '2026-08-01T12:30:00.000Z';
    const service = await scriptedService({ get: [{ body: jobRecord({ status: 'archived', archivedAt }) }] });
    const result = await begin(service.url).end(service, { ...success, outcome: 'archived' });
    expect(result.outputs).toMatchObject({ status: 'archived', 'archived-at': archivedAt });
    expect(result.annotations.warnings).toEqual([expect.stringContaining('archived')]);
  });

  it.each([200, 202])('answered %i', async (status) => {
    const service = await scriptedService({ create: [{ status }], get: [opened] });
    await begin(service.url).end(service, success);
  });

  it('answered with a final record, which one poll confirms', async () => {
    const service = await scriptedService({ create: [{ status: 201, body: opened.body }], get: [opened] });
    await begin(service.url).end(service, success);
    expect(listCalls(service)).toBe('create get');
  });

  it('answered with a final record that the next poll contradicts', async () => {
    const create = [{ body: jobRecord({ status: 'failed' }) }];
    const service = await scriptedService({ create, get: [active, opened] });
    await begin(service.url).end(service, success);
    expect(listCalls(service)).toBe('create get get');
  });

  it('right JSON of another content type', async () => {
    const headers = { 'content-type': 'text/html; charset=latin1' };
    const service = await scriptedService({
      create: [{ headers }],
      get: [{ ...opened, headers }],
    });
    await begin(service.url).end(service, success);
  });

  it.each([
    ['only id and status', { id: jobId, status: 'active' }],
    ['an unknown status', jobRecord({ status: 'queued' })],
    ['an empty status', jobRecord({ status: '' })],
    [
      'every other field of a wrong type',
      { id: jobId, status: 'active', source: 7, model: [], prLink: {}, createdAt: false, archivedAt: 'soon' },
    ],
  ])('a record with %s', async (_title, body) => {
    const service = await scriptedService({ create: [{ body }], get: [{ body }, opened] });
    await begin(service.url).end(service, success);
    expect(listCalls(service)).toBe('create get get');
  });

  it('a byte order mark', async () => {
    const body = Buffer.from(`\ufeff${record}`);
    const service = await scriptedService({ create: [{ body }], get: [opened] });
    await begin(service.url).end(service, success);
  });

  it('a record with a field that is nested 100,000 deep', async () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const toBody = (step: Step): Step => ({
      body: JSON.stringify({ ...((step.body ?? jobRecord()) as object), extra: 0 }).replace(
        '"extra":0',
        `"extra":${nested}`,
      ),
    });
    const service = await scriptedService({ create: [toBody({})], get: [toBody(opened)] });
    const result = await begin(service.url).end(service, success);
    expect(JSON.parse(result.outputs['job'] ?? '')).toMatchObject({ id: jobId, status: 'completed' });
  });

  it('a flood of early hints', async () => {
    const fault = faults.earlyHints(1_000);
    const service = await scriptedService({ create: [{ fault }], get: [opened] });
    await begin(service.url).end(service, success);
  });

  it('does not wait if `wait` is false', async () => {
    const service = await scriptedService();
    await begin(service.url, { inputs: { wait: 'false' } }).end(service, { ...success, outcome: 'started' });
    expect(listCalls(service)).toBe('create');
  });
});

describe.concurrent('a create that was sent and got no response', () => {
  /** A POST may take 60 s, or less if the timeout comes first. */
  const short = { inputs: { 'timeout-minutes': '0.25' } };

  const withoutResponse: [string, Step, waits?: 'until the timeout'][] = [
    ['reset', { fault: faults.reset }],
    ['closed', { fault: faults.close }],
    ['silence', { fault: faults.silence }, 'until the timeout'],
    ['headers in drips', { fault: faults.dripHeaders(20) }, 'until the timeout'],
    ['the body stalls', { fault: faults.stallBody }, 'until the timeout'],
    ['the body drips', { fault: faults.dripBody(20) }, 'until the timeout'],
    ['short of its length', { fault: faults.shortLength }],
    ['a bad chunk', { fault: faults.badChunk }],
    ['cut, and only the close ends it', { fault: faults.cutBody }],
    ['not HTTP', { fault: faults.notHttp }],
    ['64 KB of headers', { fault: faults.hugeHeaders }],
    ['a length and chunks at once', { fault: faults.lengthAndChunked }],
    [
      'early hints, then nothing',
      { fault: faults.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(50)) },
      'until the timeout',
    ],
  ];

  it.each(withoutResponse)('%s', async (_title, step, waits) => {
    const service = await scriptedService({ create: [step] });
    const result = await begin(service.url, short).end(service, startUnknown);
    expect(listCalls(service)).toBe('create');
    if (waits) expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(15);
  });

  it.each(withoutResponse.slice(0, 3))('%s, over TLS', async (_title, step) => {
    const service = await scriptedService({ create: [step] }, { tls: local });
    await begin(service.url, { ...short, extraCertificates: authority.cert }).end(service, startUnknown);
    expect(listCalls(service)).toBe('create');
  });

  it('silence, ended by the limit of the request', async () => {
    const service = await scriptedService({ create: [{ fault: faults.silence }] });
    const result = await begin(service.url, { timeScale: 40 }).end(service, startUnknown);
    expect(result.annotations.errors[0]).toContain('no complete response within 60 s');
  });
});

describe.concurrent('a create with an answer that does not say whether a job started', () => {
  /** Checks that the run ended after the one request, on `start-unknown`. */
  async function expectUnknown(step: Step, ending: Ending = startUnknown) {
    const service = await scriptedService({ create: [step] });
    const result = await begin(service.url).end(service, ending);
    expect(listCalls(service)).toBe('create');
    return result;
  }

  it.each([200, 201])('the page of a captive portal with %i', async (status) => {
    const headers = { 'content-type': 'text/html' };
    const result = await expectUnknown({ status, headers, body: portal });
    expect(result.stdout).not.toContain('<h1>');
    expect(result.summary).not.toContain('<h1>');
  });

  it.each([
    ['missing', undefined],
    ['a number', 7],
    ['empty', ''],
    ['two dots', '..'],
    ['with a slash', 'a/b'],
    ['with a back-slash', 'a\\b'],
    ['with encoded dots', '%2e%2e'],
    ['10 KB', 'a'.repeat(10_240)],
    ['with a line break', 'job_1\n'],
    ['with a line break and a command', 'job_1\r\n::set-output name=status::completed'],
    ['an object', { id: 'job_1' }],
    ['an absolute URL', 'https://evil.test/x'],
    ['the key', key],
  ])('an id that is %s', async (_title, id) => {
    await expectUnknown({ body: jobRecord({ id }) });
  });

  it('a status that is no text', async () => {
    await expectUnknown({ body: jobRecord({ status: null }) });
  });

  it.each([
    ['10 MB', faults.hugeBody],
    ['chunks without end', faults.endlessChunks],
    ['a gzip bomb', faults.gzipBomb],
  ])('%s', async (_title, fault) => {
    const result = await expectUnknown({ fault });
    expect(result.maxRssMb).toBeLessThan(200);
    expect(result.annotations.errors[0]).toContain('compressed or larger than 1 MiB');
  });

  it.each([
    [
      'bad UTF-8',
      Buffer.concat([Buffer.from(record.slice(0, -1)), Buffer.from(',"x":"\xff\xfe"}', 'latin1')]),
    ],
    ['nested 100,000 deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['nested 100,000 deep and cut', '{"a":'.repeat(100_000)],
    ['a record in __proto__', `{"__proto__":${record}}`],
    ['a record in constructor.prototype', `{"constructor":{"prototype":${record}}}`],
    ['the last of two ids counts', `{"id":"${jobId}","status":"active","id":7}`],
    ['UTF-16', Buffer.from(`\ufeff${record}`, 'utf16le')],
    ['a record in a list', `[${record}]`],
    ['an empty body', ''],
  ])('%s', async (_title, body) => {
    await expectUnknown({ body });
  });

  it('204', async () => {
    await expectUnknown({ status: 204 });
  });

  const html = { headers: { 'content-type': 'text/html' }, body: portal };
  it.each<[string, Step]>([
    ['500', { status: 500, body: { error: 'oops' } }],
    ['502 with HTML', { status: 502, ...html }],
    ['504', { status: 504 }],
    ['408', { status: 408, body: { error: 'too slow' } }],
    ['520', { status: 520, ...html }],
    ['501 that asks to retry', { status: 501, headers: { 'retry-after': '1' }, body: { error: 'x' } }],
    ['bare 503', { status: 503, body: '' }],
    ['503 with an error and no Retry-After', { status: 503, body: { error: 'busy' } }],
    ['503 with Retry-After and HTML', { status: 503, ...html, headers: { 'retry-after': '1' } }],
    ['503 with a junk Retry-After', { status: 503, headers: { 'retry-after': '1.5' }, body: { error: 'x' } }],
    [
      '503 with an error that is no string',
      { status: 503, headers: { 'retry-after': '1' }, body: { error: 7 } },
    ],
  ])('%s', async (_title, step) => {
    const result = await expectUnknown({ ...step, madeJob: true });
    expect(result.stdout).not.toContain('<h1>');
  });
});

describe.concurrent('a create that the service refuses', () => {
  it.each([
    [400, 'bad-request', /Fix what the service reports/],
    [401, 'unauthorized', /Keys expire/],
    [403, 'forbidden', /scope `write`/],
    [404, 'not-found', /Check `project-id`/],
    [409, 'bad-request', /Fix what/],
    [422, 'bad-request', /Fix what/],
  ] as const)('%i', async (status, code, hint) => {
    const words = `the reason for ${status}`;
    const service = await scriptedService({ create: [{ status, body: { error: words } }] });
    const result = await begin(service.url).end(service, notStarted(code, 1));
    expect(result.annotations.errors[0]).toMatch(hint);
    expect(result.annotations.errors[0]).toContain(`HTTP ${status}: ${words}`);
    expect(listCalls(service)).toBe('create');
  });

  it.each([301, 302, 303, 307, 308])('%i to another origin', async (status) => {
    const other = await faultServer(faults.silence);
    const elsewhere = { status, headers: { location: `${other.url}/v2/agent/x/job` }, body: '' };
    const service = await scriptedService({ create: [elsewhere] });
    const isUnknown = status === 303;
    const ending = isUnknown ? { ...startUnknown, code: 'redirected', jobs: 0 } : notStarted('redirected', 1);
    await begin(service.url).end(service, ending);
    expect(other.connections).toBe(0);
    expect(listCalls(service)).toBe('create');
  });

  it.each([300, 304, 307])('%i to the same origin', async (status) => {
    const headers = { location: `/v2/agent/${projectId}/job` };
    const service = await scriptedService({ create: [{ status, headers, body: '' }] });
    await begin(service.url).end(service, notStarted('redirected', 1));
    expect(listCalls(service)).toBe('create');
  });
});
