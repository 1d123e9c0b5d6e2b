import {
  type Addresses,
  type Range,
  toComparison,
  toDiffEntry,
  toRef,
  toRelease,
  toSha,
  toTagObject,
} from './payloads.ts';
import { toPull } from './pull-payload.ts';
import type { Repository } from './repository.ts';
import {
  type KnownRun,
  listAnnotations,
  listRuns,
  toAnnotation,
  toWorkflowId,
  toWorkflowJob,
  toWorkflowRun,
} from './run-payloads.ts';

export type Permission = 'contents' | 'actions' | 'checks' | 'pull-requests';

/** An endpoint: the permission that it needs, and its answer. */
export interface Endpoint {
  /** Name in GitHub's API description. */
  readonly operation: string;
  /** Page about it, below `https://docs.github.com/rest/`. */
  readonly documentation: string;
  readonly permission: Permission;
  /** Of the path below the repository, decoded. */
  readonly pattern: RegExp;
  /** Undefined if there is no such item. `groups` are the named groups of the pattern. */
  readonly answer: (request: ApiRequest, ...groups: string[]) => Payload | undefined;
}

export interface ApiRequest {
  readonly repository: Repository;
  readonly addresses: Addresses;
  readonly query: URLSearchParams;
  /** The default creation time of runs. */
  readonly defaultTime: string;
}

export interface Payload {
  readonly body: unknown;
}

const MAX_PAGE = 100;
const MAX_UNPAGED_COMMITS = 250;
const MAX_PULL_FILES = 3_000;
const MAX_FOUND_RUNS = 1_000;

export const endpoints: readonly Endpoint[] = [
  {
    operation: 'git/list-matching-refs',
    documentation: 'git/refs#list-matching-references',
    permission: 'contents',
    pattern: /^\/git\/matching-refs\/tags\/(.*)$/,
    // All of them at once: this endpoint has no pages.
    answer: ({ repository, addresses }, prefix = '') => ({
      body: repository.tags
        .filter(({ name }) => name.startsWith(prefix))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((tag) => toRef(addresses, tag)),
    }),
  },
  {
    operation: 'git/get-tag',
    documentation: 'git/tags#get-a-tag',
    permission: 'contents',
    pattern: /^\/git\/tags\/([0-9a-f]{40})$/,
    answer: ({ repository, addresses }, sha) => {
      const tag = repository.tags.find(
        ({ name, isAnnotated }) => isAnnotated && toSha(`tag ${name}`) === sha,
      );
      return tag && { body: toTagObject(addresses, tag) };
    },
  },
  {
    operation: 'repos/compare-commits-with-basehead',
    documentation: 'commits/commits#compare-two-commits',
    permission: 'contents',
    pattern: /^\/compare\/(.+?)\.\.\.(.+)$/,
    answer: ({ repository, addresses, query }, base = '', head = '') => {
      const range = toRange(repository, base, head);
      if (range === undefined) return undefined;
      const { ahead } = range;
      if (!query.has('page') && !query.has('per_page')) {
        return { body: toComparison(addresses, range, ahead.slice(-MAX_UNPAGED_COMMITS), true) };
      }
      const isFirstPage = readPage(query).page === 1;
      return { body: toComparison(addresses, range, toPage(ahead, query), isFirstPage) };
    },
  },
  {
    operation: 'repos/get-release-by-tag',
    documentation: 'releases/releases#get-a-release-by-tag-name',
    permission: 'contents',
    pattern: /^\/releases\/tags\/(.+)$/,
    answer: ({ repository, addresses }, tag = '') => {
      const notes = repository.releases[tag];
      return notes === undefined ? undefined : { body: toRelease(addresses, tag, notes) };
    },
  },
  {
    operation: 'actions/list-workflow-runs',
    documentation: 'actions/workflow-runs#list-workflow-runs-for-a-workflow',
    permission: 'actions',
    pattern: /^\/actions\/workflows\/([^/]+)\/runs$/,
    answer: (request, workflow) => {
      const { addresses, query } = request;
      // Better a 404 than a filter that does nothing.
      if ([...query.keys()].some((name) => !RUN_FILTERS.includes(name))) return undefined;
      const runs = allRuns(request).filter(
        ({ file }) => file === workflow || `${toWorkflowId(file)}` === workflow,
      );
      if (runs.length === 0) return undefined;
      const found = runs.filter((run) => isWanted(run, query)).slice(0, MAX_FOUND_RUNS);
      const page = toPage(found, query).map((run) => toWorkflowRun(addresses, run));
      return { body: { total_count: found.length, workflow_runs: page } };
    },
  },
  {
    operation: 'actions/list-jobs-for-workflow-run-attempt',
    documentation: 'actions/workflow-jobs#list-jobs-for-a-workflow-run-attempt',
    permission: 'actions',
    pattern: /^\/actions\/runs\/(\d+)\/attempts\/(\d+)\/jobs$/,
    answer: (request, id, attempt) => {
      const run = findRun(request, id);
      const jobs = run?.attempts[Number(attempt) - 1];
      return run && jobs && toJobList(request, run, jobs);
    },
  },
  {
    operation: 'actions/get-job-for-workflow-run',
    documentation: 'actions/workflow-jobs#get-a-job-for-a-workflow-run',
    permission: 'actions',
    pattern: /^\/actions\/jobs\/(\d+)$/,
    answer: (request, id) => {
      const [run, job] = findJob(request, id) ?? [];
      return run && job && { body: toWorkflowJob(request.addresses, run, job) };
    },
  },
  {
    operation: 'checks/list-annotations',
    documentation: 'checks/runs#list-check-run-annotations',
    permission: 'checks',
    pattern: /^\/check-runs\/(\d+)\/annotations$/,
    answer: (request, id) => {
      const [, job] = findJob(request, id) ?? [];
      if (job === undefined) return undefined;
      const page = toPage(listAnnotations(job), request.query);
      return { body: page.map((annotation) => toAnnotation(request.addresses, annotation)) };
    },
  },
  {
    operation: 'pulls/get',
    documentation: 'pulls/pulls#get-a-pull-request',
    permission: 'pull-requests',
    pattern: /^\/pulls\/(\d+)$/,
    answer: ({ repository, addresses }, number) => {
      const pull = repository.pulls[Number(number)];
      return pull && { body: toPull(addresses, Number(number), pull) };
    },
  },
  {
    operation: 'pulls/list-files',
    documentation: 'pulls/pulls#list-pull-requests-files',
    permission: 'pull-requests',
    pattern: /^\/pulls\/(\d+)\/files$/,
    answer: ({ repository, addresses, query }, number) => {
      const files = repository.pulls[Number(number)]?.files.slice(0, MAX_PULL_FILES);
      const page = files && toPage(files, query).map((file) => toDiffEntry(addresses, file));
      return page && { body: page };
    },
  },
];

