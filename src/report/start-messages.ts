import type { NotStartedCode } from '../errors.ts';
import type { JobRecord, RunState, SearchFailure } from '../state.ts';
import { code, joinMessages, link, type Message, message } from '../text/message.ts';
import {
  describeDetail,
  ERROR,
  isFollowUp,
  LOOK_FOR_JOB,
  nameJob,
  type OutcomeMessage,
  REPORT_BUG,
  type RunResult,
} from './outcome-message.ts';

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

/** Describes a create or follow-up that surely had no effect. */
export function describeNotStarted(
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

/** Describes a create or follow-up that may have had an effect. */
export function describeStartUnknown(state: RunState, detail: string): OutcomeMessage {
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
  'unreadable-record': message`Take the job id from the log of that run and wait for it with ${code('job-id')}.`,
  'run-in-progress': message`That run may be about to start a job. Run this again when it has ended, or use a concurrency group.`,
  incomplete: message`Run this again later.`,
};

/** Running it again later costs nothing; a second job does. */
export function describeReuseUnknown(failure: SearchFailure, detail: string): OutcomeMessage {
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

/** Describes the create of another run that may have had an effect, which is why this run sent nothing. */
export function describeOtherStart({ attempt, page }: JobRecord): OutcomeMessage {
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

/** Says what a request whose result is unknown may have done. */
export function describePossibleStart(state: RunState): Message {
  return isFollowUp(state)
    ? message`${nameJob(state)} may have received the follow-up.`
    : message`A job may have been started.`;
}

/** Returns what to do before another request is sent. */
export function getPossibleStartSteps(state: RunState): Message[] {
  return isFollowUp(state)
    ? [
        message`Look at the job in the service's dashboard before you run this again, or wait for it with ${code('job-id')} alone.`,
      ]
    : [
        LOOK_FOR_JOB,
        message`If there is one, wait for it with ${code('job-id')}. Run this again only if there is none.`,
      ];
}
