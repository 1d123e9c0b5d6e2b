import type { NotStartedCode } from '../errors.ts';
import type { JobRecord, SearchFailure } from '../github/job-records.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import { isFinalStatus } from '../job/job.ts';
import type { Outcome, RunState } from '../outcome.ts';
import { formatDuration } from '../text/duration.ts';
import { code, joinMessages, link, type Message, message } from '../text/message.ts';

/** How a run ended, and what was known by then. */
export interface RunResult {
  readonly outcome: Outcome;
  readonly state: RunState;
  /** Since the start of the action. */
  readonly elapsedMs: number;
  /** Undefined if the inputs could not be read. */
  readonly inputs: Pick<Inputs, 'baseUrl' | 'reuse'> | undefined;
}

/** An outcome in words: what happened, whether a job may exist, and what to do next. */
export interface OutcomeMessage {
  readonly level: 'notice' | 'warning' | 'error' | 'none';
  /** A few words, for headings. */
  readonly title: string;
  readonly text: Message;
  /** What is wrong with the inputs, one item each. */
  readonly problems: readonly Message[];
  /** Steps for the reader, in order. */
  readonly next: readonly Message[];
  /** True if waiting for the job with `job-id` is a next step. */
  readonly canAttach: boolean;
}

/** Describes an outcome for the annotation, the log, and the summary alike. */
export function describeOutcome(result: RunResult): OutcomeMessage {
  const { outcome, state } = result;
  switch (outcome.outcome) {
    case 'pull-request-opened':
      return {
        ...NOTICE,
        title: 'Documentation pull request opened',
        text: message`The agent opened ${link(outcome.prLink)}.`,
      };
    case 'no-pull-request':
      return describeNoPullRequest(state);
    case 'archived':
      return {
        ...NOTICE,
        level: 'warning',
        title: 'Documentation job archived',
        text: joinMessages(
          message`${nameJob(state)} was archived${describeLink(state, 'Its pull request is')}.`,
          ...describeRefusedLink(state),
        ),
        next: [message`Look at the job in the service's dashboard. An archived job does not continue.`],
      };
    case 'started':
      return describeStarted(state);
    case 'dry-run':
      return {
        ...NOTICE,
        level: 'none',
        title: 'Dry run',
        text: message`The inputs are valid. Nothing was sent.`,
      };
    case 'skipped':
      return {
        ...NOTICE,
        title: 'Documentation job skipped',
        text: message`No file that changed since ${code(outcome.previousTag)} matches ${code('paths')} (files changed: ${String(outcome.files)}). No job was started.`,
      };
    case 'failed':
      return {
        ...ERROR,
        title: 'Documentation job failed',
        text: joinMessages(
          message`${nameJob(state)} failed${describeLink(state, 'It left the pull request')}.`,
          message`The service does not say why.`,
          ...describeRefusedLink(state),
        ),
        next: [
          message`Look at the job in the service's dashboard.`,
          message`To try again, run this workflow again, or send this job a follow-up with ${code('job-id')} and ${code('prompt')}.`,
        ],
        canAttach: true,
      };
    case 'timed-out':
      return {
        ...ERROR,
        title: 'Timed out waiting for the documentation job',
        text: joinMessages(
          message`${nameJob(state)} ${describeStatus(state)} after ${formatDuration(result.elapsedMs)}.`,
          describeRest(state),
        ),
        next: [
          describeWayToWait(result),
          message`If jobs often take this long, raise ${code('timeout-minutes')}.`,
        ],
        canAttach: true,
      };
    case 'cancelled':
      return describeCancelled(result);
    case 'not-started':
      switch (outcome.code) {
        case 'invalid-input':
          return {
            ...ERROR,
            title: 'Docs agent: invalid inputs',
            text: message`Nothing was sent. Correct ${outcome.problems.length === 1 ? 'this input' : 'these inputs'}:`,
            problems: outcome.problems,
          };
        case 'reuse-unknown':
          return describeReuseUnknown(outcome.failure, outcome.detail);
        default:
          return describeNotStarted(outcome.code, outcome.detail, result);
      }
    case 'start-unknown':
      return 'record' in outcome
        ? describeOtherStart(outcome.record)
        : describeStartUnknown(state, outcome.detail);
    case 'lost':
      return describeLost(outcome, state);
  }
}

