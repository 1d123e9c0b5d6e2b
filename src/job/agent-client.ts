import * as z from 'zod/mini';
import { ifPossible } from '../errors.ts';
import { readProxy } from '../http/proxy.ts';
import { type HttpResponse, type HttpResult, sendRequest } from '../http/request.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { getAddress } from '../text/link.ts';
import { holdsSecret, type Redact } from '../text/redact.ts';
import { truncate } from '../text/sanitize.ts';
import { type Job, parseJob } from './job.ts';

/** How one call ended, as the retry policy needs it. `detail` is for people and may contain text of the service. */
export type ApiResult =
  | Extract<HttpResult, { kind: 'not-sent' }>
  /** `excerpt` as in `ApiResponse`. */
  | { readonly kind: 'no-response'; readonly detail: string; readonly excerpt?: string | undefined }
  | ApiResponse;

export interface ApiResponse {
  readonly kind: 'response';
  readonly httpStatus: number;
  /** The job in the body of a success, if it is a usable record. */
  readonly job: Job | undefined;
  /** True if the body is the service's own error form, `{"error": string}`. */
  readonly hasErrorBody: boolean;
  readonly retryAfterMs: number | undefined;
  /** The start of a body that is neither a usable record nor a documented error: it may name a job. Untrusted. */
  readonly excerpt: string | undefined;
  readonly detail: string;
}

export interface CallOptions {
  /** Bound on the whole call in milliseconds, besides the client's own. */
  readonly timeoutMs: number;
  /** Aborts the call. */
  readonly signal: AbortSignal;
  /** Aborts the call unless it was sent already. */
  readonly beforeSendSignal?: AbortSignal;
  /** Called just before the first byte is written. Without it, the call had no effect. */
  readonly onSend?: () => void;
}

/** The three calls of the service. None throws when the network or the service fails. */
export interface AgentApi {
  createJob(prompt: string, options: CallOptions): Promise<ApiResult>;
  sendFollowUp(jobId: string, prompt: string, options: CallOptions): Promise<ApiResult>;
  getJob(jobId: string, options: CallOptions): Promise<ApiResult>;
}

export interface AgentClientOptions {
  readonly baseUrl: URL;
  readonly projectId: string;
  readonly apiKey: string;
  readonly redact: Redact;
}

const LONGEST_POST_MS = 60_000;
const LONGEST_GET_MS = 30_000;
const MAX_BODY_BYTES = 1024 * 1024;
/** More than is ever shown. */
const DETAIL_LIMIT = 2_000;
/** The statuses with which the service refuses a request. */
const REFUSALS: readonly number[] = [400, 401, 402, 403, 404, 429];

/**
 * Returns the client of one project. Paths and headers follow the interface document; get and follow-up, which
 * it leaves out, follow the service's public documentation.
 */
export function createAgentClient({ baseUrl, projectId, apiKey, redact }: AgentClientOptions): AgentApi {
  const jobsUrl = `${getAddress(baseUrl)}/v2/agent/${encodeURIComponent(projectId)}/job`;
  const proxy = readProxy(baseUrl);

  async function call(url: string, prompt: string | undefined, options: CallOptions): Promise<ApiResult> {
    const isPost = prompt !== undefined;
    const result = await sendRequest({
      method: isPost ? 'POST' : 'GET',
      url: new URL(url),
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${apiKey}`,
        ...(isPost ? { 'content-type': 'application/json' } : {}),
      },
      body: isPost ? JSON.stringify({ prompt }) : undefined,
      proxy,
      isStoppable: false,
      maxBodyBytes: MAX_BODY_BYTES,
      timeoutMs: Math.min(isPost ? LONGEST_POST_MS : LONGEST_GET_MS, options.timeoutMs),
      signal: options.signal,
      beforeSendSignal: options.beforeSendSignal,
      onSend: options.onSend,
    });
    if (result.kind === 'response') {
      return toApiResponse(result.response, apiKey, redact);
    }
    const detail = redact(result.detail);
    return result.kind === 'not-sent'
      ? { kind: 'not-sent', failure: result.failure, detail }
      : { kind: 'no-response', detail, excerpt: result.cut && getExcerpt(result.cut, redact) };
  }

  const getJobUrl = (jobId: string): string => `${jobsUrl}/${encodeURIComponent(jobId)}`;
  return {
    createJob: (prompt, options) => call(jobsUrl, prompt, options),
    sendFollowUp: async (jobId, prompt, options) =>
      expectJob(jobId, await call(`${getJobUrl(jobId)}/message`, prompt, options)),
    getJob: async (jobId, options) => expectJob(jobId, await call(getJobUrl(jobId), undefined, options)),
  };
}

/** Drops the record of another job. */
function expectJob(jobId: string, result: ApiResult): ApiResult {
  return result.kind === 'response' && result.job !== undefined && result.job.id !== jobId
    ? { ...result, job: undefined, detail: 'the response describes another job' }
    : result;
}

const serviceErrorSchema = z.object({ error: z.string() });
/** With any other field, the response may name a job. */
const plainErrorSchema = z.strictObject({ error: z.string() });

function toApiResponse(response: HttpResponse, apiKey: string, redact: Redact): ApiResponse {
  const { httpStatus, header, body } = response;
  const reply = body && parseJson(body);
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  const parsed = isSuccess ? parseJob(reply, redact) : undefined;
  // The id is sent and output without redaction, so one that contains the key counts as none.
  const job = parsed === undefined || holdsSecret(parsed.id, apiKey) ? undefined : parsed;
  const error = z.safeParse(serviceErrorSchema, reply);
  const isUnusable = isSuccess && job === undefined;
  const problem = body === undefined ? 'is compressed or larger than 1 MiB' : 'is not a job record';
  const reason = error.data?.error.trim() ?? (isUnusable ? `the body ${problem}` : undefined);
  const words = [reason, job === undefined ? header('location') : undefined]
    .filter((part) => part !== undefined)
    .map((part) => `: ${truncate(redact(part), DETAIL_LIMIT)}`);
  const isDocumented = REFUSALS.includes(httpStatus) && z.safeParse(plainErrorSchema, reply).success;
  return {
    kind: 'response',
    httpStatus,
    job,
    hasErrorBody: error.success,
    retryAfterMs: parseRetryAfter(header('retry-after'), header('date')),
    excerpt: job === undefined && !isDocumented ? getExcerpt(response, redact) : undefined,
    detail: `HTTP ${httpStatus}${words.join('')}`,
  };
}

/** The start of a body of any form, which may be cut. Undefined if it is blank. */
function getExcerpt({ received }: HttpResponse, redact: Redact): string | undefined {
  return redact(received.subarray(0, DETAIL_LIMIT).toString()).trim() || undefined;
}

/** The JSON value in a UTF-8 body (a byte order mark is allowed), or undefined. */
function parseJson(body: Buffer): unknown {
  return ifPossible(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
}
