import type { getOctokit } from '@actions/github';
import { systemClock } from '../clock.ts';
import { getErrorText } from '../errors.ts';
import { readProxy } from '../http/proxy.ts';
import { type HttpResponse, type HttpResult, sendRequest } from '../http/request.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import type { GitHubContext } from './context.ts';

export type Octokit = ReturnType<typeof getOctokit>;

export interface ClientLimits {
  /** Bound on all requests together, in milliseconds from the moment the client is created. */
  readonly timeoutMs: number;
  /** Bound on a single request, in milliseconds; 10 seconds by default. */
  readonly requestTimeoutMs?: number;
  readonly maxRequests: number;
  readonly signal: AbortSignal;
}

/** Reads the REST API of the workflow's host. */
export interface GitHubClient {
  /** Returns the JSON at a path that begins with a slash. Throws a `GitHubError` unless the API answers 200. */
  getJson(path: string): Promise<unknown>;
  /**
   * Returns Octokit, which has a typed method for each endpoint, on top of the same requests. Loading it takes longer
   * than everything before the create together, so it is loaded when it is first needed.
   */
  loadOctokit(): Promise<Octokit>;
}

/** What keeps a client from reading anything else: the rate limit of the API, or its own limits. */
export type ExhaustedLimit = 'rate-limit' | 'client-limits';

/** Why a read failed. The message is untrusted. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  /** Undefined if there was no complete response. */
  readonly httpStatus: number | undefined;
  readonly exhausted: ExhaustedLimit | undefined;

  constructor(message: string, httpStatus?: number, exhausted?: ExhaustedLimit) {
    super(message);
    this.httpStatus = httpStatus;
    this.exhausted = exhausted;
  }
}

const USER_AGENT = 'docs-agent-action';
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const FIRST_RETRY_DELAY_MS = 300;
const MAX_RETRIES = 4;
const MAX_REDIRECTS = 3;

/**
 * Returns a client within limits. The token goes to the API's origin alone, wherever that redirects to. Throws a
 * `GitHubError` if there is no token, or no API that it may be sent to.
 */
export function createGitHubClient({ apiUrl, token }: GitHubContext, limits: ClientLimits): GitHubClient {
  if (token === undefined) {
    throw new GitHubError('`github-token` is empty');
  }
  if (apiUrl === undefined) {
    throw new GitHubError('GITHUB_API_URL is not an https address');
  }
  const root = apiUrl.href.replace(/\/+$/, '');
  const get = createGet(apiUrl, token, limits);
  return {
    async getJson(path) {
      const { body } = await get(`${root}${path}`, 'application/vnd.github+json');
      return JSON.parse(body.toString());
    },
    async loadOctokit() {
      const toolkit = await import('@actions/github');
      const silence = (): void => {};
      return toolkit.getOctokit(token, {
        baseUrl: root,
        userAgent: USER_AGENT,
        log: { debug: silence, info: silence, warn: silence, error: silence },
        request: {
          fetch: async (address: string, { headers }: { headers: Record<string, string> }) =>
            toFetchResponse(await get(address, headers['accept'] ?? '*/*')),
        },
      });
    },
  };
}

/** Returns why a read failed, whether through Octokit (which wraps it) or not. */
export function getGitHubError(error: unknown): GitHubError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof GitHubError ? cause : new GitHubError(getErrorText(error));
}

/** True if the token lacks a permission: without one, the API answers 403, or 404 as if there were no such thing. */
export function isPermissionError({ httpStatus, exhausted }: GitHubError): boolean {
  return (httpStatus === 403 || httpStatus === 404) && exhausted === undefined;
}

interface Success extends HttpResponse {
  readonly body: Buffer;
}

type Get = (address: string, accept: string) => Promise<Success>;

/**
 * Follows redirects within the origin, and repeats a get after a transient fault and after a rate limit that ends in time.
 * Retries after a fault begin within half of the time that is left, so that one read leaves time for others.
 */
