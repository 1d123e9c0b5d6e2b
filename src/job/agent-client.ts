import { object, safeParse, string } from 'zod/mini';
import { readProxy } from '../http/proxy.ts';
import { type HttpResponse, sendRequest } from '../http/request.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { type Job, parseJob } from './job.ts';
import type { Evidence } from './retry-policy.ts';

/** How one call ended: the evidence to decide on, the job where one came back, and words for people. */
export interface ApiResult {
  readonly evidence: Evidence;
  readonly job: Job | undefined;
  /** What happened, in a few words; may hold text of the service, so it is sanitized before it is shown. */
  readonly detail: string;
}

export interface CallLimits {
  /** Bound on the whole call in milliseconds, on top of the call's own. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Gives the call up as long as nothing of it has been sent. */
  readonly beforeSendSignal?: AbortSignal;
}

/** The three calls of the service, one method each. None throws for what the network or the service does. */
export interface AgentApi {
  createJob(prompt: string, limits: CallLimits): Promise<ApiResult>;
  followUp(jobId: string, prompt: string, limits: CallLimits): Promise<ApiResult>;
  getJob(jobId: string, limits: CallLimits): Promise<ApiResult>;
}

export interface AgentApiOptions {
  readonly baseUrl: URL;
  readonly projectId: string;
  readonly apiKey: string;
  /** Takes the key out of whatever the service says. */
  readonly redact: (text: string) => string;
}

const POST_LIMIT_MS = 60_000;
const GET_LIMIT_MS = 30_000;
const BODY_LIMIT = 1024 * 1024;

/**
 * The client of one project. Paths and headers follow the interface document; `get` and `follow-up`, which
 * it leaves out, follow the service's public documentation.
 */
export function createAgentClient({ baseUrl, projectId, apiKey, redact }: AgentApiOptions): AgentApi {
  const jobsUrl = `${baseUrl.href.replace(/\/+$/, '')}/v2/agent/${encodeURIComponent(projectId)}/job`;
  const proxy = readProxy(baseUrl);

  async function call(url: string, body: string | undefined, limits: CallLimits): Promise<ApiResult> {
    const own = body === undefined ? GET_LIMIT_MS : POST_LIMIT_MS;
    const outcome = await sendRequest({
      method: body === undefined ? 'GET' : 'POST',
      url: new URL(url),
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${apiKey}`,
        'user-agent': 'docs-agent-action',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
      proxy,
      maxBodyBytes: BODY_LIMIT,
      timeoutMs: Math.min(own, limits.timeoutMs),
      signal: limits.signal,
      beforeSendSignal: limits.beforeSendSignal,
    });
    switch (outcome.kind) {
      case 'not-sent':
      case 'no-response':
        return { evidence: outcome, job: undefined, detail: redact(outcome.detail) };
      case 'response':
        return readAnswer(outcome.response, redact);
    }
  }

  return {
    createJob: (prompt, limits) => call(jobsUrl, JSON.stringify({ prompt }), limits),
    followUp: async (jobId, prompt, limits) => {
      const url = `${jobsUrl}/${encodeURIComponent(jobId)}/message`;
      return expectJob(jobId, await call(url, JSON.stringify({ prompt }), limits));
    },
    getJob: async (jobId, limits) => {
      const url = `${jobsUrl}/${encodeURIComponent(jobId)}`;
      return expectJob(jobId, await call(url, undefined, limits));
    },
  };
}

/** A record of another job says nothing of ours. */
function expectJob(jobId: string, result: ApiResult): ApiResult {
  const { evidence, job } = result;
  return evidence.kind === 'response' && job !== undefined && job.id !== jobId
    ? { evidence: { ...evidence, hasJob: false }, job: undefined, detail: 'the answer describes another job' }
    : result;
}

const errorSchema = object({ error: string() });

function readAnswer({ httpStatus, header, body }: HttpResponse, redact: (text: string) => string): ApiResult {
  const reply = body === undefined ? undefined : parseJson(body);
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  const job = isSuccess ? parseJob(reply, redact) : undefined;
  const error = safeParse(errorSchema, reply);
  return {
    evidence: {
      kind: 'response',
      httpStatus,
      hasJob: job !== undefined,
      hasError: error.success,
      retryAfterMs: parseRetryAfter(header('retry-after'), header('date')),
    },
    job,
    detail: redact(describeAnswer(httpStatus, job, error.data?.error, body, reply)),
  };
}

function describeAnswer(
  httpStatus: number,
  job: Job | undefined,
  error: string | undefined,
  body: Buffer | undefined,
  reply: unknown,
): string {
  if (error !== undefined) {
    return `HTTP ${httpStatus}: ${error}`;
  }
  if (job !== undefined || httpStatus < 200 || httpStatus >= 300) {
    return `HTTP ${httpStatus}`;
  }
  if (body === undefined) {
    return `HTTP ${httpStatus} with a body that is compressed or larger than 1 MiB`;
  }
  if (body.length === 0) {
    return `HTTP ${httpStatus} with an empty body`;
  }
  const lack = reply === undefined ? 'that is not JSON' : 'that is no job record';
  return `HTTP ${httpStatus} with a body ${lack}`;
}

/** The JSON value in a UTF-8 body (a byte order mark is allowed), or undefined. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
