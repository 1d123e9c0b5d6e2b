import { undefinedIfThrown } from '../errors.ts';
import type { PullRequest } from '../github/pull-request.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Runner } from '../runner/commands.ts';
import type { Outcome } from '../state/outcome.ts';
import type { RunEvent, RunTracker } from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import { type Message, message, toPlainText, untrusted } from '../text/message.ts';
import type { Facts } from './facts.ts';
import { createPollLog, describeEvent, describeExpression, describeWarning } from './log.ts';
import { getJobOutputs, getLastOutputs, getOutputs } from './outputs.ts';
import { renderInterimSummary, renderSummary } from './summary.ts';
import { getExcerpt } from './table.ts';
import { describeEnd, renderAnnotation } from './words.ts';

const PROMPT_LIMIT = 10_000;
const PROMPT_LINES = 100;
const TIME_COLUMN = 12;

/**
 * Writes the log, annotations, outputs, and summary of a run, from what the tracker knows. The
 * order of the writes is a promise: what must last is written before it is needed.
 */
export class Reporter {
  readonly #runner: Runner;
  readonly #tracker: RunTracker;
  readonly #context: Pick<Facts, 'github' | 'redact'>;
  #inputs: Inputs | undefined;
  #outputProblem: string | undefined;
  #logPoll: ReturnType<typeof createPollLog> | undefined;

  constructor(runner: Runner, tracker: RunTracker, context: Pick<Facts, 'github' | 'redact'>) {
    this.#runner = runner;
    this.#tracker = tracker;
    this.#context = context;
  }

  /** Writes a first summary, so that a step that is killed while it prepares leaves one. */
  begin(inputs: Inputs): void {
    this.#inputs = inputs;
    this.#showInterimSummary();
    // Only in the prompt of the inputs: what others wrote about changes may contain anything.
    this.#warn(describeExpression(inputs.request));
  }

  /** Logs what happens. Saves the id of a job as soon as it is known. */
  onEvent(event: RunEvent): void {
    if (event.kind === 'poll') {
      const { polls, pollFailure, job } = this.#tracker.state;
      this.#runner.debug(`poll ${polls}: ${pollFailure ?? job?.status}`);
    } else if (event.kind === 'wait') {
      this.#logPoll?.(event.event);
    } else if (event.kind === 'job') {
      // If this fails, `setOutputs` tries again and keeps the reason.
      this.#runner.setOutputs(getJobOutputs(this.#getFacts()));
      this.#showInterimSummary();
    } else if (event.kind === 'sending' || event.kind === 'retry') {
      // A step that is killed from now on may have had an effect, and until the next try, none.
      this.#showInterimSummary();
    }
    this.#log(describeEvent(event, this.#getFacts()));
    this.#warn(describeWarning(event, this.#tracker.state));
    if (event.kind === 'job') {
      this.#startWaiting();
    }
  }

  /** Writes all outputs, and a first summary. */
  setOutputs(outcome: Outcome): void {
    // Otherwise, `onEvent` has already shown the prompt.
    if (this.#logPoll === undefined) {
      this.#showPrompt();
    }
    this.#outputProblem = this.#runner.setOutputs(getOutputs({ ...this.#getFacts(), outcome }));
    // What follows takes seconds, in which the step may be killed. An error here must not keep the
    // end from the record. `conclude` meets it again.
    undefinedIfThrown(() =>
      this.#runner.replaceSummary(renderSummary({ ...this.#getFacts(), outcome })),
    );
  }

  /**
   * Adds the outputs that are known last: the duration, and those about the pull request if it
   * could be read. Writes the summary and the annotation. Returns true if the step may pass.
   */
  conclude(outcome: Outcome, pullRequest: PullRequest | undefined): boolean {
    const outputs = getLastOutputs({ ...this.#getFacts(), outcome }, pullRequest);
    this.#outputProblem ??= this.#runner.setOutputs(outputs);
    const facts = { ...this.#getFacts(), outcome };
    const words = describeEnd(facts);
    const problem = this.#runner.replaceSummary(renderSummary(facts, pullRequest));
    this.#log(problem === undefined ? [] : message`couldn't write the job summary (${problem})`);
    this.#log(untrusted(words.title));
    const excerpt = getExcerpt(outcome);
    this.#log(excerpt === '' ? [] : message`the response began with ${excerpt}`);
    words.problems.map((problem) => this.#toText(problem)).forEach(this.#runner.line);
    const lines = renderAnnotation(words, facts);
    if (words.level === 'none') {
      lines.forEach(this.#runner.line);
    } else {
      this.#runner.annotate(words.level, words.title, lines);
    }
    return this.#outputProblem === undefined && outcome.code === undefined;
  }

  #getFacts(): Facts {
    const { state, elapsedMs } = this.#tracker;
    const known = { state, elapsedMs, inputs: this.#inputs, outputProblem: this.#outputProblem };
    return { ...this.#context, ...known };
  }

  #toText(parts: Message): string {
    return toPlainText(parts, this.#context.redact);
  }

  #log(line: Message): void {
    const time = formatDuration(this.#tracker.elapsedMs).padStart(TIME_COLUMN);
    if (line.length > 0) {
      this.#runner.line(`${time}  ${this.#toText(line)}`);
    }
  }

  #warn(text: Message): void {
    if (text.length > 0) {
      this.#runner.annotate('warning', 'Docs agent', [this.#toText(text)]);
    }
  }

  #showPrompt(): void {
    const { request } = this.#tracker.state;
    if (request !== undefined && request.kind !== 'attach') {
      const title = `Prompt (length: ${request.prompt.length})`;
      this.#runner.group(title, request.prompt, PROMPT_LIMIT, PROMPT_LINES);
    }
  }

  #showInterimSummary(): void {
    this.#runner.replaceSummary(renderInterimSummary(this.#getFacts()));
  }

  #startWaiting(): void {
    const getRemainingMs = (): number => (this.#inputs?.timeoutMs ?? 0) - this.#tracker.elapsedMs;
    this.#showPrompt();
    if (this.#inputs?.wait === true) {
      this.#log(message`waiting for up to ${formatDuration(getRemainingMs())}`);
    }
    const { job } = this.#tracker.state;
    this.#logPoll = createPollLog(job, getRemainingMs, (line) => this.#log(line));
  }
}
