import type { ApiResponse } from '../../src/job/agent-client.ts';
import { type Job, parseJob } from '../../src/job/job.ts';
import { type OutcomeName, type RunState, RunTracker } from '../../src/outcome.ts';
import { jobRecord } from '../helpers/job-record.ts';

export const KEY = 'mint_0123456789abcdef';
export const PULL_REQUEST = 'https://github.com/acme/docs/pull/123';

/** The values of the output `outcome`; complete, or this does not compile. */
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
} satisfies Record<OutcomeName, true>);

/** A job as it comes out of the service's record, with the given fields changed. */
export function createTestJob(changes: Record<string, unknown> = {}): Job {
  const job = parseJob(jobRecord({ id: 'job_1', ...changes }), (text) => text);
  if (job === undefined) {
    throw new Error('not a usable record');
  }
  return job;
}

/** The state of a run that knows nothing but what is given. */
export function createState(changes: Partial<RunState> = {}): RunState {
  return { ...new RunTracker().state, ...changes };
}

/** A response of the service without a job, with the given parts changed. */
export function createResponse(httpStatus: number, changes: Partial<ApiResponse> = {}): ApiResponse {
  return {
    kind: 'response',
    httpStatus,
    job: undefined,
    hasErrorBody: false,
    retryAfterMs: undefined,
    detail: `HTTP ${httpStatus}`,
    ...changes,
  };
}
