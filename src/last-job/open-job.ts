import type { Skip } from '../changes/decide.ts';
import { expectGitHubError, GitHubError, getGitHubError } from '../github/errors.ts';
import { findPullRequest, readPullState } from '../github/pull-request.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import { Stop, stopIfCanceled } from '../state/outcome.ts';
import type { Run } from '../state/run-state.ts';
import { mayBePullRequest } from '../text/link.ts';
import { getPreparationMs } from '../time/deadline.ts';
import type { Successor } from './find-start.ts';
import type { LastJob } from './search.ts';

const TIMEOUT_MS = 20_000;
/** The service's limits end within an hour. A run with more time may meet several. */
const LONGEST_START_MS = 2 * 3_600_000;

/** Why a run waits with its changes. The job is unknown while another run starts it. */
export interface OpenJob {
  readonly skip: Skip;
  readonly job?: Job;
}

/** True if another run may be starting a job. An older claim is one of a killed run. */
export function mayBeStarting({ openForMs }: LastJob, { inputs }: Run): boolean {
  return openForMs < Math.max(LONGEST_START_MS, inputs.timeoutMs);
}

/**
 * Returns the last job if it is at work, or if its pull request is open. The same for a job of an
 * earlier attempt that failed. Throws a `Stop` if that is unknown: a guess would either pile up
 * pull requests or skip all later runs.
 */
export async function findOpenJob(
  last: LastJob,
  failedId: string | undefined,
  run: Successor,
): Promise<OpenJob | undefined> {
  const { jobId, undone } = last;
  if (mayBeStarting(last, run)) {
    return { skip: { reason: 'job-at-work' } };
  }
  try {
    // A job that failed may have opened a pull request, too, and so may that of an earlier attempt.
    const ids = [failedId ?? [], jobId ?? [], undone.map((one) => one.jobId)].flat();
    for (const id of new Set(ids)) {
      const job = await run.readJob(id);
      const skip = job && (await findSkip(job, run));
      if (job !== undefined && skip !== undefined) {
        return { skip, job };
      }
    }
    return undefined;
  } catch (error) {
    const { message: detail, failure } = expectGitHubError(error);
    stopIfCanceled(run.cancel);
    throw new Stop({ result: 'not-started', code: 'pr-unknown', cause: failure.kind, detail });
  }
}

/** Rejects with a `GitHubError` if it is unknown whether the job is open. */
async function findSkip(job: Job, run: Run): Promise<Skip | undefined> {
  const { github, openPullRequests, cancel } = run;
  const { status, prLink, refusedLink } = job;
  if (!isFinalStatus(status)) {
    return { reason: 'job-at-work' };
  }
  if (refusedLink !== undefined && status !== 'failed') {
    throw new GitHubError(`its link is refused: ${refusedLink}`, { kind: 'setting' });
  }
  if (!mayBePullRequest(prLink, github.serverUrl)) {
    return undefined;
  }
  const place = findPullRequest(github.serverUrl, prLink);
  if (place === undefined) {
    throw new GitHubError(`it isn't on ${github.serverUrl}: ${prLink}`, { kind: 'setting' });
  }
  const timeoutMs = getPreparationMs(TIMEOUT_MS, run);
  const api = openPullRequests({ timeoutMs, signal: cancel }, place.project);
  const { state, ageMs } = await readPullState(place, api).catch((error) => {
    const { failure, message } = getGitHubError(error);
    throw new GitHubError(`${message}, for ${prLink}`, failure);
  });
  if (state === 'closed' && status !== 'failed') {
    run.emit({ kind: 'closed-pull-request', link: prLink });
  }
  return state === 'open' || state === 'draft' ? { reason: 'pr-open', ageMs } : undefined;
}
