import type { Inputs } from '../inputs/read-inputs.ts';
import type { Outcome } from '../outcome.ts';
import type { RunState } from '../state.ts';
import { code, type Message, message } from '../text/message.ts';

/** How a run ended, and what was known by then. */
export interface RunResult {
  readonly outcome: Outcome;
  readonly state: RunState;
  /** Since the start of the action. */
  readonly elapsedMs: number;
  /** Undefined if the inputs could not be read. */
  readonly inputs: Pick<Inputs, 'baseUrl' | 'reuse'> | undefined;
}

/** An outcome in words: what happened, whether a job may exist, and what to do next. */
export interface OutcomeMessage {
  readonly level: 'notice' | 'warning' | 'error' | 'none';
  /** A few words, for headings. */
  readonly title: string;
  readonly text: Message;
  /** What is wrong with the inputs, one item each. */
  readonly problems: readonly Message[];
  /** Steps for the reader, in order. */
  readonly next: readonly Message[];
  /** True if waiting for the job with `job-id` is a next step. */
  readonly canAttach: boolean;
}

/** What most messages that pass have in common. */
export const NOTICE = { level: 'notice', problems: [], next: [], canAttach: false } as const;
export const ERROR = { ...NOTICE, level: 'error' } as const;
export const LOOK_FOR_JOB = message`Look for a new job in the service's dashboard, and among the pull requests of the documentation repository.`;
export const REPORT_BUG = message`Report this as a bug of this action.`;

/** Names the job at the beginning of a sentence. */
export function nameJob({ jobId }: RunState): Message {
  return jobId === undefined ? message`The agent job` : message`Agent job ${code(jobId)}`;
}

/** True if the run sends a prompt to an existing job. */
export function isFollowUp({ request }: RunState): boolean {
  return request?.kind === 'follow-up';
}

/** Never empty, so that it can stand in parentheses. */
export function describeDetail(detail: string): string {
  return detail.trim() === '' ? 'no details' : detail;
}
