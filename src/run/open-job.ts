import type { OpenSkip } from '../changes/decide.ts';
import { getGitHubError } from '../github/api.ts';
import type { PullRequest } from '../github/pull-request.ts';
import type { JobRecord } from '../record/record.ts';
import type { ApiResult } from '../service/agent-client.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import { classifySend, isMissing } from '../service/retry-policy.ts';
import { CANCELLED, type Outcome, type PullUnknownOutcome, Stop } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { getPreparationMs } from '../time/deadline.ts';

const TIMEOUT_MS = 20_000;

/**
 * Returns the last job if it is at work, or if its pull request is open. Throws a `Stop` if that is
 * unknown: a guess would either pile up pull requests or skip all later runs.
 */
export async function findOpenJob(
  jobId: string,
  record: JobRecord,
  run: Run,
): Promise<(OpenSkip & { readonly job: Job }) | undefined> {
  const reply = await record.readJob(jobId);
  if (isMissing(reply)) {
    return undefined;
  }
  const job = reply.kind === 'response' ? reply.job : undefined;
  if (job === undefined) {
    throw new Stop(run.cancel.aborted ? CANCELLED : toRefusal(reply));
  }
  if (!isFinalStatus(job.status)) {
    return { reason: 'job-at-work', job };
  }
  if (job.status === 'failed' || (job.prLink ?? job.refusedLink) === undefined) {
    return undefined;
  }
  const state = await readState(job, run);
  return state === 'open' || state === 'draft' ? { reason: 'pr-open', job } : undefined;
}

/** Returns why a job can't be read, in the words for a request that starts one, if they fit. */
function toRefusal(reply: ApiResult): Outcome {
  const sent = classifySend(reply);
  return sent.kind === 'not-started'
    ? { result: 'not-started', ...sent.failure }
    : toUnknown('unavailable', reply.detail);
}

async function readState({ prLink, refusedLink }: Job, run: Run): Promise<PullRequest['state']> {
  const { github, openPullRequests, cancel } = run;
  const { findPullRequest, readPullState } = await import('../github/pull-request.ts');
  const place = findPullRequest(github.serverUrl, prLink);
  if (place === undefined) {
    throw new Stop(
      toUnknown('setting', `it isn't on ${github.serverUrl}: ${prLink ?? refusedLink}`),
    );
  }
  const timeoutMs = getPreparationMs(TIMEOUT_MS, run);
  try {
    return await readPullState(
      place,
      openPullRequests({ timeoutMs, signal: cancel }, place.project),
    );
  } catch (error) {
    const { failure, message } = getGitHubError(error);
    throw new Stop(
      cancel.aborted ? CANCELLED : toUnknown(failure.kind, `${message}, for ${prLink}`),
    );
  }
}

function toUnknown(cause: PullUnknownOutcome['cause'], detail: string): PullUnknownOutcome {
  return { result: 'not-started', code: 'pr-unknown', cause, detail };
}
