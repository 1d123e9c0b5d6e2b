import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen } from '../../emulator/listen.ts';
import type { Dialect, Endpoint, Permissions } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import {
  type Answer,
  createFaultScript,
  type FaultRule,
  toApiError,
  toFaultyAnswer,
} from './faults.ts';
import type { Addresses } from './payloads.ts';
import type { Repository } from './repository.ts';
import { createStatusLog, type StatusLog } from './status-log.ts';

export interface GitHubApiOptions {
  /** By `owner/repo`. */
  readonly repositories: Readonly<Record<string, Repository>>;
  /** The only token that is accepted. */
  readonly token: string;
  /** The permissions of the token. Default: all. */
  readonly permissions?: Permissions;
  /**
   * After how many reads each written status appears in lists. All earlier statuses then appear,
   * too. The last delay repeats. Default: at once.
   */
  readonly statusDelays?: readonly number[];
  /** Default: `github`. With `gitea`, commit statuses follow Gitea. */
  readonly dialect?: Dialect;
  /** Earlier rules take precedence. */
  readonly faults?: readonly FaultRule[];
}

export interface SeenApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty until it has arrived. */
  body: string;
  /** Name of the operation in GitHub's API description, if the stand-in has it. */
  readonly operation: string | undefined;
  /** Absent until the request is answered. */
  answer?: Answer;
  /** Whether a fault replaced the repositories' response. */
  isFaulty: boolean;
}

export interface GitHubApi {
  /** In order of arrival. */
  readonly requests: readonly Readonly<SeenApiRequest>[];
  readonly dialect: Dialect;
  /** Returns the number of requests for matching paths with this method, or of all requests. */
  count(path?: RegExp, method?: string): number;
  /** Starts on a free port of the loopback interface; resolves to the value of GITHUB_API_URL. */
  listen(): Promise<string>;
  /** Stops listening and drops all connections. */
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const REQUESTS_PER_HOUR = 5_000;
const GITEA_PATH = '/api/v1';
const ALL_PERMISSIONS: Permissions = {
  contents: 'read',
  'pull-requests': 'read',
  statuses: 'write',
};

/**
 * Returns a stand-in for GitHub's REST API that does not listen yet: the endpoints that the action
 * uses, with the payloads, pages, rate-limit headers, and errors of GitHub's API description and
 * documentation.
 */
export function createGitHubApi(options: GitHubApiOptions): GitHubApi {
  const { repositories, dialect = 'github' } = options;
  const statuses = createStatusLog(repositories, options.statusDelays);
  const takeFault = createFaultScript(options.faults ?? []);
  const requests: SeenApiRequest[] = [];
  const resetAt = Math.ceil((Date.now() + HOUR_MS) / 1_000);
  let apiUrl = '';

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const { rest } = toParts(path);
    const endpoint = endpoints.find(
      ({ method: own = 'GET', pattern }) => own === method && pattern.test(decode(rest)),
    );
    const seen: SeenApiRequest = {
      method,
      path,
      headers,
      body: '',
      operation: endpoint?.operation,
      isFaulty: false,
    };
    requests.push(seen);
    const common = dialect === 'gitea' ? {} : toCommonHeaders(requests.length, resetAt);
    const rule = takeFault(method, path);
    const sent = await text(request).catch(() => undefined);
    // The client is gone.
    if (sent === undefined) return;
    seen.body = sent;
    const fault = rule?.fault;
    if (fault?.kind === 'slow') await sleep(fault.delayMs, undefined, { ref: false });
    const { isFaulty, status, headers: fields, body } = decideWithFault(seen, endpoint, rule);
    seen.isFaulty = isFaulty;
    seen.answer = { status, headers: { ...common, ...fields }, body };
    if (fault?.kind !== 'dropped') write(response, seen.answer);
  }

