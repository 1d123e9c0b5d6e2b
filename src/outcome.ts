import type { ErrorCode, StartFailureCode } from './errors.ts';
import type { JobIdentity } from './github/job-annotation.ts';
import type { JobRequest } from './inputs/read-inputs.ts';
import type { Job } from './job/job.ts';

/** The values of the output `outcome`, as the README lists them. */
export const OUTCOMES = [
  'pull-request-opened',
  'no-pull-request',
  'archived',
  'started',
  'dry-run',
  'failed',
  'timed-out',
  'cancelled',
  'not-started',
  'start-unknown',
  'lost',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

export interface StatusChange {
  readonly status: string;
  /** Milliseconds since the start of the action. */
  readonly atMs: number;
}

/** What a re-run of the workflow run did about the job of an earlier attempt. */
export type Rerun =
  | {
      readonly kind: 'reused';
      readonly jobId: string;
      readonly attempt: number;
      /** Link of that attempt. */
      readonly page: string;
    }
  /** A new job; the reason may hold untrusted text. */
  | { readonly kind: 'created'; readonly reason: string };

/** What is known so far, kept up to date while the run goes on so that no ending loses any of it. */
export interface RunState {
  intent: JobRequest | undefined;
  /** What a later attempt finds the job by; undefined unless the intent is a create. */
  identity: JobIdentity | undefined;
  /** Undefined unless an earlier attempt was looked for. */
  rerun: Rerun | undefined;
  /** The id that the inputs named or that the service told. */
  jobId: string | undefined;
  job: Job | undefined;
  /** True from the moment a create or follow-up may have reached the service until it is known. */
  isCreateInFlight: boolean;
  checks: number;
  readonly changes: StatusChange[];
}

/** How the run ended. `code` is undefined exactly when the step passes; `detail` may hold untrusted text. */
export type Conclusion =
  | { readonly outcome: 'not-started'; readonly code: StartFailureCode; readonly detail: string }
  | {
      readonly outcome: Exclude<Outcome, 'not-started'>;
      readonly code: ErrorCode | undefined;
      readonly detail: string;
    };

export type RunResult = Conclusion & {
  readonly progress: Readonly<RunState>;
  readonly elapsedMs: number;
};

/** Nothing is known yet. */
export function createRunState(): RunState {
  return {
    intent: undefined,
    identity: undefined,
    rerun: undefined,
    jobId: undefined,
    job: undefined,
    isCreateInFlight: false,
    checks: 0,
    changes: [],
  };
}
