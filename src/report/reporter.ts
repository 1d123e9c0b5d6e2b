import type { Clock } from '../clock.ts';
import { getErrorText } from '../errors.ts';
import type { GitHubContext } from '../github/context.ts';
import type { PullRequest } from '../github/pull-request.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { getErrorCode, type Outcome } from '../outcome.ts';
import type { JobRecord } from '../record/record.ts';
import type { RunReporter } from '../run.ts';
import type { Runner } from '../runner/commands.ts';
import { isFinalStatus, type Job } from '../service/job.ts';
import { FINAL_POLL_TIMEOUT_MS } from '../service/poll-job.ts';
import type { RunState, RunTracker } from '../state.ts';
import { formatDuration } from '../text/duration.ts';
import { getLinkName } from '../text/link.ts';
import { type Message, redactMessage, toPlainText } from '../text/message.ts';
import type { Redact } from '../text/redact.ts';
import { quote } from '../text/sanitize.ts';
import { getFacts, type Knowledge } from './facts.ts';
import { describeOutcome } from './messages.ts';
import { getJobOutputs, getOutputs } from './outputs.ts';
import { createPollLog } from './poll-log.ts';
import { renderInterimSummary, renderSummary } from './summary.ts';

const PROMPT_LIMIT = 10_000;
const PROMPT_LINES = 100;
const DETAIL_LIMIT = 200;
const TIME_COLUMN = 12;
const PULL_REQUEST_TIMEOUT_MS = 3_000;
const RECORD_TIMEOUT_MS = 5_000;
/** The summary of a canceled run must be written within a second. */
const CANCELED_RECORD_TIMEOUT_MS = 500;
const REQUESTS = {
  create: 'starting a job',
  attach: 'attaching to job',
  'follow-up': 'sending a follow-up to job',
} as const;

/** Reports a run in its log, and leaves annotations, outputs, and the summary. */
export interface Reporter extends RunReporter {
  /** Takes the inputs once they are valid, and the record of the job, to close it at the end. */
  setInputs(inputs: Inputs, deadline: number, record: JobRecord | undefined): void;
  /** Publishes how the run ended: outputs, then summary, then message. Returns true if the step may pass. */
  conclude(outcome: Outcome): Promise<boolean>;
}

export interface ReporterOptions {
  readonly runner: Runner;
  readonly tracker: RunTracker;
  readonly clock: Clock;
  readonly github: GitHubContext;
  readonly redact: Redact;
  /** Aborts optional work. */
  readonly cancel: AbortSignal;
}

