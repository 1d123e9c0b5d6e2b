import type { RunContext } from '../clock.ts';
import type { GitHubError } from '../github/client.ts';
import type { GitHubContext } from '../github/context.ts';
import { type JobRecord, type KnownJobRecord, searchJobRecords } from '../github/job-records.ts';
import type { AgentApi, ApiResult } from '../job/agent-client.ts';

export interface ReuseOptions {
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
  | { readonly kind: 'create-unsearched'; readonly error: GitHubError }
  /** Another run sent a create whose response was lost, and nobody has looked since. */
  | { readonly kind: 'unknown'; readonly record: JobRecord }
  /** Not everything could be read; `isRefused` if a permission is missing. */
  | { readonly kind: 'unsearched'; readonly isRefused: boolean; readonly error: GitHubError };

export interface EndedRecord extends KnownJobRecord {
  readonly ending: 'failed' | 'gone';
}

const SEARCH_TIMEOUT_MS = 20_000;
const MAX_REQUESTS = 300;
const GET_TIMEOUT_MS = 10_000;
const GONE_LOOKS = 3;
const GONE_PAUSE_MS = 2_000;

/**
 * Looks for a job that an earlier attempt of this run, or another run for the same tag, has started, and decides what to
 * do. The search takes at most 20 seconds and half of the time that is left. Never throws.
 */
export async function findReusableJob(options: ReuseOptions): Promise<ReuseDecision> {
  const { github, fingerprint, tag, context } = options;
  const timeoutMs = Math.min(SEARCH_TIMEOUT_MS, (context.deadline - context.clock.now()) / 2);
  const limits = { timeoutMs, maxRequests: MAX_REQUESTS, signal: context.cancel };
  const looked = new Set<string>();
  /** The newest attempt with a known job, by run: whoever ran it knew what had become of older ones. */
  const known = new Map<number, number>();
  const unknown: JobRecord[] = [];
  let usable: KnownJobRecord | undefined;
  let ended: EndedRecord | undefined;

  const end = await searchJobRecords({ context: github, fingerprint, tag, limits }, async (record) => {
    const { jobId, runId, attempt } = record;
    if (jobId === undefined) {
      unknown.push(record);
      return false;
    }
    known.set(runId, Math.max(attempt, known.get(runId) ?? 0));
    if (looked.has(jobId)) {
      return false;
    }
    looked.add(jobId);
    const state = options.agent === undefined ? 'usable' : await lookAtJob(jobId, options.agent, context);
    if (state === 'usable') {
      usable = { ...record, jobId };
      return true;
    }
    ended ??= { ...record, jobId, ending: state };
    return false;
  });

  if (usable !== undefined) {
    return { kind: 'attach', record: usable };
  }
  const open = unknown.filter(({ runId, attempt }) => attempt > (known.get(runId) ?? 0));
  const elsewhere = open.find(({ runId }) => runId !== github.runId);
  if (elsewhere !== undefined) {
    return { kind: 'unknown', record: elsewhere };
  }
  if (end.kind === 'failed') {
    return end.isRefused && tag === undefined
      ? { kind: 'create-unsearched', error: end.error }
      : { kind: 'unsearched', isRefused: end.isRefused, error: end.error };
  }
  const [own] = open;
  return own === undefined ? { kind: 'create', ended } : { kind: 'create-after-unknown', record: own };
}

/** Asks the service about a recorded job. Unless it is surely failed or gone it is usable: never pay twice on a guess. */
async function lookAtJob(
  jobId: string,
  agent: AgentApi,
  { clock, cancel }: RunContext,
): Promise<'usable' | 'failed' | 'gone'> {
  for (let look = 1; ; look += 1) {
    const result = await agent.getJob(jobId, { timeoutMs: GET_TIMEOUT_MS, signal: cancel });
    if (!isGone(result)) {
      return result.kind === 'response' && result.job?.status === 'failed' ? 'failed' : 'usable';
    }
    if (look === GONE_LOOKS) {
      return 'gone';
    }
    await clock.sleep(GONE_PAUSE_MS, cancel);
  }
}

function isGone(result: ApiResult): boolean {
  return result.kind === 'response' && (result.httpStatus === 404 || result.httpStatus === 410);
}
