import type { StartFailureCode } from '../errors.ts';
import { isFinalStatus } from '../job/job.ts';
import type { RunResult } from '../outcome.ts';
import { formatDuration, quote } from '../text/sanitize.ts';

/** The verdict in words: what happened, whether a job may exist, and what to do next. */
export interface OutcomeMessage {
  readonly level: 'notice' | 'warning' | 'error' | 'none';
  /** A few words, for headings. */
  readonly title: string;
  /** Sentences without untrusted line breaks or commands. */
  readonly text: string;
  /** Steps for the reader, in order. */
  readonly next: readonly string[];
  /** True where naming the job with `job-id` is a way on. */
  readonly canAttach: boolean;
}

const DETAIL_LIMIT = 300;

/** Says what a result means, for annotation, log and summary alike. */
export function describeOutcome(result: RunResult): OutcomeMessage {
  const { outcome, progress } = result;
  const jobName = `Job ${progress.jobId ?? '(unknown)'}`;
  const link = progress.job?.prLink;
  switch (outcome) {
    case 'pull-request-opened':
      return pass('notice', 'Pull request opened', `The agent opened ${link ?? 'a pull request'}`);
    case 'no-pull-request':
      return pass(
        'notice',
        'No pull request',
        `${jobName} completed without a pull request: nothing had to change, or the project publishes without ` +
          `pull requests.${tellRefusedLink(result)}`,
      );
    case 'archived':
      return pass(
        'warning',
        'Job archived',
        `${jobName} was archived${link === undefined ? '; it has no pull request' : `; its pull request is ${link}`}.` +
          tellRefusedLink(result),
        ["Look at the job in the service's dashboard: an archived job does not go on."],
      );
    case 'started':
      return { ...toStartedVerdict(result, jobName), canAttach: true };
    case 'dry-run':
      return pass('none', 'Dry run', 'The inputs are valid. Nothing was sent, and no job was started.');
    case 'failed':
      return {
        level: 'error',
        title: 'Job failed',
        text:
          `${jobName} failed${link === undefined ? '' : `, and left the pull request ${link}`}. The service gives no ` +
          `reason.${tellRefusedLink(result)}`,
        next: [
          "Look at the job in the service's dashboard.",
          'Run this workflow again to start a new job, or send this one a follow-up with `job-id` and a `prompt`.',
        ],
        canAttach: true,
      };
    case 'timed-out':
      return {
        level: 'error',
        title: 'Timed out',
        text:
          `${jobName} is still ${tellStatus(result)} after ${formatDuration(result.elapsedMs)}. It goes on, and may ` +
          'still open a pull request.',
        next: [
          'Do not start another job for this: wait for the same one with `job-id`.',
          'If jobs often take this long, raise `timeout-minutes`.',
        ],
        canAttach: true,
      };
    case 'cancelled':
      return toCancelledVerdict(result, jobName);
    case 'not-started':
      return toNotStartedVerdict(result);
    case 'start-unknown':
      return {
        level: 'error',
        title: sendsFollowUp(result)
          ? 'Not known whether the follow-up arrived'
          : 'Not known whether a job started',
        text:
          `The request was sent, but no answer proves what came of it (${tellDetail(result)}). ${tellOpenStart(result)} ` +
          `It was not sent again, because ${sendsFollowUp(result) ? 'the agent could be given it twice' : 'that could start a second job'}.`,
        next: tellOpenStartSteps(result),
        canAttach: progress.jobId !== undefined,
      };
    case 'lost':
      return {
        level: 'error',
        title: 'Job out of sight',
        text: `${jobName} can no longer be read (${tellDetail(result)}). It may still go on and open a pull request.`,
        next: [
          "Look at the job in the service's dashboard before you start another one.",
          result.code === 'internal'
            ? 'Please report this as a bug of the action.'
            : 'Check that the key is still valid and may read, and that `project-id` and `base-url` are right.',
          'When the job can be read again, wait for it with `job-id`.',
        ],
        canAttach: true,
      };
  }
}

function pass(
  level: 'notice' | 'warning' | 'none',
  title: string,
  text: string,
  next: readonly string[] = [],
): OutcomeMessage {
  return { level, title, text, next, canAttach: false };
}

function toStartedVerdict({ progress }: RunResult, jobName: string): Omit<OutcomeMessage, 'canAttach'> {
  const next = ['To wait for it in a later step or run, use `job-id`.'];
  switch (progress.intent?.kind) {
    case 'follow-up':
      return {
        level: 'notice',
        title: 'Follow-up sent',
        text: `${jobName} goes on without this step.`,
        next,
      };
    case 'attach':
      return {
        level: 'notice',
        title: 'Job not final yet',
        text: `${jobName} goes on without this step.`,
        next,
      };
    case 'create':
    case undefined:
      return { level: 'notice', title: 'Job started', text: `${jobName} goes on without this step.`, next };
  }
}

