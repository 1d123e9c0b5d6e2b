import { getGitHubError } from '../github/api.ts';
import type { GitHubContext } from '../github/context.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { getErrorCode, type Outcome } from '../outcome.ts';
import type { Runner } from '../runner/commands.ts';
import { isFinalStatus, type JobRequest } from '../service/job.ts';
import { FINAL_POLL_TIMEOUT_MS, type PollEvent } from '../service/poll-job.ts';
import type { NotStarted } from '../service/retry-policy.ts';
import { type EarlierJob, getJobId, type RunState, type RunTracker } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { code, type Message, message, redactMessage, toPlainText } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { getFacts, type Knowledge } from './facts.ts';
import { describeOutcome } from './messages.ts';
import { describeEarlierJob } from './notes.ts';
import { getJobOutputs, getOutputs } from './outputs.ts';
import { createPollLog } from './poll-log.ts';
import { renderInterimSummary, renderSummary } from './summary.ts';

const PROMPT_LIMIT = 10_000;
const PROMPT_LINES = 100;
const TIME_COLUMN = 12;
const PULL_REQUEST_TIMEOUT_MS = 3_000;
const REQUESTS = {
  create: 'starting a job',
  attach: 'attaching to job',
  'follow-up': 'sending a follow-up to job',
} as const;

export type Reporter = ReturnType<typeof createReporter>;

interface ReporterOptions {
  readonly runner: Runner;
  readonly tracker: RunTracker;
  readonly github: GitHubContext;
  readonly redact: Redact;
  /** Aborts optional work. */
  readonly cancel: AbortSignal;
}

/**
 * Returns the reporter of a run. It reads the tracker, and writes the log, annotations, outputs,
 * and summary.
 */
export function createReporter({ runner, tracker, github, redact, cancel }: ReporterOptions) {
  let inputs: Inputs | undefined;
  let pollLog: ReturnType<typeof createPollLog> | undefined;

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

  /** Undefined if there is no pull request on this host, or it can't be read in time. */
  async function findPullRequest({ job }: RunState) {
    const timeoutMs = Math.min(PULL_REQUEST_TIMEOUT_MS, getRemainingMs() + FINAL_POLL_TIMEOUT_MS);
    const isPossible = github.token !== undefined && !cancel.aborted && timeoutMs > 0;
    if (!isPossible || job?.prLink === undefined || !isFinalStatus(job.status)) {
      return undefined;
    }
    try {
      const { readPullRequest } = await import('../github/pull-request.ts');
      return await readPullRequest(github, job.prLink, { timeoutMs, signal: cancel }, redact);
    } catch (error) {
      const { message: reason, failure } = getGitHubError(error);
      const need = message`; check that ${code('github-token')} can read pull requests there`;
      const hint = failure.kind === 'refused' ? need : [];
      log(message`couldn't read details of the pull request (${reason}${hint})`);
      return undefined;
    }
  }

  return {
    setInputs(given: Inputs): void {
      inputs = given;
    },

    onEarlierJob(earlierJob: EarlierJob): void {
      const isDryRun = inputs?.dryRun === true;
      log(describeEarlierJob(earlierJob, isDryRun));
      const { second } = getFacts(getKnown());
      if (second !== undefined && !isDryRun) {
        warn('Docs agent: may start a second job', second);
      }
    },

    onNote: log,

    onWarning: warn,

    onRequest(request: JobRequest): void {
      const jobId = request.kind === 'create' ? '' : ` ${request.jobId}`;
      const what = `${REQUESTS[request.kind]}${jobId}`;
      const { address, completeTitle } = getFacts(getKnown());
      log(message`${completeTitle(what)} in project ${inputs?.projectId ?? ''} at ${address}`);
    },

    onRetry({ code, detail }: NotStarted, delayMs: number): void {
      const what = code === 'rate-limited' ? 'rate-limited' : "couldn't connect";
      log(message`${what} (${detail}), retrying in ${formatDuration(delayMs)}`);
    },

    /** Called as soon as the job is known. Saves its id first. */
    onJob(wait: boolean): void {
      const { state } = tracker;
      const { request, job } = state;
      const jobId = getJobId(state) ?? '';
      // If this fails, `conclude` tries again and reports the reason.
      runner.setOutputs(getJobOutputs(state));
      if (request?.kind === 'create') {
        const { completeTitle, cost } = getFacts(getKnown());
        const text = message`Started agent job ${jobId}${cost(', which costs credits')}.`;
        runner.annotate('notice', completeTitle('Documentation job started'), [toText(text)]);
        log(message`started job ${jobId}`);
      } else if (request?.kind === 'follow-up') {
        log(message`sent the follow-up to job ${jobId}`);
      }
      showPrompt(state);
      runner.replaceSummary(renderInterimSummary(getKnown()));
      if (wait) {
        log(message`waiting for job ${jobId}, ${formatDuration(getRemainingMs())} at most`);
      }
      pollLog = createPollLog(getRemainingMs, log, warn, job && 'active');
      if (job !== undefined) {
        pollLog({ kind: 'read', job });
      }
    },

    onPoll: (detail: string): void => runner.debug(`poll ${tracker.state.polls}: ${detail}`),

    onPollEvent: (event: PollEvent): void => pollLog?.(event),

    /**
     * Publishes outputs, then summary, then message. Waits for `closing`. Returns true if the step
     * may pass.
     */
    async conclude(outcome: Outcome, closing?: Promise<void>): Promise<boolean> {
      const result = { ...getKnown(), outcome, elapsedMs: tracker.elapsedMs };
      // Otherwise, `onJob` has already shown the prompt.
      if (result.state.job === undefined) {
        showPrompt(result.state);
      }
      const problem = runner.setOutputs(getOutputs(result));
      const [pullRequest] = await Promise.all([findPullRequest(result.state), closing]);
      const known = { ...result, ...getKnown() };
      const described = describeOutcome(known, problem);
      const summary = renderSummary(known, described, pullRequest);
      const summaryProblem = runner.replaceSummary(summary);
      if (summaryProblem !== undefined) {
        warn(
          'Docs agent: no job summary',
          message`Couldn't write the job summary: ${summaryProblem}`,
        );
      }
      const { level, title, text, next } = described;
      const lines = [text, ...next].map(toText);
      log(message`${title}`);
      if (level === 'none') {
        lines.forEach(runner.line);
      } else {
        runner.annotate(level, title, lines);
      }
      return problem === undefined && getErrorCode(outcome) === undefined;
    },
  };
}
