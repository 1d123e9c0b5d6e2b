import type { PathsDecision, RunEvent } from '../events.ts';
import type { GitHubContext } from '../github/context.ts';
import type { PullRequest } from '../github/pull-request.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { getErrorCode, type Outcome } from '../outcome.ts';
import type { Runner } from '../runner/commands.ts';
import type { Job, JobRequest } from '../service/job.ts';
import type { NotStarted } from '../service/retry-policy.ts';
import {
  type ClaimState,
  type EarlierJob,
  getJobId,
  type RunState,
  type RunTracker,
} from '../state.ts';
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
import { completeTitle, getServiceAddress, type Knowledge, type RunResult } from './facts.ts';
import {
  describeEarlierJob,
  describeMissingFacts,
  describePaths,
  describeRival,
  describeUnreadPullRequest,
  warnBeforeStart,
  warnOfSecondJob,
} from './notes.ts';
import { getJobOutputs, getOutputs } from './outputs.ts';
import type { Words } from './phrases.ts';
import { createPollLog, type OnPollEvent } from './poll-log.ts';
import { describeResult } from './results.ts';
import { renderInterimSummary, renderStartSummary, renderSummary } from './summary.ts';

const PROMPT_LIMIT = 10_000;
const PROMPT_LINES = 100;
const TIME_COLUMN = 12;
const REQUESTS = {
  create: 'starting a job',
  attach: 'attaching to job',
  'follow-up': 'sending a follow-up to job',
} as const;

export interface Reporter {
  setInputs(inputs: Inputs): void;
  /** Logs what a run tells. Saves the id of a job as soon as it is known. */
  onEvent(event: RunEvent): void;
  /** Writes all outputs. If that fails, returns the reason. */
  setOutputs(outcome: Outcome): string | undefined;
  /** Writes the summary and the message. Returns true if the step may pass. */
  conclude(
    outcome: Outcome,
    outputProblem: string | undefined,
    pullRequest: PullRequest | undefined,
  ): boolean;
}

interface ReporterOptions {
  readonly runner: Runner;
  readonly tracker: RunTracker;
  readonly github: GitHubContext;
  readonly redact: Redact;
}

/**
 * Returns the reporter of a run. It reads the tracker, and writes the log, annotations, outputs,
 * and summary.
 */
