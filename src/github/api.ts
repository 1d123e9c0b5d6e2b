import * as z from 'zod/mini';
import { undefinedIfThrown } from '../errors.ts';
import { type HttpResponse, type HttpResult, parseJson, sendRequest } from '../http/request.ts';
import { trimSlashes } from '../text/link.ts';
import type { Clock } from '../time/deadline.ts';
import { getBackOff, retry } from '../time/retry.ts';
import type { GitHubContext } from './context.ts';
import {
  createLimitError,
  createResponseError,
  findRefusal,
  GitHubError,
  type GitHubFailure,
  getLimitMs,
  RATE_LIMIT,
  REDIRECTS,
} from './errors.ts';

export interface ApiLimits {
  /** Time limit for all requests together, in milliseconds from the moment the API is opened. */
  readonly timeoutMs: number;
  /** How long one request is tried again, in milliseconds. Otherwise, half of what is left. */
  readonly retryMs?: number;
  readonly signal: AbortSignal;
}

/** Reads and writes one repository through the REST API, and asks the GraphQL API about it. */
export type GitHubApi = ReturnType<typeof createGitHubApi>;

const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** One try, so that a request without a response is tried again. */
const TRY_TIMEOUT_MS = 15_000;
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
 * Each request rejects with a `GitHubError`.
 */
export function createGitHubApi(github: GitHubContext, limits: ApiLimits, clock: Clock) {
  const { send, now } = createSender(github, limits, clock);
  const toUrl = (path: string): URL => {
    if (github.apiUrl === undefined) {
      throw new GitHubError('GITHUB_API_URL is not an https address', { kind: 'setting' });
    }
    const address = trimSlashes(github.apiUrl);
    return new URL(`${address}/repos/${getRepository(github)}${path}`);
  };
  return {
    /** Returns the time of GitHub's clock, as its last response tells it: ours may be wrong. */
    now,
    /** Returns the JSON at a path of the repository. `isOptional`: a first refusal is believed. */
    async read<S extends z.ZodMiniType>(schema: S, path: string, { isOptional = false } = {}) {
      const parse = (body: Buffer) => parseBody(schema, body);
      return send({ url: toUrl(path), success: OK, isOptional, parse });
    },
    /** Posts JSON to a path below the repository. May post twice after a failure. */
    async write(path: string, body: object): Promise<void> {
      const parse = (): true => true;
      const getBody = (): string => JSON.stringify(body);
      await send({ url: toUrl(path), getBody, success: CREATED, parse });
    },
    /**
     * Returns what `parse` makes of a query's data. The query gets `$owner` and `$name`. Its other
     * variables may differ after so many retries.
     */
    async query<T>(
      text: string,
      getVariables: (retries: number) => Readonly<Record<string, string | number | undefined>>,
      parse: (data: unknown) => T | GitHubError,
    ): Promise<T> {
      const [owner, name] = getRepository(github).split('/');
      const getBody = (retries: number): string =>
        JSON.stringify({ query: text, variables: { owner, name, ...getVariables(retries) } });
      const { graphqlUrl: url } = github;
      if (url === undefined) {
        // The address of another host would get the token.
        throw new GitHubError('this host has no GraphQL API', { kind: 'host' });
      }
      const parseAnswer = (body: Buffer, response: HttpResponse) =>
        parseQuery(body, response, parse);
      return send({ url, getBody, success: OK, parse: parseAnswer });
    },
  };
}

const OK = 200;
/** The only status that proves a write: a proxy's page may have 200. */
const CREATED = 201;

interface ApiRequest<T> {
  readonly url: URL;
  readonly getBody?: (retries: number) => string;
  readonly success: typeof OK | typeof CREATED;
  readonly isOptional?: boolean;
  readonly parse: (body: Buffer, response: HttpResponse) => T | GitHubError;
}

function createSender(
  { token = '' }: GitHubContext,
  { timeoutMs, retryMs, signal }: ApiLimits,
  clock: Clock,
) {
  const deadline = clock.now() + timeoutMs;
  let aheadMs = 0;

  async function sendTo(url: URL, body: string | undefined): Promise<HttpResult> {
    const leftMs = Math.ceil(deadline - clock.now());
    const limits = { timeoutMs: Math.min(TRY_TIMEOUT_MS, leftMs), maxBodyBytes: MAX_BODY_BYTES };
    const headers = getVersionHeader(url);
    const result = await sendRequest({ url, token, body, headers, ...limits, signal });
    if (result.kind === 'response') {
      aheadMs = Date.parse(result.response.header('date') ?? '') - Date.now() || 0;
    }
    return result;
  }

  async function send<T>(request: ApiRequest<T>): Promise<T> {
    const { url, getBody, success, isOptional } = request;
    const startedAt = clock.now();
    if (startedAt >= deadline) {
      throw new GitHubError('no time left');
    }
    const limits = {
      deadline,
      retryUntil: Math.min(deadline, startedAt + (retryMs ?? (deadline - startedAt) / 2)),
      doubtUntil: isOptional ? startedAt : Math.min(deadline, startedAt + DOUBT_MS),
    };
    let mayHaveEffect = false;
    let tries = 0;
    const { answer } = await retry(
      async () => {
        const body = getBody?.(tries);
        tries += 1;
        const first = await sendTo(url, body);
        const target = findRedirect(url, first);
        const result = target === undefined ? first : await sendTo(target, body);
        const answer = readAnswer(result, request);
        const failure: Partial<GitHubFailure> = answer instanceof GitHubError ? answer.failure : {};
        const { httpStatus = 500, retryAfterMs } = failure;
        const isRefused = httpStatus < 500 || retryAfterMs !== undefined;
        mayHaveEffect ||= success === CREATED && result.kind !== 'not-sent' && !isRefused;
        return { result, answer, failure };
      },
      ({ result, failure }, retries) => getPause(result, failure, retries, clock.now(), limits),
      { clock, signal },
    );
    if (answer instanceof GitHubError) {
      throw new GitHubError(answer.message, { ...answer.failure, mayHaveEffect });
    }
    return answer;
  }

  return { send, now: () => Date.now() + aheadMs };
}

