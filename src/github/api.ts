import * as z from 'zod/mini';
import { getErrorText, undefinedIfThrown } from '../errors.ts';
import { type HttpResponse, type HttpResult, sendRequest } from '../http/request.ts';
import { formatInstant } from '../text/duration.ts';
import { parseUrl, trimSlashes } from '../text/link.ts';
import type { Clock } from '../time/deadline.ts';
import { getBackOff } from '../time/delays.ts';
import { retry } from '../time/retry.ts';
import type { GitHubContext } from './context.ts';

export interface ApiLimits {
  /** Time limit for all requests together, in milliseconds from the moment the API is opened. */
  readonly timeoutMs: number;
  /**
   * How long one request is tried again, in milliseconds. Without it, half of the time that is
   * left, so that it leaves time for others.
   */
  readonly retryMs?: number;
  readonly signal: AbortSignal;
}

/** Reads and writes one repository through the REST API. */
export interface GitHubApi {
  /**
   * Returns the JSON at a path below the repository, if it matches the schema. `isOptional`: a first
   * "not found" or "forbidden" is believed. Rejects with a `GitHubError`.
   */
  read<S extends z.ZodMiniType>(
    schema: S,
    path: string,
    options?: { readonly isOptional?: boolean },
  ): Promise<z.output<S>>;
  /**
   * Posts JSON to a path below the repository. May post twice after a failure. Rejects with a
   * `GitHubError`.
   */
  write(path: string, body: object): Promise<void>;
}

/** Opens a repository, such as `acme/docs`. By default, the repository of the workflow. */
export type OpenGitHub = (limits: ApiLimits, repository?: string) => GitHubApi;

/**
 * Why something can't be read or written. `access`: GitHub refuses it (401, 403, 404, or 422).
 * `setting`: the run has no token, repository, or API, or the API redirects elsewhere. `full`: the
 * commit takes no more statuses. `unavailable`: anything else, which may pass.
 */
