import type { getOctokit } from '@actions/github';
import { systemClock } from '../clock.ts';
import { toErrorText } from '../errors.ts';
import type { ProxyServer } from '../http/connect.ts';
import { type Answer, type Exchange, exchange } from '../http/exchange.ts';
import { readProxy } from '../http/proxy.ts';
import type { GitHubContext } from './context.ts';

export type Octokit = ReturnType<typeof getOctokit>;

export interface ApiLimits {
  /** Bound on all requests together, in milliseconds from the moment the client is made. */
  readonly limitMs: number;
  readonly maxRequests: number;
  readonly signal: AbortSignal;
}

const REQUEST_LIMIT_MS = 10_000;
const BODY_LIMIT = 16 * 1024 * 1024;
const RETRY_PAUSE_MS = 300;
const MAX_REDIRECTS = 3;

/**
 * A client of the REST API of the workflow's host, which only reads. The toolkit is loaded here, when it is
 * first needed: it takes longer to load than everything before the create together. Requests go through
 * `exchange`, so that the token goes to the API's origin alone, wherever that redirects to, and nothing outlasts
 * the limits. Throws where there is no token or no API that it may be sent to.
 */
export async function loadOctokit({ apiUrl, token }: GitHubContext, limits: ApiLimits): Promise<Octokit> {
  if (token === undefined) {
    throw new Error('`github-token` is empty');
  }
  if (apiUrl === undefined) {
    throw new Error('GITHUB_API_URL is not an https address');
  }
  const deadline = systemClock.now() + limits.limitMs;
  const toolkit = await import('@actions/github');
  const silence = (): void => {};
  return toolkit.getOctokit(token, {
    baseUrl: apiUrl.href.replace(/\/+$/, ''),
    userAgent: 'docs-agent-action',
    log: { debug: silence, info: silence, warn: silence, error: silence },
    request: { fetch: createFetch(apiUrl, readProxy(apiUrl), deadline, limits) },
  });
}

/** Why a request failed, in a few words; holds text of the API, so it is neutralised before it is shown. */
export function describeApiError(error: unknown): string {
  const status = readHttpStatus(error);
  const text = toErrorText(error).replace(/ - https?:\S+$/, '');
  return status === undefined ? text : `HTTP ${status}: ${text}`;
}

/** True where the API answered that there is no such thing, or none that the token may see. */
export function isNotFound(error: unknown): boolean {
  return readHttpStatus(error) === 404;
}

/** The status that the API answered; Octokit's errors have one also where it did not answer. */
function readHttpStatus(error: unknown): number | undefined {
  const response = error instanceof Error && 'response' in error ? error.response : undefined;
  const isAnswer = typeof response === 'object' && response !== null && 'status' in response;
  return isAnswer && typeof response.status === 'number' ? response.status : undefined;
}

type Fetch = (url: string, options: { headers: Record<string, string> }) => Promise<Response>;

/** What Octokit calls `fetch`: one GET, repeated once after a passing fault, redirected within the origin. */
function createFetch(
  apiUrl: URL,
  proxy: ProxyServer | undefined,
  deadline: number,
  { maxRequests, signal }: ApiLimits,
): Fetch {
  let requests = 0;
  return async (address, { headers }) => {
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
      const limitMs = Math.min(REQUEST_LIMIT_MS, remainingMs);
      const http = { method: 'GET', url, headers, body: undefined, bodyLimit: BODY_LIMIT } as const;
      const outcome = await exchange({ ...http, proxy, limitMs, signal });
      const next = toRedirect(outcome, url);
      if (next !== undefined && redirects < MAX_REDIRECTS) {
        url = next;
        redirects += 1;
      } else if (mayRepeat && isPassing(outcome) && !signal.aborted) {
        mayRepeat = false;
        await systemClock.sleep(RETRY_PAUSE_MS, signal);
      } else {
        return toResponse(outcome);
      }
    }
  };
}

function toRedirect(outcome: Exchange, url: URL): URL | undefined {
  if (outcome.kind !== 'answered' || ![301, 302, 307, 308].includes(outcome.answer.httpStatus)) {
    return undefined;
  }
  const location = outcome.answer.header('location') ?? '';
  return location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}

function isPassing(outcome: Exchange): boolean {
  return outcome.kind !== 'answered' || outcome.answer.httpStatus >= 500;
}

function toResponse(outcome: Exchange): Response {
  if (outcome.kind !== 'answered') {
    throw new Error(outcome.detail);
  }
  const { httpStatus, header, body }: Answer = outcome.answer;
  if (body === undefined) {
    throw new Error('the answer is compressed or larger than 16 MiB');
  }
  if (httpStatus >= 300 && httpStatus < 400) {
    throw new Error(`the API redirects to nowhere (HTTP ${httpStatus})`);
  }
  const headers = new Headers();
  for (const name of ['content-type', 'link']) {
    headers.set(name, header(name) ?? '');
  }
  return new Response(httpStatus === 204 ? null : new Uint8Array(body), { status: httpStatus, headers });
}
