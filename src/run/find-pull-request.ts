import { getGitHubError } from '../github/api.ts';
import type { PullRequest } from '../github/pull-request.ts';
import { isFinalStatus } from '../service/job.ts';
import type { Run } from '../state/run-state.ts';
import { getLastRequestMs } from '../time/deadline.ts';

const TIMEOUT_MS = 3_000;

/**
 * Returns details of the pull request that the finished job opened. Undefined if there is none on
 * this host, or it can't be read in time. Never rejects.
 */
export async function findPullRequest(run: Run): Promise<PullRequest | undefined> {
  const { github, openGitHub, tracker, redact, emit, cancel } = run;
  const { job } = tracker.state;
  const timeoutMs = Math.min(TIMEOUT_MS, getLastRequestMs(run));
  const isPossible = github.token !== undefined && !cancel.aborted && timeoutMs > 0;
  if (!isPossible || job?.prLink === undefined || !isFinalStatus(job.status)) {
    return undefined;
  }
  try {
    // Loaded late, so that a run starts its job sooner.
    const { readPullRequest } = await import('../github/pull-request.ts');
    const open = (repository: string) => openGitHub({ timeoutMs, signal: cancel }, repository);
    return await readPullRequest(github.serverUrl, job.prLink, open, redact);
  } catch (error) {
    emit({ kind: 'unread-pull-request', reason: getGitHubError(error).message });
    return undefined;
  }
}
