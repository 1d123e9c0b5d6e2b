import * as z from 'zod/mini';
import type { Start } from '../../src/changes/range.ts';
import type { ChangesReading } from '../../src/changes/read-changes.ts';
import { InputError } from '../../src/errors.ts';
import type { GitHubApi } from '../../src/github/api.ts';
import { type GitHubContext, getAttemptPage } from '../../src/github/context.ts';
import { GitHubError } from '../../src/github/errors.ts';
import type { Inputs } from '../../src/inputs/read-inputs.ts';
import type { FinalFacts } from '../../src/report/facts.ts';
import { createRun } from '../../src/run/run.ts';
import type { AgentApi, ApiResponse, ApiResult } from '../../src/service/agent-client.ts';
import { type Job, parseJob } from '../../src/service/job.ts';
import { NOT_STARTED_CODES, type NotStartedCode } from '../../src/service/retry-policy.ts';
import { getErrorOutcome, type Outcome } from '../../src/state/outcome.ts';
import {
  type RecordedAttempt,
  type RunEvent,
  type RunState,
  RunTracker,
} from '../../src/state/run-state.ts';
import { toPlainText } from '../../src/text/message.ts';
import type { Timing } from '../../src/time/deadline.ts';
import { createToken } from '../github/token.ts';
import { createTiming, createVirtualClock } from '../harness/virtual-clock.ts';
import { jobRecord } from '../helpers/job-record.ts';

export const MINUTE = 60_000;
export const KEY = 'mint_0123456789abcdef';
export const TOKEN = createToken('the run');
export const PULL_REQUEST = 'https://github.com/acme/docs/pull/123';

export const create = { kind: 'create', prompt: 'Write it' } as const;
export const attach = { kind: 'attach', jobId: 'job_1' } as const;
export const followUp = { kind: 'follow-up', jobId: 'job_1', prompt: 'More' } as const;

/** The values of the output `outcome`. If one is missing, this does not compile. */
export const OUTCOMES = Object.keys({
  'pull-request-opened': true,
  'no-pull-request': true,
  archived: true,
  started: true,
  'dry-run': true,
  skipped: true,
  failed: true,
  'timed-out': true,
  cancelled: true,
  'not-started': true,
  'start-unknown': true,
  lost: true,
} satisfies Record<Outcome['result'], true>);

export { NOT_STARTED_CODES };

type OtherCode = Exclude<NonNullable<Outcome['code']>, NotStartedCode>;

/** The stable values of the output `error-code`. If one is missing, this does not compile. */
export const ERROR_CODES: readonly string[] = [
  ...NOT_STARTED_CODES,
  ...Object.keys({
    'invalid-input': true,
    'start-unknown': true,
    'record-failed': true,
    'changes-unknown': true,
    'pr-unknown': true,
    'job-lost': true,
    'job-failed': true,
    cancelled: true,
  } satisfies Record<OtherCode, true>),
];

export function createInputs(changes: Partial<Inputs> = {}): Inputs {
  return {
    request: create,
    projectId: 'docs',
    apiKey: KEY,
    baseUrl: new URL('https://api.example.com'),
    wait: true,
    dryRun: false,
    skipWhilePrOpen: false,
    tag: undefined,
    includeChanges: false,
    changesSince: undefined,
    reuse: 'auto',
    paths: undefined,
    timeoutMs: 30 * MINUTE,
    pollIntervalMs: 10_000,
    ...changes,
  };
}

function explain(error: unknown): string[] {
  if (error instanceof InputError) {
    return error.problems.map((problem) => toPlainText(problem, String));
  }
  throw error;
}

/** Returns what a function reads from inputs, or the problems that it finds. */
export function readOrExplain<T>(read: () => T): T | string[] {
  try {
    return read();
  } catch (error) {
    return explain(error);
  }
}

export const explainRejection = <T>(promise: Promise<T>) => promise.catch<string[]>(explain);

export function createTestJob(changes: Record<string, unknown> = {}): Job {
  return parseJob(jobRecord({ id: 'job_1', ...changes }), String) as Job;
}

/** Returns the context of run 7 of `acme/app`, with some fields changed. */
export function createGitHubContext(changes: Partial<GitHubContext> = {}): GitHubContext {
  return {
    apiUrl: new URL('https://api.github.com'),
    graphqlUrl: new URL('https://api.github.com/graphql'),
    serverUrl: 'https://github.com',
    isGitea: false,
    token: TOKEN,
    pullToken: TOKEN,
    repository: 'acme/app',
    runId: 7,
    runAttempt: 1,
    retentionMs: undefined,
    workflowPath: undefined,
    sha: 'c'.repeat(40),
    eventTag: undefined,
    eventName: 'push',
    isEventUnread: false,
    branch: 'main',
    defaultBranch: 'main',
    before: 'b'.repeat(40),
    takenBack: undefined,
    isWithoutSecrets: false,
    docsUrl: undefined,
    ...changes,
  };
}