const NOTICE = { level: 'notice', problems: [], next: [], canAttach: false } as const;
const ERROR = { ...NOTICE, level: 'error' } as const;
const KEEP_WAITING = message`To wait for it, use ${code('job-id')} without a prompt. That does not start another job.`;
const LOOK_FOR_JOB = message`Look for a new job in the service's dashboard, and among the pull requests of the documentation repository.`;
const REPORT_BUG = message`Report this as a bug of this action.`;

function nameJob({ jobId }: RunState): Message {
  return jobId === undefined ? message`The agent job` : message`Agent job ${code(jobId)}`;
}

function describeLink({ job }: RunState, introduction: string): Message {
  return job?.prLink === undefined ? [] : message`. ${introduction} ${link(job.prLink)}`;
}

function describeRefusedLink({ job }: RunState): Message[] {
  return job?.prLinkRefused === true
    ? [message`The service returned a link that is not a plain https address, so it was left out.`]
    : [];
}

function describeNoPullRequest(state: RunState): OutcomeMessage {
  return state.job?.prLinkRefused === true
    ? {
        ...NOTICE,
        level: 'warning',
        title: 'Documentation job returned an unusable link',
        text: joinMessages(message`${nameJob(state)} completed.`, ...describeRefusedLink(state)),
        next: [message`Look for the pull request in the service's dashboard.`],
      }
    : {
        ...NOTICE,
        title: 'No documentation pull request',
        text: message`${nameJob(state)} completed without a pull request: no file had to change, or the project publishes without pull requests.`,
      };
}

function describeStarted(state: RunState): OutcomeMessage {
  const started = { ...NOTICE, next: [KEEP_WAITING], canAttach: true };
  switch (state.request?.kind) {
    case 'follow-up':
      return {
        ...started,
        title: 'Follow-up sent',
        text: message`${nameJob(state)} continues in the background.`,
      };
    case 'attach':
      return {
        ...started,
        title: 'Documentation job still running',
        text: message`${nameJob(state)} ${describeStatus(state)}.`,
      };
    case 'create':
    case undefined:
      return {
        ...started,
        title: 'Documentation job started',
        text: message`${nameJob(state)} continues in the background.`,
      };
  }
}

function describeCancelled(result: RunResult): OutcomeMessage {
  const { state } = result;
  const cancelled = {
    ...NOTICE,
    level: 'none',
    title: 'Canceled',
    canAttach: state.jobId !== undefined,
  } as const;
  const intro = message`The step was canceled.`;
  if (state.isCreateInFlight) {
    return {
      ...cancelled,
      text: joinMessages(
        message`The step was canceled while it sent the request.`,
        describePossibleStart(state),
      ),
      next: getPossibleStartSteps(state),
    };
  }
  if (state.jobId === undefined) {
    return { ...cancelled, text: joinMessages(intro, message`No job was started.`) };
  }
  if (isFollowUp(state) && state.job === undefined) {
    return {
      ...cancelled,
      text: joinMessages(intro, message`The follow-up was not sent to agent job ${code(state.jobId)}.`),
    };
  }
  return {
    ...cancelled,
    text: joinMessages(intro, message`${nameJob(state)} can't be stopped.`, describeRest(state)),
    next: [describeWayToWait(result)],
  };
}

/** Says what the job may still do, and no more than is known: it may never have been read. */
function describeRest({ job }: RunState): Message {
  return job !== undefined && !isFinalStatus(job.status)
    ? message`It may still open a pull request.`
    : message`It may still be running, and may open a pull request.`;
}

/** A re-run waits for the job only if it can find the record, and would send a follow-up again. */
function describeWayToWait({ state, inputs }: RunResult): Message {
  if (isFollowUp(state)) {
    return joinMessages(KEEP_WAITING, message`A re-run would send the follow-up again.`);
  }
  if (state.fingerprint === undefined) {
    return message`To keep waiting, re-run the failed jobs. That does not start another job.`;
  }
  return inputs?.reuse === 'never'
    ? KEEP_WAITING
    : message`To keep waiting, re-run the failed jobs: with ${code('actions: read')} and ${code('checks: read')}, the re-run waits for the same job. Or use ${code('job-id')} without a prompt, which does not start another job.`;
}

interface NotStartedText {
  readonly happened: Message;
  readonly next: Message;
}