export interface GitHubFailure {
  readonly kind: 'access' | 'setting' | 'full' | 'unavailable';
  /**
   * Undefined unless GitHub itself refused the request, in its own JSON: a gateway's page proves
   * nothing.
   */
  readonly httpStatus?: number | undefined;
  /** How long a rate limit lasts, in milliseconds: a minute if GitHub doesn't say. */
  readonly retryAfterMs?: number;
  /** True if a write may have taken effect: one of its tries was neither unsent nor refused. */
  readonly mayHaveEffect?: boolean;
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
/** One try, so that a request without a response is tried again. */
const TRY_TIMEOUT_MS = 15_000;
/** GitHub asks for a minute if a limit doesn't say how long it lasts. */
const UNSPECIFIED_LIMIT_MS = 60_000;
const FIRST_RETRY_DELAY_MS = 300;
const LONGEST_RETRY_DELAY_MS = 10_000;
/**
 * A token isn't known everywhere for some seconds (octokit/auth-app.js#589 and #65), nor is a
 * commit (rust-lang/homu#141). Only after that time is a refusal believed.
 */
const DOUBT_MS = 10_000;
const DOUBT_DELAY_MS = 1_000;
/**
 * The newest version. Its breaking changes affect nothing that is read here (docs.github.com,
 * "Breaking changes"). GitHub Enterprise Server before 3.21 refuses it.
 */
const API_VERSION = '2026-03-10';
const VERSIONED_HOSTS = /^api\.(?:[\w-]+\.ghe|github)\.com$/;

/**
 * Opens a repository within limits. Tries a request again after a temporary failure, after a rate
 * limit that ends in time, and for ten seconds after a refusal. Follows one redirect of a request.
 */
export function createGitHubApi(
  github: GitHubContext,
  repository: string | undefined,
  { timeoutMs, retryMs, signal }: ApiLimits,
  clock: Clock,
): GitHubApi {
  const deadline = clock.now() + timeoutMs;
  /** A rate limit, or a host that can't be reached. Once set, later requests fail immediately. */
  let fatalError: GitHubError | undefined;

  /** Sends a request once, or once more to where it is redirected. */
  async function sendOnce(url: URL, body: string | undefined): Promise<HttpResult> {
    const { token = '' } = github;
    const sendTo = (target: URL): Promise<HttpResult> => {
      const timeoutMs = Math.min(TRY_TIMEOUT_MS, Math.ceil(deadline - clock.now()));
      const headers = getVersionHeader(target);
      const maxBodyBytes = MAX_BODY_BYTES;
      return sendRequest({ url: target, token, body, headers, timeoutMs, maxBodyBytes, signal });
    };
    const result = await sendTo(url);
    const target = findRedirect(url, result);
    return target === undefined ? result : sendTo(target);
  }

  /** Sends a request, and returns all tries. */
  async function tryUntilDone(url: URL, body: string | undefined, isOptional: boolean) {
    const startedAt = clock.now();
    const limits = {
      deadline,
      retryUntil: Math.min(deadline, startedAt + (retryMs ?? (deadline - startedAt) / 2)),
      doubtUntil: isOptional ? startedAt : Math.min(deadline, startedAt + DOUBT_MS),
    };
    const tries: HttpResult[] = [];
    await retry(
      async () => {
        const latest = await sendOnce(url, body);
        tries.push(latest);
        return latest;
      },
      (latest, retries) => getPause(latest, retries, clock.now(), limits),
      { clock, signal },
    );
    return tries;
  }

  async function send(path: string, body?: string, isOptional = false): Promise<Buffer> {
    if (fatalError !== undefined) {
      throw fatalError;
    }
    const address = getAddress(github, repository);
    if (clock.now() >= deadline) {
      throw new GitHubError('no time left');
    }
    const tries = await tryUntilDone(new URL(`${address}${path}`), body, isOptional);
    const answer = getBody(tries.at(-1), body === undefined ? 200 : 201);
    if (!(answer instanceof GitHubError)) {
      return answer;
    }
    fatalError = isFatal(tries.at(-1)) ? answer : undefined;
    throw body === undefined ? answer : addEffect(answer, tries);
  }

  return {
    async read(schema, path, { isOptional } = {}) {
      const json = parseJson(await send(path, undefined, isOptional));
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

/** Returns the address of a repository. Throws if the run can't use the API. */
function getAddress({ apiUrl, token }: GitHubContext, repository: string | undefined): string {
  if (repository === undefined) {
    throw new GitHubError('GITHUB_REPOSITORY is not set', { kind: 'setting' });
  }
  if (apiUrl === undefined) {
    throw new GitHubError('GITHUB_API_URL is not an https address', { kind: 'setting' });
  }
  if (token === undefined) {
    throw new GitHubError('github-token is empty', { kind: 'setting' });
  }
  return `${trimSlashes(apiUrl)}/repos/${repository}`;
}

/** Returns the version of the API, for hosts that are sure to know it. */
export function getVersionHeader({ hostname }: URL): Record<string, string> {
  return VERSIONED_HOSTS.test(hostname) ? { 'x-github-api-version': API_VERSION } : {};
}

/**
 * Clients shall repeat a request at the new address, such as that of a renamed repository
 * (docs.github.com, "Best practices for using the REST API", "Follow redirects").
 */
const REDIRECTS: readonly number[] = [301, 302, 307, 308];

/** Returns where to repeat a request. Undefined for another origin, which must not get the token. */
function findRedirect(url: URL, result: HttpResult): URL | undefined {
  if (result.kind !== 'response' || !REDIRECTS.includes(result.response.httpStatus)) {
    return undefined;
  }
  const location = result.response.header('location') ?? '';
  const target = undefinedIfThrown(() => new URL(location, url));
  return location !== '' && target?.origin === url.origin ? target : undefined;
}

interface RetryLimits {
  readonly deadline: number;
  readonly retryUntil: number;
  readonly doubtUntil: number;
}

/** Returns the pause before another try, in milliseconds. Undefined if this try is the last. */
function getPause(
  result: HttpResult,
  retries: number,
  now: number,
  { deadline, retryUntil, doubtUntil }: RetryLimits,
): number | undefined {
  const backOffMs = getBackOff(FIRST_RETRY_DELAY_MS, LONGEST_RETRY_DELAY_MS, retries);
  const within = (delayMs: number, until: number) => (now + delayMs < until ? delayMs : undefined);
  const limitMs = getRateLimitDelay(result);
  if (limitMs !== undefined) {
    return within(Math.max(backOffMs, limitMs), deadline);
  }
  if (result.kind !== 'response' || result.response.httpStatus >= 500) {
    return within(backOffMs, retryUntil);
  }
  const { failure } = createResponseError(result.response);
  return failure.kind === 'access' ? within(DOUBT_DELAY_MS, doubtUntil) : undefined;
}

/** True after a result that further requests would get, too. */
function isFatal(result: HttpResult | undefined): boolean {
  return result?.kind === 'not-sent' || getRateLimitDelay(result) !== undefined;
}

/**
 * Returns how many milliseconds a rate limit lasts, or undefined if there is none. GitHub returns
 * 403 or 429 for a limit. Header fields distinguish it from a missing permission, but for a
 * secondary rate limit, sometimes only the body does.
 */
function getRateLimitDelay(result: HttpResult | undefined): number | undefined {
  if (result?.kind !== 'response') {
    return undefined;
  }
  const { httpStatus, header, retryAfterMs, body } = result.response;
  const resetMs = getResetDelay(result.response);
  const namesLimit =
    header('retry-after') !== undefined || resetMs !== undefined || namesRateLimit(body);
  if (httpStatus !== 429 && !(httpStatus === 403 && namesLimit)) {
    return undefined;
  }
  return retryAfterMs ?? resetMs ?? UNSPECIFIED_LIMIT_MS;
}

/** Returns when a used-up rate limit resets, in milliseconds. Undefined if none is used up. */
function getResetDelay({ header }: HttpResponse): number | undefined {
  if (header('x-ratelimit-remaining') !== '0') {
    return undefined;
  }
  const resetMs = Number(header('x-ratelimit-reset') ?? Number.NaN) * 1000;
  const delayMs = resetMs - Date.parse(header('date') ?? '');
  return Number.isNaN(delayMs) ? UNSPECIFIED_LIMIT_MS : delayMs;
}

function namesRateLimit(body: Buffer | undefined): boolean {
  const { message = '', documentation_url: page = '', url = '' } = readError(body) ?? {};
  return /\brate[ -]limit|\babuse\b/i.test(`${message} ${page} ${url}`);
}

/**
 * Returns the body of a response with the one status that means success, or the error of any other
 * result. A proxy's page with status 200 proves no write.
 */
function getBody(result: HttpResult | undefined, success: number): Buffer | GitHubError {
  const limitMs = getRateLimitDelay(result);
  if (limitMs !== undefined) {
    const until =
      limitMs < DAY_MS && limitMs !== UNSPECIFIED_LIMIT_MS
        ? ` until ${formatInstant(Date.now() + limitMs)}`
        : '';
    return new GitHubError(`rate limit exceeded${until}`, {
      kind: 'unavailable',
      retryAfterMs: limitMs,
    });
  }
  if (result?.kind !== 'response') {
    return new GitHubError(result?.detail ?? 'no time left');
  }
  const { httpStatus, body } = result.response;
  if (httpStatus !== success) {
    return createResponseError(result.response);
  }
  return body ?? new GitHubError('the response is compressed or larger than 16 MiB');
}

/** Adds whether a failed write may have had an effect. */
function addEffect({ message, failure }: GitHubError, tries: readonly HttpResult[]): GitHubError {
  const mayHaveEffect = tries.some((result) => !hadNoEffect(result));
  return new GitHubError(message, { ...failure, mayHaveEffect });
}

/** True if a write was not sent, or if GitHub itself refused it. */
function hadNoEffect(result: HttpResult): boolean {
  if (result.kind !== 'response' || getRateLimitDelay(result) !== undefined) {
    return result.kind !== 'no-response';
  }
  const { httpStatus = 500 } = createResponseError(result.response).failure;
  return httpStatus < 500;
}

const REFUSALS: readonly number[] = [401, 403, 404, 422];
/** GitHub takes 1,000 statuses for a commit and context. */
const FULL = /\bmaximum number of statuses\b/i;

function createResponseError({ httpStatus, header, body }: HttpResponse): GitHubError {
  const error = readError(body);
  const isOwn = (error?.documentation_url ?? error?.url) !== undefined;
  const words = error && [error.message, ...error.errors.map(({ message }) => message)].join(': ');
  const detail = words === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${words}`;
  if (REDIRECTS.includes(httpStatus)) {
    const origin = parseUrl(header('location') ?? '')?.origin ?? 'an unknown address';
    const reason = `${detail}: GITHUB_API_URL redirects to ${origin}`;
    return new GitHubError(reason, { kind: 'setting', httpStatus: isOwn ? httpStatus : undefined });
  }
  if (!isOwn) {
    return new GitHubError(detail);
  }
  return new GitHubError(detail, { kind: findCause(httpStatus, detail), httpStatus });
}

/** Returns the cause of an error of GitHub's own. */
function findCause(httpStatus: number, detail: string): GitHubFailure['kind'] {
  if (httpStatus === 422 && FULL.test(detail)) {
    return 'full';
  }
  if (REFUSALS.includes(httpStatus)) {
    return 'access';
  }
  // 400: such as a version of the API that is no longer served.
  return httpStatus === 400 ? 'setting' : 'unavailable';
}

const details = z.array(z.object({ message: z.string() }));
/**
 * GitHub's errors link to its documentation (Gitea's use `url`). Errors of firewalls and gateways
 * don't. The reason of a 422 is in `errors`.
 */
const gitHubErrorSchema = z.object({
  message: z.string(),
  errors: z.catch(details, []),
  documentation_url: z.optional(z.string()),
  url: z.optional(z.string()),
});

function readError(body: Buffer | undefined) {
  return z.safeParse(gitHubErrorSchema, body && parseJson(body)).data;
}

function parseJson(body: Buffer): unknown {
  return undefinedIfThrown(() => JSON.parse(body.toString()));
}
