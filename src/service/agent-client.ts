import * as z from 'zod/mini';
import { ifPossible } from '../errors.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type HttpResult,
  sendRequest,
} from '../http/request.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { getAddress } from '../text/link.ts';
import { holdsSecret, type Redact } from '../text/redact.ts';
import { truncate } from '../text/sanitize.ts';
import { parseJob } from './job.ts';

/** How one request ended. `detail` is for people and may contain text from the service. */
export type ApiResult =
  | Extract<HttpResult, { kind: 'not-sent' }>
  /** `excerpt` as in `ApiResponse`. */
  | { readonly kind: 'no-response'; readonly detail: string; readonly excerpt?: string | undefined }
  | ApiResponse;

export type ApiResponse = Readonly<ReturnType<typeof toApiResponse>>;

/** Limits of one request, in addition to the client's own. */
export type CallOptions = Pick<HttpRequest, 'timeoutMs' | 'signal' | 'beforeSendSignal' | 'onSend'>;

/** The three requests to the service. They never reject when the network or the service fails. */
export type AgentApi = ReturnType<typeof createAgentClient>;

interface Project {
  readonly baseUrl: URL;
  readonly projectId: string;
  readonly apiKey: string;
  readonly redact: Redact;
}

const LONGEST_POST_MS = 60_000;
const LONGEST_GET_MS = 30_000;
const MAX_BODY_BYTES = 1024 * 1024;
/** Longer than anything that is shown. */
const DETAIL_LIMIT = 2_000;
/** The statuses that the service documents for refused requests. */
const REFUSALS: readonly number[] = [400, 401, 402, 403, 404, 429];

/**
 * Returns the client of one project. Paths and headers follow the service's public documentation.
 */
export function createAgentClient({ baseUrl, projectId, apiKey, redact }: Project) {
  const jobsUrl = `${getAddress(baseUrl)}/v2/agent/${encodeURIComponent(projectId)}/job`;

  async function call(
    jobId: string | undefined,
    prompt: string | undefined,
    options: CallOptions,
  ): Promise<ApiResult> {
    const isGet = prompt === undefined;
    const path =
      jobId === undefined ? '' : `/${encodeURIComponent(jobId)}${isGet ? '' : '/message'}`;
    const result = await sendRequest({
      ...options,
      url: new URL(`${jobsUrl}${path}`),
      token: apiKey,
      body: isGet ? undefined : JSON.stringify({ prompt }),
      maxBodyBytes: MAX_BODY_BYTES,
      timeoutMs: Math.min(isGet ? LONGEST_GET_MS : LONGEST_POST_MS, options.timeoutMs),
    });
    if (result.kind === 'response') {
      return toApiResponse(result.response, jobId, apiKey, redact);
    }
    const detail = redact(result.detail);
    return result.kind === 'not-sent'
      ? { ...result, detail }
      : { kind: result.kind, detail, excerpt: getExcerpt(result.received, redact) };
  }

  return {
    createJob: (prompt: string, options: CallOptions) => call(undefined, prompt, options),
    sendFollowUp: (jobId: string, prompt: string, options: CallOptions) =>
      call(jobId, prompt, options),
    getJob: (jobId: string, options: CallOptions) => call(jobId, undefined, options),
  };
}

/** True if the service itself says that the job doesn't exist. */
export function isMissing(result: ApiResult): boolean {
  const isGone =
    result.kind === 'response' && (result.httpStatus === 404 || result.httpStatus === 410);
  return isGone && result.hasErrorBody;
}

const serviceErrorSchema = z.object({ error: z.string() });

function toApiResponse(
  response: HttpResponse,
  jobId: string | undefined,
  apiKey: string,
  redact: Redact,
) {
  const { httpStatus, header, body, received } = response;
  // A byte order mark is allowed.
  const reply =
    body && ifPossible(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  const parsed = isSuccess ? parseJob(reply, redact) : undefined;
  const isOther = parsed !== undefined && parsed.id !== (jobId ?? parsed.id);
  // Reject an id that contains the key: ids are never redacted.
  const job =
    parsed === undefined || isOther || holdsSecret(parsed.id, apiKey) ? undefined : parsed;
  const error = z.safeParse(serviceErrorSchema, reply).data?.error.trim();
  const details = [`HTTP ${httpStatus}`, error];
  if (job === undefined) {
    const problem = body === undefined ? 'compressed or larger than 1 MiB' : 'not a job record';
    const shown = isOther ? 'the record of another job' : problem;
    details.push(
      isSuccess && error === undefined ? `the body is ${shown}` : undefined,
      header('location'),
    );
  }
  const hidden = body === undefined ? '(compressed)' : undefined;
  const isKnown = REFUSALS.includes(httpStatus) || httpStatus >= 500;
  // With any other field, the response may name a job.
  const isPlainError = isKnown && error !== undefined && Object.keys(reply).length === 1;
  return {
    kind: 'response' as const,
    httpStatus,
    /** The job in a successful response, if its record is usable. */
    job,
    /** True if the body is the service's own error form, `{"error": string}`. */
    hasErrorBody: error !== undefined,
    retryAfterMs: parseRetryAfter(header('retry-after'), header('date')),
    /**
     * The start of a body that is neither a usable record nor a plain error, so it may name a job.
     * Untrusted.
     */
    excerpt:
      job === undefined && !isPlainError ? (getExcerpt(received, redact) ?? hidden) : undefined,
    detail: details
      .flatMap((part) => (part ? truncate(redact(part), DETAIL_LIMIT) : []))
      .join(': '),
  };
}

/** Returns the start of a body, or undefined if it is blank. */
function getExcerpt(body: Buffer, redact: Redact): string | undefined {
  return redact(body.subarray(0, DETAIL_LIMIT).toString()).trim() || undefined;
}
