import * as z from 'zod/mini';
import type { Clock } from '../clock.ts';
import { getErrorText, undefinedIfThrown } from '../errors.ts';
import { type HttpResponse, type HttpResult, sendRequest } from '../http/request.ts';
import { retry } from '../retry.ts';
import { formatInstant } from '../text/duration.ts';
import { trimSlashes } from '../text/link.ts';
import type { GitHubContext } from './context.ts';

export interface ApiLimits {
  /** Time limit for all requests together, in milliseconds from the moment the API is opened. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Reads and writes one repository through the REST API. */
export interface GitHubApi {
  /**
   * Returns the JSON at a path below the repository, if it matches the schema. Rejects with a
   * `GitHubError`.
   */
  read<S extends z.ZodMiniType>(schema: S, path: string): Promise<z.output<S>>;
  /**
   * Posts JSON to a path below the repository. May post twice after a transient failure. Rejects
   * with a `GitHubError`.
   */
  write(path: string, body: object): Promise<void>;
}

/** Opens a repository, such as `acme/docs`. By default, the repository of the workflow. */
export type OpenGitHub = (limits: ApiLimits, repository?: string) => GitHubApi;

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
  /** True if a write may have taken effect: one of its tries was neither unsent nor refused. */
  readonly mayHaveEffect?: boolean;
  /** True if one of the tries of a write was sent, but got no complete response. */
  readonly isUnanswered?: boolean;
  /** True if the commit of a tag couldn't be read, which needs another permission. */
  readonly isAboutTag?: boolean;
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
/** GitHub's limits end within an hour. */
const DAY_MS = 24 * 60 * 60 * 1000;
const FIRST_RETRY_DELAY_MS = 300;
const MAX_RETRIES = 4;

/**
 * Opens a repository within limits. Retries a request after a transient failure and after a rate
 * limit that ends in time.
 */
export function createGitHubApi(
  github: GitHubContext,
  repository: string | undefined,
  { timeoutMs, signal }: ApiLimits,
  clock: Clock,
): GitHubApi {
  const deadline = clock.now() + timeoutMs;
  /** A rate limit, or a host that can't be reached. Once set, later requests fail immediately. */
  let fatalError: GitHubError | undefined;

  async function send(path: string, body?: string): Promise<Buffer> {
    if (fatalError !== undefined) {
      throw fatalError;
    }
    const { address, token } = getAccess(github, repository);
    if (clock.now() >= deadline) {
      throw new GitHubError('no time left');
    }
    const url = new URL(`${address}${path}`);
    const options = { url, body, token, signal, maxBodyBytes: MAX_BODY_BYTES };
    // Retries after a failure begin within half of the time that is left, so that one request
    // leaves time for others.
    const retryDeadline = (clock.now() + deadline) / 2;
    const tries: HttpResult[] = [];
    const result = await retry(
      async () => {
        const timeoutMs = Math.ceil(deadline - clock.now());
        const latest = await sendRequest({ ...options, timeoutMs });
        tries.push(latest);
        return latest;
      },
      (latest, retries) => {
        const limitMs = getRateLimitDelay(latest);
        if (retries === MAX_RETRIES || (limitMs === undefined && !isTransient(latest))) {
          return undefined;
        }
        const delayMs = Math.max(FIRST_RETRY_DELAY_MS * 2 ** retries, limitMs ?? 0);
        const until = limitMs === undefined ? retryDeadline : deadline;
        return clock.now() + delayMs < until ? delayMs : undefined;
      },
      { clock, signal },
    );
    fatalError = getFatalError(result);
    const answer = fatalError ?? getBody(result);
    if (answer instanceof GitHubError) {
      throw body === undefined ? answer : addEffect(answer, tries);
    }
    return answer;
  }

  return {
    async read(schema, path) {
      const json = parseJson(await send(path));
      if (json === undefined) {
        throw new GitHubError(
          "the response isn't JSON: a proxy or a sign-in page may have sent it",
        );
      }
      const parsed = z.safeParse(schema, json);
      if (!parsed.success) {
        throw new GitHubError('the response lacks a documented field');
      }
      return parsed.data;
    },
    async write(path, body) {
      await send(path, JSON.stringify(body));
    },
  };
}

/** Returns the address of a repository and the token. Throws if one of them is missing. */
function getAccess({ apiUrl, token }: GitHubContext, repository: string | undefined) {
  if (repository === undefined) {
    throw new GitHubError('GITHUB_REPOSITORY is not set', { kind: 'no-access' });
  }
  if (token === undefined) {
    throw new GitHubError('`github-token` is empty', { kind: 'no-access' });
  }
  if (apiUrl === undefined) {
    throw new GitHubError('GITHUB_API_URL is not an https address', { kind: 'no-access' });
  }
  return { address: `${trimSlashes(apiUrl)}/repos/${repository}`, token };
}

function isTransient(result: HttpResult): boolean {
  return result.kind !== 'response' || result.response.httpStatus >= 500;
}

/** Returns the error after which further requests would fail, too. */
function getFatalError(result: HttpResult): GitHubError | undefined {
  const retryAfterMs = getRateLimitDelay(result);
  if (retryAfterMs !== undefined) {
    const until = retryAfterMs < DAY_MS ? ` until ${formatInstant(Date.now() + retryAfterMs)}` : '';
    return new GitHubError(`rate limit exceeded${until}`, { kind: 'unavailable', retryAfterMs });
  }
  return result.kind === 'not-sent' ? new GitHubError(result.detail) : undefined;
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
  const { httpStatus, header, retryAfterMs, body } = result.response;
  const resetMs = getResetDelay(result.response);
  const namesLimit =
    header('retry-after') !== undefined || resetMs !== undefined || namesRateLimit(body);
  if (httpStatus !== 429 && !(httpStatus === 403 && namesLimit)) {
    return undefined;
  }
  return retryAfterMs ?? resetMs ?? Number.POSITIVE_INFINITY;
}

/** Returns when a used-up rate limit resets, in milliseconds. Undefined if none is used up. */
function getResetDelay({ header }: HttpResponse): number | undefined {
  if (header('x-ratelimit-remaining') !== '0') {
    return undefined;
  }
  const resetMs = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000;
  const delayMs = resetMs - Date.parse(header('date') ?? '');
  return Number.isNaN(delayMs) ? Number.POSITIVE_INFINITY : delayMs;
}

function namesRateLimit(body: Buffer | undefined): boolean {
  const { message = '', documentation_url: page = '', url = '' } = readError(body) ?? {};
  return /\brate[ -]limit|\babuse\b/i.test(`${message} ${page} ${url}`);
}

/** Returns the body of a successful response, or the error of any other result. */
function getBody(result: HttpResult): Buffer | GitHubError {
  if (result.kind !== 'response') {
    return new GitHubError(result.detail);
  }
  const { httpStatus, body } = result.response;
  if (httpStatus !== 200 && httpStatus !== 201) {
    return createResponseError(httpStatus, body);
  }
  return body ?? new GitHubError('the response is compressed or larger than 16 MiB');
}

/** Adds what the tries of a failed write tell about its effect. */
function addEffect(error: GitHubError, tries: readonly HttpResult[]): GitHubError {
  return new GitHubError(error.message, {
    ...error.failure,
    mayHaveEffect: tries.some((result) => !hadNoEffect(result)),
    isUnanswered: tries.some(({ kind }) => kind === 'no-response'),
  });
}

/** True if a write was not sent, or if GitHub itself refused it. */
function hadNoEffect(result: HttpResult): boolean {
  if (result.kind !== 'response' || getRateLimitDelay(result) !== undefined) {
    return result.kind !== 'no-response';
  }
  const { httpStatus, body } = result.response;
  const ownStatus = createResponseError(httpStatus, body).failure.httpStatus ?? 500;
  return ownStatus < 500;
}

function createResponseError(httpStatus: number, body: Buffer | undefined): GitHubError {
  const error = readError(body);
  const isOwn = (error?.documentation_url ?? error?.url) !== undefined;
  const isRefused = isOwn && (httpStatus === 403 || httpStatus === 404);
  const reason = error === undefined ? '' : `: ${error.message}`;
  return new GitHubError(`HTTP ${httpStatus}${reason}`, {
    kind: isRefused ? 'refused' : 'unavailable',
    httpStatus: isOwn ? httpStatus : undefined,
  });
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
  return undefinedIfThrown(() => JSON.parse(body.toString()));
}
