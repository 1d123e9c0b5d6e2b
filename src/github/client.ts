import { systemClock } from '../clock.ts';
import type { ProxyServer } from '../http/connection.ts';
import { readProxy } from '../http/proxy.ts';
import { type HttpResponse, type HttpResult, sendRequest } from '../http/request.ts';
import type { GitHubContext } from './context.ts';

export interface ApiLimits {
  /** Bound on all requests together, in milliseconds from the moment the client is made. */
  readonly timeoutMs: number;
  readonly maxRequests: number;
  readonly signal: AbortSignal;
}

/** The REST API of the workflow's host, which is only read. */
export interface Api {
  /** Address of its root, without a slash at its end. */
  readonly root: string;
  readonly token: string;
  /** One GET, repeated once after a passing fault, redirected within the origin. Throws where nothing whole comes back. */
  get(address: string, headers: Readonly<Record<string, string>>): Promise<ApiAnswer>;
}

export interface ApiAnswer extends HttpResponse {
  readonly body: Buffer;
}

/** The name that requests give. */
export const USER_AGENT = 'docs-agent-action';

const REQUEST_LIMIT_MS = 10_000;
const BODY_LIMIT = 16 * 1024 * 1024;
const RETRY_PAUSE_MS = 300;
const MAX_REDIRECTS = 3;

/**
 * The way to the API. Requests go through `exchange`, so that the token goes to the API's origin alone, wherever
 * that redirects to, and nothing outlasts the limits. Throws where there is no token or no API that it may be
 * sent to.
 */
export function openApi({ apiUrl, token }: GitHubContext, limits: ApiLimits): Api {
  if (token === undefined) {
    throw new Error('`github-token` is empty');
  }
  if (apiUrl === undefined) {
    throw new Error('GITHUB_API_URL is not an https address');
  }
  const deadline = systemClock.now() + limits.timeoutMs;
  return {
    root: apiUrl.href.replace(/\/+$/, ''),
    token,
    get: createGet(apiUrl, readProxy(apiUrl), deadline, limits),
  };
}

/**
 * What the API answers at a path, which begins with a slash. For the few reads that every run makes; Octokit,
 * which has a method for each endpoint, takes longer to load than they take. Throws where it is not a success.
 */
export async function getJson({ root, token, get }: Api, path: string): Promise<unknown> {
  const { httpStatus, body } = await get(`${root}${path}`, {
    accept: 'application/vnd.github+json',
    authorization: `token ${token}`,
    'user-agent': USER_AGENT,
  });
  if (httpStatus !== 200) {
    throw new Error(`HTTP ${httpStatus}`);
  }
  return JSON.parse(body.toString());
}

function createGet(
  apiUrl: URL,
  proxy: ProxyServer | undefined,
  deadline: number,
  { maxRequests, signal }: ApiLimits,
): Api['get'] {
  const hasTime = (): boolean => deadline - systemClock.now() > RETRY_PAUSE_MS;
  let requests = 0;
  return async (address, headers) => {
    let url = new URL(address);
    let mayRepeat = true;
    let redirects = 0;
    for (;;) {
      const remainingMs = deadline - systemClock.now();
      requests += 1;
      if (url.origin !== apiUrl.origin) {
        throw new Error('the API redirects to another host');
      }
      if (requests > maxRequests || remainingMs <= 0) {
        throw new Error(remainingMs <= 0 ? 'the time for it is over' : 'it takes too many requests');
      }
      const timeoutMs = Math.min(REQUEST_LIMIT_MS, remainingMs);
      const http = { method: 'GET', url, headers, body: undefined, maxBodyBytes: BODY_LIMIT } as const;
      const outcome = await sendRequest({ ...http, proxy, timeoutMs, signal });
      const next = toRedirect(outcome, url);
      if (next !== undefined && redirects < MAX_REDIRECTS) {
        url = next;
        redirects += 1;
      } else if (mayRepeat && isPassing(outcome) && !signal.aborted && hasTime()) {
        mayRepeat = false;
        await systemClock.sleep(RETRY_PAUSE_MS, signal);
      } else {
        return toAnswer(outcome);
      }
    }
  };
}

function toRedirect(outcome: HttpResult, url: URL): URL | undefined {
  if (outcome.kind !== 'response' || ![301, 302, 307, 308].includes(outcome.response.httpStatus)) {
    return undefined;
  }
  const location = outcome.response.header('location') ?? '';
  return location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}

function isPassing(outcome: HttpResult): boolean {
  return outcome.kind !== 'response' || outcome.response.httpStatus >= 500;
}

function toAnswer(outcome: HttpResult): ApiAnswer {
  if (outcome.kind !== 'response') {
    throw new Error(outcome.detail);
  }
  const { httpStatus, header, body } = outcome.response;
  if (body === undefined) {
    throw new Error('the answer is compressed or larger than 16 MiB');
  }
  if (httpStatus >= 300 && httpStatus < 400) {
    throw new Error(`the API redirects to nowhere (HTTP ${httpStatus})`);
  }
  return { httpStatus, header, body };
}
