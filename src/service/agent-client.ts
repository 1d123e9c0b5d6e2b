import * as z from 'zod/mini';
import { undefinedIfThrown } from '../errors.ts';
import { type HttpRequest, type HttpResponse, type NotSent, sendRequest } from '../http/request.ts';
import { trimSlashes } from '../text/link.ts';
import { holdsSecret, type Redact } from '../text/redact.ts';
import { truncate } from '../text/sanitize.ts';
import { type Job, parseJob } from './job.ts';

/** How one request ended. `detail` is for people and may contain text from the service. */
export type ApiResult = NotSent | NoResponse | ApiResponse;

/** The request was sent, but no complete response arrived. */
interface NoResponse {
  readonly kind: 'no-response';
  readonly detail: string;
  /** The start of the body, if there is any. Untrusted. */
  readonly excerpt?: string | undefined;
  /** True if that part of the body names an id. */
  readonly namesJob?: boolean;
}

export interface ApiResponse {
  readonly kind: 'response';
  readonly httpStatus: number;
  /** The job in a successful response, if it has a usable reply. */
  readonly job: Job | undefined;
  /** True if the body is the service's own error form: JSON with a string `error`. */
  readonly hasErrorBody: boolean;
  /** True if the response names an id, so that a job may exist. */
  readonly namesJob: boolean;
  /** True if the body can't be read, so that it may name an id. */
  readonly isUnreadable: boolean;
  /** True if the body is not JSON, and so not from the service, such as the page of a firewall. */
  readonly isPage: boolean;
  readonly retryAfterMs: number | undefined;
  /** The start of a body that is neither a usable reply nor an error in words. Untrusted. */
  readonly excerpt: string | undefined;
  readonly detail: string;
}

/** Limits of one request, in addition to the client's own. */
export type CallOptions = Pick<HttpRequest, 'timeoutMs' | 'signal' | 'beforeSendSignal' | 'onSend'>;

