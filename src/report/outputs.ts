import { getErrorCode } from '../outcome.ts';
import { parsePullRequestNumber } from '../text/link.ts';
import type { RunResult } from './outcome-message.ts';

/** The outputs by the names of action.yml. All are strings, empty if nothing is known. */
export interface Outputs {
  readonly status: string;
  readonly 'pr-link': string;
  readonly outcome: string;
  readonly 'job-id': string;
  readonly 'pr-number': string;
  readonly 'source-repository': string;
  readonly 'source-ref': string;
  readonly model: string;
  readonly 'created-at': string;
  readonly 'archived-at': string;
  readonly 'elapsed-seconds': string;
  readonly reused: string;
  readonly 'error-code': string;
  readonly job: string;
}

/** Returns all outputs of a run that has ended. */
export function getOutputs({ outcome, state, elapsedMs }: RunResult): Outputs {
  return {
    ...getJobOutputs(state),
    outcome: outcome.outcome,
    'elapsed-seconds': String(Math.round(elapsedMs / 1000)),
    'error-code': getErrorCode(outcome) ?? '',
  };
}

type JobOutputs = Omit<Outputs, 'outcome' | 'elapsed-seconds' | 'error-code'>;

/** Returns the outputs that describe the job, which are also written as soon as a job is known. */
export function getJobOutputs({ job, jobId, earlierJob }: RunResult['state']): JobOutputs {
  const prLink = job?.prLink ?? '';
  return {
    status: job?.status ?? '',
    'pr-link': prLink,
    'job-id': jobId ?? '',
    'pr-number': parsePullRequestNumber(prLink) ?? '',
    'source-repository': job?.repository ?? '',
    'source-ref': job?.ref ?? '',
    model: job?.model ?? '',
    'created-at': job?.createdAt ?? '',
    'archived-at': job?.archivedAt ?? '',
    reused: String(earlierJob?.kind === 'found'),
    job: job?.json ?? '',
  };
}
