import { systemClock } from '../clock.ts';
import { type ClientLimits, getGitHubError, isPermissionError } from '../github/client.ts';
import type { GitHubContext } from '../github/context.ts';
import { listPreviousJobs, type PreviousJob } from '../github/previous-jobs.ts';
import type { AgentApi, ApiResult } from '../job/agent-client.ts';
import type { Reuse } from '../outcome.ts';

export interface ReuseOptions {
  readonly context: GitHubContext;
  readonly fingerprint: string;
  readonly agent: AgentApi;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const MAX_REQUESTS = 120;
const GET_TIMEOUT_MS = 10_000;
const MAX_JOBS = 20;

/**
 * Looks for a job that an earlier attempt of this workflow run started, and asks the service about it: the newest that
 * is neither failed nor gone is reused. One that the service can say nothing about right now is reused, too, rather
 * than paid for twice. Never throws.
 */
export async function findReusableJob(options: ReuseOptions): Promise<Reuse> {
  const { context, fingerprint, agent, timeoutMs, signal } = options;
  const deadline = systemClock.now() + timeoutMs;
  const limits: ClientLimits = { timeoutMs, maxRequests: MAX_REQUESTS, signal };
  let reason: string | undefined;
  let unclear: PreviousJob | undefined;
  const seen = new Set<string>();
  try {
    for await (const previous of listPreviousJobs(context, fingerprint, limits)) {
      if (seen.has(previous.jobId)) {
        continue;
      }
      seen.add(previous.jobId);
      const remainingMs = Math.max(1, deadline - systemClock.now());
      const result = await agent.getJob(previous.jobId, {
        timeoutMs: Math.min(GET_TIMEOUT_MS, remainingMs),
        signal,
      });
      const state = classifyJob(result);
      if (state === 'usable') {
        return { kind: 'reused', ...previous };
      }
      if (state === 'unclear') {
        unclear ??= previous;
      }
      reason ??= `the job of attempt ${previous.attempt} ${state === 'failed' ? 'failed' : 'is gone'}`;
      if (seen.size === MAX_JOBS) {
        break;
      }
    }
  } catch (error) {
    const failure = getGitHubError(error);
    const hint = isPermissionError(failure) ? '; this needs `actions: read` and `checks: read`' : '';
    reason ??= `couldn't read earlier attempts (${failure.message})${hint}`;
  }
  return unclear === undefined
    ? { kind: 'new-job', reason: reason ?? 'no earlier attempt recorded one' }
    : { kind: 'reused', ...unclear };
}

/** Says what a look at a job means for reusing it; a response that blames the request is as good as "no such job". */
function classifyJob(result: ApiResult): 'usable' | 'failed' | 'gone' | 'unclear' {
  if (result.kind !== 'response') {
    return 'unclear';
  }
  const { httpStatus, job } = result;
  if (job !== undefined) {
    return job.status === 'failed' ? 'failed' : 'usable';
  }
  const isRefused = httpStatus >= 400 && httpStatus < 500 && ![401, 403, 408, 425, 429].includes(httpStatus);
  return isRefused ? 'gone' : 'unclear';
}
