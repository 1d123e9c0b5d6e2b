import { getErrorCode } from '../outcome.ts';
import { getJobId, type RunState } from '../state.ts';
import { parsePullRequest } from '../text/link.ts';
import type { RunResult } from './facts.ts';

/**
 * Returns all outputs of a finished run, by their names in action.yml. Unknown values are empty.
 */
export function getOutputs({ outcome, state, elapsedMs }: RunResult) {
  return {
    ...getJobOutputs(state),
    'job-result': outcome.outcome,
    'elapsed-seconds': String(Math.round(elapsedMs / 1000)),
    'error-code': getErrorCode(outcome) ?? '',
  };
}

/** Returns the outputs about the job, which are also written as soon as the job is known. */
export function getJobOutputs(state: RunState) {
  const { job, earlierJob } = state;
  return {
    status: job?.status ?? '',
    'pr-link': job?.prLink ?? '',
    'job-id': getJobId(state) ?? '',
    'pr-number': (job?.prLink && parsePullRequest(job.prLink)?.number) ?? '',
    'source-repository': job?.repository ?? '',
    'source-ref': job?.ref ?? '',
    model: job?.model ?? '',
    'created-at': job?.createdAt ?? '',
    'archived-at': job?.archivedAt ?? '',
    reused: String(earlierJob?.kind === 'found'),
    job: job?.json ?? '',
  };
}
