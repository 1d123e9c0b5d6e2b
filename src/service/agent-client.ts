import * as z from 'zod/mini';
import { ifPossible } from '../errors.ts';
import { EarlyConnection } from '../http/connect.ts';
import { readProxy } from '../http/proxy.ts';
import { type HttpRequest, type HttpResponse, type HttpResult, sendRequest } from '../http/request.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { getAddress } from '../text/link.ts';
import { holdsSecret, type Redact } from '../text/redact.ts';
import { truncate } from '../text/sanitize.ts';
import { type Job, parseJob } from './job.ts';

/** How one request ended. `detail` is for people and may contain text of the service. */
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
  /** The start of a body that is neither a usable record nor a documented error, so it may name a job. Untrusted. */
  readonly excerpt: string | undefined;
  readonly detail: string;
}

/** Limits of one request, besides the client's own. */
export type CallOptions = Pick<HttpRequest, 'timeoutMs' | 'signal' | 'beforeSendSignal' | 'onSend'>;

/** The three requests to the service. They never reject when the network or the service fails. */
export interface AgentApi {
  /** Begins to connect, so that the next `createJob` need not wait for it. */
  connectEarly(signal: AbortSignal): void;
  createJob(prompt: string, options: CallOptions): Promise<ApiResult>;
  sendFollowUp(jobId: string, prompt: string, options: CallOptions): Promise<ApiResult>;
  getJob(jobId: string, options: CallOptions): Promise<ApiResult>;
}

interface Project {
  readonly baseUrl: URL;
  readonly projectId: string;
  readonly apiKey: string;
  readonly redact: Redact;
}

const LONGEST_POST_MS = 60_000;
const LONGEST_GET_MS = 30_000;
const MAX_BODY_BYTES = 1024 * 1024;
/** More than people ever see. */
const DETAIL_LIMIT = 2_000;
/** The statuses with which the service refuses a request. */
const REFUSALS: readonly number[] = [400, 401, 402, 403, 404, 429];

/**
 * Returns the client of one project. Paths and headers follow the interface document. It leaves out reading a job and
 * sending a follow-up, which follow the service's public documentation.
 */
export function createAgentClient({ baseUrl, projectId, apiKey, redact }: Project): AgentApi {
  const jobsUrl = `${getAddress(baseUrl)}/v2/agent/${encodeURIComponent(projectId)}/job`;
  const route = { proxy: readProxy(baseUrl), isStoppable: false };

  let early: EarlyConnection | undefined;

  async function call(url: string, prompt: string | undefined, options: CallOptions): Promise<ApiResult> {
    const longestMs = prompt === undefined ? LONGEST_GET_MS : LONGEST_POST_MS;
    const result = await sendRequest({
      ...options,
      url: new URL(url),
      token: apiKey,
      body: prompt === undefined ? undefined : JSON.stringify({ prompt }),
      ...route,
      early: url === jobsUrl ? early : undefined,
      maxBodyBytes: MAX_BODY_BYTES,
      timeoutMs: Math.min(longestMs, options.timeoutMs),
    });
    if (result.kind === 'response') {
      return toApiResponse(result.response, apiKey, redact);
    }
    const detail = redact(result.detail);
    return result.kind === 'not-sent'
      ? { kind: 'not-sent', failure: result.failure, detail }
      : { kind: 'no-response', detail, excerpt: result.received && getExcerpt(result.received, redact) };
  }

  const getJobUrl = (jobId: string): string => `${jobsUrl}/${encodeURIComponent(jobId)}`;
  return {
    connectEarly(signal) {
      early = new EarlyConnection({ url: new URL(jobsUrl), ...route }, signal);
    },
    async createJob(prompt, options) {
      const created = call(jobsUrl, prompt, options);
      early = undefined;
      return created;
    },
    sendFollowUp: async (jobId, prompt, options) =>
      dropOtherJob(jobId, await call(`${getJobUrl(jobId)}/message`, prompt, options)),
    getJob: async (jobId, options) => dropOtherJob(jobId, await call(getJobUrl(jobId), undefined, options)),
  };
}

/** True if the service itself says that there is no such job. */
export function isMissing(result: ApiResult): boolean {
  const isGone = result.kind === 'response' && (result.httpStatus === 404 || result.httpStatus === 410);
  return isGone && result.hasErrorBody;
}

/** Leaves out the record of another job. */
function dropOtherJob(jobId: string, result: ApiResult): ApiResult {
  return result.kind === 'response' && result.job !== undefined && result.job.id !== jobId
    ? { ...result, job: undefined, detail: 'the response describes another job' }
    : result;
}

const serviceErrorSchema = z.object({ error: z.string() });
/** With any other field, the response may name a job. */
const plainErrorSchema = z.strictObject({ error: z.string() });

function toApiResponse(response: HttpResponse, apiKey: string, redact: Redact): ApiResponse {
  const { httpStatus, header, body, received } = response;
  const reply = body && parseJson(body);
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  const parsed = isSuccess ? parseJob(reply, redact) : undefined;
  // Reject an id that contains the key: ids are never redacted.
  const job = parsed === undefined || holdsSecret(parsed.id, apiKey) ? undefined : parsed;
  const error = z.safeParse(serviceErrorSchema, reply).data?.error.trim();
  const words = [error];
  if (job === undefined) {
    const problem = body === undefined ? 'compressed or larger than 1 MiB' : 'not a job record';
    words.push(isSuccess && error === undefined ? `the body is ${problem}` : undefined, header('location'));
  }
  const shown = words.filter((part) => part !== undefined);
  const isDocumented = REFUSALS.includes(httpStatus) && z.safeParse(plainErrorSchema, reply).success;
  return {
    kind: 'response',
    httpStatus,
    job,
    hasErrorBody: error !== undefined,
    retryAfterMs: parseRetryAfter(header('retry-after'), header('date')),
    excerpt: job === undefined && !isDocumented ? getExcerpt(received, redact) : undefined,
    detail: [`HTTP ${httpStatus}`, ...shown.map((part) => truncate(redact(part), DETAIL_LIMIT))].join(': '),
  };
}

/** Returns the start of a body, or undefined if it is blank. */
function getExcerpt(body: Buffer, redact: Redact): string | undefined {
  return redact(body.subarray(0, DETAIL_LIMIT).toString()).trim() || undefined;
}

/** The JSON value in a UTF-8 body (a byte order mark is allowed), or undefined. */
function parseJson(body: Buffer): unknown {
  return ifPossible(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
}
