import { systemClock } from '../clock.ts';
import { ifPossible } from '../errors.ts';
import { readProxy } from '../http/proxy.ts';
import { type HttpResult, sendRequest } from '../http/request.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { getAddress, parseUrl } from '../text/link.ts';
import * as z from '../text/schema.ts';

export interface ClientLimits {
  /** Bound on all requests together, in milliseconds from the moment the client is created. There are at most 300. */
  readonly timeoutMs: number;
  /** Bound on a single request, in milliseconds; 10 seconds by default. */
  readonly requestTimeoutMs?: number;
  readonly signal: AbortSignal;
}

/** Thrown if something can't be read. The message is untrusted. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  /** Undefined unless GitHub itself refuses the read, in its own JSON: the page of a gateway proves nothing. */
  readonly httpStatus: number | undefined;

  constructor(message: string, httpStatus?: number) {
    super(message);
    this.httpStatus = httpStatus;
  }
}

/** Returns the body of a response with the status 200. Throws a `GitHubError` for any other. */
export type Get = (address: string, accept: string) => Promise<Buffer>;

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 16 * 1024 * 1024;
const FIRST_RETRY_DELAY_MS = 300;
const MAX_REQUESTS = 300;
const MAX_RETRIES = 4;

/**
 * Follows redirects below the API, and repeats a get after a transient fault and after a rate limit that ends in time.
 * Retries after a fault begin within half of the time that is left, so that one read leaves time for others.
 */
export function createGet(apiUrl: URL, token: string, limits: ClientLimits): Get {
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, signal } = limits;
  const deadline = systemClock.now() + limits.timeoutMs;
  const proxy = readProxy(apiUrl);
  let requests = 0;
  /** A rate limit, or a host that can't be reached: neither passes soon, so no other read waits for it. */
  let obstacle: GitHubError | undefined;
  return async (address, accept) => {
    const retryDeadline = (systemClock.now() + deadline) / 2;
    let url = new URL(address);
    let retries = 0;
    for (;;) {
      const remainingMs = Math.ceil(deadline - systemClock.now());
      requests += 1;
      if (obstacle !== undefined) {
        throw obstacle;
      }
      if (!isBelow(url, apiUrl)) {
        throw new GitHubError('the API redirects to another address');
      }
      if (remainingMs <= 0) {
        throw new GitHubError('no time was left');
      }
      if (requests > MAX_REQUESTS) {
        throw new GitHubError('it takes too many requests');
      }
      const result = await sendRequest({
        method: 'GET',
        url,
        headers: { accept, authorization: `Bearer ${token}` },
        body: undefined,
        maxBodyBytes: MAX_BODY_BYTES,
        proxy,
        isStoppable: true,
        timeoutMs: Math.min(requestTimeoutMs, remainingMs),
        signal,
      });
      const location = getRedirect(result, url);
      if (location !== undefined && retries < MAX_RETRIES) {
        url = location;
        retries += 1;
        continue;
      }
      const limitMs = getRateLimitDelay(result);
      const delayMs = Math.max(FIRST_RETRY_DELAY_MS * 2 ** retries, limitMs ?? 0);
      const retryAt = systemClock.now() + delayMs;
      const isTransient = result.kind !== 'response' || result.response.httpStatus >= 500;
      const mayPass = isTransient && retries < MAX_RETRIES && retryAt < retryDeadline;
      if (!signal.aborted && (limitMs === undefined ? mayPass : retryAt < deadline)) {
        retries += 1;
        await systemClock.sleep(delayMs, signal);
        continue;
      }
      if (limitMs !== undefined || result.kind === 'not-sent') {
        obstacle = new GitHubError(result.kind === 'response' ? 'rate limit exceeded' : result.detail);
        throw obstacle;
      }
      return expectBody(result);
    }
  };
}

/** True if the token may go there. An Enterprise host serves everything, not only its API, from one origin. */
function isBelow({ origin, pathname }: URL, apiUrl: URL): boolean {
  const climbs = /(?:\/|%2f|%5c)(?:\.|%2e){2}(?:\/|%2f|%5c|$)/i.test(pathname);
  return `${origin}${pathname}`.startsWith(`${getAddress(apiUrl)}/`) && !climbs;
}

function getRedirect(result: HttpResult, url: URL): URL | undefined {
  if (result.kind !== 'response' || ![301, 302, 307, 308].includes(result.response.httpStatus)) {
    return undefined;
  }
  const location = result.response.header('location') ?? '';
  return location === '' ? undefined : parseUrl(location, url);
}

/**
 * Returns how many milliseconds a rate limit lasts, infinity if the response does not say, or undefined if there is none.
 * GitHub returns 403 or 429 for a limit. These header fields tell it from a missing permission. A secondary rate limit
 * may show only in the message.
 */
function getRateLimitDelay(result: HttpResult): number | undefined {
  if (result.kind !== 'response') {
    return undefined;
  }
  const { httpStatus, header, body } = result.response;
  const { message = '', documentation_url: page = '' } = readError(body) ?? {};
  const date = header('date');
  const retryAfter = header('retry-after');
  const isUsedUp = header('x-ratelimit-remaining') === '0';
  const isTold =
    retryAfter !== undefined || isUsedUp || /\brate[ -]limit|\babuse\b/i.test(`${message} ${page}`);
  if (httpStatus !== 429 && !(httpStatus === 403 && isTold)) {
    return undefined;
  }
  const resetMs = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000 - Date.parse(date ?? '');
  const delayMs = parseRetryAfter(retryAfter, date) ?? (isUsedUp ? resetMs : Number.NaN);
  return Number.isNaN(delayMs) ? Number.POSITIVE_INFINITY : delayMs;
}

function expectBody(result: HttpResult): Buffer {
  if (result.kind !== 'response') {
    throw new GitHubError(result.detail);
  }
  const { httpStatus, body } = result.response;
  if (httpStatus !== 200) {
    const error = readError(body);
    const isOwn = (error?.documentation_url ?? error?.url) !== undefined;
    const reason = error === undefined ? '' : `: ${error.message}`;
    throw new GitHubError(`HTTP ${httpStatus}${reason}`, isOwn ? httpStatus : undefined);
  }
  if (body === undefined) {
    throw new GitHubError('the response is compressed or larger than 16 MiB');
  }
  return body;
}

/** GitHub's own errors name a page of its documentation (Gitea's: `url`). Those of firewalls and gateways don't. */
const gitHubErrorSchema = z.object({
  message: z.string(),
  documentation_url: z.optional(z.string()),
  url: z.optional(z.string()),
});

function readError(body: Buffer | undefined) {
  const error = ifPossible((): unknown => JSON.parse(body?.toString() ?? ''));
  return z.safeParse(gitHubErrorSchema, error).data;
}
