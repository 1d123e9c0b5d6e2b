import * as z from 'zod/mini';
import {
  type HttpRequest,
  type HttpResponse,
  type NotSent,
  parseJson,
  sendRequest,
} from '../http/request.ts';
import { trimSlashes } from '../text/link.ts';
import { holdsSecret, type Redact, redactStart } from '../text/redact.ts';
import { truncate } from '../text/sanitize.ts';
import { type PromptRequest, parseJob } from './job.ts';

/** How one request ended. `detail` is for people and may contain text from the service. */
export type ApiResult =
  | (NotSent & { readonly job?: undefined })
  /** It was sent, but no complete response arrived. */
  | {
      readonly kind: 'no-response';
      readonly job?: undefined;
      readonly detail: string;
      /** The start of the body, if there is any. Untrusted. */
      readonly excerpt?: string | undefined;
    }
  | ApiResponse;

export type ApiResponse = Readonly<ReturnType<typeof toApiResponse>>;

/** Limits of one request, in addition to the client's own. */
export type CallOptions = Pick<HttpRequest, 'timeoutMs' | 'signal' | 'beforeSendSignal' | 'onSend'>;

/** The requests to the service. They never reject when the network or the service fails. */
export type AgentApi = Readonly<ReturnType<typeof createAgentClient>>;

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

/** Returns the client of one project. Paths and headers follow the service's documentation. */
export function createAgentClient(project: Project) {
  const { baseUrl, projectId, apiKey, redact } = project;
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
    if (result.kind === 'response') {
      return toApiResponse(result.response, jobId, project);
    }
    const detail = redact(result.detail);
    return result.kind === 'not-sent'
      ? { ...result, detail }
      : { kind: 'no-response', detail, excerpt: getExcerpt(result.received, redact) };
  }

  return {
    /** Creates a job, or sends a follow-up to one. */
    send({ jobId, prompt }: PromptRequest, options: CallOptions): Promise<ApiResult> {
      const path = jobId === undefined ? '' : `/${encodeURIComponent(jobId)}/message`;
      return call(jobId, path, LONGEST_POST_MS, { ...options, body: JSON.stringify({ prompt }) });
    },
    getJob(jobId: string, options: CallOptions): Promise<ApiResult> {
      const path = `/${encodeURIComponent(jobId)}`;
      return call(jobId, path, LONGEST_GET_MS, { ...options, body: undefined });
    },
  };
}

const optionalText = z.catch(z.optional(z.string()), undefined);
/** The service documents `error`. Gateways often use `message`. */
const errorSchema = z.object({ error: optionalText, message: optionalText });
/** Less than a usable reply, because a refusal names no job at all. */
const jobSchema = z.object({ id: z.union([z.string(), z.number()]), status: z.string() });
/** The start of a web page, or of JSON whose end is missing. */
const MARKUP = /^\s*[<{[]/;
/** It describes no job, or another one, or is compressed or larger than 1 MiB. */
const UNUSABLE = "the body isn't a usable reply";

/** Reads a response to a request about this job, or to a create request without a job id. */
function toApiResponse(response: HttpResponse, jobId: string | undefined, project: Project) {
  const { apiKey, redact } = project;
  const { httpStatus, header, received, retryAfterMs } = response;
  const { json, error, words, isPage } = readBody(response);
  const isSuccess = httpStatus >= 200 && httpStatus < 300;
  const described = parseJob(json, redact);
  const isOther = described !== undefined && jobId !== undefined && described.id !== jobId;
  const isUsable = isSuccess && !isOther && !holdsSecret(described?.id ?? '', apiKey);
  const job = isUsable ? described : undefined;
  // A text in escapes can't be redacted, so the words of an error are shown, not its body.
  const isExplained = words !== undefined && described === undefined;
  const problem = words || (isSuccess ? UNUSABLE : undefined);
  const parts = job === undefined ? [problem, header('location')] : [words];
  const detail = [`HTTP ${httpStatus}`, ...parts].filter((part) => part).join(': ');
  return {
    kind: 'response' as const,
    httpStatus,
    /** The job in a successful response, if it has a usable reply. */
    job,
    /** True if the body is the service's own error form: JSON with a string `error`. */
    hasErrorBody: error !== undefined,
    /** True if the body may describe a job, whatever the status of the response. */
    hasJobBody: z.safeParse(jobSchema, json).success,
    /** True if the body is not JSON. Most of these come from a firewall or a gateway. */
    isPage,
    retryAfterMs,
    /** The start of a body that is neither a usable reply nor an error in words. Untrusted. */
    excerpt: job !== undefined || isExplained ? undefined : getExcerpt(received, redact),
    detail: truncate(redactStart(detail, DETAIL_LIMIT, redact), DETAIL_LIMIT),
  };
}

/** Reads what a body says. Some errors of the service are plain text. */
function readBody({ httpStatus, body }: HttpResponse) {
  const text = body?.toString() ?? '';
  // A changed character could be part of the job id.
  const json = parseJson(body, true);
  const { error, message } = z.safeParse(errorSchema, json).data ?? {};
  const isPage = json === undefined && text.trim() !== '';
  const isPlainError = isPage && httpStatus >= 300 && !MARKUP.test(text);
  const words = error ?? message ?? (isPlainError ? text : undefined);
  return { json, error, words: words?.trim(), isPage };
}

function getExcerpt(body: Buffer, redact: Redact): string | undefined {
  const text = redactStart(body.toString(), DETAIL_LIMIT, redact);
  return text.slice(0, DETAIL_LIMIT).trim() || undefined;
}

const READ_ONCE_MS = 10_000;

/** Reads a job once, for at most ten seconds, or `longestMs` if that is shorter. Never rejects. */
export function readJobOnce(
  jobId: string,
  longestMs: number,
  { agent, cancel }: { readonly agent: Pick<AgentApi, 'getJob'>; readonly cancel: AbortSignal },
): Promise<ApiResult> {
  const timeoutMs = Math.max(1, Math.min(READ_ONCE_MS, longestMs));
  return agent.getJob(jobId, { timeoutMs, signal: cancel });
}
