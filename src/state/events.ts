import type { PollEvent } from '../service/poll-job.ts';
import type { NotStarted } from '../service/retry-policy.ts';

/** The prompt lacks some of the requested facts about the changes. */
export interface MissingFacts {
  readonly kind: 'missing-facts';
  readonly missing: readonly string[];
  readonly reason: string;
  readonly isRefused: boolean;
}

/** What happens during a run. All texts are untrusted. */
export type RunEvent =
  /** The run reads and writes records on GitHub next, which can take seconds. */
  | { readonly kind: 'looking' }
  /** The state says which earlier job the run has found, or why it waits for none. */
  | { readonly kind: 'earlier-job' }
  /** Another attempt is starting the job. The run waits for its id, for this long at most. */
  | { readonly kind: 'rival'; readonly waitMs: number }
  /** What is on record about this run's job has changed. */
  | { readonly kind: 'claim' }
  /** What changed has been read. */
  | { readonly kind: 'changes' }
  /** The state says why `paths` starts the job. */
  | { readonly kind: 'paths' }
  | MissingFacts
  /** The run sends the request of its state next. */
  | { readonly kind: 'request' }
  /** The first byte of a create request or follow-up is written next, for each try. */
  | { readonly kind: 'sending' }
  | { readonly kind: 'retry'; readonly failure: NotStarted; readonly delayMs: number }
  /** The id of the job is known. */
  | { readonly kind: 'job' }
  /** One request to read the job has ended. */
  | { readonly kind: 'poll'; readonly detail: string }
  | { readonly kind: 'wait'; readonly event: PollEvent }
  | {
      readonly kind: 'unread-pull-request';
      readonly reason: string;
      readonly isRefused: boolean;
    };