/** By the rules of the API: 30 items per page by default, 100 at most. */
function readPage(query: URLSearchParams): { readonly page: number; readonly size: number } {
  const read = (name: string): number => Math.max(0, Math.trunc(Number(query.get(name) ?? 0))) || 0;
  return { page: read('page') || 1, size: Math.min(MAX_PAGE, read('per_page') || 30) };
}

function toPage<T>(items: readonly T[], query: URLSearchParams): T[] {
  const { page, size } = readPage(query);
  return items.slice((page - 1) * size, page * size);
}

function allRuns({ repository, defaultTime }: ApiRequest): KnownRun[] {
  return listRuns(repository.runs, defaultTime);
}

function findRun(request: ApiRequest, id: string | undefined): KnownRun | undefined {
  return allRuns(request).find((run) => `${run.id}` === id);
}

function findJob(request: ApiRequest, id: string | undefined) {
  for (const run of allRuns(request)) {
    const job = run.attempts.flat().find((other) => `${other.id}` === id);
    if (job !== undefined) return [run, job] as const;
  }
  return undefined;
}

function toJobList(
  { addresses, query }: ApiRequest,
  run: KnownRun,
  jobs: KnownRun['attempts'][number],
): Payload {
  const page = toPage(jobs, query).map((job) => toWorkflowJob(addresses, run, job));
  return { body: { total_count: jobs.length, jobs: page } };
}

const RUN_FILTERS = ['branch', 'created', 'per_page', 'page'];

/** Whether a run passes the filters in the query. */
function isWanted(run: KnownRun, query: URLSearchParams): boolean {
  const branch = query.get('branch') ?? run.headBranch;
  const [, since = run.createdAt] = /^>=(\d{4}-\d\d-\d\d)$/.exec(query.get('created') ?? '') ?? [];
  return (run.headBranch ?? branch) === branch && Date.parse(run.createdAt) >= Date.parse(since);
}

function toRange({ commits, tags }: Repository, base: string, head: string): Range | undefined {
  const find = (name: string): number => {
    const sha = tags.find((tag) => tag.name === name)?.sha ?? name;
    return commits.findIndex((commit) => commit.sha === sha);
  };
  const [start, end] = [find(base), find(head)];
  const [first, last] = [commits[start], commits[end]];
  return first && last
    ? {
        base: first,
        head: last,
        ahead: commits.slice(start + 1, end + 1),
        behindBy: Math.max(0, start - end),
      }
    : undefined;
}
