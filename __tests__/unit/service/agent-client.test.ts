import { describe, expect, it } from 'vitest';
import {
  type AgentApi,
  type CallOptions,
  createAgentClient,
} from '../../../src/service/agent-client.ts';
import { faults, jobRecord, type Step, scriptedService } from '../../helpers/servers.ts';
import { KEY } from '../fixtures.ts';

const options: CallOptions = { timeoutMs: 2_000, signal: new AbortController().signal };

function connect(baseUrl: string, projectId = 'docs', secret = KEY): AgentApi {
  const redact = (text: string): string => text.replaceAll(secret, '***');
  return createAgentClient({ baseUrl: new URL(baseUrl), projectId, apiKey: KEY, redact });
}

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
    const headers = {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'docs-agent-action',
    };
    const body = Buffer.from('{"prompt":"Write “it” 📖"}');
    expect(service.requests).toMatchObject([
      { method: 'POST', path: '/v2/agent/docs/job', headers, body },
    ]);
  });

  it('reads a job and sends it a follow-up below a path prefix', async () => {
    const id = 'urn:job:7';
    const steps = [{ status: 200, body: jobRecord({ id }) }];
    const service = await scriptedService({ get: steps, followUp: steps });
    const api = connect(`${service.url}/prefix//`, 'täst');
    const results = [await api.getJob(id, options), await api.sendFollowUp(id, 'More', options)];
    expect(results).toMatchObject(Array(2).fill({ detail: 'HTTP 200', job: { id } }));
    expect(
      service.requests.map(({ method, path, body }) => [method, path, body.toString()]),
    ).toEqual([
      ['GET', '/prefix/v2/agent/t%C3%A4st/job/urn%3Ajob%3A7', ''],
      ['POST', '/prefix/v2/agent/t%C3%A4st/job/urn%3Ajob%3A7/message', '{"prompt":"More"}'],
    ]);
    const types = service.requests.map(({ headers }) => headers['content-type']);
    expect(types).toEqual([undefined, 'application/json']);
  });

  const notRecord = ': the body is not a job record';
  it.each<[string, unknown, string]>([
    ['an empty body', '', notRecord],
    ['two ids', '{"id":"job_1","status":"active","id":null}', notRecord],
    // An id is sent and shown unchanged.
    ['an id with the key but its prefix', jobRecord({ id: `job_${KEY.slice(5)}` }), notRecord],
    ['a byte order mark', `\uFEFF${JSON.stringify(jobRecord({ id: 'job_1' }))}`, ''],
  ])('reads a successful response with %s', async (_, body, problem) => {
    const service = await scriptedService({ create: [{ body }] });
    expect(await connect(service.url).createJob('x', options)).toMatchObject({
      kind: 'response',
      httpStatus: 201,
      job: problem === '' ? { status: 'active' } : undefined,
      detail: `HTTP 201${problem}`,
      hasErrorBody: false,
    });
  });

  it.each<[string, number, unknown, string, boolean]>([
    ['an error in a success', 200, { error: ' no ' }, ': no', true],
    ['a record in a failure', 500, jobRecord(), '', false],
    ['an error with the key', 401, { error: `no key ${KEY}` }, ': no key ***', true],
    ['a long error', 400, { error: 'x'.repeat(3_000) }, `: ${'x'.repeat(1_999)}…`, true],
    [
      'a long error that ends with the key',
      400,
      { error: `${'x'.repeat(1_990)}${KEY}` },
      `: ${'x'.repeat(1_990)}***`,
      true,
    ],
  ])('reads %s (%i) as a failure without a job', async (_, status, body, words, hasErrorBody) => {
    const service = await scriptedService({ create: [{ status, body }] });
    expect(await connect(service.url).createJob('x', options)).toMatchObject({
      kind: 'response',
      httpStatus: status,
      job: undefined,
      detail: `HTTP ${status}${words}`,
      hasErrorBody,
    });
  });

  const location = { location: 'https://x.test/v2/agent/docs/job/job_7?x=1' };
  const record = { id: 'job_7', status: 'active' };
  const plain = { error: 'no' };
  it.each<[string, Step, string | undefined]>([
    ['a record without a status', { body: { id: 'job_7' } }, '{"id":"job_7"}'],
    ['a cut body', { body: '{ "id" : "job_7", "sta' }, '{ "id" : "job_7", "sta'],
    ['a body over 1 MiB', { body: 'x'.repeat(1024 * 1024 + 1) }, 'x'.repeat(2_000)],
    ['an error with an id', { status: 400, body: { ...plain, id: 7 } }, '{"error":"no","id":7}'],
    ['an error with other fields', { status: 401, body: { ...plain, requestId: 'r' } }, undefined],
    ...[400, 401, 402, 403, 404, 429].map((status): [string, Step, undefined] => {
      return [`a documented ${status}`, { status, body: plain }, undefined];
    }),
    [
      'a compressed body',
      { status: 409, headers: { 'content-encoding': 'br' }, body: plain },
      '(compressed)',
    ],
    ['a piece of the key', { body: { id: KEY.slice(-9) } }, '{"id":"7***"}'],
    ['a usable record', { headers: { 'content-type': 'text/html' }, body: record }, undefined],
  ])('quotes a body that may name a job in a response with %s', async (_, step, excerpt) => {
    const service = await scriptedService({ create: [step] });
    const { createJob } = connect(service.url, 'docs', KEY.slice(-8));
    expect(await createJob('x', options)).toMatchObject({ kind: 'response', excerpt });
  });

  it.each<[string, Step, boolean, boolean]>([
    ['the error of the service', { status: 401, body: plain }, false, false],
    ['an error with an id', { status: 400, body: { ...plain, id: 7 } }, true, false],
    [
      'an error with a job in it',
      { status: 400, body: { ...plain, job: { id: 'j' } } },
      true,
      false,
    ],
    ['an error with a job id', { status: 400, body: { ...plain, jobId: 'j' } }, true, false],
    ['a cut record', { status: 400, body: '{ "id" : "job_7", "sta' }, true, true],
    ['a page', { status: 403, body: '<p id="x">no</p>' }, false, true],
    ['no body', { status: 403, body: '' }, false, false],
    [
      'a compressed body',
      { status: 400, headers: { 'content-encoding': 'br' }, body: plain },
      true,
      false,
    ],
  ])('tells what a refusal with %s may hide', async (_, step, mayNameJob, isPage) => {
    const service = await scriptedService({ create: [step] });
    const result = await connect(service.url).createJob('x', options);
    expect(result).toMatchObject({ kind: 'response', mayNameJob, isPage });
  });

  const noRecord = `HTTP 201: the body is not a job record: ${location.location}`;
  it.each<[string, Step, string]>([
    ['tells where a redirect', { status: 303, body: '' }, `HTTP 303: ${location.location}`],
    ['tells where a success without a record', { body: '' }, noRecord],
    ['does not tell where a success with a record', { body: record }, 'HTTP 201'],
  ])('%s points to', async (_, answer, detail) => {
    const step = { ...answer, headers: location };
    const service = await scriptedService({ create: [step] });
    expect(await connect(service.url).createJob('x', options)).toMatchObject({ detail });
  });

  it.each(['getJob', 'sendFollowUp'] as const)(
    'ignores the record of another job in the response to `%s`',
    async (call) => {
      const steps = [{ body: jobRecord({ id: 'job_2' }) }];
      const service = await scriptedService({ get: steps, followUp: steps });
      const api = connect(service.url);
      const result = await (call === 'getJob'
        ? api[call]('job_1', options)
        : api[call]('job_1', 'x', options));
      const detail = 'HTTP 200: the body is the record of another job';
      expect(result).toMatchObject({ kind: 'response', job: undefined, detail });
    },
  );

  it('quotes the part of a body that arrives before a close', async () => {
    const excerpt = '{"id":"job_7","sta';
    const fault = faults.writeAndClose(
      `HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n${excerpt}`,
    );
    const service = await scriptedService({ create: [{ fault }, { fault: faults.reset }] });
    const { createJob } = connect(service.url);
    expect(await createJob('x', options)).toMatchObject({ kind: 'no-response', excerpt });
    const reset = await createJob('x', options);
    expect(reset).toMatchObject({ kind: 'no-response', excerpt: undefined });
    expect(service.creates).toBe(2);
  });
});
