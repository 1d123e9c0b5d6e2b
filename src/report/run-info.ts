import type { GitHubContext } from '../github/context.ts';
import { INPUT_DEFAULTS } from '../inputs/defaults.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Outcome } from '../state/outcome.ts';
import { getJobId, type RunState } from '../state/run-state.ts';
import { isLoopback, trimSlashes } from '../text/link.ts';
import { code, type Message, message } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { warnOfSecondJob } from './notes.ts';

/** A run: its state, its inputs, and its host. */
export interface RunInfo {
  readonly state: RunState;
  /** Undefined if the inputs could not be read. */
  readonly inputs: Pick<Inputs, 'baseUrl' | 'reuse' | 'dryRun' | 'timeoutMs'> | undefined;
  readonly github: Pick<GitHubContext, 'serverUrl' | 'docsUrl'>;
  readonly redact: Redact;
}

/** How a run ended. */
export interface FinishedRun extends RunInfo {
  readonly outcome: Outcome;
  /** Since the start of the action. */
  readonly elapsedMs: number;
}

const OWN_ADDRESS = trimSlashes(new URL(INPUT_DEFAULTS['base-url']));

/** Returns the address of the service. Empty if the inputs could not be read. */
export function getServiceAddress({ inputs }: RunInfo): string {
  return inputs === undefined ? '' : trimSlashes(inputs.baseUrl);
}

/** True at the default address. Only there does the action know the pages of the service. */
export function isOwnService(run: RunInfo): boolean {
  return getServiceAddress(run) === OWN_ADDRESS;
}

/** True if the service runs on this machine, so that nothing costs credits. */
export function isRehearsal({ inputs }: RunInfo): boolean {
  return inputs !== undefined && isLoopback(inputs.baseUrl);
}

export function isFollowUp({ state }: RunInfo): boolean {
  return state.request?.kind === 'follow-up';
}

/** True if the inputs name the job, so that a re-run doesn't start another one. */
export function isNamed({ state: { request, earlierJob } }: RunInfo): boolean {
  const isAttached = request?.kind === 'attach' && earlierJob?.kind !== 'found';
  return isAttached || request?.kind === 'follow-up';
}

/** Returns `Agent job` with its id, for the beginning of a sentence. */
export function nameJob({ state }: RunInfo): Message {
  const jobId = getJobId(state);
  return jobId === undefined ? message`The agent job` : message`Agent job ${code(jobId)}`;
}

/** True if another job may exist beside the one that this run has started, or may have. */
export function mayBeSecond({ state }: RunInfo): boolean {
  const hasStarted = getJobId(state) !== undefined || state.stage === 'unconfirmed';
  return hasStarted && warnOfSecondJob(state.earlierJob) !== undefined;
}

/** Marks the title of a rehearsal, of a dry run, and of a possible second job. */
export function completeTitle(title: string, run: RunInfo): string {
  const rehearsal = isRehearsal(run) ? 'Rehearsal: ' : '';
  const dryRun = run.inputs?.dryRun === true ? 'Dry run: ' : '';
  return `${rehearsal}${dryRun}${title}${mayBeSecond(run) ? ' (possible duplicate)' : ''}`;
}
