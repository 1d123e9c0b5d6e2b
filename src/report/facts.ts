import { INPUT_DEFAULTS } from '../inputs/defaults.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Outcome } from '../outcome.ts';
import type { RunState } from '../state.ts';
import { getAddress, isLoopback } from '../text/link.ts';
import { code, joinMessages, link, type Message, message } from '../text/message.ts';

/** The state and the inputs of a run, as far as they are read. */
export interface Knowledge {
  readonly state: RunState;
  /** Undefined if the inputs could not be read. */
  readonly inputs: KnownInputs | undefined;
}

export type KnownInputs = Pick<Inputs, 'baseUrl' | 'projectId'>;

/** How a run ended, with its state and inputs at that time. */
export interface RunResult extends Knowledge {
  readonly outcome: Outcome;
  /** Since the start of the action. */
  readonly elapsedMs: number;
}

/** An outcome in words: what happened, whether a job may exist, and what to do next. */
export interface OutcomeMessage {
  readonly level: 'notice' | 'warning' | 'error' | 'none';
  /** A few words, for headings. */
  readonly title: string;
  readonly text: Message;
  /** Steps for the reader, in order; or the problems of the inputs. */
  readonly next: readonly Message[];
}

const OWN_ORIGIN = new URL(INPUT_DEFAULTS['base-url']).origin;
const USAGE_PAGE = 'https://app.mintlify.com/settings/organization/usage';

/** The facts that several messages about a run state, each worded once. */
export class Facts {
  readonly #state: RunState;
  readonly #inputs: KnownInputs | undefined;

  constructor({ state, inputs }: Knowledge) {
    this.#state = state;
    this.#inputs = inputs;
  }

  /** True if the run talks to the service at its default address, whose pages are known. */
  get isOwnService(): boolean {
    return this.#inputs?.baseUrl.origin === OWN_ORIGIN;
  }

  /** Address of the service from the inputs. Empty if they could not be read. */
  get address(): string {
    return this.#inputs === undefined ? '' : getAddress(this.#inputs.baseUrl);
  }

  /** True if the service is on this machine, as the emulator is. */
  get isRehearsal(): boolean {
    return this.#inputs !== undefined && isLoopback(this.#inputs.baseUrl);
  }

  /** True if the run sends a prompt to an existing job. */
  get isFollowUp(): boolean {
    return this.#state.request?.kind === 'follow-up';
  }

  /** True if this run has started a job although an earlier attempt may have started one. */
  get mayBeSecond(): boolean {
    const { earlierJob, jobId, isCreateInFlight } = this.#state;
    const isStarted = jobId !== undefined || isCreateInFlight;
    return isStarted && earlierJob?.kind === 'none' && earlierJob.mayBeSecond;
  }

  /** The job, at the beginning of a sentence. */
  get job(): Message {
    const { jobId } = this.#state;
    return jobId === undefined ? message`The agent job` : message`Agent job ${code(jobId)}`;
  }

  /** Says that the run has started a job. */
  get started(): Message {
    return this.isRehearsal
      ? message`Started agent job ${this.#state.jobId ?? ''}.`
      : message`Started agent job ${this.#state.jobId ?? ''}, which costs credits.`;
  }

  /** Says that the run spent nothing. */
  get noEffect(): Message {
    return this.isFollowUp
      ? message`The follow-up was not delivered, so nothing was spent.`
      : message`No job was started, so nothing was spent.`;
  }

  /** Says what an unconfirmed request may have done. */
  get possibleEffect(): Message {
    return this.isFollowUp
      ? message`${this.job} may have received the follow-up, which may cost credits.`
      : message`A job may have been started and may cost credits.`;
  }

  /** Says where to look for charges. Empty for other services. */
  get charges(): Message[] {
    return this.isOwnService ? [message`The activity log at ${link(USAGE_PAGE)} lists every charge.`] : [];
  }

  /** Says where to look for a job that can't be read. */
  get places(): Message {
    const places = message`Look for the job's pull request in the documentation repository.`;
    return joinMessages(places, ...this.charges);
  }

  /** Says what to do if there are two jobs. */
  get second(): Message {
    const both = message`If there are two jobs, both cost credits, and both may open a pull request in the documentation repository: keep one and close the other.`;
    return joinMessages(both, ...this.charges);
  }

  /** Says whether a re-run waits for the job of this run. */
  get rerun(): Message {
    if (this.isFollowUp) {
      return message`A re-run sends the follow-up again, which may cost credits again.`;
    }
    const { request, record, earlierJob } = this.#state;
    if (record.kind === 'saved' || (request?.kind === 'attach' && earlierJob === undefined)) {
      return message`A re-run waits for this job.`;
    }
    if (this.isRehearsal) {
      return message`In a rehearsal, a re-run costs nothing.`;
    }
    const why =
      'detail' in record ? message`, because the record of the job can't be written (${record.detail})` : [];
    const pays = message`A re-run starts another job, which costs credits again${why}.`;
    return record.kind === 'refused'
      ? message`${pays} Give the workflow job ${code('statuses: write')}.`
      : pays;
  }

  /** The ways to wait for a job that continues. */
  get waiting(): Message[] {
    const effect = this.isFollowUp
      ? 'ends at once if the service still shows the old status'
      : 'starts no other job';
    const wait = message`To wait for the job, use ${code('job-id')} without a prompt. That ${effect}.`;
    return [wait, this.rerun];
  }

  /** Marks the title of a rehearsal, and of a run that may have started a second job. */
  completeTitle(title: string): string {
    return `${this.isRehearsal ? 'Rehearsal: ' : ''}${title}${this.mayBeSecond ? ' (possible duplicate)' : ''}`;
  }
}

/** Quotes a response that may name a job. */
export function describeExcerpt(excerpt: string | undefined): Message[] {
  return excerpt === undefined ? [] : [message`The response starts with ${code(excerpt)}.`];
}
