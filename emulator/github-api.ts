import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Addresses,
  toAnnotation,
  toComparison,
  toDiffEntry,
  toPull,
  toRef,
  toRelease,
  toSha,
  toTagObject,
  toWorkflowJob,
} from './github-payloads.ts';
import type { Repository } from './github-repository.ts';

export type Permission = 'contents' | 'actions' | 'checks' | 'pull-requests';

export interface GitHubApiOptions {
  /** By `owner/repo`. */
  readonly repositories: Readonly<Record<string, Repository>>;
  /** The only token that is accepted. */
  readonly token: string;
  /** What the token may read; everything unless given. */
  readonly permissions?: readonly Permission[];
  /** Called for each request that the token may make; what it returns is answered instead. */
  readonly intercept?: (path: string) => Interception | undefined;
}

/** An answer that no repository gives. */
export interface Interception {
  /** 200 unless given. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Before the answer; with nothing else the usual answer follows. */
  readonly delayMs?: number;
}

export interface SeenApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface GitHubApi {
  readonly requests: readonly SeenApiRequest[];
  /** Starts on a free port of the loopback interface; resolves to the value of GITHUB_API_URL. */
  listen(): Promise<string>;
  /** Stops listening and drops all connections. */
  close(): Promise<void>;
}

/** What an endpoint answers, after the permission that it needs. */
interface Endpoint {
  readonly permission: Permission;
  readonly pattern: RegExp;
  /** The value of the body, or undefined where there is no such thing; `groups` are those of the pattern. */
  readonly answer: (request: ApiRequest, ...groups: string[]) => unknown;
}

interface ApiRequest {
  readonly repository: Repository;
  readonly addresses: Addresses;
  readonly query: URLSearchParams;
}

const endpoints: readonly Endpoint[] = [
  {
    permission: 'contents',
    pattern: /^\/git\/matching-refs\/tags\/(.*)$/,
    answer: ({ repository, addresses }, prefix = '') =>
      repository.tags
        .filter(({ name }) => name.startsWith(prefix))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((tag) => toRef(addresses, tag)),
  },
  {
    permission: 'contents',
    pattern: /^\/git\/tags\/([0-9a-f]{40})$/,
    answer: ({ repository, addresses }, sha) => {
      const tag = repository.tags.find(
        ({ name, isAnnotated }) => isAnnotated && toSha(`tag ${name}`) === sha,
      );
      return tag && toTagObject(addresses, tag);
    },
  },
  {
    permission: 'contents',
    pattern: /^\/compare\/([0-9a-f]{40})\.\.\.([0-9a-f]{40})$/,
    answer: ({ repository: { commits }, addresses, query }, base, head) => {
      const start = commits.findIndex(({ sha }) => sha === base);
      const end = commits.findIndex(({ sha }) => sha === head);
      const first = commits[start];
      if (first === undefined || end < 0) return undefined;
      const range = commits.slice(start + 1, end + 1);
      const page = Number(query.get('page') ?? 1);
      return toComparison(addresses, first, range, toPage(range, query), page === 1);
    },
  },
  {
    permission: 'contents',
    pattern: /^\/releases\/tags\/(.+)$/,
    answer: ({ repository, addresses }, tag = '') => {
      const notes = repository.releases[tag];
      return notes === undefined ? undefined : toRelease(addresses, tag, notes);
    },
  },
  {
    permission: 'actions',
    pattern: /^\/actions\/runs\/(\d+)\/attempts\/(\d+)\/jobs$/,
    answer: ({ repository, addresses, query }, runId = '', attempt = '') => {
      const jobs = repository.runs[runId]?.[Number(attempt) - 1];
      return (
        jobs && {
          total_count: jobs.length,
          jobs: toPage(jobs, query).map((job) => toWorkflowJob(addresses, runId, Number(attempt), job)),
        }
      );
    },
  },
  {
    permission: 'checks',
    pattern: /^\/check-runs\/(\d+)\/annotations$/,
    answer: ({ repository, addresses, query }, id) => {
      const jobs = Object.values(repository.runs).flat(2);
      const annotations = jobs.find((job) => job.id === Number(id))?.annotations;
      return (
        annotations && toPage(annotations, query).map((annotation) => toAnnotation(addresses, annotation))
      );
    },
  },
  {
    permission: 'pull-requests',
    pattern: /^\/pulls\/(\d+)$/,
    answer: ({ repository, addresses }, number) => {
      const pull = repository.pulls[Number(number)];
      return pull && toPull(addresses, Number(number), pull);
    },
  },
  {
    permission: 'pull-requests',
    pattern: /^\/pulls\/(\d+)\/files$/,
    answer: ({ repository, addresses, query }, number) => {
      const files = repository.pulls[Number(number)]?.files;
      return files && toPage(files, query).map((file) => toDiffEntry(addresses, file));
    },
  },
];

/** By the rules of the API: pages of `per_page` items, 30 unless told, 100 at most. */
function toPage<T>(items: readonly T[], query: URLSearchParams): T[] {
  const size = Math.min(100, Number(query.get('per_page') ?? 30));
  const page = Number(query.get('page') ?? 1);
  return items.slice((page - 1) * size, page * size);
}

/**
 * Returns a stand-in of GitHub's REST API that does not listen yet: the endpoints that the action reads, with
 * payloads of the published types, the API's pages, and 401, 403 and 404 as the API gives them.
 */
export function createGitHubApi(options: GitHubApiOptions): GitHubApi {
  const { repositories, token, intercept } = options;
  const permissions = options.permissions ?? ['contents', 'actions', 'checks', 'pull-requests'];
  const requests: SeenApiRequest[] = [];
  let apiUrl = '';

  function decide({
    method = '',
    url = '',
    headers,
  }: IncomingMessage): Required<Omit<Interception, 'delayMs'>> {
    const { pathname, searchParams: query } = new URL(url, apiUrl);
    const [, name = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)$/.exec(pathname) ?? [];
    const path = decodeURIComponent(rest);
    const endpoint = endpoints.find(({ pattern }) => pattern.test(path));
    const repository = repositories[name];
    if (headers.authorization !== `token ${token}`) return toError(401, 'Bad credentials');
    if (method !== 'GET' || endpoint === undefined || repository === undefined)
      return toError(404, 'Not Found');
    if (!permissions.includes(endpoint.permission)) {
      return toError(403, 'Resource not accessible by integration');
    }
    const addresses = { api: `${apiUrl}/repos/${name}`, page: `https://github.com/${name}` };
    const groups = endpoint.pattern.exec(path)?.slice(1) ?? [];
    const body = endpoint.answer({ repository, addresses, query }, ...groups);
    return body === undefined ? toError(404, 'Not Found') : { status: 200, headers: {}, body };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path, headers });
    const { delayMs = 0, ...instead } = intercept?.(path) ?? {};
    await sleep(delayMs, undefined, { ref: false });
    const { status, headers: fields, body } = { ...decide(request), ...instead };
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...fields });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  const server = createServer((request, response) => void answer(request, response));
  return {
    requests,
    async listen() {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The server has no port');
      apiUrl = `http://127.0.0.1:${address.port}`;
      return apiUrl;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function toError(status: number, message: string): Required<Omit<Interception, 'delayMs'>> {
  const body = { message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
  return { status, headers: {}, body };
}
