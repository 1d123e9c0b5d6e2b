import { toErrorText } from '../errors.ts';
import type { GitHubContext } from '../github/context.ts';
import { formatJobAnnotation, getFingerprint, JOB_ANNOTATION_TITLE } from '../github/job-annotation.ts';
import type { PullRequest } from '../github/pull-request.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { isFinalStatus } from '../job/job.ts';
import { FINAL_POLL_TIMEOUT_MS, type PollEvent } from '../job/poll-job.ts';
import type { RunResult, RunState } from '../outcome.ts';
import type { RunEvents } from '../run.ts';
import { annotate, debug, replaceSummary, setOutputs, showGroup } from '../runner/commands.ts';
import type { Log } from '../runner/log.ts';
import { formatDuration, sanitize, sanitizeLines } from '../text/sanitize.ts';
import { describeOutcome, type OutcomeMessage } from './messages.ts';
import { getOutputs } from './outputs.ts';
import { renderInterimSummary, renderSummary } from './summary.ts';

const PROMPT_LIMIT = 10_000;
const PROMPT_LINES = 100;
const DETAIL_LIMIT = 200;
const ANNOTATION_LINE_LIMIT = 1_000;
const MAX_STATUS_LINES = 40;
const PULL_REQUEST_LIMIT_MS = 3_000;

/** Tells a run to the person who reads its log, and leaves on the run page what must outlast it. */
export interface Report extends RunEvents {
  /** Tells what GitHub had to say before the start. */
  onNote(text: string): void;
  /** Publishes how the run ended: outputs, then summary, then verdict. True when the step may pass. */
  conclude(result: RunResult): Promise<boolean>;
}

export interface ReportOptions {
  readonly log: Log;
  readonly progress: RunState;
  /** Since the start of the action. */
  readonly elapsedMs: () => number;
  readonly github: GitHubContext;
  readonly redact: (text: string) => string;
  /** Ends what is only nice to have. */
  readonly cancel: AbortSignal;
}