/** Returns an API that reads what a function returns for a path. For undefined, it refuses. */
export function createFakeGitHub(find: (path: string) => unknown): GitHubApi {
  return {
    now: Date.now,
    read: async (schema, path) => {
      const answer = find(path);
      if (answer === undefined) {
        throw new GitHubError('HTTP 404', { kind: 'access', httpStatus: 404 });
      }
      const { success, data } = z.safeParse(schema, answer);
      if (!success) {
        throw new GitHubError('not as documented');
      }
      return data;
    },
    write: () => Promise.reject(new Error('nothing is written')),
    query: () => Promise.reject(new Error('nothing is queried')),
  };
}

/** Returns how GitHub answers the query for the history of a commit: in pages, newest first. */
export function answerHistory(
  list: (head: unknown) => readonly {
    readonly sha: string;
    readonly links: readonly string[];
    readonly parents?: readonly string[];
  }[],
): GitHubApi['query'] {
  return async (_, getVariables, parse) => {
    const { oid, first, after = 0 } = getVariables(0);
    const commits = list(oid);
    const end = Number(after) + Number(first);
    const nodes = commits.slice(Number(after), end).map(({ sha, links, parents = [] }) => {
      const contexts = links.map((targetUrl) => ({ targetUrl }));
      return {
        oid: sha,
        parents: { nodes: parents.map((parent) => ({ oid: parent })) },
        status: contexts.length === 0 ? null : { contexts },
      };
    });
    const pageInfo = { hasNextPage: end < commits.length, endCursor: `${end}` };
    const answer = parse({ repository: { object: { history: { nodes, pageInfo } } } });
    if (answer instanceof GitHubError) {
      throw answer;
    }
    return answer;
  };
}

/** Returns the facts about so many commits since a start. Undefined: they couldn't be read. */
export function createReading(start: Start, total?: number): ChangesReading {
  const file = { filename: 'src/main.ts', status: 'modified', additions: 2, deletions: 1 };
  const listed = { commits: [], files: [file], isCut: false, status: 'ahead' as const };
  const changes = total === undefined ? undefined : { ...listed, total };
  const whole = { missing: [], reason: '', isRefused: false };
  return { tag: undefined, commit: undefined, start, changes, notes: undefined, ...whole };
}

/** Returns an attempt of run 7, or of another run, that has left a record. */
export function createRecordedAttempt(runId: number, attempt: number): RecordedAttempt {
  const page = getAttemptPage(createGitHubContext(), runId, attempt);
  const isOtherRun = runId !== 7;
  return { runId, attempt, page, isOtherRun, mayRun: isOtherRun };
}

export function createState(changes: Partial<RunState> = {}): RunState {
  return { ...new RunTracker(createVirtualClock()).state, ...changes };
}

/** Returns the result of a run that knows nothing but its outcome, with some fields changed. */
export function createResult(outcome: Outcome, changes: Partial<FinalFacts> = {}): FinalFacts {
  return {
    outcome,
    state: createState(),
    elapsedMs: 252_000,
    inputs: undefined,
    github: createGitHubContext(),
    redact: (text) => text,
    ...changes,
  };
}

export function createResponse(httpStatus: number, changes?: Partial<ApiResponse>): ApiResponse {
  return {
    kind: 'response',
    httpStatus,
    job: undefined,
    hasErrorBody: false,
    hasJobBody: false,
    isPage: false,
    retryAfterMs: undefined,
    excerpt: undefined,
    detail: `HTTP ${httpStatus}`,
    ...changes,
  };
}

export async function play(
  inputs: Inputs,
  timing: Timing,
  tracker: RunTracker,
  agent: AgentApi,
  emit: (event: RunEvent) => void = () => {},
): Promise<Outcome> {
  const openGitHub = () => createFakeGitHub(() => undefined);
  const open = { openGitHub, openPullRequests: openGitHub };
  const github = createGitHubContext();
  const parts = { ...timing, ...open, inputs, agent, github, tracker, redact: String, emit };
  tracker.update({ request: inputs.request });
  return await createRun(parts)
    .execute()
    .catch((error) => getErrorOutcome(error, tracker.state));
}

const refused = { code: 'connect-failed', isTransient: true, detail: 'ECONNREFUSED' } as const;
export const unsent = { kind: 'not-sent', ...refused } as const;
export const silent: ApiResult = { kind: 'no-response', detail: 'reset' };

/** Returns a virtual clock, the time limits of a run on it, and the two ways to cancel. */
export function createWorld({ timeoutMs = 30 * MINUTE, random = 0 } = {}) {
  const clock = createVirtualClock();
  return { clock, ...createTiming(clock, clock.now() + timeoutMs, random) };
}

export type World = ReturnType<typeof createWorld>;

/** A response, or a function that changes something and then returns a response. */
export type Answer<T> = T | ((world: World) => T);

/** Returns the responses in order. The last one repeats, though not forever. */
export function createScript<T extends object>(
  world: World,
  answers: readonly Answer<T>[],
): () => T {
  let count = 0;
  return () => {
    const answer = answers[Math.min(count++, answers.length - 1)];
    if (answer === undefined || count > 1_000) {
      throw new Error('no request is expected');
    }
    return typeof answer === 'function' ? answer(world) : answer;
  };
}

export function afterCancel<T>(answer: T, isForced = false): (world: World) => T {
  return ({ cancel, forceCancel }) => {
    cancel.abort();
    if (isForced) {
      forceCancel.abort();
    }
    return answer;
  };
}
