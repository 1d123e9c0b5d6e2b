import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen } from '../../emulator/listen.ts';
import { findRequestProblems, findResponseProblems, getOperation } from './description.ts';
import { endpoints } from './endpoints.ts';
import { type Answer, createFaultScript, type FaultRule, toApiError } from './faults.ts';
import { answerQuery } from './graphql.ts';
import { findQueryProblems } from './graphql-schema.ts';
import type { Repository } from './repository.ts';

export interface GitHubApiOptions {
  /** By `owner/repo`. */
  readonly repositories: Readonly<Record<string, Repository>>;
  /** The only token that is accepted. */
  readonly token: string;
  /** By private repository, the only token that is accepted there instead. */
  readonly otherTokens?: Readonly<Record<string, string>>;
  /** The token may neither read nor write statuses. */
  readonly forbidsStatuses?: boolean;
  /** Earlier rules take precedence. */
  readonly faults?: readonly FaultRule[];
}

export interface SeenApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty until it has arrived. */
  body: string;
}

/** Returns the variables of a runner for an API at this address. */
export function toApiVariables(apiUrl: string) {
  return { GITHUB_API_URL: apiUrl, GITHUB_GRAPHQL_URL: `${apiUrl}/graphql` };
}

export type GitHubApi = ReturnType<typeof createGitHubApi>;

/**
 * Returns a stand-in for the endpoints of GitHub's REST API that the action uses, and for its
 * GraphQL API.
 */
export function createGitHubApi(options: GitHubApiOptions) {
  const takeFault = createFaultScript(options.faults ?? []);
  const requests: SeenApiRequest[] = [];
  const exchanges: Exchange[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const seen: SeenApiRequest = { method, path, headers, body: '' };
    requests.push(seen);
    const early = takeFault(method, path);
    const body = await text(request).catch(() => undefined);
    // The client is gone.
    if (body === undefined) {
      return;
    }
    seen.body = body;
    const fault = early ?? takeFault(method, path, body);
    const exchange: Exchange = { seen, target: findTarget(method, path) };
    exchanges.push(exchange);
    if (fault === 'dropped') {
      return;
    }
    if (typeof fault === 'object') {
      return write(response, fault);
    }
    exchange.answer = createAnswer(exchange, options);
    if (fault === 'reset') {
      request.socket.resetAndDestroy();
    } else if (fault !== 'lost') {
      write(response, exchange.answer);
    }
  }

  const server = createServer((request, response) => void answer(request, response));
  return {
    /** In order of arrival. */
    requests,
    /** Returns what deviates from GitHub's API descriptions, other than faults. */
    findDeviations: (): string[] => exchanges.flatMap(findDeviations),
    /** Returns the number of requests for matching paths with this method. */
    count: (path: RegExp, method?: string): number =>
      requests.filter((seen) => path.test(seen.path) && (method ?? seen.method) === seen.method)
        .length,
    /** Starts on a free port of the loopback interface; resolves to the value of GITHUB_API_URL. */
    listen: () => listen(server),
    /** Stops listening and drops all connections. */
    close: () => close(server),
  };
}

interface Exchange {
  readonly seen: SeenApiRequest;
  /** Absent for a GraphQL query, too. */
  readonly target: ReturnType<typeof findTarget>;
  /** Absent for a fault. */
  answer?: Answer;
}

/** Returns the endpoint that a request asks for, and the parts of its path. */
function findTarget(method: string, path: string) {
  const { pathname, searchParams: query } = new URL(`http://localhost${path}`);
  const [, repository = '', rest = ''] =
    /^\/repos\/([^/]+\/[^/]+)(\/.*)$/.exec(decodeURIComponent(pathname)) ?? [];
  for (const endpoint of endpoints) {
    const match = endpoint.method === method && toPattern(endpoint.path).exec(rest);
    if (match) {
      return { endpoint, repository, query, values: match.slice(1) };
    }
  }
  return undefined;
}

function toPattern(path: string): RegExp {
  const pattern = path.replace(/\{(\w+)\}/g, (_, name) =>
    name === 'pull_number' ? '(\\d+)' : '([^/].*)',
  );
  return new RegExp(`^${pattern}$`);
}

function findDeviations({ seen, target, answer }: Exchange): string[] {
  const { method, path, body } = seen;
  if (isQuery(seen)) {
    return findQueryProblems(body, answer?.body).map((problem) => `graphql: ${problem}`);
  }
  if (target === undefined) {
    return [`${method} ${path}: the stand-in lacks it`];
  }
  if (target.endpoint.isOfGitea) {
    return [];
  }
  const operation = getOperation(target.endpoint);
  const problems = [
    ...findRequestProblems(operation, target.query, body),
    ...(answer === undefined ? [] : findResponseProblems(operation, answer.status, answer.body)),
  ];
  return problems.map((problem) => `${operation.operationId}: ${problem}`);
}

const isQuery = ({ method, path }: SeenApiRequest): boolean =>
  method === 'POST' && path === '/graphql';

function createAnswer({ seen, target }: Exchange, options: GitHubApiOptions): Answer {
  const { repositories, token, otherTokens = {}, forbidsStatuses } = options;
  const given = seen.headers.authorization?.replace('Bearer ', '') ?? '';
  if (![token, ...Object.values(otherTokens)].includes(given)) {
    return toApiError(401, 'Bad credentials', isQuery(seen) ? 'graphql' : 'rest');
  }
  if (isQuery(seen)) {
    return answerQuery(seen.body, options);
  }
  // Without access, a private repository seems not to exist.
  const name = target?.repository ?? '';
  const repository = given === (otherTokens[name] ?? token) ? repositories[name] : undefined;
  if (target === undefined || repository === undefined) {
    return toApiError(404, 'Not Found');
  }
  const { endpoint, query, values } = target;
  if (forbidsStatuses && endpoint.path.includes('statuses')) {
    return toApiError(403, 'Resource not accessible by integration');
  }
  return endpoint.answer({ repository, query, body: seen.body }, ...values);
}

function write(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
