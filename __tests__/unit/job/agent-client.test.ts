import { afterEach, describe, expect, it } from 'vitest';
import { type AgentApi, type CallLimits, createAgentClient } from '../../../src/job/agent-client.ts';
import { closeServers, faults, jobRecord, reservePort, scriptedService } from '../../helpers/servers.ts';

const KEY = 'mint_0123456789abcdef';
const limits: CallLimits = { timeoutMs: 2_000, signal: new AbortController().signal };

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
    const { evidence, job } = await connect(service.url).createJob('Write “it” 📖', limits);
    expect(evidence).toMatchObject({ kind: 'response', httpStatus: 201, hasJob: true });
    expect(job).toMatchObject({ id: 'job_1', status: 'active' });
    expect(service.requests).toHaveLength(1);
    const request = service.requests[0];
    expect(request?.method).toBe('POST');
    expect(request?.path).toBe('/v2/agent/docs/job');
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    });
    expect(request?.body.toString()).toBe('{"prompt":"Write “it” 📖"}');
  });

  it('gets and follows up a job below a path prefix', async () => {
    const record = { status: 200, body: jobRecord({ id: 'job_1' }) };
    const service = await scriptedService({ other: [record] });
    const api = connect(`${service.url}/prefix/`, 'täst');
    await api.getJob('job_1', limits);
    await api.followUp('job_1', 'More', limits);
    expect(service.requests.map(({ method, path, body }) => [method, path, body.toString()])).toEqual([
      ['GET', '/prefix/v2/agent/t%C3%A4st/job/job_1', ''],
      ['POST', '/prefix/v2/agent/t%C3%A4st/job/job_1/message', '{"prompt":"More"}'],
    ]);
  });

  it('takes a record of another job for none', async () => {
    const service = await scriptedService({
      get: [{ body: jobRecord({ id: 'job_2' }) }],
      followUp: [{ body: jobRecord({ id: 'job_2' }) }],
    });
    const api = connect(service.url);
    for (const result of [await api.getJob('job_1', limits), await api.followUp('job_1', 'x', limits)]) {
      expect(result.job).toBeUndefined();
      expect(result.evidence).toMatchObject({ kind: 'response', hasJob: false });
    }
  });

  it('tells the words of an error without the key', async () => {
    const body = JSON.stringify({ error: `no key ${KEY}` });
    const service = await scriptedService({ get: [{ status: 401, body }] });
    const { evidence, detail } = await connect(service.url).getJob('job_1', limits);
    expect(evidence).toMatchObject({ kind: 'response', httpStatus: 401, hasError: true });
    expect(detail).toBe('HTTP 401: no key ***');
  });

  it('knows that a refused connection sent nothing', async () => {
    const port = await reservePort();
    const { evidence, detail } = await connect(`http://127.0.0.1:${port}`).createJob('x', limits);
    expect(evidence).toMatchObject({ kind: 'not-sent', failure: 'unreachable' });
    expect(detail).toBe(`ECONNREFUSED 127.0.0.1:${port}`);
  });

  it.each([
    ['reset', faults.reset],
    ['close', faults.close],
    ['silence', faults.silence],
    ['a body that stalls', faults.stallBody],
  ])('knows that a request was sent before a %s', async (_, fault) => {
    const service = await scriptedService({ create: [{ fault }] });
    const { evidence } = await connect(service.url).createJob('x', { ...limits, timeoutMs: 300 });
    expect(evidence.kind).toBe('no-response');
    expect(service.creates).toBe(1);
  });

  it('gives a request up on a signal, and tells that it had been sent', async () => {
    const service = await scriptedService({ create: [{ fault: faults.silence }] });
    const controller = new AbortController();
    const call = connect(service.url).createJob('x', { timeoutMs: 10_000, signal: controller.signal });
    await expect.poll(() => service.creates).toBe(1);
    controller.abort();
    expect((await call).evidence.kind).toBe('no-response');
  });

  it('sends nothing once the signal is aborted', async () => {
    const service = await scriptedService({});
    const { evidence } = await connect(service.url).createJob('x', {
      timeoutMs: 1_000,
      signal: AbortSignal.abort(),
    });
    expect(evidence.kind).toBe('not-sent');
    expect(service.requests).toHaveLength(0);
  });
});