function createGet(apiUrl: URL, token: string, limits: ClientLimits): Get {
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, maxRequests, signal } = limits;
  const deadline = systemClock.now() + limits.timeoutMs;
  const proxy = readProxy(apiUrl);
  let requests = 0;
  return async (address, accept) => {
    const headers = { accept, authorization: `Bearer ${token}`, 'user-agent': USER_AGENT };
    const retryDeadline = (systemClock.now() + deadline) / 2;
    let url = new URL(address);
    let retries = 0;
    let redirects = 0;
    for (;;) {
      const remainingMs = Math.ceil(deadline - systemClock.now());
      requests += 1;
      if (url.origin !== apiUrl.origin) {
        throw new GitHubError('the API redirects to another host');
      }
      if (remainingMs <= 0) {
        throw new GitHubError('there was not enough time', undefined, 'client-limits');
      }
      if (requests > maxRequests) {
        throw new GitHubError('it takes too many requests', undefined, 'client-limits');
      }
      const result = await sendRequest({
        method: 'GET',
        url,
        headers,
        body: undefined,
        maxBodyBytes: MAX_BODY_BYTES,
        proxy,
        isOptional: true,
        timeoutMs: Math.min(requestTimeoutMs, remainingMs),
        signal,
      });
      const location = getRedirect(result, url);
      const retryAt = signal.aborted ? undefined : getRetryTime(result, retries, retryDeadline, deadline);
      if (location !== undefined && redirects < MAX_REDIRECTS) {
        url = location;
        redirects += 1;
      } else if (retryAt !== undefined) {
        retries += 1;
        await systemClock.sleep(retryAt - systemClock.now(), signal);
      } else {
        return expectSuccess(result);
      }
    }
  };
}

function getRedirect(result: HttpResult, url: URL): URL | undefined {
  if (result.kind !== 'response' || ![301, 302, 307, 308].includes(result.response.httpStatus)) {
    return undefined;
  }
  const location = result.response.header('location') ?? '';
  return location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}

/** The instant at which to repeat a get, or undefined if that is no use or too late. */
function getRetryTime(
  result: HttpResult,
  retries: number,
  retryDeadline: number,
  deadline: number,
): number | undefined {
  const now = systemClock.now();
  const backOffMs = FIRST_RETRY_DELAY_MS * 2 ** retries;
  if (result.kind === 'response' && isRateLimited(result.response)) {
    const delayMs = getRateLimitDelay(result.response);
    const at = now + Math.max(backOffMs, delayMs ?? Number.POSITIVE_INFINITY);
    return at < deadline ? at : undefined;
  }
  const isTransient = result.kind !== 'response' || result.response.httpStatus >= 500;
  const at = now + backOffMs;
  return isTransient && retries < MAX_RETRIES && at < retryDeadline ? at : undefined;
}

/**
 * GitHub answers 403 or 429 for a rate limit, and tells it from a missing permission by these header fields. For a
 * secondary rate limit, there may be nothing but the message.
 */
function isRateLimited({ httpStatus, header, body }: HttpResponse): boolean {
  return (
    httpStatus === 429 ||
    (httpStatus === 403 &&
      (header('retry-after') !== undefined ||
        header('x-ratelimit-remaining') === '0' ||
        /\brate limit\b/i.test(readMessage(body) ?? '')))
  );
}

/** Undefined if the response does not say when the limit ends. */
function getRateLimitDelay({ header }: HttpResponse): number | undefined {
  const date = header('date');
  const retryAfterMs = parseRetryAfter(header('retry-after'), date);
  if (retryAfterMs !== undefined || header('x-ratelimit-remaining') !== '0') {
    return retryAfterMs;
  }
  const delayMs = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000 - Date.parse(date ?? '');
  return Number.isNaN(delayMs) ? undefined : delayMs;
}

function expectSuccess(result: HttpResult): Success {
  if (result.kind !== 'response') {
    throw new GitHubError(result.detail);
  }
  const { response } = result;
  const { httpStatus, body } = response;
  if (httpStatus < 200 || httpStatus >= 300) {
    const isRateLimit = isRateLimited(response);
    throw new GitHubError(
      describeFailure(httpStatus, body, isRateLimit),
      httpStatus,
      isRateLimit ? 'rate-limit' : undefined,
    );
  }
  if (body === undefined) {
    throw new GitHubError('the response is compressed or larger than 16 MiB');
  }
  return { ...response, body };
}

function describeFailure(httpStatus: number, body: Buffer | undefined, isRateLimit: boolean): string {
  const reason = isRateLimit ? 'rate limit exceeded' : readMessage(body);
  return reason === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${reason}`;
}

function readMessage(body: Buffer | undefined): string | undefined {
  try {
    const reply: { message?: unknown } = JSON.parse(body?.toString() ?? '');
    return typeof reply.message === 'string' ? reply.message : undefined;
  } catch {
    return undefined;
  }
}

function toFetchResponse({ httpStatus, header, body }: Success): Response {
  const headers = new Headers();
  for (const name of ['content-type', 'link']) {
    headers.set(name, header(name) ?? '');
  }
  return new Response(httpStatus === 204 ? null : new Uint8Array(body), { status: httpStatus, headers });
}