const NOT_STARTED: Record<NotStartedCode, NotStartedText> = {
  'unwritable-output': {
    happened: message`The outputs can't be written, so nothing was sent`,
    next: message`Check that the disk of the runner is not full, and that the file that GITHUB_OUTPUT names is writable.`,
  },
  'connect-failed': {
    happened: message`Couldn't connect to the service`,
    next: message`Check ${code('base-url')}, the network of the runner, and the status of the service. Then run this again.`,
  },
  'tls-failed': {
    happened: message`The connection to the service is not secure, so nothing was sent`,
    next: message`Check ${code('base-url')}. If the service uses a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate.`,
  },
  'proxy-refused': {
    happened: message`The proxy did not let the request through`,
    next: message`Check HTTPS_PROXY and NO_PROXY, and that the proxy allows the host of ${code('base-url')}.`,
  },
  unauthorized: {
    happened: message`The service does not accept the API key`,
    next: message`Check the secret. Keys expire, by default after 90 days. Assistant keys (${code('mint_dsc_…')}) and index keys (${code('mint_us_…')}) don't work here.`,
  },
  forbidden: {
    happened: message`The API key is not allowed to do this`,
    next: message`Check the key on the API keys page. It needs the scope ${code('write')}, and must not be limited to IP addresses that the runner does not have.`,
  },
  'not-found': {
    happened: message`The service does not know this project`,
    next: message`Check ${code('project-id')} (copy it from the API keys page) and ${code('base-url')}.`,
  },
  'rate-limited': {
    happened: message`The service asked to try again later, but no time or retries were left`,
    next: message`Run this again later. The service allows 100 uses per project per hour.`,
  },
  redirected: {
    happened: message`The service answered with a redirect, which this action never follows`,
    next: message`Set ${code('base-url')} to the address that the service redirects to.`,
  },
  'bad-request': {
    happened: message`The service rejected the request`,
    next: message`Fix what the service reports, then run this again.`,
  },
  internal: { happened: message`This action failed`, next: REPORT_BUG },
};

const FOLLOW_UP_NOT_FOUND: NotStartedText = {
  happened: message`The service does not know this job or project`,
  next: message`Check ${code('job-id')}, ${code('project-id')}, and ${code('base-url')}.`,
};

