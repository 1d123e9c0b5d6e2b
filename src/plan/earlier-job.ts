import type { RunContext } from '../clock.ts';
import type { GitHubError } from '../github/client.ts';
import type { GitHubContext } from '../github/context.ts';
import type { OpenRunReader } from '../github/runs.ts';
import type { AgentApi } from '../job/agent-client.ts';
import type { JobRecord, KnownJobRecord, SearchFailure } from '../state.ts';
import { searchJobRecords } from './job-records.ts';

export interface ReuseOptions {
  readonly openReader: OpenRunReader;
  readonly github: GitHubContext;
  readonly fingerprint: string;
  /** The tag for which other runs are searched, too; undefined for earlier attempts alone. */
  readonly tag: string | undefined;
  /** Undefined if the service must not be asked. */
  readonly agent: AgentApi | undefined;
  readonly context: RunContext;
}

/** What to do about a job of an earlier attempt or another run. */
export type ReuseDecision =
  | { readonly kind: 'attach'; readonly record: KnownJobRecord }
  /** No record was found that could be waited for; `ended` is the newest of those whose job failed or is gone. */
  | { readonly kind: 'create'; readonly ended: EndedRecord | undefined }
  /** An earlier attempt of this run sent a create whose response was lost, and a person has re-run it since. */
  | { readonly kind: 'create-after-unknown'; readonly record: JobRecord }
  /** Records can't be read, but a re-run has to go on. */
  | { readonly kind: 'create-unsearched'; readonly failure: SearchFailure; readonly error: GitHubError }
  /** Another run sent a create whose response was lost, and nobody has looked since. */
  | { readonly kind: 'unknown'; readonly record: JobRecord }
  /** Not everything could be read. */
  | { readonly kind: 'unsearched'; readonly failure: SearchFailure; readonly error: GitHubError };

export interface EndedRecord extends KnownJobRecord {
  readonly ending: 'failed' | 'gone';
}

type JobState = 'usable' | 'failed' | 'not-found';

const SEARCH_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_REQUESTS = 300;
const GET_TIMEOUT_MS = 10_000;
const NOT_FOUND_LOOKS = 3;
const NOT_FOUND_PAUSE_MS = 2_000;

/**
 * Looks for a job that an earlier attempt of this run, or another run for the same tag, has started, and decides what to
 * do. The search takes at most 20 seconds and half of the time that is left. Never throws.
 */
export async function findReusableJob(options: ReuseOptions): Promise<ReuseDecision> {
  const { github, agent, context, tag } = options;
  const { jobs, unknown, end } = await findRecords(options);
  const usable = jobs.find(({ state }) => state === 'usable');
  if (usable !== undefined) {
    return { kind: 'attach', record: usable.record };
  }
  if (agent !== undefined) {
    await lookAgain(jobs, agent, context);
  }
  const found = jobs.find(({ state }) => state === 'usable');
  if (found !== undefined) {
    return { kind: 'attach', record: found.record };
  }
  const elsewhere = unknown.find(({ runId }) => runId !== github.runId);
  if (elsewhere !== undefined) {
    return { kind: 'unknown', record: elsewhere };
  }
  if (end.kind === 'failed') {
    const { failure, error } = end;
    return tag === undefined && (failure === 'not-permitted' || failure === 'impossible')
      ? { kind: 'create-unsearched', failure, error }
      : { kind: 'unsearched', failure, error };
  }
  const [own] = unknown;
  if (own !== undefined) {
    return { kind: 'create-after-unknown', record: own };
  }
  const [ended] = jobs;
  return {
    kind: 'create',
    ended: ended && { ...ended.record, ending: ended.state === 'failed' ? 'failed' : 'gone' },
  };
}

interface RecordedJob {
  readonly record: KnownJobRecord;
  state: JobState;
}

/**
 * Returns the recorded jobs, newest first, up to the first that is usable, and the records of creates whose result is
 * still unknown: whoever left a record with an id later in the same run knew what had become of them.
 */
async function findRecords({ openReader, github, fingerprint, tag, agent, context }: ReuseOptions) {
  const limits = {
    timeoutMs: Math.min(SEARCH_TIMEOUT_MS, getRemaining(context) / 2),
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    maxRequests: MAX_REQUESTS,
    signal: context.cancel,
  };
  const jobs = new Map<string, RecordedJob>();
  const unknown: JobRecord[] = [];
  const newestKnown = new Map<number, number>();
  const search = { openReader, context: github, fingerprint, tag, limits };
  const end = await searchJobRecords(search, async (record) => {
    const { jobId, leftBy } = record;
    if (jobId === undefined) {
      unknown.push(record);
      return false;
    }
    newestKnown.set(leftBy.runId, Math.max(leftBy.attempt, newestKnown.get(leftBy.runId) ?? 0));
    if (jobs.has(jobId)) {
      return false;
    }
    const state = agent === undefined ? 'usable' : await lookAtJob(jobId, agent, context);
    jobs.set(jobId, { record: { ...record, jobId }, state });
    return state === 'usable';
  });
  const isOpen = ({ leftBy }: JobRecord): boolean => leftBy.attempt >= (newestKnown.get(leftBy.runId) ?? 0);
  return { jobs: [...jobs.values()], unknown: unknown.filter(isOpen), end };
}

/** Looks again at jobs that were not found, all at once, because a service may answer 404 for a moment. */
async function lookAgain(jobs: readonly RecordedJob[], agent: AgentApi, context: RunContext): Promise<void> {
  for (let look = 2; look <= NOT_FOUND_LOOKS; look += 1) {
    const missing = jobs.filter(({ state }) => state === 'not-found');
    if (missing.length === 0) {
      return;
    }
    await context.clock.sleep(Math.min(NOT_FOUND_PAUSE_MS, getRemaining(context) / 4), context.cancel);
    await Promise.all(
      missing.map(async (job) => {
        job.state = await lookAtJob(job.record.jobId, agent, context);
      }),
    );
  }
}

/** Asks the service about a recorded job. Unless it surely failed or is not found it is usable: never pay twice on a guess. */
async function lookAtJob(jobId: string, agent: AgentApi, context: RunContext): Promise<JobState> {
  const timeoutMs = Math.ceil(Math.max(1, Math.min(GET_TIMEOUT_MS, getRemaining(context))));
  const result = await agent.getJob(jobId, { timeoutMs, signal: context.cancel });
  if (result.kind !== 'response') {
    return 'usable';
  }
  if (result.httpStatus === 404 || result.httpStatus === 410) {
    return 'not-found';
  }
  return result.job?.status === 'failed' ? 'failed' : 'usable';
}

function getRemaining({ deadline, clock }: RunContext): number {
  return deadline - clock.now();
}