function toCancelledVerdict(result: RunResult, jobName: string): OutcomeMessage {
  const { progress } = result;
  const verdict = { level: 'none', title: 'Cancelled', canAttach: progress.jobId !== undefined } as const;
  if (progress.isCreateInFlight) {
    return {
      ...verdict,
      text: `The step was cancelled while the request was under way. ${tellOpenStart(result)}`,
      next: sendsFollowUp(result)
        ? tellOpenStartSteps(result)
        : ["Look for a new job in the service's dashboard before you run this again."],
    };
  }
  if (progress.jobId === undefined) {
    return { ...verdict, text: 'The step was cancelled. No job was started.', next: [] };
  }
  if (sendsFollowUp(result) && progress.job === undefined) {
    return { ...verdict, text: `The step was cancelled. ${jobName} has not taken the follow-up.`, next: [] };
  }
  return {
    ...verdict,
    text: `The step was cancelled. ${jobName} cannot be stopped: it goes on, and may still open a pull request.`,
    next: ['To wait for it again, use `job-id` instead of starting another job.'],
  };
}

type NotStarted = RunResult & { outcome: 'not-started' };

function toNotStartedVerdict(result: NotStarted): OutcomeMessage {
  const shared = { level: 'error', canAttach: false } as const;
  if (result.code === 'invalid-input') {
    const text = `Nothing was sent, and no job was started. To correct:\n${result.detail}`;
    return { ...shared, title: 'Inputs to correct', text, next: [] };
  }
  const isFollowUp = sendsFollowUp(result);
  const nothing = isFollowUp ? 'The follow-up was not taken.' : 'No job was started.';
  return {
    ...shared,
    title: isFollowUp ? 'Follow-up not taken' : 'No job started',
    text: `${tellNotStarted(result.code, isFollowUp)} (${tellDetail(result)}). ${nothing}`,
    next: [tellNotStartedStep(result.code, isFollowUp)],
  };
}

function tellNotStarted(code: Exclude<StartFailureCode, 'invalid-input'>, isFollowUp: boolean): string {
  switch (code) {
    case 'unwritable-output':
      return 'The outputs cannot be written, so the job id would be lost, and nothing was sent';
    case 'connect-failed':
      return 'The service could not be reached';
    case 'tls-failed':
      return 'The connection to the service is not secure, so nothing was sent over it';
    case 'proxy-refused':
      return 'The proxy did not let the request through';
    case 'unauthorized':
      return 'The service does not accept the API key';
    case 'forbidden':
      return 'The API key is not allowed to do this';
    case 'not-found':
      return `The service does not know this ${isFollowUp ? 'job or project' : 'project'}`;
    case 'rate-limited':
      return 'The service asked to come back later, and the time or the tries ran out';
    case 'redirected':
      return 'The service answered with a redirect, which is never followed';
    case 'bad-request':
      return 'The service refused the request';
    case 'internal':
      return 'The action itself failed';
  }
}

function tellNotStartedStep(code: Exclude<StartFailureCode, 'invalid-input'>, isFollowUp: boolean): string {
  switch (code) {
    case 'unwritable-output':
      return 'Run this as a step of a workflow, with a writable GITHUB_OUTPUT file.';
    case 'connect-failed':
      return 'Check `base-url`, the network of the runner and the state of the service, then run this again.';
    case 'tls-failed':
      return 'Check `base-url`. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.';
    case 'proxy-refused':
      return 'Check HTTPS_PROXY and NO_PROXY, and that the proxy allows the host of `base-url`.';
    case 'unauthorized':
      return (
        'Check the secret: keys expire (by default after 90 days), and assistant keys (`mint_dsc_…`) and index keys ' +
        '(`mint_us_…`) do not work here.'
      );
    case 'forbidden':
      return (
        'Check the key on the API keys page: it needs the scope `write`, and must not be limited to IP addresses that ' +
        'the runner does not have.'
      );
    case 'not-found':
      return isFollowUp
        ? 'Check `job-id`, `project-id` and `base-url`.'
        : 'Check `project-id` (copy it from the API keys page) and `base-url`.';
    case 'rate-limited':
      return 'Run this again later. The service allows 100 uses per project and hour.';
    case 'redirected':
      return 'Set `base-url` to the address that the service really has.';
    case 'bad-request':
      return 'Correct what the service names, then run this again.';
    case 'internal':
      return 'Please report this as a bug of the action.';
  }
}

function sendsFollowUp({ progress }: RunResult): boolean {
  return progress.intent?.kind === 'follow-up';
}

function tellOpenStart(result: RunResult): string {
  return sendsFollowUp(result)
    ? `Job ${result.progress.jobId ?? ''} may have received the follow-up.`
    : 'A job may have been started.';
}

function tellOpenStartSteps(result: RunResult): string[] {
  return sendsFollowUp(result)
    ? [
        "Look at the job in the service's dashboard before you run this again, or wait for it with `job-id` alone.",
      ]
    : [
        "Look in the service's dashboard, and among the pull requests of the documentation repository, for a new job.",
        'If there is one, wait for it with `job-id`. Only if there is none, run this again.',
      ];
}

/** After a follow-up, a final status may be the one before it. */
function tellStatus({ progress: { job } }: RunResult): string {
  if (job === undefined) {
    return 'not readable';
  }
  return isFinalStatus(job.status) ? 'not known to be final' : `\`${quote(job.status, 60)}\``;
}

function tellDetail({ detail }: RunResult): string {
  return detail === '' ? 'no details' : quote(detail, DETAIL_LIMIT);
}

function tellRefusedLink({ progress }: RunResult): string {
  return progress.job?.prLinkRefused === true
    ? ' The link that the service gave is not a plain https address, so it was left out.'
    : '';
}