  function decideWithFault(
    seen: SeenApiRequest,
    endpoint: Endpoint | undefined,
    rule: FaultRule | undefined,
  ): Answer & { readonly isFaulty: boolean } {
    const instead = rule && toFaultyAnswer(rule.fault);
    const takesEffect = rule?.takesEffect ?? instead === undefined;
    const decided = takesEffect
      ? decide(seen, endpoint, { ...options, dialect, statuses, apiUrl })
      : undefined;
    const isFaulty = rule?.fault.kind === 'dropped' || instead !== undefined;
    return { ...(instead ?? decided ?? toApiError(502)), isFaulty };
  }

  const server = createServer((request, response) => void answer(request, response));
  return {
    requests,
    dialect,
    count: (path = /^/, method) =>
      requests.filter(
        (seen) => seen.path.search(path) >= 0 && (method ?? seen.method) === seen.method,
      ).length,
    async listen() {
      apiUrl = `${await listen(server)}${dialect === 'gitea' ? GITEA_PATH : ''}`;
      return apiUrl;
    },
    close: () => close(server),
  };
}

interface Context extends GitHubApiOptions {
  readonly dialect: Dialect;
  readonly statuses: StatusLog;
  readonly apiUrl: string;
}

/** The repositories' response. */
function decide(
  { path, headers, body }: SeenApiRequest,
  endpoint: Endpoint | undefined,
  context: Context,
): Answer {
  const { token, permissions = ALL_PERMISSIONS, statuses, dialect, apiUrl } = context;
  const [, given] = /^(?:bearer|token) (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (headers.authorization !== undefined && given !== token) return toApiError(401);
  if (endpoint === undefined) return toApiError(404);
  const documentation = `https://docs.github.com/rest/${endpoint.documentation}`;
  const { rest, query, name } = toParts(path);
  const found = Object.entries(context.repositories).find(([key]) => key.toLowerCase() === name);
  // Without access, a private repository seems not to exist.
  if (given === undefined || found === undefined) return toApiError(404, undefined, documentation);
  if (!isPermitted(endpoint, permissions)) {
    const accepted = `${endpoint.permission.replace('-', '_')}=${toLevel(endpoint)}`;
    return toApiError(403, undefined, documentation, { 'x-accepted-github-permissions': accepted });
  }
  const [key, repository] = found;
  const groups = endpoint.pattern.exec(decode(rest))?.slice(1) ?? [];
  const addresses = toAddresses(apiUrl, key);
  const request = { repository, addresses, query, body, statuses, dialect };
  const reply = endpoint.answer(request, ...groups) ?? { status: 404, message: 'Not Found' };
  return 'message' in reply
    ? toApiError(reply.status, reply.message, documentation, {}, reply.errors)
    : { status: 200, headers: {}, ...reply };
}

function toLevel({ method }: Endpoint): 'read' | 'write' {
  return method === 'POST' ? 'write' : 'read';
}

function isPermitted(endpoint: Endpoint, permissions: Permissions): boolean {
  const given = permissions[endpoint.permission];
  return given === 'write' || given === toLevel(endpoint);
}

/** The headers of every response from GitHub. */
function toCommonHeaders(requests: number, resetAt: number): Record<string, string> {
  return {
    'x-github-media-type': 'github.v3; format=json',
    'x-github-api-version-selected': '2022-11-28',
    'x-github-request-id': randomUUID(),
    'x-ratelimit-limit': `${REQUESTS_PER_HOUR}`,
    'x-ratelimit-remaining': `${REQUESTS_PER_HOUR - requests}`,
    'x-ratelimit-used': `${requests}`,
    'x-ratelimit-reset': `${resetAt}`,
    'x-ratelimit-resource': 'core',
  };
}

/** The parts of a path such as `/repos/acme/widgets/pulls/1`. */
function toParts(path: string) {
  const { pathname, searchParams: query } = new URL(`http://localhost${path}`);
  const [, name, rest = ''] = /^(?:\/api\/v1)?\/repos\/([^/]+\/[^/]+)(\/.*)$/.exec(pathname) ?? [];
  return { rest, query, name: name?.toLowerCase() };
}

function toAddresses(root: string, key: string): Addresses {
  const [owner = '', name = ''] = key.split('/');
  return { root, api: `${root}/repos/${key}`, page: `https://github.com/${key}`, owner, name };
}

/** The decoded path, or the path itself if it can't be decoded. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
