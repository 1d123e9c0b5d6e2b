import type { RunResult } from '../outcome.ts';
import { parsePullRequestNumber } from '../text/sanitize.ts';

/** The outputs by the names of action.yml; all are strings, empty where nothing is known. */
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
  readonly 'error-code': string;
  readonly job: string;
}

/** All outputs of a run that has ended. */
export function getOutputs({ outcome, code, progress, elapsedMs }: RunResult): Outputs {
  const { job, jobId } = progress;
  const link = job?.prLink ?? '';
  return {
    status: job?.status ?? '',
    'pr-link': link,
    outcome,
    'job-id': jobId ?? '',
    'pr-number': parsePullRequestNumber(link) ?? '',
    'source-repository': job?.repository ?? '',
    'source-ref': job?.ref ?? '',
    model: job?.model ?? '',
    'created-at': job?.createdAt ?? '',
    'archived-at': job?.archivedAt ?? '',
    'elapsed-seconds': String(Math.round(elapsedMs / 1000)),
    'error-code': code ?? '',
    job: job?.json ?? '',
  };
}