/** The report of one run, which reads what it tells from `progress`. */
export function createReport(options: ReportOptions): Report {
  const { log, progress, elapsedMs, github, redact, cancel } = options;
  let isPromptShown = false;
  let isUnknownStatusTold = false;
  let statusLines = 0;
  let deadlineMs = Number.POSITIVE_INFINITY;

  function tell(text: string): void {
    log.line(`${formatDuration(elapsedMs()).padStart(12)}  ${text}`);
  }

  function showPrompt(): void {
    const { intent } = progress;
    if (isPromptShown || intent === undefined || intent.kind === 'attach') {
      return;
    }
    isPromptShown = true;
    showGroup(
      `Prompt, ${intent.prompt.length} characters`,
      sanitizeLines(intent.prompt, PROMPT_LIMIT, PROMPT_LINES),
    );
  }

  function tellStatus(status: string, isKnown: boolean): void {
    statusLines += 1;
    if (statusLines <= MAX_STATUS_LINES) {
      tell(`status ${sanitize(status, DETAIL_LIMIT)}`);
    }
    if (!isKnown && !isUnknownStatusTold) {
      isUnknownStatusTold = true;
      annotate(
        'warning',
        'Unknown status',
        `The service answered the status ${sanitize(status, DETAIL_LIMIT)}, which this version of the action does ` +
          'not know. It goes on waiting for a final one.',
      );
    }
  }

  /** Undefined where there is no pull request on this host, or it cannot be read soon. */
  async function findPullRequest(): Promise<PullRequest | undefined> {
    const { job } = progress;
    const timeoutMs = Math.min(PULL_REQUEST_LIMIT_MS, deadlineMs + FINAL_POLL_TIMEOUT_MS - elapsedMs());
    if (job?.prLink === undefined || !isFinalStatus(job.status) || cancel.aborted || timeoutMs <= 0) {
      return undefined;
    }
    try {
      const { readPullRequest } = await import('../github/pull-request.ts');
      return await readPullRequest(github, job.prLink, { timeoutMs, signal: cancel, redact });
    } catch (error) {
      debug(redact(`pull request: ${toErrorText(error)}`));
      return undefined;
    }
  }

  return {
    onNote(text) {
      tell(sanitize(text));
    },

    onStarting({ intent, projectId, baseUrl }) {
      tell(`${tellIntent(intent)} in project ${sanitize(projectId, DETAIL_LIMIT)} at ${baseUrl.origin}`);
    },

    onRetry(delayMs, reason, detail) {
      const why = sanitize(detail, DETAIL_LIMIT);
      const pause = formatDuration(delayMs);
      tell(
        reason === 'not-sent'
          ? `nothing was sent yet (${why}), trying again in ${pause}`
          : `the service asks to wait (${why}), trying again in ${pause}`,
      );
    },

    async onJob(timeoutMs) {
      const { jobId = '', job, intent, identity } = progress;
      setOutputs({ 'job-id': jobId, status: job?.status ?? '' });
      if (intent?.kind === 'create' && identity !== undefined) {
        annotate('notice', JOB_ANNOTATION_TITLE, formatJobAnnotation(jobId, getFingerprint(identity)));
      }
      if (intent?.kind !== 'attach') {
        tell(intent?.kind === 'follow-up' ? `follow-up sent to job ${jobId}` : `job ${jobId} is started`);
      }
      showPrompt();
      await replaceSummary(renderInterimSummary(progress));
      if (timeoutMs !== undefined) {
        deadlineMs = timeoutMs;
        tell(`waiting, ${formatDuration(timeoutMs - elapsedMs())} at most`);
      }
    },

    onCheck(detail) {
      debug(`check ${progress.checks}: ${detail}`);
    },

    onWaitEvent(event) {
      switch (event.kind) {
        case 'status':
          tellStatus(event.status, event.isKnown);
          return;
        default:
          tell(tellWaitEvent(event));
      }
    },

    async conclude(result) {
      showPrompt();
      let verdict = describeOutcome(result);
      let isPassing = result.code === undefined;
      try {
        setOutputs({ ...getOutputs(result) });
      } catch (error) {
        isPassing = false;
        verdict =
          result.code === 'unwritable-output'
            ? verdict
            : toUnwritableVerdict(verdict, redact(toErrorText(error)));
      }
      const problem = await replaceSummary(renderSummary(result, verdict, await findPullRequest()));
      if (problem !== undefined) {
        annotate(
          'warning',
          'No job summary',
          `The job summary could not be written: ${sanitize(redact(problem))}`,
        );
      }
      tell(verdict.title);
      if (verdict.level === 'none') {
        log.line(toMessage(verdict).join(' '));
      } else {
        annotate(verdict.level, verdict.title, toMessage(verdict).join('\n'));
      }
      return isPassing;
    },
  };
}

function tellIntent({ kind, ...intent }: Inputs['intent']): string {
  switch (kind) {
    case 'create':
      return 'starting a job';
    case 'attach':
      return `attaching to job ${'jobId' in intent ? intent.jobId : ''}`;
    case 'follow-up':
      return `sending a follow-up to job ${'jobId' in intent ? intent.jobId : ''}`;
  }
}

function tellWaitEvent(event: Exclude<PollEvent, { kind: 'status' }>): string {
  switch (event.kind) {
    case 'heartbeat':
      return `still ${sanitize(event.status || 'unread', DETAIL_LIMIT)}, ${formatDuration(event.remainingMs)} left`;
    case 'trouble':
      return event.isLast
        ? `the last check failed (${sanitize(event.detail, DETAIL_LIMIT)})`
        : `a check failed (${sanitize(event.detail, DETAIL_LIMIT)}), trying again`;
    case 'recovered':
      return `checks work again after ${event.failures} that failed`;
    case 'pause':
      return `the service asks to wait (${sanitize(event.detail, DETAIL_LIMIT)}), next check in ${formatDuration(event.ms)}`;
  }
}

/** Outputs that cannot be written fail the step, and take nothing from what is known. */
function toUnwritableVerdict(verdict: OutcomeMessage, problem: string): OutcomeMessage {
  return {
    ...verdict,
    level: 'error',
    title: verdict.level === 'error' ? verdict.title : 'Outputs not written',
    text: `${verdict.text} The outputs could not be written (${sanitize(problem)}), so later steps miss them.`,
  };
}

/** The lines of an annotation, each safe for the log. */
function toMessage({ text, next }: OutcomeMessage): string[] {
  return [...text.split('\n'), ...next].map((line) => sanitize(line, ANNOTATION_LINE_LIMIT));
}
