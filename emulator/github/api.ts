import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { close, listen } from '../listen.ts';
import { type Endpoint, endpoints, type Permission } from './endpoints.ts';
import {
  type Answer,
  createFaultScript,
  type Fault,
  type FaultRule,
  toApiError,
  toFaultyAnswer,
} from './faults.ts';
import { type Addresses, toId } from './payloads.ts';
import type { Repository } from './repository.ts';
import { toTime } from './run-payloads.ts';

export interface GitHubApiOptions {
  /** By `owner/repo`. */
  readonly repositories: Readonly<Record<string, Repository>>;
  /** The only token that is accepted. */
  readonly token: string;
  /** The permissions of the token. Default: all. */
  readonly permissions?: readonly Permission[];
  /** The faults. More can be added later. */
  readonly faults?: readonly FaultRule[];
}

export interface SeenApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Name of the operation in GitHub's API description, if the stand-in has it. */
  readonly operation: string | undefined;
  /** Absent until the request is answered. */
  answer?: Answer;
  /** Whether a fault replaced the answer of the repositories. */
  isFaulty: boolean;
}

export interface GitHubApi {
  /** In order of arrival. */
  readonly requests: readonly Readonly<SeenApiRequest>[];
  /** Returns the number of requests for matching paths, or of all requests. */
  count(path?: RegExp): number;
  /** Adds a fault. Earlier rules take precedence. */
  addFault(rule: FaultRule): void;
  /** Starts on a free port of the loopback interface; resolves to the value of GITHUB_API_URL. */
  listen(): Promise<string>;
  /** Stops listening and drops all connections. */
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const REQUESTS_PER_HOUR = 5_000;

/**
 * Returns a stand-in for GitHub's REST API that does not listen yet: the endpoints that the action reads, with the
 * payloads, pages, rate-limit headers, and errors of GitHub's API description and documentation.
 */
export function createGitHubApi(options: GitHubApiOptions): GitHubApi {
  const { repositories, token } = options;
  const permissions = options.permissions ?? ['contents', 'actions', 'checks', 'pull-requests'];
  const script = createFaultScript(options.faults ?? []);
  const requests: SeenApiRequest[] = [];
  const resetAt = Math.ceil((Date.now() + HOUR_MS) / 1_000);
  const defaultTime = toTime(Date.now() - HOUR_MS);
  let apiUrl = '';

  /** The answer of the repositories. */
  function decide({ method, path, headers }: SeenApiRequest, endpoint: Endpoint | undefined): Answer {
    const [, given] = /^(?:bearer|token) (\S+)$/i.exec(headers.authorization ?? '') ?? [];
    const documentation = endpoint && `https://docs.github.com/rest/${endpoint.documentation}`;
    const { rest, query, name, id } = toParts(path);
    const key = Object.keys(repositories).find(
      (other) => other.toLowerCase() === name || `${toId(other)}` === id,
    );
    const repository = key === undefined ? undefined : repositories[key];
    if (headers.authorization !== undefined && given !== token) return toApiError(401);
    // Without access, a private repository looks as if it did not exist.
    if (method !== 'GET' || given === undefined || repository === undefined || endpoint === undefined) {
      return toApiError(404, undefined, documentation);
    }
    if (!permissions.includes(endpoint.permission)) {
      const accepted = `${endpoint.permission.replace('-', '_')}=read`;
      return toApiError(403, undefined, documentation, { 'x-accepted-github-permissions': accepted });
    }
    const addresses = toAddresses(apiUrl, `${key}`);
    const groups = endpoint.pattern.exec(decode(rest))?.slice(1) ?? [];
    const payload = endpoint.answer({ repository, addresses, query, defaultTime }, ...groups);
    if (payload === undefined) return toApiError(404, undefined, documentation);
    return { status: 200, headers: {}, body: payload.body };
  }

  function toRateLimitHeaders(): Record<string, string> {
    return {
      'x-ratelimit-limit': `${REQUESTS_PER_HOUR}`,
      'x-ratelimit-remaining': `${REQUESTS_PER_HOUR - requests.length}`,
      'x-ratelimit-used': `${requests.length}`,
      'x-ratelimit-reset': `${resetAt}`,
      'x-ratelimit-resource': 'core',
    };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const { rest } = toParts(path);
    const endpoint = endpoints.find(({ pattern }) => pattern.test(decode(rest)));
    const seen: SeenApiRequest = {
      method,
      path,
      headers,
      operation: endpoint?.operation,
      isFaulty: false,
    };
    requests.push(seen);
    const limits = toRateLimitHeaders();
    const fault = script.take(path);
    if (fault?.kind === 'slow') await sleep(fault.delayMs, undefined, { ref: false });
    const instead = fault && toFaultyAnswer(fault, Date.now());
    const { status, headers: fields, body } = instead ?? decide(seen, endpoint);
    seen.isFaulty = fault?.kind === 'dropped' || instead !== undefined;
    seen.answer = { status, headers: { ...limits, ...fields }, body };
    if (fault?.kind === 'dropped') drop(response, fault, seen.answer);
    else write(response, seen.answer);
  }

  const server = createServer((request, response) => void answer(request, response));
  return {
    requests,
    count: (path) =>
      requests.filter((request) => path === undefined || request.path.search(path) >= 0).length,
    addFault: script.add,
    async listen() {
      apiUrl = await listen(server);
      return apiUrl;
    },
    close: () => close(server),
  };
}

/** The parts of a path such as `/repos/acme/widgets/pulls/1`, or in redirects `/repositories/7/pulls/1`. */
function toParts(path: string) {
  const { pathname, searchParams: query } = new URL(`http://localhost${path}`);
  const [, name, id, rest = ''] =
    /^\/(?:repos\/([^/]+\/[^/]+)|repositories\/(\d+))(\/.*)$/.exec(pathname) ?? [];
  return { rest, query, name: name?.toLowerCase(), id };
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
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-github-media-type': 'github.v3; format=json',
    'x-github-api-version-selected': '2022-11-28',
    'x-github-request-id': randomUUID(),
    ...headers,
  });
  response.end(toText(body));
}

function drop(response: ServerResponse, { by }: Extract<Fault, { kind: 'dropped' }>, answer: Answer): void {
  switch (by) {
    case 'reset':
      response.socket?.resetAndDestroy();
      break;
    case 'close':
      response.destroy();
      break;
    case 'cut': {
      const text = toText(answer.body);
      response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(text) });
      response.write(text.slice(0, text.length / 2), () => response.destroy());
      break;
    }
    case 'silence':
      break;
  }
}

function toText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
