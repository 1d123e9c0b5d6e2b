import { expect, it, vi } from 'vitest';
import {
  type AgentApi,
  type ApiResult,
  type CallOptions,
  createAgentClient,
} from '../../../src/service/agent-client.ts';
import { faults, jobRecord, type Step, scriptedService } from '../../helpers/servers.ts';
import { KEY } from '../fixtures.ts';

const request = { kind: 'create', prompt: 'x' } as const;
const options: CallOptions = { timeoutMs: 2_000, signal: new AbortController().signal };

function connect(baseUrl: string, projectId = 'docs', secret = KEY): AgentApi {
  const redact = (text: string): string => text.replaceAll(secret, '***');
  return createAgentClient({ baseUrl: new URL(baseUrl), projectId, apiKey: KEY, redact });
}

async function create(step: Step, secret = KEY): Promise<ApiResult> {
  const service = await scriptedService({ create: [step] });
  return await connect(service.url, 'docs', secret).send(request, options);
}

it.each(['urn:job:7', 'a+b', 'YWJj/ZGVm==', '%2e%2e', '..%2f', '...', 'a?b#c', 'ä📖'])(
  'reads the job %s and sends it a follow-up below a path prefix',
  async (id) => {
    const segment = encodeURIComponent(id);
    const steps = [{ status: 200, body: jobRecord({ id }) }];
    const service = await scriptedService({ get: steps, 'follow-up': steps });
    const api = connect(`${service.url}/prefix//`, 'täst');
    const more = { kind: 'follow-up', jobId: id, prompt: 'More' } as const;
    const results = [await api.getJob(id, options), await api.send(more, options)];
    expect(results).toMatchObject(Array(2).fill({ detail: 'HTTP 200', job: { id } }));
    expect(
      service.requests.map(({ method, path, body }) => [method, path, body.toString()]),
    ).toEqual([
      ['GET', `/prefix/v2/agent/t%C3%A4st/job/${segment}`, ''],
      ['POST', `/prefix/v2/agent/t%C3%A4st/job/${segment}/message`, '{"prompt":"More"}'],
    ]);
    const types = service.requests.map(({ headers }) => headers['content-type']);
    expect(types).toEqual([undefined, 'application/json']);
    const common = {
      authorization: `Bearer ${KEY}`,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'docs-agent-action',
    };
    expect(service.requests).toMatchObject([{ headers: common }, { headers: common }]);
  },
);

const record = { id: 'job_7', status: 'active' };
const plain = { error: 'no' };
const date = 'Fri, 20 Nov 2026 18:30:00 GMT';
const dates = { date, 'retry-after': date.replace('00 GMT', '04 GMT') };
const usable = { job: record, hasErrorBody: false, detail: 'HTTP 201' };
const noJob = { job: undefined, detail: "HTTP 201: the body isn't a usable reply" };
const failure = { job: undefined, hasErrorBody: true };
const cut = '{ "id" : "job_7", "sta';
const page = '<p id="x">no</p>';
const nothing = { excerpt: undefined, hasJobBody: false, isPage: false };
const location = 'https://x.test/v2/agent/docs/job/job_7?x=1';
const redirected = `HTTP 303: ${location}`;
const recordInError = { status: 400, body: { ...record, error: 'no' } };
const odd = { ...record, id: '-rf' };
const withId = expect.stringContaining('job_7');
const long = `${KEY}${'x'.repeat(3_000)}`;
const shown = `HTTP 401: ***${'x'.repeat(1_986)}…`;
const limited = (body: unknown): Step => ({ status: 429, body });
const said = { detail: 'HTTP 429: no', excerpt: undefined };
it.each<[string, Step, object]>([
  ['two ids', { body: '{"id":"job_1","status":"active","id":null}' }, noJob],
  // An id is sent and shown unchanged.
  ['an id with the key but its prefix', { body: { ...record, id: KEY.slice(5) } }, noJob],
  ['a byte order mark', { body: `\uFEFF${JSON.stringify(record)}` }, usable],
  ['a record of another type', { headers: { 'content-type': 'a/b' }, body: record }, usable],
  ['a record in a failure', recordInError, { ...failure, hasJobBody: true, excerpt: withId }],
  ['a record with an odd id in a failure', { status: 429, body: odd }, { hasJobBody: true }],
  ['a date to wait for', { status: 429, headers: dates, body: plain }, { retryAfterMs: 4_000 }],
  ['an error in a success', { body: { error: ' no ' } }, { ...failure, detail: 'HTTP 201: no' }],
  ['a long error', { status: 401, body: { error: long } }, { ...failure, detail: shown }],
  ['other fields', { status: 401, body: { ...plain, requestId: 'r' } }, nothing],
  ['no body', { status: 403, body: '' }, nothing],
  ['a page', { status: 403, body: page }, { ...nothing, excerpt: page, isPage: true }],
  ['no status', { body: { id: 'job_7' } }, { ...nothing, excerpt: '{"id":"job_7"}' }],
  ['an id', { status: 400, body: { error: 'no', id: 'job_7' } }, nothing],
  ['a cut record', { status: 400, body: cut }, { ...nothing, excerpt: cut, isPage: true }],
  ['a body over 1 MiB', { body: 'x'.repeat(1_048_577) }, { excerpt: 'x'.repeat(2_000) }],
  ['a coding', { headers: { 'content-encoding': 'br' } }, { ...noJob, excerpt: undefined }],
  ['plain text', limited(' no\n'), said],
  ['a page that says nothing', limited(` ${page}`), { detail: 'HTTP 429', excerpt: page }],
  ['JSON without words', limited(['x']), { detail: 'HTTP 429', excerpt: '["x"]' }],
  ['other words than documented', limited({ error: { a: 1 }, message: 'no' }), said],
  ['words and odd ones', limited({ ...plain, message: 7 }), said],
  ['plain text in a success', { body: 'OK' }, { ...noJob, excerpt: 'OK' }],
  ['a redirect', { status: 303, body: '', headers: { location } }, { detail: redirected }],
  ['an address', { body: '', headers: { location } }, { detail: `${noJob.detail}: ${location}` }],
  ['a record and an address', { body: record, headers: { location } }, usable],
])('reads a response with %s', async (_, step, expected) => {
  expect(await create(step)).toMatchObject({ kind: 'response', ...expected });
});

it('quotes no piece of the key', async () => {
  const result = await create({ body: { id: KEY.slice(-9) } }, KEY.slice(-8));
  expect(result).toMatchObject({ excerpt: '{"id":"7***"}' });
});

it('redacts only the start of a large body', async () => {
  const redact = vi.fn((text: string) => text);
  const body = { error: 'x'.repeat(1_000_000) };
  const { url } = await scriptedService({ create: [{ status: 400, body }, { body }] });
  const project = { baseUrl: new URL(url), projectId: 'docs', apiKey: KEY, redact };
  await createAgentClient(project).send(request, options);
  await createAgentClient(project).send(request, options);
  expect(Math.max(...redact.mock.calls.map(([text]) => text.length))).toBeLessThan(40_000);
});

it('quotes the part of a body that arrives before a close', async () => {
  const excerpt = '{"id":"job_7","sta';
  const fault = faults.writeAndClose(
    `HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n${excerpt}`,
  );
  const service = await scriptedService({ create: [{ fault }, { fault: faults.reset }] });
  const { send } = connect(service.url);
  const cut = { kind: 'no-response', excerpt };
  expect(await send(request, options)).toMatchObject(cut);
  const reset = await send(request, options);
  expect(reset).toMatchObject({ kind: 'no-response', excerpt: undefined });
  expect(service.creates).toBe(2);
});