export function createReporter(options: ReporterOptions): Reporter {
  const { runner, tracker, github, redact } = options;
  let inputs: Inputs | undefined;
  let pollLog: OnPollEvent | undefined;
  /** What the summary says about a re-run depends on it. */
  let shownClaim: ClaimState['kind'] | undefined;
  /** The outputs and the summary show the same time. */
  let elapsedMs = 0;

  const toText = (parts: Message): string => toPlainText(redactMessage(parts, redact));

  function log(line: Message): void {
    runner.line(`${formatDuration(tracker.elapsedMs).padStart(TIME_COLUMN)}  ${toText(line)}`);
  }

  function warn(title: string, text: Message): void {
    runner.annotate('warning', title, [toText(text)]);
  }

  function showPrompt({ request }: RunState): void {
    if (request !== undefined && request.kind !== 'attach') {
      const title = `Prompt (length: ${request.prompt.length})`;
      runner.group(title, request.prompt, PROMPT_LIMIT, PROMPT_LINES);
    }
  }

  const getRemainingMs = (): number => (inputs?.timeoutMs ?? 0) - tracker.elapsedMs;

  const getKnown = (): Knowledge => ({ state: tracker.state, inputs, github, redact });

  function onEarlierJob(earlierJob: EarlierJob): void {
    const isDryRun = inputs?.dryRun === true;
    log(describeEarlierJob(earlierJob, isDryRun));
    const warning = isDryRun ? undefined : warnBeforeStart(earlierJob);
    if (warning !== undefined) {
      const isSecond = warnOfSecondJob(earlierJob) !== undefined;
      warn(`Docs agent: ${isSecond ? 'may start a second job' : 'starts a new job'}`, warning);
    }
  }

  function onPaths(decision: PathsDecision): void {
    const words = describePaths(decision);
    if (decision.kind === 'unread') {
      warn('Docs agent: paths are ignored', words);
    } else {
      log(words);
    }
  }

  function onRequest(request: JobRequest): void {
    const jobId = request.kind === 'create' ? '' : ` ${request.jobId}`;
    const what = `${REQUESTS[request.kind]}${jobId}`;
    const known = getKnown();
    const title = completeTitle(what, known);
    log(message`${title} in project ${inputs?.projectId ?? ''} at ${getServiceAddress(known)}`);
    if (request.kind !== 'attach') {
      warnOfExpression(request.prompt);
      runner.replaceSummary(renderStartSummary(known));
    }
  }

  function warnOfExpression(prompt: string): void {
    const [expression] = /\$\{\{.{0,80}/.exec(prompt) ?? [];
    if (expression !== undefined) {
      const text = message`The prompt contains ${code(expression)}, which is sent as it stands:
        expressions work only in the workflow file.`;
      warn('Docs agent: the prompt contains an expression', text);
    }
  }

  function onRetry({ code, detail }: NotStarted, delayMs: number): void {
    const what = code === 'rate-limited' ? 'rate-limited' : "couldn't connect";
    log(message`${what} (${detail}), retrying in ${formatDuration(delayMs)}`);
  }

  function showInterimSummary(): void {
    shownClaim = tracker.state.claim.kind;
    runner.replaceSummary(renderInterimSummary(getKnown()));
  }

  function onJob(job: Job | undefined, isAwaited: boolean): void {
    const { state } = tracker;
    const { request } = state;
    const jobId = getJobId(state) ?? '';
    // If this fails, `setOutputs` tries again and returns the reason.
    runner.setOutputs(getJobOutputs(state));
    if (request?.kind === 'create') {
      log(message`started job ${jobId}`);
    } else if (request?.kind === 'follow-up') {
      log(message`sent the follow-up to job ${jobId}`);
    }
    showPrompt(state);
    showInterimSummary();
    if (isAwaited) {
      log(message`waiting for job ${jobId}, ${formatDuration(getRemainingMs())} at most`);
    }
    pollLog = createPollLog(getRemainingMs, log, warn, job && 'active');
    if (job !== undefined) {
      pollLog({ kind: 'read', job });
    }
  }

  function onEvent(event: RunEvent): void {
    switch (event.kind) {
      case 'earlier-job':
        onEarlierJob(event.earlierJob);
        break;
      case 'rival':
        log(describeRival(event.attempt, event.waitMs));
        break;
      case 'paths':
        onPaths(event.decision);
        break;
      case 'missing-facts':
        warn('Docs agent: release facts are missing', describeMissingFacts(event));
        break;
      case 'request':
        onRequest(event.request);
        break;
      case 'retry':
        onRetry(event.failure, event.delayMs);
        break;
      case 'job':
        onJob(event.job, event.isAwaited);
        break;
      case 'poll':
        if (tracker.state.claim.kind !== shownClaim) {
          showInterimSummary();
        }
        runner.debug(`poll ${tracker.state.polls}: ${event.detail}`);
        break;
      case 'wait':
        pollLog?.(event.event);
        break;
      case 'unread-pull-request':
        log(describeUnreadPullRequest(event.reason, event.isRefused));
        break;
    }
  }

  function setOutputs(outcome: Outcome): string | undefined {
    // Otherwise, `onJob` has already shown the prompt.
    if (tracker.state.job === undefined) {
      showPrompt(tracker.state);
    }
    elapsedMs = tracker.elapsedMs;
    return runner.setOutputs(getOutputs({ ...getKnown(), outcome, elapsedMs }));
  }

  function conclude(
    outcome: Outcome,
    outputProblem: string | undefined,
    pullRequest: PullRequest | undefined,
  ): boolean {
    const result = { ...getKnown(), outcome, elapsedMs };
    const words = describeResult(result, outputProblem);
    const page = getDetailsPage(result);
    const problem = runner.replaceSummary(renderSummary(result, words, pullRequest, page));
    if (problem !== undefined) {
      warn('Docs agent: no job summary', message`Couldn't write the job summary: ${problem}`);
    }
    log(message`${words.title}`);
    const lines = getAnnotation(words).map(toText);
    if (words.level === 'none') {
      lines.forEach(runner.line);
    } else {
      runner.annotate(words.level, words.title, lines);
    }
    return outputProblem === undefined && getErrorCode(outcome) === undefined;
  }

  return {
    setInputs(given) {
      inputs = given;
    },
    onEvent,
    setOutputs,
    conclude,
  };
}

/** Returns at most three lines: what happened, what it cost, and the first step. */
function getAnnotation({ happened, problems = [], cost = [], steps }: Words): Message[] {
  const what = problems.length === 0 ? happened : joinSentences(...problems);
  const [first] = steps;
  return [what, cost, first?.text ?? []].filter((line) => line.length > 0);
}

/** Returns the link to the documentation of an error. */
function getDetailsPage({ outcome, state, github }: RunResult): string | undefined {
  const isUnconfirmed = state.stage === 'unconfirmed' || outcome.outcome === 'start-unknown';
  const section = isUnconfirmed ? 'did-a-job-start' : getErrorCode(outcome);
  return section && github.usagePage && `${github.usagePage}#${section}`;
}
