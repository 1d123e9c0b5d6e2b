import * as z from 'zod/mini';
import { systemClock } from '../clock.ts';
import { getErrorText, ifPossible } from '../errors.ts';
import { type HttpResult, sendRequest } from '../http/request.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import { retry } from '../retry.ts';
import { getAddress } from '../text/link.ts';
import type { GitHubContext } from './context.ts';

export interface ApiLimits {
  /** Time limit for all requests together, in milliseconds from the moment the API is opened. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Reads and writes one repository through the REST API. Both methods reject with a reason if they
 * fail.
 */
export type GitHubApi = ReturnType<typeof createGitHubApi>;

/** Opens the repository of the workflow. */
export type OpenGitHub = (limits: ApiLimits) => GitHubApi;

/**
 * Why something can't be read or written. `no-access`: the run has no repository, token, or API.
 * `refused`: the token lacks a permission. GitHub then returns 403, or 404 to hide what exists.
 * `unavailable`: anything else.
 */
export interface GitHubFailure {
  readonly kind: 'no-access' | 'refused' | 'unavailable';
  /**
   * Undefined unless GitHub itself refused the request, in its own JSON: a gateway's page proves
   * nothing.
   */
  readonly httpStatus?: number | undefined;
  /**
   * How long a rate limit lasts, in milliseconds: infinity if unknown, undefined without a rate
   * limit.
   */
  readonly retryAfterMs?: number;
}

/** Thrown if something can't be read or written. The message is untrusted. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  readonly failure: GitHubFailure;

  constructor(message: string, failure: GitHubFailure = { kind: 'unavailable' }) {
    super(message);
    this.failure = failure;
  }
}

/** Returns a thrown error as a `GitHubError`. */
export function getGitHubError(error: unknown): GitHubError {
  return error instanceof GitHubError ? error : new GitHubError(getErrorText(error));
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const FIRST_RETRY_DELAY_MS = 300;
const MAX_RETRIES = 4;

/**
 * Opens a repository within limits. Retries a request after a transient failure and after a rate
 * limit that ends in time. Retries after a failure begin within half of the time that is left, so
 * that one request leaves time for others.
 */
export function createGitHubApi(
  { apiUrl, token }: GitHubContext,
  repository: string | undefined,
  { timeoutMs, signal }: ApiLimits,
) {
  const deadline = systemClock.now() + timeoutMs;
  /** A rate limit, or a host that can't be reached. Once set, later requests fail immediately. */
  let obstacle: GitHubError | undefined;

  async function send(path: string, body?: string): Promise<Buffer> {
    if (obstacle !== undefined) {
      throw obstacle;
    }
    if (repository === undefined) {
      throw new GitHubError('GITHUB_REPOSITORY is not set', { kind: 'no-access' });
    }
    if (token === undefined) {
      throw new GitHubError('`github-token` is empty', { kind: 'no-access' });
    }
    if (apiUrl === undefined) {
      throw new GitHubError('GITHUB_API_URL is not an https address', { kind: 'no-access' });
    }
    if (systemClock.now() >= deadline) {
      throw new GitHubError('no time left');
    }
    const options = {
      url: new URL(`${getAddress(apiUrl)}/repos/${repository}${path}`),
      body,
      token,
      signal,
      maxBodyBytes: MAX_BODY_BYTES,
    };
    const retryDeadline = (systemClock.now() + deadline) / 2;
    const result = await retry(
      () => sendRequest({ ...options, timeoutMs: Math.ceil(deadline - systemClock.now()) }),
      (response, retries) => {
        const limitMs = getRateLimitDelay(response);
        const isTransient = response.kind !== 'response' || response.response.httpStatus >= 500;
        const delayMs = Math.max(FIRST_RETRY_DELAY_MS * 2 ** retries, limitMs ?? 0);
        const latest = limitMs === undefined ? retryDeadline : deadline;
        const isLast = retries === MAX_RETRIES || systemClock.now() + delayMs >= latest;
        return !isLast && (isTransient || limitMs !== undefined) ? delayMs : undefined;
      },
      { clock: systemClock, signal },
    );
    const limitMs = getRateLimitDelay(result);
    if (limitMs !== undefined) {
      obstacle = new GitHubError('rate limit exceeded', {
        kind: 'unavailable',
        retryAfterMs: limitMs,
      });
    } else if (result.kind === 'not-sent') {
      obstacle = new GitHubError(result.detail);
    } else {
      return getBody(result);
    }
    throw obstacle;
  }

  return {
    /** Returns the JSON at a path below the repository, if it matches the schema. */
    async read<S extends z.ZodMiniType>(schema: S, path: string): Promise<z.output<S>> {
      const parsed = z.safeParse(schema, parseJson(await send(path)));
      if (!parsed.success) {
        throw new GitHubError('the response lacks a documented field');
      }
      return parsed.data;
    },
    /** Posts JSON to a path below the repository. May post twice after a transient failure. */
    async write(path: string, body: object): Promise<void> {
      await send(path, JSON.stringify(body));
    },
  };
}

/**
 * Returns how many milliseconds a rate limit lasts, infinity if the response does not say, or
 * undefined if there is none. GitHub returns 403 or 429 for a limit. Header fields distinguish it
 * from a missing permission, but for a secondary rate limit, sometimes only the body does.
 */
function getRateLimitDelay(result: HttpResult): number | undefined {
  if (result.kind !== 'response') {
    return undefined;
  }
  const { httpStatus, header, body } = result.response;
  const date = header('date');
  const retryAfter = header('retry-after');
  const isUsedUp = header('x-ratelimit-remaining') === '0';
  const isWorded = /\brate[ -]limit|\babuse\b/i.test(
    Object.values(readError(body) ?? {}).join(' '),
  );
  const isTold = retryAfter !== undefined || isUsedUp || isWorded;
  if (httpStatus !== 429 && !(httpStatus === 403 && isTold)) {
    return undefined;
  }
  const resetMs = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000 - Date.parse(date ?? '');
  const delayMs = parseRetryAfter(retryAfter, date) ?? (isUsedUp ? resetMs : Number.NaN);
  return Number.isNaN(delayMs) ? Number.POSITIVE_INFINITY : delayMs;
}

/** Returns the body of a successful response. Otherwise, throws a `GitHubError`. */
function getBody(result: HttpResult): Buffer {
  if (result.kind !== 'response') {
    throw new GitHubError(result.detail);
  }
  const { httpStatus, body } = result.response;
  if (httpStatus !== 200 && httpStatus !== 201) {
    const error = readError(body);
    const isOwn = (error?.documentation_url ?? error?.url) !== undefined;
    const isRefused = isOwn && (httpStatus === 403 || httpStatus === 404);
    throw new GitHubError(`HTTP ${httpStatus}${error === undefined ? '' : `: ${error.message}`}`, {
      kind: isRefused ? 'refused' : 'unavailable',
      httpStatus: isOwn ? httpStatus : undefined,
    });
  }
  if (body === undefined) {
    throw new GitHubError('the response is compressed or larger than 16 MiB');
  }
  return body;
}

/**
 * GitHub's errors link to its documentation (Gitea's use `url`). Errors of firewalls and gateways
 * don't.
 */
const gitHubErrorSchema = z.object({
  message: z.string(),
  documentation_url: z.optional(z.string()),
  url: z.optional(z.string()),
});

function readError(body: Buffer | undefined) {
  return z.safeParse(gitHubErrorSchema, body && parseJson(body)).data;
}

function parseJson(body: Buffer): unknown {
  return ifPossible(() => JSON.parse(body.toString()));
}