/** The three requests to the service. They never reject when the network or the service fails. */
export interface AgentApi {
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
/** Longer than anything that is shown. */
const DETAIL_LIMIT = 2_000;
/** An id in JSON, also if the end of the JSON is missing. */
const JOB_ID_FIELD = /"(?:job_?)?id"\s*:/i;
/** An address below that of all jobs. */
const JOB_ADDRESS = /\/job\/[^/?#]/;

/**
 * Returns the client of one project. Paths and headers follow the service's public documentation.
 */
export function createAgentClient({ baseUrl, projectId, apiKey, redact }: Project): AgentApi {
  const jobsUrl = `${trimSlashes(baseUrl)}/v2/agent/${encodeURIComponent(projectId)}/job`;

  async function call(
    jobId: string | undefined,
    path: string,
    longestMs: number,
    options: CallOptions & { readonly body: string | undefined },
  ): Promise<ApiResult> {
    const result = await sendRequest({
      ...options,
      url: new URL(`${jobsUrl}${path}`),
      token: apiKey,
      maxBodyBytes: MAX_BODY_BYTES,
      timeoutMs: Math.min(longestMs, options.timeoutMs),
    });
    switch (result.kind) {
      case 'response':
        return toApiResponse(result.response, jobId, apiKey, redact);
      case 'not-sent':
        return { ...result, detail: redact(result.detail) };
      case 'no-response': {
        const excerpt = getExcerpt(result.received, redact);
        const namesJob = JOB_ID_FIELD.test(result.received.toString());
        return { kind: 'no-response', detail: redact(result.detail), excerpt, namesJob };
      }
    }
  }

  return {
    createJob: (prompt, options) =>
      call(undefined, '', LONGEST_POST_MS, { ...options, body: JSON.stringify({ prompt }) }),
    sendFollowUp: (jobId, prompt, options) =>
      call(jobId, `/${encodeURIComponent(jobId)}/message`, LONGEST_POST_MS, {
        ...options,
        body: JSON.stringify({ prompt }),
      }),
    getJob: (jobId, options) =>
      call(jobId, `/${encodeURIComponent(jobId)}`, LONGEST_GET_MS, { ...options, body: undefined }),
  };
}

/** True if the service itself says that the job doesn't exist. */
export function isMissing(result: ApiResult): boolean {
  const isGone =
    result.kind === 'response' && (result.httpStatus === 404 || result.httpStatus === 410);
  return isGone && result.hasErrorBody;
}

/** The service documents `error`. Gateways often use `message`. */
const errorSchema = z.object({ error: z.optional(z.string()), message: z.optional(z.string()) });

/** Reads a response to a request about this job, or to a create request without a job id. */
function toApiResponse(
  response: HttpResponse,
  jobId: string | undefined,
  apiKey: string,
  redact: Redact,
): ApiResponse {
  const { httpStatus, header } = response;
  const body = readBody(response, jobId !== undefined);
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  const parsed = isSuccess ? parseJob(body.json, redact) : undefined;
  const isOther = parsed !== undefined && jobId !== undefined && parsed.id !== jobId;
  const job = isOther || holdsSecret(parsed?.id ?? '', apiKey) ? undefined : parsed;
  const status = `HTTP ${httpStatus}`;
  const base = {
    kind: 'response',
    httpStatus,
    hasErrorBody: body.hasErrorBody,
    namesJob: body.namesJob,
    isUnreadable: response.body === undefined,
    isPage: body.isPage,
    retryAfterMs: response.retryAfterMs,
  } as const;
  if (job !== undefined) {
    return { ...base, job, excerpt: undefined, detail: joinDetails([status, body.words], redact) };
  }
  const problem = isSuccess ? describeBody(response.body, isOther) : undefined;
  const isExplained = body.words !== undefined && !body.namesJob;
  return {
    ...base,
    job,
    excerpt: isExplained ? undefined : quoteBody(response, redact),
    detail: joinDetails([status, body.words ?? problem, header('location')], redact),
  };
}

/** Reads what a response can tell without a job. A request about a known job starts no other. */
function readBody({ header, body }: HttpResponse, isKnownJob: boolean) {
  const text = body?.toString();
  const json = body && parseJson(body);
  const { error, message } = z.safeParse(errorSchema, json).data ?? {};
  return {
    json,
    words: (error ?? message)?.trim(),
    hasErrorBody: error !== undefined,
    namesJob:
      !isKnownJob && (JOB_ID_FIELD.test(text ?? '') || JOB_ADDRESS.test(header('location') ?? '')),
    isPage: json === undefined && text !== undefined && text.trim() !== '',
  };
}

function joinDetails(parts: readonly (string | undefined)[], redact: Redact): string {
  const shown: string[] = [];
  for (const part of parts) {
    if (part !== undefined && part !== '') {
      shown.push(truncate(redact(part), DETAIL_LIMIT));
    }
  }
  return shown.join(': ');
}

/** A byte order mark is allowed. */
function parseJson(body: Buffer): unknown {
  return undefinedIfThrown(() =>
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)),
  );
}

/** Says why a body is not a usable reply. */
function describeBody(body: Buffer | undefined, isOther: boolean): string {
  if (isOther) {
    return 'the body is about another job';
  }
  return body === undefined
    ? 'the body is compressed or larger than 1 MiB'
    : "the body doesn't describe a job";
}

/** A compressed body could name a job as well as any other. */
function quoteBody({ body, received }: HttpResponse, redact: Redact): string | undefined {
  return getExcerpt(received, redact) ?? (body === undefined ? '(compressed)' : undefined);
}

/** Returns the start of a body, or undefined if it is blank. */
function getExcerpt(body: Buffer, redact: Redact): string | undefined {
  return redact(body.toString()).slice(0, DETAIL_LIMIT).trim() || undefined;
}
