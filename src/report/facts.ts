import type { GitHubContext } from '../github/context.ts';
import { isZeros, LAST_RUN } from '../inputs/changes-since.ts';
import { INPUT_DEFAULTS } from '../inputs/defaults.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { isEmulatorKey } from '../inputs/rehearsal.ts';
import { getEffect, type Outcome } from '../state/outcome.ts';
import { getJobId, mayBeSecondJob, type RunState } from '../state/run-state.ts';
import { trimSlashes } from '../text/link.ts';
import { code, type Message, message } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';

/** What all words about a run are made from. */
export interface Facts {
  readonly state: RunState;
  /** Undefined if the inputs could not be read. */
  readonly inputs:
    | Pick<
        Inputs,
        | 'apiKey'
        | 'baseUrl'
        | 'projectId'
        | 'reuse'
        | 'dryRun'
        | 'wait'
        | 'tag'
        | 'paths'
        | 'includeChanges'
        | 'changesSince'
      >
    | undefined;
  readonly github: Pick<
    GitHubContext,
    'serverUrl' | 'docsUrl' | 'isWithoutSecrets' | 'before' | 'sha'
  >;
  readonly redact: Redact;
  /** How the run ended. Undefined while it goes on. */
  readonly outcome?: Outcome;
}

/** The facts about a run that has ended. */
export interface FinalFacts extends Facts {
  readonly outcome: Outcome;
  /** Since the start of the action. */
  readonly elapsedMs: number;
}

const OWN_ADDRESS = trimSlashes(new URL(INPUT_DEFAULTS['base-url']));

/** Returns the address of the service. Empty if the inputs could not be read. */
export function getServiceAddress({ inputs }: Facts): string {
  return inputs === undefined ? '' : trimSlashes(inputs.baseUrl);
}

/** True at the default address. Only there does the action know the pages of the service. */
export function isOwnService(facts: Facts): boolean {
  return getServiceAddress(facts) === OWN_ADDRESS;
}

/** True if nothing can cost credits. */
export function isRehearsal({ inputs }: Facts): boolean {
  return inputs !== undefined && isEmulatorKey(inputs.apiKey);
}

export function isDryRun({ inputs }: Facts): boolean {
  return inputs?.dryRun === true;
}

export function isFollowUp({ state }: Facts): boolean {
  return state.request?.kind === 'follow-up';
}

/** True if the inputs name the job, so that a re-run doesn't start another one. */
export function isNamed({ state: { request, earlierJob } }: Facts): boolean {
  const isAttached = request?.kind === 'attach' && earlierJob?.kind !== 'found';
  return isAttached || request?.kind === 'follow-up';
}

/**
 * Returns the commit at which a new run has to begin to be about the same changes. Undefined if it
 * does so anyway: if the inputs name the start, or after a failure since the last successful run.
 */
export function getRangeStart({ inputs, state, outcome, github }: Facts): string | undefined {
  const isUsed = inputs?.includeChanges === true || inputs?.paths !== undefined;
  if (!isUsed || inputs.tag !== undefined) {
    return undefined;
  }
  if (inputs.changesSince === undefined) {
    const { before = '0'.repeat(40) } = github;
    return isZeros(before) ? undefined : before;
  }
  const isLast = inputs.changesSince === LAST_RUN && outcome?.code === undefined;
  const start = state.changes?.start;
  return isLast && start?.kind === 'known' ? start.ref : undefined;
}

/** True if a re-run waits for the job, instead of starting another one or sending it a prompt. */
export function isRerunFree(facts: Facts): boolean {
  const { claim, earlierJob } = facts.state;
  const isOnRecord = claim.kind === 'saved' && earlierJob?.kind !== 'unreadable';
  return !isFollowUp(facts) && (isNamed(facts) || isOnRecord);
}

/** Returns `Agent job` with its id, for the beginning of a sentence. */
export function nameJob({ state }: Facts): Message {
  const jobId = getJobId(state);
  return jobId === undefined ? message`The agent job` : message`Agent job ${code(jobId)}`;
}

/** True if another job may exist beside the one that this run has started, or may have. */
export function isPossibleDuplicate({ state, outcome }: Facts): boolean {
  return getEffect(state, outcome) !== 'none' && mayBeSecondJob(state.earlierJob);
}

/** Marks the title of a rehearsal, of a dry run, and of a possible second job. */
export function completeTitle(title: string, facts: Facts): string {
  const rehearsal = isRehearsal(facts) ? 'Rehearsal: ' : '';
  const dryRun = isDryRun(facts) ? 'Dry run: ' : '';
  const duplicate = isPossibleDuplicate(facts) ? ' (possible duplicate)' : '';
  return `${rehearsal}${dryRun}${title}${duplicate}`;
}
