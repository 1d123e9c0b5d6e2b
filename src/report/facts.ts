import type { GitHubContext } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { isEmulatorKey } from '../service/emulator-key.ts';
import type { Outcome } from '../state/outcome.ts';
import type { RunState } from '../state/run-state.ts';
import { trimSlashes } from '../text/link.ts';
import type { Redact } from '../text/redact.ts';

/** What all words about a run are made from. */
export interface Facts {
  readonly state: RunState;
  /** Undefined if the inputs could not be read. */
  readonly inputs: Inputs | undefined;
  readonly github: Pick<
    GitHubContext,
    'serverUrl' | 'docsUrl' | 'repository' | 'before' | 'runAttempt'
  >;
  readonly redact: Redact;
  /** Since the start of the action. */
  readonly elapsedMs: number;
  /** Why the outputs couldn't be written. */
  readonly outputProblem?: string | undefined;
  /** How the run ended. Undefined while it goes on. */
  readonly outcome?: Outcome;
}

/** The facts about a run that has ended. */
export type FinalFacts = Facts & { readonly outcome: Outcome };

/** Returns the address of the service. Empty if the inputs could not be read. */
export function getServiceAddress({ inputs }: Facts): string {
  return inputs === undefined ? '' : trimSlashes(inputs.baseUrl);
}

/** True if nothing can cost credits. */
export function isRehearsal({ inputs }: Facts): boolean {
  return inputs !== undefined && isEmulatorKey(inputs.apiKey);
}

export function isFollowUp({ state }: Facts): boolean {
  return state.request?.kind === 'follow-up';
}

/** True if the inputs name the job, so that a re-run doesn't start another one. */
export function isNamed({ state: { request, earlierJob } }: Facts): boolean {
  return request?.jobId !== undefined && earlierJob?.kind !== 'found';
}

/** Returns a title that says what was not started, and if it is about a rehearsal or a dry run. */
export function completeTitle(title: string, facts: Facts): string {
  const { inputs, outcome } = facts;
  const isRefused = outcome?.result === 'not-started' && !inputs?.dryRun;
  const unsent = isFollowUp(facts) ? ', follow-up not accepted' : ', no job started';
  const withDryRun = `${inputs?.dryRun ? 'Dry run: ' : ''}${title}${isRefused ? unsent : ''}`;
  return isRehearsal(facts) ? `Rehearsal: ${withDryRun}` : withDryRun;
}
