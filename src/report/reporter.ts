import { undefinedIfThrown } from '../errors.ts';
import type { GitHubContext } from '../github/context.ts';
import type { PullRequest } from '../github/pull-request.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Runner } from '../runner/commands.ts';
import type { RunEvent } from '../state/events.ts';
import type { Outcome } from '../state/outcome.ts';
import { getJobId, mayBeSecondJob, type RunState, type RunTracker } from '../state/run-state.ts';
import { formatDuration } from '../text/duration.ts';
import {
  code,
  joinSentences,
  type Message,
  message,
  redactMessage,
  toPlainText,
} from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { describeChanges } from './changes.ts';
import { describeEarlierJob } from './earlier-job.ts';
import { completeTitle, type Facts, getServiceAddress, isDryRun, isRerunFree } from './facts.ts';
import {
  describeMissingFacts,
  describePaths,
  logEarlierJob,
  logRequest,
  logRetry,
  logRival,
  logUnreadPullRequest,
} from './log.ts';
import { waitForJob } from './next-steps.ts';
import { getJobOutputs, getLastOutputs, getOutputs } from './outputs.ts';
import { PollLog } from './poll-log.ts';
import { describeRerun } from './rerun.ts';
import { renderInterimSummary, renderSummary } from './summary.ts';
import { describeRun, type Words } from './words.ts';

const PROMPT_LIMIT = 10_000;
const PROMPT_LINES = 100;
const TIME_COLUMN = 12;
/** In an annotation. */
const MAX_SHOWN_PROBLEMS = 3;

interface ReporterOptions {
  readonly runner: Runner;
  readonly tracker: RunTracker;
  readonly github: GitHubContext;
  readonly redact: Redact;
}

/** Writes the log, annotations, outputs, and summary of a run, from what the tracker knows. */
export class Reporter {
  readonly #runner: Runner;
  readonly #tracker: RunTracker;
  readonly #github: GitHubContext;
  readonly #redact: Redact;
  #inputs: Inputs | undefined;
  #pollLog: PollLog | undefined;
  #isWaiting = false;

  constructor({ runner, tracker, github, redact }: ReporterOptions) {
    this.#runner = runner;
    this.#tracker = tracker;
    this.#github = github;
    this.#redact = redact;
  }

  setInputs(inputs: Inputs): void {
    this.#inputs = inputs;
  }

  /** Writes a first summary, so that a step that is killed while it prepares leaves one. */
  begin(): void {
    this.#showInterimSummary();
  }

