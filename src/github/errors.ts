import * as z from 'zod/mini';
import { getErrorText } from '../errors.ts';
import { type HttpResponse, parseJson } from '../http/request.ts';
import { formatInstant } from '../text/duration.ts';
import { parseUrl } from '../text/link.ts';

/**
 * Why something can't be read or written. `token`: GitHub does not know the token (401).
 * `organization`: its owners refuse the token or the address of the runner. `access`: GitHub
 * refuses it for any other reason (403, 404, or 422). `setting`: the run has no token, repository,
 * or API, or the API redirects elsewhere. `host`: it lacks the API. `full`: the commit takes no
 * more statuses. `gone`: the commit is out of sight. `deleted`: the tag of the run is gone.
 * `unavailable`: anything else, which may pass.
 */
export interface GitHubFailure {
  readonly kind: Refusal | 'setting' | 'host' | 'full' | 'gone' | 'deleted' | 'unavailable';
  /** Set only if GitHub itself refused, in its own JSON: a gateway's page proves nothing. */
  readonly httpStatus?: number | undefined;
  /** How long a rate limit lasts, in milliseconds: a minute if GitHub doesn't say. */
  readonly retryAfterMs?: number;
  /** True if a query failed, but not because of a refusal: another try may succeed. */
  readonly isTemporary?: boolean;
  /** True if a write may have taken effect: one of its tries was neither unsent nor refused. */
  readonly mayHaveEffect?: boolean;
}

type Refusal = 'token' | 'organization' | 'access';

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

/** Returns a `GitHubError`. Throws any other error: a bug must not look as if GitHub were down. */
export function expectGitHubError(error: unknown): GitHubError {
  if (error instanceof GitHubError) {
    return error;
  }
  throw error;
}

/** GitHub's limits end within an hour. */
const DAY_MS = 24 * 60 * 60 * 1000;
/** GitHub asks for a minute if a limit doesn't say how long it lasts. */
const UNSPECIFIED_LIMIT_MS = 60_000;
/**
 * Clients shall repeat a request at the new address, such as that of a renamed repository
 * (docs.github.com, "Best practices for using the REST API", "Follow redirects").
 */
export const REDIRECTS: readonly number[] = [301, 302, 307, 308];

/** GitHub's errors have a link (Gitea's: `url`), a gateway's don't. Of a 422, `errors` say why. */
const gitHubErrorSchema = z.object({
  message: z.string(),
  errors: z.catch(z.array(z.object({ message: z.string() })), []),
  documentation_url: z.optional(z.string()),
  url: z.optional(z.string()),
});

/** Returns the error in a response of GitHub's, or of a proxy before it. */
export function createResponseError(response: HttpResponse): GitHubError {
  const { httpStatus, header } = response;
  const { data: error } = z.safeParse(gitHubErrorSchema, parseJson(response.body, false));
  const { message, errors = [], documentation_url: page, url } = error ?? {};
  const retryAfterMs = getRateLimitDelay(response, `${message} ${page} ${url}`);
  if (retryAfterMs !== undefined) {
    return createLimitError(retryAfterMs);
  }
  const words = [`HTTP ${httpStatus}`, message, ...errors.map((error) => error.message)];
  const detail = words.filter((word) => word !== undefined).join(': ');
  const own = (page ?? url) === undefined ? undefined : httpStatus;
  if (REDIRECTS.includes(httpStatus)) {
    const origin = parseUrl(header('location') ?? '')?.origin ?? 'an unknown address';
    const reason = `${detail}: GITHUB_API_URL redirects to ${origin}`;
    return new GitHubError(reason, { kind: 'setting', httpStatus: own });
  }
  const kind = own === undefined ? 'unavailable' : findCause(httpStatus, detail);
  return new GitHubError(detail, { kind, httpStatus: own });
}

/** Returns the error for a rate limit that lasts so many milliseconds. */
export function createLimitError(retryAfterMs: number): GitHubError {
  const until = retryAfterMs < DAY_MS ? ` until ${formatInstant(Date.now() + retryAfterMs)}` : '';
  return new GitHubError(`rate limit exceeded${until}`, { kind: 'unavailable', retryAfterMs });
}

/** GitHub's words for a limit, some of which come without a header field. */
export const RATE_LIMIT = /\brate[ -]limit|\babuse\b/i;

/**
 * Returns how many milliseconds a rate limit lasts, or undefined if there is none. GitHub returns
 * 403 or 429 for a limit. Header fields distinguish it from a missing permission, but for a
 * secondary rate limit, sometimes only the words in the body do.
 */
function getRateLimitDelay(response: HttpResponse, words: string): number | undefined {
  const { httpStatus, header } = response;
  const isNamed = header('retry-after') !== undefined || RATE_LIMIT.test(words);
  const isLimit = httpStatus === 403 && (isUsedUp(response) || isNamed);
  return isLimit || httpStatus === 429 ? getLimitMs(response) : undefined;
}

function isUsedUp({ header }: HttpResponse): boolean {
  return header('x-ratelimit-remaining') === '0';
}

/** Returns how many milliseconds the limit lasts that a response tells of. */
export function getLimitMs(response: HttpResponse): number {
  const { header, retryAfterMs } = response;
  const resetAt = isUsedUp(response) ? Number(header('x-ratelimit-reset')) * 1000 : Number.NaN;
  const resetMs = resetAt - Date.parse(header('date') ?? '');
  return retryAfterMs ?? (Number.isNaN(resetMs) ? UNSPECIFIED_LIMIT_MS : resetMs);
}

const REFUSALS: readonly number[] = [403, 404, 422];
/** GitHub takes 1,000 statuses for a commit and context. */
const FULL = /\bmaximum number of statuses\b/i;
/** What GitHub says of a comparison that it knows, but can't finish in time (422). */
const TOO_LARGE = /\btaking too long\b/i;
/** An organization may allow only some addresses, or require single sign-on (403). */
const ORGANIZATION = /\bIP allow list\b|\bSAML\b/i;

/** Returns the kind of a refusal by GitHub's own words. */
export function findRefusal(words: string): Refusal {
  return ORGANIZATION.test(words) ? 'organization' : 'access';
}

function findCause(httpStatus: number, detail: string): GitHubFailure['kind'] {
  if (httpStatus === 401) {
    return 'token';
  }
  if (httpStatus === 422 && FULL.test(detail)) {
    return 'full';
  }
  if (REFUSALS.includes(httpStatus) && !TOO_LARGE.test(detail)) {
    return findRefusal(detail);
  }
  // 400: such as a version of the API that is no longer served.
  return httpStatus === 400 ? 'setting' : 'unavailable';
}
