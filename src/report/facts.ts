import { INPUT_DEFAULTS } from '../inputs/defaults.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Outcome } from '../outcome.ts';
import type { RunState } from '../state.ts';
import { getAddress, isLoopback } from '../text/link.ts';
import { code, link, type Message, message } from '../text/message.ts';
import { explainEarlierJob } from './earlier-job.ts';

/** The state, the inputs, and the docs of a run. */
export interface Knowledge {
  readonly state: RunState;
  /** Undefined if the inputs could not be read. */
  readonly inputs: Pick<Inputs, 'baseUrl' | 'projectId'> | undefined;
  /** Address of docs/usage.md at the version that runs. Undefined for an action in the workflow's own repository. */
  readonly usagePage: string | undefined;
}

/** How a run ended. */
export interface RunResult extends Knowledge {
  readonly outcome: Outcome;
  /** Since the start of the action. */
  readonly elapsedMs: number;
}

const OWN_ADDRESS = getAddress(new URL(INPUT_DEFAULTS['base-url']));
const CHARGES_PAGE = 'https://app.mintlify.com/settings/organization/usage';
const KEYS_PAGE = 'https://app.mintlify.com/settings/organization/api-keys';

/** The facts that several messages about a run state, each worded once. */
export class Facts {
  readonly #state: RunState;
  readonly #inputs: Knowledge['inputs'];
  readonly #usagePage: string | undefined;

  constructor({ state, inputs, usagePage }: Knowledge) {
    this.#state = state;
    this.#inputs = inputs;
    this.#usagePage = usagePage;
  }

  /** True if the run talks to the service at its default address, whose pages are known. */
  get isOwnService(): boolean {
    return this.address === OWN_ADDRESS;
  }

  /** Address of the service from the inputs. Empty if they could not be read. */
  get address(): string {
    return this.#inputs === undefined ? '' : getAddress(this.#inputs.baseUrl);
  }

  /** True if the service is on this machine, as the emulator is. A rehearsal costs nothing. */
  get isRehearsal(): boolean {
    return this.#inputs !== undefined && isLoopback(this.#inputs.baseUrl);
  }

  /** True if the run sends a prompt to an existing job. */
  get isFollowUp(): boolean {
    return this.#state.request?.kind === 'follow-up';
  }

  /** True if the inputs name the job, so that a re-run starts no other. */
  get isNamed(): boolean {
    const { request, earlierJob } = this.#state;
    return this.isFollowUp || (request?.kind === 'attach' && earlierJob === undefined);
  }

  /** True if this run has started a job although an earlier attempt may have started one. */
  get mayBeSecond(): boolean {
    const { earlierJob, jobId, mayHaveStarted } = this.#state;
    const isStarted = jobId !== undefined || mayHaveStarted;
    return isStarted && earlierJob !== undefined && explainEarlierJob(earlierJob).warning !== undefined;
  }

  /** Marks the title of a rehearsal, and of a run that may have started a second job. */
  completeTitle(title: string): string {
    return `${this.isRehearsal ? 'Rehearsal: ' : ''}${title}${this.mayBeSecond ? ' (possible duplicate)' : ''}`;
  }

  /** The job, at the beginning of a sentence. */
  get job(): Message {
    const { jobId } = this.#state;
    return jobId === undefined ? message`The agent job` : message`Agent job ${code(jobId)}`;
  }

  /** Returns words about money, which a rehearsal leaves out. */
  cost(words: string): Message {
    return this.isRehearsal ? [] : [{ kind: 'text', value: words }];
  }

  /** The cost of this run, for a table. Empty in a rehearsal. */
  get ownCost(): Message {
    const { request, earlierJob, job, mayHaveStarted } = this.#state;
    if (this.isRehearsal) {
      return [];
    }
    if (request?.kind === 'create') {
      return message`credits for a new job${this.charges.length > 0 ? message` (${link(CHARGES_PAGE)})` : []}`;
    }
    if (request?.kind === 'follow-up' && (job !== undefined || mayHaveStarted)) {
      return message`possibly credits for the follow-up`;
    }
    if (earlierJob?.kind !== 'found') {
      return message`none: this run started no job`;
    }
    const { attempt, runId, isOtherRun } = earlierJob.attempt;
    const payer = `${isOtherRun ? `run ${runId}, ` : ''}attempt ${attempt}`;
    return message`none in this step: ${payer} paid for this job`;
  }

  /** Says that the run started a job. */
  get started(): Message {
    return message`Started agent job ${this.#state.jobId ?? ''}${this.cost(', which costs credits')}.`;
  }

  /** Says that the run had no effect. */
  get noEffect(): Message {
    const spent = this.cost(', so nothing was spent');
    return this.isFollowUp
      ? message`The follow-up was not sent${spent}.`
      : message`No job was started${spent}.`;
  }

  /** Says what an unconfirmed request may have done. */
  get possibleEffect(): Message {
    const spent = this.cost(', which may cost credits');
    return this.isFollowUp
      ? message`${this.job} may have received the follow-up${spent}.`
      : message`A job may have been started${spent}.`;
  }

  /** Says where to look for charges. Empty for other services. */
  get charges(): Message[] {
    return this.isOwnService ? [message`Every charge is in the activity log at ${link(CHARGES_PAGE)}.`] : [];
  }

  /** Says where keys are made. */
  get keysPage(): Message {
    return this.isOwnService ? message`the API keys page (${link(KEYS_PAGE)})` : message`the API keys page`;
  }

  /** Says where to look for a job that can't be read. */
  get places(): Message[] {
    return [message`Look for the job's pull request in the documentation repository.`, ...this.charges];
  }

  /** Says what to do if there are two jobs. */
  get second(): Message {
    return message`If there are two jobs, both may open a pull request${this.cost(', and both cost credits')}. Keep one pull request and close the other.`;
  }

  /** Says what a re-run of this run does. */
  get rerun(): Message {
    if (this.isFollowUp) {
      return message`A re-run sends the follow-up again${this.cost(', which may cost credits again')}.`;
    }
    const { record } = this.#state;
    if (record.kind === 'saved' || this.isNamed) {
      return message`A re-run waits for this job.`;
    }
    const why =
      'detail' in record
        ? message`, because the record of the job couldn't be written (${record.detail})`
        : [];
    // A canceled run may not know whether the id was written.
    const starts = record.kind === 'starting' ? 'may start' : 'starts';
    const again = message`A re-run ${[{ kind: 'text', value: starts }]} another ${this.cost('paid ')}job${why}.`;
    return record.kind === 'refused'
      ? message`${again} To avoid this in later runs, give the workflow job ${code('statuses: write')}.`
      : again;
  }

  /** The ways to wait for a job that continues. */
  get waiting(): Message[] {
    return [
      message`To wait for the job, set ${code('job-id')} without ${code('prompt')}. This starts no other job.`,
      this.rerun,
    ];
  }

  /** Links the section about an error code, at the version that runs. */
  help(section: string): Message[] {
    return this.#usagePage === undefined ? [] : [message`Details: ${link(`${this.#usagePage}#${section}`)}`];
  }
}