  #toText(parts: Message): string {
    return toPlainText(redactMessage(parts, this.#redact));
  }

  #log(line: Message): void {
    this.#runner.line(
      `${formatDuration(this.#tracker.elapsedMs).padStart(TIME_COLUMN)}  ${this.#toText(line)}`,
    );
  }

  #warn(title: string, text: Message): void {
    this.#runner.annotate('warning', title, [this.#toText(text)]);
  }

  #showPrompt({ request }: RunState): void {
    if (request !== undefined && request.kind !== 'attach') {
      const title = `Prompt (length: ${request.prompt.length})`;
      this.#runner.group(title, request.prompt, PROMPT_LIMIT, PROMPT_LINES);
    }
  }

  #getRemainingMs(): number {
    return (this.#inputs?.timeoutMs ?? 0) - this.#tracker.elapsedMs;
  }

  #getFacts(): Facts {
    const { state } = this.#tracker;
    return { state, inputs: this.#inputs, github: this.#github, redact: this.#redact };
  }

  #onEarlierJob(): void {
    const facts = this.#getFacts();
    const { earlierJob = { kind: 'none' } } = facts.state;
    const { warning } = describeEarlierJob(earlierJob, facts);
    if (warning === undefined || isDryRun(facts)) {
      this.#log(logEarlierJob(earlierJob, facts));
      return;
    }
    const what = mayBeSecondJob(earlierJob) ? 'may start a second job' : 'starts a new job';
    this.#warn(`Docs agent: ${what}`, warning);
  }

  #onRival(waitMs: number): void {
    const { rival } = this.#tracker.state;
    if (rival !== undefined) {
      this.#log(logRival(rival, waitMs));
      this.#showInterimSummary();
    }
  }

  #onPaths(): void {
    const { paths } = this.#tracker.state;
    if (paths === undefined) {
      return;
    }
    const words = describePaths(paths);
    if (paths.kind === 'unread') {
      this.#warn('Docs agent: paths are ignored', words);
    } else {
      this.#log(words);
    }
  }

  #onRequest(): void {
    const facts = this.#getFacts();
    const { request } = facts.state;
    if (request === undefined) {
      return;
    }
    const title = completeTitle(logRequest(request), facts);
    const { projectId = '' } = this.#inputs ?? {};
    this.#log(message`${title} in project ${projectId} at ${getServiceAddress(facts)}`);
    if (request.kind !== 'attach') {
      this.#warnOfExpression();
    }
  }

  /** Only in the prompt of the inputs: what others wrote about changes may contain anything. */
  #warnOfExpression(): void {
    const request = this.#inputs?.request;
    const prompt = request?.kind === 'attach' ? '' : (request?.prompt ?? '');
    const [expression] = /\$\{\{.{0,80}?\}\}/.exec(prompt) ?? [];
    if (expression !== undefined) {
      const text = message`The prompt contains ${code(expression)}, which is sent unchanged:
        expressions work only in the workflow file.`;
      this.#warn('Docs agent: the prompt contains an expression', text);
    }
  }

  #showInterimSummary(): void {
    this.#runner.replaceSummary(renderInterimSummary(this.#getFacts()));
  }

  #onJob(): void {
    const { state } = this.#tracker;
    const { request, job } = state;
    const jobId = getJobId(state) ?? '';
    // If this fails, `setOutputs` tries again and returns the reason.
    this.#runner.setOutputs(getJobOutputs(state));
    if (request?.kind === 'create') {
      this.#log(message`started job ${jobId}`);
    } else if (request?.kind === 'follow-up') {
      this.#log(message`sent the follow-up to job ${jobId}`);
    }
    this.#showPrompt(state);
    this.#isWaiting = true;
    this.#showInterimSummary();
    if (request?.kind === 'create' && !canBeSaved(state)) {
      const facts = this.#getFacts();
      const [wait = []] = waitForJob(facts);
      this.#log(message`a re-run ${describeRerun(facts)} ${wait}`);
    }
    if (this.#inputs?.wait === true) {
      this.#log(
        message`waiting for job ${jobId} for up to ${formatDuration(this.#getRemainingMs())}`,
      );
    }
    this.#pollLog = new PollLog({
      getRemainingMs: () => this.#getRemainingMs(),
      log: (line) => this.#log(line),
      job,
    });
  }

  /** Logs what happens. Saves the id of a job as soon as it is known. */
  onEvent(event: RunEvent): void {
    switch (event.kind) {
      case 'looking':
        this.#log(message`looking for earlier jobs on GitHub`);
        break;
      case 'earlier-job':
        this.#onEarlierJob();
        break;
      case 'rival':
        this.#onRival(event.waitMs);
        break;
      case 'changes':
        this.#log(message`changes: ${describeChanges(this.#tracker.state)}`);
        break;
      case 'paths':
        this.#onPaths();
        break;
      case 'missing-facts':
        this.#warn('Docs agent: facts are missing', describeMissingFacts(event));
        break;
      case 'request':
        this.#onRequest();
        break;
      case 'sending':
        // A step that is killed from now on may have had an effect, and until the next try, none.
        this.#showInterimSummary();
        break;
      case 'retry':
        this.#showInterimSummary();
        this.#log(logRetry(event.failure, event.delayMs));
        break;
      case 'job':
        this.#onJob();
        break;
      case 'claim':
        // What a re-run does has changed.
        if (this.#isWaiting) {
          this.#showInterimSummary();
        }
        break;
      case 'poll':
        this.#runner.debug(`poll ${this.#tracker.state.polls}: ${event.detail}`);
        break;
      case 'wait':
        this.#pollLog?.onEvent(event.event);
        break;
      case 'unread-pull-request':
        this.#log(logUnreadPullRequest(event.reason, event.isRefused));
        break;
    }
  }

  /** Writes all outputs, and a first summary. If the outputs fail, returns the reason. */
  setOutputs(outcome: Outcome): string | undefined {
    this.#isWaiting = false;
    // Otherwise, `onJob` has already shown the prompt.
    if (this.#tracker.state.job === undefined) {
      this.#showPrompt(this.#tracker.state);
    }
    const { elapsedMs } = this.#tracker;
    const facts = { ...this.#getFacts(), outcome, elapsedMs };
    const problem = this.#runner.setOutputs(getOutputs(facts));
    // What follows takes seconds, in which the step may be killed.
    // An error here must not keep the end from the record. `conclude` meets it again.
    undefinedIfThrown(() =>
      this.#runner.replaceSummary(renderSummary(facts, describeRun(facts, problem))),
    );
    return problem;
  }

  /**
   * Adds the outputs that are known last: the duration, and those about the pull request if it
   * could be read. Writes the summary and the annotation. Returns true if the step may pass.
   */
  conclude(
    outcome: Outcome,
    earlierProblem: string | undefined,
    pullRequest: PullRequest | undefined,
  ): boolean {
    const { elapsedMs } = this.#tracker;
    const outputProblem =
      earlierProblem ?? this.#runner.setOutputs(getLastOutputs(elapsedMs, pullRequest));
    const facts = { ...this.#getFacts(), outcome, elapsedMs };
    const words = describeRun(facts, outputProblem);
    const problem = this.#runner.replaceSummary(renderSummary(facts, words, pullRequest));
    if (problem !== undefined) {
      this.#log(message`couldn't write the job summary (${problem})`);
    }
    this.#log(message`${words.title}`);
    const { problems = [] } = words;
    if (problems.length > MAX_SHOWN_PROBLEMS) {
      for (const sentence of problems) {
        this.#runner.line(this.#toText(sentence));
      }
    }
    const lines = getAnnotation(words, facts).map((line) => this.#toText(line));
    if (words.level === 'none') {
      for (const line of lines) {
        this.#runner.line(line);
      }
    } else {
      this.#runner.annotate(words.level, words.title, lines);
    }
    return outputProblem === undefined && outcome.code === undefined;
  }
}

/** True if the job of this run is on record, or still can be: if GitHub took its claim. */
function canBeSaved({ claim, earlierJob }: RunState): boolean {
  const isClaimed = earlierJob?.kind !== 'unreadable' || earlierJob.isClaimed;
  return isClaimed && claim.kind !== 'off';
}

/**
 * Returns at most three lines: what happened, what it cost and what a re-run does, and the first
 * step. After a success, a re-run is worth a line only if it may cost something.
 */
function getAnnotation(words: Words, facts: Facts): Message[] {
  const { level, happened, problems = [], cost, rerun, next } = words;
  const shown = problems.slice(0, MAX_SHOWN_PROBLEMS);
  const rest = problems.length - shown.length;
  const more = rest === 0 ? [] : message`And ${String(rest)} more in the log.`;
  const what = problems.length === 0 ? happened : joinSentences(...shown, more);
  const isExpected = level === 'notice' && isRerunFree(facts);
  const money = isExpected ? message`Cost: ${cost}` : message`Cost: ${cost} Re-run: ${rerun}`;
  const [first = []] = next;
  return [what, money, first].filter((line) => line.length > 0);
}