function describeNotStarted(
  errorCode: NotStartedCode,
  detail: string,
  { state, inputs }: RunResult,
): OutcomeMessage {
  const { happened, next } =
    errorCode === 'not-found' && isFollowUp(state) ? FOLLOW_UP_NOT_FOUND : NOT_STARTED[errorCode];
  const effect = isFollowUp(state) ? message`The follow-up was not delivered.` : message`No job was started.`;
  const hasVersion = errorCode === 'not-found' && /\/v2\/*$/.test(inputs?.baseUrl.pathname ?? '');
  return {
    ...ERROR,
    title: isFollowUp(state) ? 'Follow-up not delivered' : 'Documentation job not started',
    text: joinMessages(message`${happened} (${describeDetail(detail)}).`, effect),
    next: [
      next,
      ...(hasVersion
        ? [message`${code('base-url')} ends in ${code('/v2')}: leave that out, because the action adds it.`]
        : []),
    ],
  };
}

function describeStartUnknown(state: RunState, detail: string): OutcomeMessage {
  return {
    ...ERROR,
    title: isFollowUp(state)
      ? "Couldn't confirm that the follow-up arrived"
      : "Couldn't confirm that a documentation job started",
    text: joinMessages(
      message`The request was sent, but its result is unknown (${describeDetail(detail)}).`,
      describePossibleStart(state),
      isFollowUp(state)
        ? message`The request was not repeated, because the agent could receive it twice.`
        : message`The request was not repeated, because that could start a second job.`,
    ),
    next: getPossibleStartSteps(state),
    canAttach: state.jobId !== undefined,
  };
}

const REUSE_REMEDIES: Record<SearchFailure, Message> = {
  impossible: message`Run this action as a step of a workflow, with a ${code('github-token')}.`,
  'not-permitted': message`Give the workflow job the permissions ${code('actions: read')} and ${code('checks: read')}.`,
  'bad-token': message`Check ${code('github-token')}. Then run this again.`,
  incomplete: message`Run this again later.`,
};

/** Running it again later costs nothing; a second job does. */
function describeReuseUnknown(failure: SearchFailure, detail: string): OutcomeMessage {
  return {
    ...ERROR,
    title: 'Documentation job not started',
    text: message`Couldn't find out whether a job was started before (${describeDetail(detail)}). No job was started, because it could be a second one.`,
    next: [
      REUSE_REMEDIES[failure],
      message`If you know that there is no other job, set ${code('reuse')} to ${code('never')}.`,
    ],
  };
}

function describeOtherStart({ attempt, page }: JobRecord): OutcomeMessage {
  return {
    ...ERROR,
    title: "Couldn't confirm that a documentation job started",
    text: message`Attempt ${String(attempt)} of another run (${link(page)}) sent a create, but its response was lost. A job may have been started, so this run sent nothing.`,
    next: [
      LOOK_FOR_JOB,
      message`If there is one, wait for it with ${code('job-id')}. If there is none, re-run that run: it starts a new job.`,
    ],
  };
}

function describeLost(outcome: Outcome & { outcome: 'lost' }, state: RunState): OutcomeMessage {
  // The job was named by an input, and never read.
  const wasNamed = state.job === undefined && state.reuse === undefined;
  if (wasNamed && outcome.code === 'job-lost' && outcome.reason === 'not-found') {
    return {
      ...ERROR,
      title: 'Documentation job not found',
      text: message`${nameJob(state)} was not found in this project (${describeDetail(outcome.detail)}). No job was started.`,
      next: [
        message`Check ${code('job-id')}: copy it from the ${code('job-id')} output or the summary of the run that started the job.`,
        message`Check that ${code('project-id')} and ${code('base-url')} are those of that run.`,
      ],
    };
  }
  return {
    ...ERROR,
    title: wasNamed ? "Couldn't read the documentation job" : 'Lost track of the documentation job',
    text: joinMessages(
      wasNamed
        ? message`${nameJob(state)} couldn't be read (${describeDetail(outcome.detail)}).`
        : message`${nameJob(state)} can't be read anymore (${describeDetail(outcome.detail)}).`,
      message`It may still be running and may still open a pull request.`,
    ),
    next: [
      message`Look at the job in the service's dashboard before you start another one.`,
      outcome.code === 'internal'
        ? REPORT_BUG
        : message`Check that the key is valid and may read jobs, and that ${code('project-id')} and ${code('base-url')} are right.`,
      ...(wasNamed ? [] : [KEEP_WAITING]),
    ],
    canAttach: true,
  };
}

function isFollowUp({ request }: RunState): boolean {
  return request?.kind === 'follow-up';
}

function describePossibleStart(state: RunState): Message {
  return isFollowUp(state)
    ? message`${nameJob(state)} may have received the follow-up.`
    : message`A job may have been started.`;
}

function getPossibleStartSteps(state: RunState): Message[] {
  return isFollowUp(state)
    ? [
        message`Look at the job in the service's dashboard before you run this again, or wait for it with ${code('job-id')} alone.`,
      ]
    : [
        LOOK_FOR_JOB,
        message`If there is one, wait for it with ${code('job-id')}. Run this again only if there is none.`,
      ];
}

/** After a follow-up, a final status may be the one before it. */
function describeStatus({ job }: RunState): Message {
  if (job === undefined) {
    return message`couldn't be read`;
  }
  return isFinalStatus(job.status)
    ? message`has not confirmed a final status`
    : message`is still ${code(job.status)}`;
}

function describeDetail(detail: string): string {
  return detail.trim() === '' ? 'no details' : detail;
}

/** Adds that the outputs could not be written, which fails the step but changes nothing about the outcome. */
export function describeUnwritable(
  described: OutcomeMessage,
  problem: string,
  { jobId }: RunState,
): OutcomeMessage {
  const { level, title, text, problems } = described;
  const loss = joinMessages(
    message`The outputs couldn't be written (${problem}), so later steps don't get them (${code('unwritable-output')}).`,
    ...(jobId === undefined ? [] : [message`The job id is ${code(jobId)}.`]),
  );
  return {
    ...described,
    level: 'error',
    title: level === 'error' ? title : `${title}, but the outputs were not written`,
    // The text introduces the problems, if there are any.
    text: problems.length === 0 ? joinMessages(text, loss) : joinMessages(loss, text),
  };
}