function parseBody<S extends z.ZodMiniType>(schema: S, body: Buffer): z.output<S> | GitHubError {
  const json = parseJson(body, false);
  if (json === undefined) {
    return new GitHubError("the response isn't JSON: a proxy or a sign-in page may have sent it");
  }
  const parsed = z.safeParse(schema, json);
  return parsed.success ? parsed.data : new GitHubError('the response lacks a documented field');
}

const querySchema = z.object({
  data: z.optional(z.unknown()),
  errors: z.optional(z.array(z.object({ message: z.string(), type: z.optional(z.string()) }))),
});
const REFUSED_TYPES: readonly string[] = ['FORBIDDEN', 'INSUFFICIENT_SCOPES', 'NOT_FOUND'];

/**
 * A field that the token may not read is null, as one without a value is: only errors tell. Limits
 * and failures of GitHub come with a 200, too.
 */
function parseQuery<T>(
  body: Buffer,
  response: HttpResponse,
  parse: (data: unknown) => T | GitHubError,
): T | GitHubError {
  const answer = parseBody(querySchema, body);
  if (answer instanceof GitHubError) {
    return answer;
  }
  const [error] = answer.errors ?? [];
  if (error === undefined) {
    return parse(answer.data);
  }
  const { type = '', message } = error;
  if (/^RATE_LIMIT/.test(type) || RATE_LIMIT.test(message)) {
    return createLimitError(getLimitMs(response));
  }
  return REFUSED_TYPES.includes(type)
    ? new GitHubError(message, { kind: findRefusal(message) })
    : new GitHubError(message, { kind: 'unavailable', isTemporary: true });
}

/** Returns `owner/repo`. Throws if the run can't use any API. */
function getRepository({ repository, token }: GitHubContext): string {
  if (repository === undefined) {
    throw new GitHubError('GITHUB_REPOSITORY is not set', { kind: 'setting' });
  }
  if (token === undefined) {
    throw new GitHubError('the input github-token is empty', { kind: 'setting' });
  }
  return repository;
}

/** Returns the version of the API, for hosts that are sure to know it. */
export function getVersionHeader({ hostname }: URL): Record<string, string> {
  return VERSIONED_HOSTS.test(hostname) ? { 'x-github-api-version': API_VERSION } : {};
}

/** Returns where to repeat a request, unless it is another origin, which must not get the token. */
function findRedirect(url: URL, result: HttpResult): URL | undefined {
  if (result.kind !== 'response' || !REDIRECTS.includes(result.response.httpStatus)) {
    return undefined;
  }
  const location = result.response.header('location') ?? '';
  const target = undefinedIfThrown(() => new URL(location, url));
  return location !== '' && target?.origin === url.origin ? target : undefined;
}

/** Returns the pause before another try, in milliseconds. Undefined if this try is the last. */
function getPause(
  result: HttpResult,
  { kind, retryAfterMs, isTemporary }: Partial<GitHubFailure>,
  retries: number,
  now: number,
  limits: Readonly<Record<'deadline' | 'retryUntil' | 'doubtUntil', number>>,
): number | undefined {
  const backOffMs = getBackOff(FIRST_RETRY_DELAY_MS, LONGEST_RETRY_DELAY_MS, retries);
  const within = (delayMs: number, until: number) => (now + delayMs < until ? delayMs : undefined);
  if (retryAfterMs !== undefined) {
    return within(Math.max(backOffMs, retryAfterMs), limits.deadline);
  }
  if (isTemporary || result.kind !== 'response' || result.response.httpStatus >= 500) {
    return within(backOffMs, limits.retryUntil);
  }
  const isRefused = kind === 'token' || kind === 'organization' || kind === 'access';
  return isRefused ? within(DOUBT_DELAY_MS, limits.doubtUntil) : undefined;
}

function readAnswer<T>(result: HttpResult, { success, parse }: ApiRequest<T>): T | GitHubError {
  if (result.kind !== 'response') {
    return new GitHubError(result.detail);
  }
  const { httpStatus, body } = result.response;
  if (httpStatus !== success) {
    return createResponseError(result.response);
  }
  return body === undefined
    ? new GitHubError('the response is compressed or larger than 16 MiB')
    : parse(body, result.response);
}
