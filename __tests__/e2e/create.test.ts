import { describe, expect, it } from 'vitest';
import { faultServer, faults, jobRecord } from '../helpers/servers.ts';
import {
  active,
  askToWait,
  jobId,
  key,
  link,
  local,
  notStarted,
  opened,
  play,
  projectId,
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
    expect(create?.body.toString()).toBe(
      JSON.stringify({ prompt: 'Say "hi" – 你好 \u{1f600}\n\ttwice' }),
    );
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

  it('sends a file of 1 MiB with characters of every kind, without its byte order mark and white space', async () => {
    const kinds = [
      '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{1f1e9}\u{1f1ea} \u{10ffff}',
      '\u202eabc\u202c עברית',
      'a\r\nb\rc\u2028d',
      '\\u0041 \\n "\' </script> \u0001 \u0007 \u007f',
      '__proto__\n',
    ];
    const text = kinds.join('\n').repeat(8_000);
    const [before, after] = ['\ufeff\n  ', '\r\n'];
    const prompt = text + 'x'.repeat(1024 * 1024 - Buffer.byteLength(before + text + after));
    const { service, result } = await play({ get: [opened] }, success, {
      inputs: { prompt: '', 'prompt-file': 'docs/prompt.txt' },
      files: { 'docs/prompt.txt': before + prompt + after },
    });
    const [create] = service.seen('create');
    expect(create?.headers['content-length']).toBe(String(create?.body.length));
    expect(create?.body.equals(Buffer.from(JSON.stringify({ prompt })))).toBe(true);
    expect(result.maxRssMb).toBeLessThan(300);
    expect(result.stdout.length).toBeLessThan(100_000);
  });

  it('continues to poll when a poll contradicts the final record in the first response', async () => {
    const create = [{ status: 202, body: jobRecord({ status: 'failed' }) }];
    expect((await play({ create, get: [active, opened] }, success)).calls).toBe('create get get');
  });
});

describe.concurrent('a create request without a complete response', () => {
  // poll.test.ts shows every other fault.
  it.each([
    ['is reset', faults.reset],
    ['closes', faults.close],
  ])('is never retried when the connection %s over TLS', async (_title, fault) => {
    const { calls } = await play({ create: [{ fault }] }, startUnknown, {}, { tls: local });
    expect(calls).toBe('create');
  });

  it('ends after 60 seconds of silence', async () => {
    const { result } = await play({ create: [{ fault: faults.silence }] }, startUnknown, {
      timeScale: 10,
    });
    expect(result.annotations.errors[0]).toContain('no complete response within 1 min');
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
    const { result } = await play(
      { create: [{ status, body }] },
      { ...startUnknown, code, jobs: 0 },
    );
    for (const text of [result.annotations.errors[0], result.summary]) {
      expect(text).toContain('job_7');
      expect(text).not.toMatch(/spent nothing|started no job/);
    }
  });
});

it('a create request waits until the date in a 429, and is not retried after a 503', async () => {
  const timeScale = 4;
  const date = 'Fri, 20 Nov 2026 18:30:00 GMT';
  const limited = {
    ...askToWait(0),
    headers: { date, 'retry-after': date.replace('00 GMT', '04 GMT') },
  };
  const create = [limited, { ...askToWait(1, 503), madeJob: true }];
  const { service } = await play({ create }, { ...startUnknown, creates: 2 }, { timeScale });
  const [first = 0, second = 0] = service.seen('create').map(({ atMs }) => atMs);
  // Timers are not exact. Without the date, the pause would be 30 s.
  expect((second - first) * timeScale * 1.05).toBeGreaterThanOrEqual(4_000);
  expect((second - first) * timeScale).toBeLessThan(29_000);
});

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
});
