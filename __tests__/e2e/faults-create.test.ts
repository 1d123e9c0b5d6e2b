import { describe, expect, it } from 'vitest';
import { faultServer, faults, jobRecord, type Step } from '../helpers/servers.ts';
import {
  active,
  jobId,
  key,
  link,
  local,
  notStarted,
  opened,
  page,
  play,
  projectId,
  startUnknown,
  success,
} from './faults-scenario.ts';

const record = JSON.stringify(jobRecord());

/** An answer with a field that is nested deeper than any parser follows. */
function nest(step: Step): Step {
  const text = JSON.stringify({ ...((step.body ?? jobRecord()) as object), extra: 0 });
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  return { body: text.replace('"extra":0', `"extra":${nested}`) };
}

describe.concurrent('a create that succeeds', () => {
  it('no fault', async () => {
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

  const latin = { headers: { 'content-type': 'text/html; charset=latin1' } };
  const few = { body: { id: jobId, status: 'active' } };
  const queued = { body: jobRecord({ status: 'queued' }) };
  const empty = { body: jobRecord({ status: '' }) };
  const wrongTypes = { source: 7, model: [], prLink: {}, createdAt: false, archivedAt: 'soon' };
  const wrong = { body: { id: jobId, status: 'active', ...wrongTypes } };

  it.each<[string, Step, Step[]]>([
    ['200', { status: 200 }, [opened]],
    ['202', { status: 202 }, [opened]],
    ['a final record, which one poll confirms', { status: 201, body: opened.body }, [opened]],
    [
      'a final record that the next poll contradicts',
      { body: jobRecord({ status: 'failed' }) },
      [active, opened],
    ],
    ['right JSON of another content type', latin, [{ ...opened, ...latin }]],
    ['only id and status', few, [few, opened]],
    ['an unknown status', queued, [queued, opened]],
    ['an empty status', empty, [empty, opened]],
    ['every other field of a wrong type', wrong, [wrong, opened]],
    ['a byte order mark', { body: Buffer.from(`\ufeff${record}`) }, [opened]],
    ['a field that is nested 100,000 deep', nest({}), [nest(opened)]],
    ['a flood of early hints', { fault: faults.earlyHints(1_000) }, [opened]],
  ])('answered with %s', async (_title, create, get) => {
    const { calls, result } = await play({ create: [create], get }, success);
    expect(calls).toBe(['create', ...get.map(() => 'get')].join(' '));
    expect(JSON.parse(result.outputs['job'] ?? '')).toMatchObject({ id: jobId, status: 'completed' });
  });
});

describe.concurrent('a create that was sent and got no response', () => {
  /** A POST may take 60 s, or less if the timeout comes first. */
  const short = { inputs: { 'timeout-minutes': '0.25' } };
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(50);
  const dripsAndSilence: [string, Step][] = [
    ['silence', { fault: faults.silence }],
    ['headers in drips', { fault: faults.dripHeaders(20) }],
    ['the body stalls', { fault: faults.stallBody }],
    ['the body drips', { fault: faults.dripBody(20) }],
    ['early hints, then nothing', { fault: faults.write(hints) }],
  ];
  const breaks: [string, Step][] = [
    ['reset', { fault: faults.reset }],
    ['closed', { fault: faults.close }],
    ['short of its length', { fault: faults.shortLength }],
    ['a bad chunk', { fault: faults.badChunk }],
    ['cut, and only the close ends it', { fault: faults.cutBody }],
    ['not HTTP', { fault: faults.notHttp }],
    ['64 KB of headers', { fault: faults.hugeHeaders }],
    ['a length and chunks at once', { fault: faults.lengthAndChunked }],
  ];

  it.each(breaks)('%s', async (_title, step) => {
    expect((await play({ create: [step] }, startUnknown, short)).calls).toBe('create');
  });

  it.each(dripsAndSilence)('%s, until the timeout', async (_title, step) => {
    const { calls, result } = await play({ create: [step] }, startUnknown, short);
    expect(calls).toBe('create');
    expect(Number(result.outputs['elapsed-seconds'])).toBeGreaterThanOrEqual(15);
  });

  it.each([...breaks.slice(0, 2), ...dripsAndSilence.slice(0, 1)])('%s, over TLS', async (_title, step) => {
    const { calls } = await play({ create: [step] }, startUnknown, short, { tls: local });
    expect(calls).toBe('create');
  });

  it('silence, ended by the limit of the request', async () => {
    const { result } = await play({ create: [{ fault: faults.silence }] }, startUnknown, { timeScale: 40 });
    expect(result.annotations.errors[0]).toContain('no complete response within 60 s');
  });
});

describe.concurrent('a create with an answer that does not say whether a job started', () => {
  const badUtf8 = [Buffer.from(record.slice(0, -1)), Buffer.from(',"x":"\xff\xfe"}', 'latin1')];
  const polite = { status: 503, headers: { 'retry-after': '1' }, body: { error: 'x' } };
  const withId = (id: unknown): Step => ({ body: jobRecord({ id }) });

  it.each<[string, Step]>([
    ['the page of a captive portal with 200', { status: 200, ...page }],
    ['the page of a captive portal with 201', { status: 201, ...page }],
    ['no id', withId(undefined)],
    ['a number as the id', withId(7)],
    ['an empty id', withId('')],
    ['an id of two dots', withId('..')],
    ['an id with a slash', withId('a/b')],
    ['an id with a back-slash', withId('a\\b')],
    ['an id with encoded dots', withId('%2e%2e')],
    ['an id of 10 KB', withId('a'.repeat(10_240))],
    ['an id with a line break', withId('job_1\n')],
    ['an id with a line break and a command', withId('job_1\r\n::set-output name=status::completed')],
    ['an object as the id', withId({ id: 'job_1' })],
    ['an absolute URL as the id', withId('https://evil.test/x')],
    ['the key as the id', withId(key)],
    ['a status that is no text', { body: jobRecord({ status: null }) }],
    ['bad UTF-8', { body: Buffer.concat(badUtf8) }],
    ['lists nested 100,000 deep', { body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }],
    ['objects nested 100,000 deep and cut', { body: '{"a":'.repeat(100_000) }],
    ['a record in __proto__', { body: `{"__proto__":${record}}` }],
    ['a record in constructor.prototype', { body: `{"constructor":{"prototype":${record}}}` }],
    ['two ids, of which the last counts', { body: `{"id":"${jobId}","status":"active","id":7}` }],
    ['UTF-16', { body: Buffer.from(`\ufeff${record}`, 'utf16le') }],
    ['a record in a list', { body: `[${record}]` }],
    ['an empty body', { body: '' }],
    ['204', { status: 204 }],
    ['500', { status: 500, body: { error: 'oops' } }],
    ['502 with HTML', { status: 502, ...page }],
    ['504', { status: 504 }],
    ['408', { status: 408, body: { error: 'too slow' } }],
    ['520', { status: 520, ...page }],
    ['501 that asks to retry', { ...polite, status: 501 }],
    ['bare 503', { status: 503, body: '' }],
    ['503 with an error and no Retry-After', { status: 503, body: { error: 'busy' } }],
    ['503 with Retry-After and HTML', { ...polite, body: page.body }],
    ['503 with a junk Retry-After', { ...polite, headers: { 'retry-after': '1.5' } }],
    ['503 with an error that is no string', { ...polite, body: { error: 7 } }],
  ])('%s', async (_title, step) => {
    const { calls, result } = await play({ create: [{ ...step, madeJob: true }] }, startUnknown);
    expect(calls).toBe('create');
    expect(`${result.stdout}${result.summary}`).not.toContain('<h1>');
  });

  it.each([
    ['10 MB', faults.hugeBody],
    ['chunks without end', faults.endlessChunks],
    ['a gzip bomb', faults.gzipBomb],
  ])('%s', async (_title, fault) => {
    const { calls, result } = await play({ create: [{ fault }] }, startUnknown);
    expect(calls).toBe('create');
    expect(result.maxRssMb).toBeLessThan(300);
    expect(result.annotations.errors[0]).toContain('compressed or larger than 1 MiB');
  });
});

// What refuses with an error is in faults-text, with hostile words, and in messages.
describe.concurrent('a create that is redirected', () => {
  it.each([301, 302, 303, 307, 308])('%i to another origin', async (status) => {
    const other = await faultServer(faults.silence);
    const create = [{ status, headers: { location: `${other.url}/v2/agent/x/job` }, body: '' }];
    const unknown = { ...startUnknown, code: 'redirected', jobs: 0 };
    const { calls } = await play({ create }, status === 303 ? unknown : notStarted('redirected', 1));
    expect(other.connections).toBe(0);
    expect(calls).toBe('create');
  });

  it.each([300, 304, 307])('%i to the same origin', async (status) => {
    const create = [{ status, headers: { location: `/v2/agent/${projectId}/job` }, body: '' }];
    expect((await play({ create }, notStarted('redirected', 1))).calls).toBe('create');
  });
});
