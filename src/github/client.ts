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

/** Why a read failed. The message is untrusted. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  /** Undefined if there was no complete response. */
  readonly httpStatus: number | undefined;
  readonly isRateLimit: boolean;

  constructor(message: string, httpStatus?: number, isRateLimit = false) {
    super(message);
    this.httpStatus = httpStatus;
    this.isRateLimit = isRateLimit;
  }
}

const USER_AGENT = 'docs-agent-action';
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const RETRY_DELAY_MS = 300;
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
export function isPermissionError({ httpStatus, isRateLimit }: GitHubError): boolean {
  return (httpStatus === 403 || httpStatus === 404) && !isRateLimit;
}

interface Success extends HttpResponse {
  readonly body: Buffer;
}

type Get = (address: string, accept: string) => Promise<Success>;

/** Repeats a get once after a transient fault, waits for a rate limit that ends in time, and follows redirects within the origin. */
function createGet(apiUrl: URL, token: string, { timeoutMs, maxRequests, signal }: ClientLimits): Get {
  const deadline = systemClock.now() + timeoutMs;
  const proxy = readProxy(apiUrl);
  let requests = 0;
  return async (address, accept) => {
    const headers = { accept, authorization: `Bearer ${token}`, 'user-agent': USER_AGENT };
    let url = new URL(address);
    let canRetry = true;
    let redirects = 0;
    for (;;) {
      const remainingMs = deadline - systemClock.now();
      requests += 1;
      if (url.origin !== apiUrl.origin) {
        throw new GitHubError('the API redirects to another host');
      }
      if (remainingMs <= 0) {
        throw new GitHubError('there was not enough time');
      }
      if (requests > maxRequests) {
        throw new GitHubError('it takes too many requests');
      }
      const result = await sendRequest({
        method: 'GET',
        url,
        headers,
        body: undefined,
        maxBodyBytes: MAX_BODY_BYTES,
        proxy,
        timeoutMs: Math.min(REQUEST_TIMEOUT_MS, remainingMs),
        signal,
      });
      const location = getRedirect(result, url);
      const delayMs = canRetry && !signal.aborted ? getRetryDelay(result) : undefined;
      if (location !== undefined && redirects < MAX_REDIRECTS) {
        url = location;
        redirects += 1;
      } else if (delayMs !== undefined && delayMs < deadline - systemClock.now()) {
        canRetry = false;
        await systemClock.sleep(delayMs, signal);
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

function getRetryDelay(result: HttpResult): number | undefined {
  if (result.kind !== 'response') {
    return RETRY_DELAY_MS;
  }
  return isRateLimited(result.response)
    ? getRateLimitDelay(result.response)
    : result.response.httpStatus >= 500
      ? RETRY_DELAY_MS
      : undefined;
}

/** GitHub answers 403 or 429 for a rate limit, and tells it from a missing permission by these header fields. */
function isRateLimited({ httpStatus, header }: HttpResponse): boolean {
  return (
    httpStatus === 429 ||
    (httpStatus === 403 && (header('retry-after') !== undefined || header('x-ratelimit-remaining') === '0'))
  );
}

function getRateLimitDelay({ header }: HttpResponse): number | undefined {
  const date = header('date');
  const resetMs = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000;
  const delayMs = parseRetryAfter(header('retry-after'), date) ?? resetMs - Date.parse(date ?? '');
  return Number.isNaN(delayMs) ? undefined : Math.max(RETRY_DELAY_MS, delayMs);
}

function expectSuccess(result: HttpResult): Success {
  if (result.kind !== 'response') {
    throw new GitHubError(result.detail);
  }
  const { response } = result;
  const { httpStatus, body } = response;
  if (httpStatus < 200 || httpStatus >= 300) {
    const isRateLimit = isRateLimited(response);
    throw new GitHubError(describeFailure(httpStatus, body, isRateLimit), httpStatus, isRateLimit);
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
