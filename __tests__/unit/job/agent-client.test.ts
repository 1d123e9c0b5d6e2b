import { afterEach, describe, expect, it } from 'vitest';
import {
  type AgentApi,
  type ApiResponse,
  type CallOptions,
  createAgentClient,
} from '../../../src/job/agent-client.ts';
import {
  closeServers,
  faults,
  jobRecord,
  reservePort,
  type Step,
  scriptedService,
} from '../../helpers/servers.ts';
import { KEY } from '../fixtures.ts';

const options: CallOptions = { timeoutMs: 2_000, signal: new AbortController().signal };

function connect(baseUrl: string, projectId = 'docs'): AgentApi {
  return createAgentClient({
    baseUrl: new URL(baseUrl),
    projectId,
    apiKey: KEY,
    redact: (text) => text.replaceAll(KEY, '***'),
  });
}

afterEach(closeServers);

describe('createAgentClient', () => {
  it('creates a job with one request', async () => {
    const service = await scriptedService({ create: [{ body: jobRecord({ id: 'job_1' }) }] });
    expect(await connect(service.url).createJob('Write “it” 📖', options)).toMatchObject({
      kind: 'response',
      httpStatus: 201,
      job: { id: 'job_1', status: 'active' },
      hasErrorBody: false,
      retryAfterMs: undefined,
      detail: 'HTTP 201',
    });
    expect(service.requests).toHaveLength(1);
    const request = service.requests[0];
    expect(request?.method).toBe('POST');
    expect(request?.path).toBe('/v2/agent/docs/job');
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'docs-agent-action',
    });
    expect(request?.body.toString()).toBe('{"prompt":"Write “it” 📖"}');
  });

  it('reads a job and sends it a follow-up below a path prefix', async () => {
    const record = { status: 200, body: jobRecord({ id: 'job_1' }) };
    const service = await scriptedService({ other: [record] });
    const api = connect(`${service.url}/prefix/`, 'täst');
    await api.getJob('job_1', options);
    await api.sendFollowUp('job_1', 'More', options);
    expect(service.requests.map(({ method, path, body }) => [method, path, body.toString()])).toEqual([
      ['GET', '/prefix/v2/agent/t%C3%A4st/job/job_1', ''],
      ['POST', '/prefix/v2/agent/t%C3%A4st/job/job_1/message', '{"prompt":"More"}'],
    ]);
    expect(service.requests.map(({ headers }) => headers['content-type'])).toEqual([
      undefined,
      'application/json',
    ]);
  });

  it('ignores the record of another job', async () => {
    const service = await scriptedService({
      get: [{ body: jobRecord({ id: 'job_2' }) }],
      followUp: [{ body: jobRecord({ id: 'job_2' }) }],
    });
    const api = connect(service.url);
    for (const result of [
      await api.getJob('job_1', options),
      await api.sendFollowUp('job_1', 'x', options),
    ]) {
      expect(result).toMatchObject({
        kind: 'response',
        job: undefined,
        detail: 'the response describes another job',
      });
    }
  });

  it('returns the words of an error without the key', async () => {
    const body = JSON.stringify({ error: `no key ${KEY}` });
    const service = await scriptedService({ get: [{ status: 401, body }] });
    expect(await connect(service.url).getJob('job_1', options)).toMatchObject({
      kind: 'response',
      httpStatus: 401,
      hasErrorBody: true,
      detail: 'HTTP 401: no key ***',
    });
  });

  it.each<[string, Step, Partial<ApiResponse>]>([
    ['no body', { status: 201, body: '' }, { detail: 'HTTP 201: the body is empty' }],
    ['a page', { status: 201, body: '<p>' }, { detail: 'HTTP 201: the body is not JSON' }],
    [
      'no UTF-8',
      { status: 201, body: Buffer.from([0x22, 0xff, 0x22]) },
      { detail: 'HTTP 201: the body is not JSON' },
    ],
    ['no record', { status: 201, body: '{"id":7}' }, { detail: 'HTTP 201: the body is not a job record' }],
    [
      'an error with a success',
      { status: 200, body: '{"error":" no "}' },
      { detail: 'HTTP 200: no', hasErrorBody: true },
    ],
    [
      'a body over 1 MiB',
      { status: 201, body: `"${'x'.repeat(1024 * 1024)}"` },
      { detail: 'HTTP 201: the body is compressed or larger than 1 MiB' },
    ],
    [
      'a body of 1 MiB',
      { status: 201, body: `"${'x'.repeat(1024 * 1024 - 2)}"` },
      { detail: 'HTTP 201: the body is not a job record' },
    ],
    [
      'a byte order mark',
      { status: 201, body: `\uFEFF${JSON.stringify(jobRecord())}` },
      { detail: 'HTTP 201', job: expect.anything() },
    ],
    [
      'a record with a failure',
      { status: 500, body: jobRecord() },
      { detail: 'HTTP 500', job: undefined, hasErrorBody: false },
    ],
    ['a page with a failure', { status: 502, body: '<p>' }, { detail: 'HTTP 502', hasErrorBody: false }],
    ['an empty error', { status: 400, body: '{"error":""}' }, { detail: 'HTTP 400: ', hasErrorBody: true }],
    [
      'an error that is no text',
      { status: 400, body: '{"error":7}' },
      { detail: 'HTTP 400', hasErrorBody: false },
    ],
    ['a pause in seconds', { status: 429, headers: { 'retry-after': '7' } }, { retryAfterMs: 7_000 }],
    [
      'a pause until a date',
      {
        status: 503,
        headers: { 'retry-after': 'Fri, 20 Nov 2026 18:30:45 GMT', date: 'Fri, 20 Nov 2026 18:30:00 GMT' },
      },
      { retryAfterMs: 45_000 },
    ],
  ])('reads a response with %s', async (_, reply, expected) => {
    const service = await scriptedService({ create: [reply] });
    expect(await connect(service.url).createJob('x', options)).toMatchObject({
      kind: 'response',
      httpStatus: reply.status,
      ...expected,
    });
  });

  it('ignores a record whose id holds the key, because an id is sent and shown as it is', async () => {
    const service = await scriptedService({ create: [{ body: jobRecord({ id: KEY }) }] });
    expect(await connect(service.url).createJob('x', options)).toMatchObject({
      kind: 'response',
      httpStatus: 201,
      job: undefined,
    });
  });

  it('cuts a long error', async () => {
    const body = { error: 'x'.repeat(3_000) };
    const service = await scriptedService({ create: [{ status: 400, body }] });
    const { detail } = await connect(service.url).createJob('x', options);
    expect(detail).toBe(`HTTP 400: ${'x'.repeat(1_999)}…`);
  });

  it('knows that a refused connection sent nothing', async () => {
    const api = connect(`http://127.0.0.1:${await reservePort()}`);
    expect(await api.createJob('x', options)).toEqual({
      kind: 'not-sent',
      failure: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it.each([
    ['a reset', faults.reset],
    ['a close', faults.close],
    ['a silence', faults.silence],
    ['a body that stalls', faults.stallBody],
  ])('knows that a request was sent before %s', async (_, fault) => {
    const service = await scriptedService({ create: [{ fault }] });
    const result = await connect(service.url).createJob('x', { ...options, timeoutMs: 300 });
    expect(result.kind).toBe('no-response');
    expect(service.creates).toBe(1);
  });

  it('gives up a request when the signal is aborted, and knows that it was sent', async () => {
    const service = await scriptedService({ create: [{ fault: faults.silence }] });
    const controller = new AbortController();
    const call = connect(service.url).createJob('x', { timeoutMs: 10_000, signal: controller.signal });
    await expect.poll(() => service.creates).toBe(1);
    controller.abort();
    expect((await call).kind).toBe('no-response');
  });

  it.each(['signal', 'beforeSendSignal'])('sends nothing once the %s is aborted', async (name) => {
    const service = await scriptedService({});
    const result = await connect(service.url).createJob('x', { ...options, [name]: AbortSignal.abort() });
    expect(result.kind).toBe('not-sent');
    expect(service.requests).toHaveLength(0);
  });
});
