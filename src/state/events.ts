import type { MissingFacts } from '../changes/prompt-facts.ts';
import type { PollEvent } from '../service/poll-loop.ts';
import type { NotStarted } from '../service/retry-policy.ts';

/** What happens during a run. The state says the rest. All texts are untrusted. */
export type RunEvent =
  /** The run reads and writes records on GitHub next, which can take seconds. */
  | { readonly kind: 'looking' }
  /** The state says which earlier job the run has found. */
  | { readonly kind: 'earlier-job' }
  /** Another attempt may be starting the job. The run waits for its id, for this long at most. */
  | { readonly kind: 'rival'; readonly waitMs: number }
  /** The claim of this run is on record. */
  | { readonly kind: 'recorded' }
  /** This job hasn't ended, so that the changes begin before it. */
  | { readonly kind: 'job-at-work'; readonly jobId: string }
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
  | { readonly kind: 'unread-pull-request'; readonly reason: string };