/** Returns the reporter of one run, which reads the state from the tracker. */
export function createReporter(options: ReporterOptions): Reporter {
  const { runner, tracker, clock, github, redact, cancel } = options;
  const summaryContext = { redact, serverUrl: github.serverUrl };
  let inputs: Inputs | undefined;
  let record: JobRecord | undefined;
  let deadline = Number.POSITIVE_INFINITY;
  let isPromptShown = false;
  let pollLog: ReturnType<typeof createPollLog> | undefined;

  function log(text: string): void {
    runner.line(`${formatDuration(tracker.elapsedMs).padStart(TIME_COLUMN)}  ${text}`);
  }

  function toText(message: Message): string {
    return toPlainText(redactMessage(message, redact));
  }

  function showPrompt({ request }: RunState): void {
    if (!isPromptShown && request !== undefined && request.kind !== 'attach') {
      isPromptShown = true;
      const title = `Prompt (length: ${request.prompt.length})`;
      runner.group(title, request.prompt, PROMPT_LIMIT, PROMPT_LINES);
    }
  }

  function getKnown(): Knowledge {
    return { state: tracker.state, inputs, usagePage: github.usagePage };
  }

  /** Writes how the run ended to the record of the job, in the time that is left. */
  async function closeRecord(outcome: Outcome): Promise<void> {
    const { mayHaveStarted, jobId, job } = tracker.state;
    const isCanceled = outcome.outcome === 'cancelled';
    const leftMs = Math.max(0, deadline + FINAL_POLL_TIMEOUT_MS - clock.now());
    const timeoutMs = isCanceled ? CANCELED_RECORD_TIMEOUT_MS : Math.min(RECORD_TIMEOUT_MS, leftMs);
    const isOpen = mayHaveStarted || ('excerpt' in outcome && outcome.excerpt !== undefined);
    if (isOpen || jobId === undefined) {
      await record?.settle(isOpen ? 'unknown' : 'released', timeoutMs);
      return;
    }
    const isFinal = job !== undefined && isFinalStatus(job.status) && outcome.outcome !== 'dry-run';
    await record?.close(isFinal && !isCanceled ? describeEnd(job, github.serverUrl) : undefined, timeoutMs);
  }

  /** Undefined if there is no pull request on this host, or it can't be read in time. */
  async function findPullRequest({ job }: RunState): Promise<PullRequest | undefined> {
    const timeoutMs = Math.min(PULL_REQUEST_TIMEOUT_MS, deadline + FINAL_POLL_TIMEOUT_MS - clock.now());
    const isPossible = github.token !== undefined && !cancel.aborted && timeoutMs > 0;
    if (!isPossible || job?.prLink === undefined || !isFinalStatus(job.status)) {
      return undefined;
    }
    try {
      const { readPullRequest } = await import('../github/pull-request.ts');
      return await readPullRequest(github, job.prLink, { timeoutMs, signal: cancel }, redact);
    } catch (error) {
      log(`couldn't read details of the pull request (${getErrorText(error)})`);
      return undefined;
    }
  }

  return {
    setInputs(given, instant, givenRecord) {
      inputs = given;
      deadline = instant;
      record = givenRecord;
      for (const note of given.notes) {
        log(toText(note));
      }
    },

    onNote(note) {
      log(toText(note));
    },

    onSecondJob(warning) {
      const lines = [warning, getFacts(getKnown()).second].map(toText);
      runner.annotate('warning', 'Docs agent: may start a second job', lines);
    },

    onMissingFacts(warning) {
      runner.annotate('warning', 'Docs agent: release facts are missing', [toText(warning)]);
    },

    onRequest() {
      const { request } = tracker.state;
      if (inputs !== undefined && request !== undefined) {
        const project = quote(inputs.projectId, DETAIL_LIMIT);
        const what =
          request.kind === 'create' ? REQUESTS.create : `${REQUESTS[request.kind]} ${request.jobId}`;
        const facts = getFacts(getKnown());
        log(facts.completeTitle(`${what} in project ${project} at ${facts.address}`));
      }
    },

    onRetry(delayMs, reason, detail) {
      const why = quote(detail, DETAIL_LIMIT);
      const what = reason === 'not-sent' ? "couldn't connect" : 'the service limits requests';
      log(`${what} (${why}), retrying in ${formatDuration(delayMs)}`);
    },

    onJob(wait) {
      const { state } = tracker;
      const { jobId, request, job } = state;
      // If this fails, `conclude` tries again, and reports the reason.
      runner.setOutputs(getJobOutputs(state));
      if (request?.kind === 'create') {
        const facts = getFacts(getKnown());
        runner.annotate('notice', facts.completeTitle('Documentation job started'), [toText(facts.started)]);
        log(`started job ${jobId}`);
      } else if (request?.kind === 'follow-up') {
        log(`sent the follow-up to job ${jobId}`);
      }
      showPrompt(state);
      runner.replaceSummary(renderInterimSummary(getKnown(), summaryContext));
      if (wait) {
        log(`waiting for job ${jobId}, ${formatDuration(deadline - clock.now())} at most`);
      }
      pollLog = createPollLog({
        now: clock.now,
        deadline,
        status: job && 'active',
        log,
        onUnknownStatus: (status) =>
          runner.annotate('warning', 'Documentation job has an unknown status', [
            `The service returned the status ${quote(status, DETAIL_LIMIT)}, which this version of the action does not know${wait ? '. The run waits for a final status' : ''}.`,
          ]),
      });
      if (job !== undefined) {
        pollLog({ kind: 'read', job });
      }
    },

    onPoll(detail) {
      runner.debug(`poll ${tracker.state.polls}: ${detail}`);
    },

    onPollEvent(event) {
      pollLog?.(event);
    },

    async conclude(outcome) {
      const result = { ...getKnown(), outcome, elapsedMs: tracker.elapsedMs };
      showPrompt(result.state);
      const problem = runner.setOutputs(getOutputs(result));
      const [pullRequest] = await Promise.all([findPullRequest(result.state), closeRecord(outcome)]);
      const known = { ...result, ...getKnown() };
      const isKnownProblem = getErrorCode(outcome) === 'unwritable-output';
      const message = describeOutcome(known, isKnownProblem ? undefined : problem);
      const summary = renderSummary(known, message, summaryContext, pullRequest);
      const summaryProblem = runner.replaceSummary(summary);
      if (summaryProblem !== undefined) {
        runner.annotate('warning', 'Docs agent: no job summary', [
          `Couldn't write the job summary: ${quote(summaryProblem, DETAIL_LIMIT)}`,
        ]);
      }
      const lines = [message.text, ...message.next].map(toText);
      log(message.title);
      if (message.level === 'none') {
        for (const line of lines) {
          runner.line(line);
        }
      } else {
        runner.annotate(message.level, message.title, lines);
      }
      return problem === undefined && getErrorCode(outcome) === undefined;
    },
  };
}

/** The last entry in the record of a job. It opens the pull request, if there is one. */
function describeEnd({ id, status, prLink }: Job, serverUrl: string) {
  const words = `Agent job ${id}: ${status}`;
  return prLink === undefined
    ? { words, page: undefined }
    : { words: `${words}, ${getLinkName(prLink, serverUrl)}`, page: prLink };
}
